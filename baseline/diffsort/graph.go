package diffsort

import (
	"fmt"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
)

// SortGraph sorts scores [rows, n], float, smallest first. It returns what the wires carry at the
// end, [rows, n], and the relaxed permutation P [rows, n, n]. P[r, i, k] is how much of item k is
// at position i. Rows and columns of P sum to one. Error-free, both are those of the hard sort,
// exactly, with the gradients of the relaxed one. Scores must be finite. It panics on other shapes.
//
// Work and memory for gradients are those of n² entries a row and layer: n layers for
// [OddEven], log₂² n / 2 for [Bitonic].
func (s *Sorter) SortGraph(scores *graph.Node) (sorted, p *graph.Node) {
	n := s.network.n
	shape := scores.Shape()
	if !shape.DType.IsFloat() || shape.Rank() != 2 || shape.Dim(1) != n {
		panic(fmt.Errorf("diffsort: scores must be float [rows, %d] (got %s)", n, shape))
	}
	sorted = scores
	p = graph.ConvertDType(graph.Diagonal(scores.Graph(), n), shape.DType)
	p = graph.BroadcastPrefix(p, shape.Dim(0))
	for _, l := range s.network.layers {
		sorted, p = s.layer(l, sorted, p)
	}
	return sorted, p
}

// layer sends x [rows, n] and p [rows, n, n] through the comparators of a layer.
func (s *Sorter) layer(l layer, x, p *graph.Node) (_, _ *graph.Node) {
	a, b := l.split(x) // [rows, blocks, 1, stride]
	d := graph.Sub(b, a)
	signs, real := l.tables(x.Shape().Dim(1))
	if signs != nil {
		d = graph.Mul(d, graph.ConstAs(d, signs))
	}
	w := s.swap.graph(d, s.steepness)
	stay := graph.GreaterOrEqual(d, graph.ConstAs(d, 0))
	if real != nil { // with a virtual wire, each keeps its own
		isReal := graph.Const(x.Graph(), real)
		w = graph.Where(isReal, w, graph.ConstAs(w, 1))
		stay = graph.LogicalOr(stay, graph.LogicalNot(isReal))
	}
	rest := graph.OneMinus(w)
	first := graph.Add(graph.Mul(w, a), graph.Mul(rest, b))
	second := graph.Add(graph.Mul(rest, a), graph.Mul(w, b))

	// p has n times as many entries: the same sums with one product.
	pa, pb := l.split(p) // [rows, blocks, 1, stride, n]
	moved := graph.Mul(graph.ExpandAxes(w, -1), graph.Sub(pa, pb))
	pFirst, pSecond := graph.Add(pb, moved), graph.Sub(pa, moved)

	if s.errorFree {
		first = replaced(first, graph.Where(stay, a, b))
		second = replaced(second, graph.Where(stay, b, a))
		stay = graph.ExpandAxes(stay, -1)
		pFirst = replaced(pFirst, graph.Where(stay, pa, pb))
		pSecond = replaced(pSecond, graph.Where(stay, pb, pa))
	}
	return l.join(first, second, x), l.join(pFirst, pSecond, p)
}

// split returns the first and the second wires of all pairs of x [rows, n, …], as [rows,
// blocks, 1, stride, …]. Virtual wires are 0.
func (l layer) split(x *graph.Node) (first, second *graph.Node) {
	dims := x.Shape().Dimensions
	if after := l.total - l.before - dims[1]; l.before+after > 0 {
		axes := make([]compute.PadAxis, len(dims))
		axes[1] = compute.PadAxis{Start: l.before, End: after}
		x = graph.Pad(x, graph.ConstAs(x, 0), axes...)
	}
	blocks := append([]int{dims[0], l.total / (2 * l.stride), 2, l.stride}, dims[2:]...)
	x = graph.Reshape(x, blocks...)
	return graph.SliceAxis(x, 2, graph.AxisRange(0, 1)), graph.SliceAxis(x, 2, graph.AxisRange(1, 2))
}

// join undoes split; like has the shape to return to.
func (l layer) join(first, second, like *graph.Node) *graph.Node {
	dims := like.Shape().Dimensions
	x := graph.Concatenate([]*graph.Node{first, second}, 2)
	x = graph.Reshape(x, append([]int{dims[0], l.total}, dims[2:]...)...)
	if l.total > dims[1] {
		x = graph.SliceAxis(x, 1, graph.AxisRange(l.before, l.before+dims[1]))
	}
	return x
}

// tables returns the direction of every pair, 1 or −1, and whether its wires are real, [1, blocks,
// 1, stride]. They are nil where all are 1, or true.
func (l layer) tables(n int) (signs [][][][]float64, real [][][][]bool) {
	var anyFalls, anyVirtual bool
	signs, real = make([][][][]float64, 1), make([][][][]bool, 1)
	for block := 0; block < l.total; block += 2 * l.stride {
		sign, is := make([]float64, l.stride), make([]bool, l.stride)
		for i := range sign {
			sign[i] = 1
			if l.falls(block + i) {
				sign[i], anyFalls = -1, true
			}
			a, b := block+i-l.before, block+i-l.before+l.stride
			is[i] = a >= 0 && b < n
			anyVirtual = anyVirtual || !is[i]
		}
		signs[0], real[0] = append(signs[0], [][]float64{sign}), append(real[0], [][]bool{is})
	}
	if !anyFalls {
		signs = nil
	}
	if !anyVirtual {
		real = nil
	}
	return signs, real
}
