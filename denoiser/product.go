package denoiser

import (
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/gobackend"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/layers/activation"
	"github.com/gomlx/gomlx/ml/nn"
)

func (c *Context) onGo() bool { return c.Graph.Backend().String() == gobackend.BackendName }

// dense is act(x·wᵀ + b) of x [..., in], w [out, in] and b [out].
//
// The go engine has a gradient of it in one operation, which transposes on one core and takes twice
// the memory. In training it is put together from products here.
//
// With Precision "bfloat16" the factors of the product are rounded to 8 bits, and so are those of
// the gradient in x; sums are in float32. The gradient in w, a sum over all rows, is of float32
// factors. To round them gains nothing on XLA's CPU, whose product over first axes is slow in
// bfloat16. So are the long products that end an image encoder, which stay float32 as well.
func (c *Context) dense(x, w, b *graph.Node, act activation.Type) *graph.Node {
	if !c.half && (!c.Training || !c.onGo()) {
		return nn.Dense(x, w, b, compute.DenseLayoutOutputsInput, act)
	}
	dims := x.Shape().Dimensions
	x = graph.Reshape(x, -1, dims[len(dims)-1])
	product, weights := rounded, narrowFirst
	if !c.half {
		product, weights = whole, func(v, x *graph.Node) *graph.Node { return whole(graph.TransposeAllAxes(v, 1, 0), 1, x, 0) }
	}
	y := withGradients(x, w,
		func(x, w *graph.Node) *graph.Node { return product(x, 1, w, 1) },
		func(v *graph.Node) *graph.Node { return product(v, 1, w, 0) },
		func(v *graph.Node) *graph.Node { return weights(v, x) })
	y = activation.Apply(act, graph.Add(y, graph.ExpandLeftToRank(b, 2)))
	return graph.Reshape(y, append(slices.Clone(dims[:len(dims)-1]), -1)...)
}

// halfWanted tells whether products are to be of bfloat16. The go engine computes those slower
// than its own of float32, which are more exact.
func (d *Denoiser) halfWanted(c *Context) bool {
	return d.Config.Precision == "bfloat16" && !c.onGo()
}

// whole is the product of two matrices over axis i of a and j of b.
func whole(a *graph.Node, i int, b *graph.Node, j int) *graph.Node {
	return graph.DotGeneral(a, []int{i}, nil, b, []int{j}, nil)
}

// rounded is the same of elements rounded to bfloat16, with the sums in float32.
func rounded(a *graph.Node, i int, b *graph.Node, j int) *graph.Node {
	a, b = graph.ConvertDType(a, dtypes.BFloat16), graph.ConvertDType(b, dtypes.BFloat16)
	return graph.Dot(a, b).WithOutputDType(dtypes.Float32).General([]int{i}, nil, []int{j}, nil)
}

// narrowFirst is aᵀ·b of a [rows, i] and b [rows, j]. XLA's CPU is slower where the left side is
// the wider one (128 and 512 wide: 90 · 10⁹ operations a second for 127).
func narrowFirst(a, b *graph.Node) *graph.Node {
	if a.Shape().Dimensions[1] > b.Shape().Dimensions[1] {
		return graph.TransposeAllAxes(narrowFirst(b, a), 1, 0)
	}
	return whole(a, 0, b, 0)
}

// withGradients is f(x, w) with gradients dx(v) and dw(v), v being the gradient of f(x, w), in
// place of what GoMLX derives, which is left as dead code.
func withGradients(x, w *graph.Node, f func(x, w *graph.Node) *graph.Node, dx, dw func(v *graph.Node) *graph.Node) *graph.Node {
	var v *graph.Node // the way back comes by f's result before it comes by x and w
	x = graph.IdentityWithCustomGradient(x, func(_, _ *graph.Node) *graph.Node { return dx(v) })
	w = graph.IdentityWithCustomGradient(w, func(_, _ *graph.Node) *graph.Node { return dw(v) })
	return graph.IdentityWithCustomGradient(f(x, w), func(_, up *graph.Node) *graph.Node {
		v = up
		return up
	})
}

// softmax is that of the last axis.
//
// In training GoMLX would compute it twice on the go engine. It would do so once in one operation
// for what follows, and once put together for the gradient, which it derives step by step. Here the
// parts are what follows too, and the gradient is w·(v − Σ w·v).
func (c *Context) softmax(logits *graph.Node) *graph.Node {
	if !c.Training {
		return graph.Softmax(logits, -1)
	}
	var w, v *graph.Node // the way back comes by w before it comes by the logits
	x := graph.IdentityWithCustomGradient(logits, func(_, _ *graph.Node) *graph.Node {
		return graph.Mul(w, graph.Sub(v, graph.ReduceAndKeep(graph.Mul(w, v), graph.ReduceSum, -1)))
	})
	e := graph.Exp(graph.Sub(x, graph.StopGradient(graph.ReduceAndKeep(x, graph.ReduceMax, -1))))
	w = graph.Div(e, graph.ReduceAndKeep(e, graph.ReduceSum, -1))
	return graph.IdentityWithCustomGradient(w, func(_, up *graph.Node) *graph.Node {
		v = up
		return up
	})
}
