package denoiser

import (
	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/mat"
)

// A convolution with a kernel of r × r pixels makes tiles of m × m outputs from tiles of t × t inputs,
// t = m + r − 1. A pair of channels takes t² products in place of m²·r² (Lavin and Gray, "Fast
// Algorithms for Convolutional Neural Networks", 2016, §4). That is 64 for 400 with m = 4 and r = 5.
const (
	winogradKernel = 5
	winogradTile   = 4
	winogradInput  = winogradTile + winogradKernel - 1 // two tiles side by side
	// minWinograd is the number of channels from which the products are worth the transforms.
	minWinograd = 16
	// winogradTiles is how many tiles are transformed together: XLA reuses their memory.
	winogradTiles = 4096
)

// winogradPoints are where polynomials are evaluated, beside infinity: the dyadic ones that
// lose least, a root mean square of 3e-6 of the output's in float32.
var winogradPoints = []float64{0, 1, -1, 2, -2, 0.5, -0.5}

// winograd2D has the transforms of a tile in both directions, row-major.
var winograd2D = newWinograd()

// transforms take tiles of outputs from those of products (t² to m²), kernels (r² to t²) and
// tiles of inputs (t² to t²) there.
type transforms struct{ output, kernel, input [][]float32 }

// newWinograd derives the transforms from those of polynomials (Toom and Cook). V_k takes k coefficients
// to values at the points; the product of polynomials of m and r coefficients is V_t⁻¹[(V_r g) ⊙ (V_m h)].
// A convolution is the transpose of that in h: V_mᵀ[(V_r g) ⊙ (V_t⁻ᵀ d)].
func newWinograd() transforms {
	values := func(coefficients int) *mat.Dense {
		v := mat.NewDense(winogradInput, coefficients, nil)
		for i, point := range winogradPoints {
			power := 1.0
			for j := range coefficients {
				v.Set(i, j, power)
				power *= point
			}
		}
		v.Set(winogradInput-1, coefficients-1, 1) // at infinity the leading one
		return v
	}
	kernel, input := values(winogradKernel), new(mat.Dense)
	if err := input.Inverse(values(winogradInput)); err != nil {
		panic(err) // the points are different
	}
	input = mat.DenseCopyOf(input.T())
	for i := range winogradInput { // rows of the kernel's have length 1, for what is rounded
		norm := mat.Norm(kernel.RowView(i), 2)
		scale := func(m *mat.Dense, by float64) {
			row := m.RawRowView(i)
			for j := range row {
				row[j] *= by
			}
		}
		scale(kernel, 1/norm)
		scale(input, norm)
	}
	return transforms{twice(values(winogradTile).T()), twice(kernel), twice(input)}
}

// twice is the transform of rows and columns: the Kronecker product of one with itself.
func twice(m mat.Matrix) [][]float32 {
	var both mat.Dense
	both.Kronecker(m, m)
	rows, columns := both.Dims()
	out := make([][]float32, rows)
	for i := range out {
		out[i] = make([]float32, columns)
		for j := range out[i] {
			out[i][j] = float32(both.At(i, j))
		}
	}
	return out
}

// suitsWinograd tells whether [conv.winograd] can take a convolution, and should.
func (l *conv) suitsWinograd() bool {
	return l.kernel == winogradKernel && l.stride == 1 && l.padding == winogradKernel/2 && l.in >= minWinograd
}

// winograd convolves x [images, height, width, in] with w [k, k, in, out] to [images, height, width, out].
func (l *conv) winograd(x, w *graph.Node) *graph.Node {
	const area = winogradInput * winogradInput
	g, d := x.Graph(), x.Shape().Dimensions
	w = graph.Reshape(w, winogradKernel*winogradKernel, l.in*l.out)
	w = graph.Reshape(graph.Dot(graph.Const(g, winograd2D.kernel), w).Product(), area, l.in, l.out)
	tiles := ((d[1] + winogradTile - 1) / winogradTile) * ((d[2] + winogradTile - 1) / winogradTile)
	atOnce := max(1, winogradTiles/tiles)
	var parts []*graph.Node
	for first := 0; first < d[0]; first += atOnce {
		part := x
		if d[0] > atOnce {
			part = graph.Slice(x, graph.AxisRange(first, min(d[0], first+atOnce)))
		}
		parts = append(parts, l.winogradPart(part, w))
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return graph.Concatenate(parts, 0)
}

// winogradPart convolves with weights [t², in, out] that are transformed.
func (l *conv) winogradPart(x, w *graph.Node) *graph.Node {
	const area, m = winogradInput * winogradInput, winogradTile
	g, d := x.Graph(), x.Shape().Dimensions
	rows, columns := (d[1]+m-1)/m, (d[2]+m-1)/m
	fit := func(size, tiles int) compute.PadAxis {
		return compute.PadAxis{Start: l.padding, End: (tiles+1)*m - size - l.padding}
	}
	x = graph.Pad(x, graph.ScalarZero(g, x.DType()), compute.PadAxis{}, fit(d[1], rows), fit(d[2], columns), compute.PadAxis{})
	x = graph.Reshape(x, d[0], rows+1, m, columns+1, m, l.in)
	x = graph.TransposeAllAxes(x, 2, 4, 0, 1, 3, 5) // [m, m, images, rows + 1, columns + 1, in]
	// A tile of inputs is a block of m × m pixels with those to the right, below, and both.
	blocks := func(down, right int) *graph.Node {
		return graph.Slice(x, graph.AxisRange(), graph.AxisRange(), graph.AxisRange(),
			graph.AxisRange(down, down+rows), graph.AxisRange(right, right+columns), graph.AxisRange())
	}
	beside := func(down int) *graph.Node {
		return graph.Concatenate([]*graph.Node{blocks(down, 0), blocks(down, 1)}, 1)
	}
	x = graph.Concatenate([]*graph.Node{beside(0), beside(1)}, 0) // [t, t, images, rows, columns, in]

	tiles := d[0] * rows * columns
	x = graph.Dot(graph.Const(g, winograd2D.input), graph.Reshape(x, area, tiles*l.in)).Product()
	y := graph.Einsum("fti,fio->fto", graph.Reshape(x, area, tiles, l.in), w)
	y = graph.Dot(graph.Const(g, winograd2D.output), graph.Reshape(y, area, tiles*l.out)).Product()
	y = graph.TransposeAllAxes(graph.Reshape(y, m, m, d[0], rows, columns, l.out), 2, 3, 0, 4, 1, 5)
	y = graph.Reshape(y, d[0], rows*m, columns*m, l.out)
	return graph.Slice(y, graph.AxisRange(), graph.AxisRange(0, d[1]), graph.AxisRange(0, d[2]), graph.AxisRange())
}
