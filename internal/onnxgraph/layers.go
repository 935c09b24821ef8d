package onnxgraph

import (
	"fmt"
	"math"
)

// The layers follow package denoiser; what they do is told there.

// NormEpsilon is what norms add to a variance.
const NormEpsilon = 1e-5

// Linear is x·Wᵀ + b with W [out, in].
func (b *Builder) Linear(name string, x Value) Value {
	return b.Affine(x, b.Weight(name+".weight"), b.Weight(name+".bias"))
}

// Affine is [Builder.Linear] of a weight and a bias at hand.
func (b *Builder) Affine(x, w, bias Value) Value {
	return b.Add(b.MatMul(x, b.Transpose(w, 1, 0)), bias)
}

// MLP is the layers name1 … nameCount with a ReLU between.
func (b *Builder) MLP(name string, count int, x Value) Value {
	for i := range count {
		if i > 0 {
			x = b.Relu(x)
		}
		x = b.Linear(fmt.Sprint(name, i+1), x)
	}
	return x
}

// Sinusoid returns [values…, dim]: cos(v·ω) then sin(v·ω), ω_i = 10000^(−i/(dim/2)).
func (b *Builder) Sinusoid(values Value, dim int) Value {
	omega := make([]float32, dim/2)
	for i := range omega {
		omega[i] = float32(math.Exp(-math.Log(10000) * float64(i) / float64(len(omega))))
	}
	angles := b.Mul(b.Unsqueeze(values, -1), b.Floats(Value(fmt.Sprintf("omega_%d", dim)), []int{len(omega)}, omega...))
	return b.Concat(-1, b.Op("Cos", []Value{angles}), b.Op("Sin", []Value{angles}))
}
