package diffsort

import (
	"fmt"
	"math/bits"

	"github.com/riffle-ml/riffle/perm"
)

// maxWires bounds networks: the relaxed permutation of so many items has 10⁸ entries.
const maxWires = 10_000

// Comparator orders two wires: the smaller value leaves on Low, the greater on High.
type Comparator struct{ Low, High int }

// Network is a sorting network on n wires: layers of comparators that share no wire.
// Wires are numbered as positions are, so that after the last layer wire 0 has the
// smallest value.
type Network struct {
	name   string
	n      int
	layers []layer
}

// layer pairs wires a fixed stride apart. There are virtual wires before the first and after the
// last. So the wires fall into blocks of 2·stride, in which wire i of the first half meets wire i
// of the second. Pairs with a virtual wire do nothing. So a layer is one reshape, whatever its
// size.
type layer struct {
	stride, before, total int // total: wires with the virtual ones
	run                   int // size of the runs with one direction; 0: all rise
}

// OddEven is odd–even transposition sort (Knuth, The Art of Computer Programming 3,
// §5.3.4): n layers, that compare neighbours from wire 0 and from wire 1 in turn.
func OddEven(n int) (*Network, error) {
	w := &Network{name: "odd-even", n: n}
	if err := w.check(); err != nil {
		return nil, err
	}
	if n == 1 {
		return w, nil
	}
	for t := range n {
		before := t % 2
		total := before + n
		w.layers = append(w.layers, layer{stride: 1, before: before, total: total + total%2})
	}
	return w, nil
}

// Bitonic is Batcher's bitonic sort ("Sorting Networks and Their Applications", 1968):
// k(k+1)/2 layers with k = ⌈log₂ n⌉.
//
// Where n is no power of two, the network is that for 2^k wires whose first 2^k − n carry −∞ and
// are left out. At every stage one block of wires has both virtual and real ones. That block sorts
// upwards, so that −∞ never wants to leave the first wires. The blocks' directions alternate from
// there. (The code published with Petersen et al. 2021 leaves out the same wires but lets
// directions alternate from the first block. Both are one network where n is a power of two. At
// some other sizes, the smallest is 22, that one does not sort; at the paper's 52, 100 and 200 it
// does, by other comparators.)
func Bitonic(n int) (*Network, error) {
	w := &Network{name: "bitonic", n: n}
	if err := w.check(); err != nil {
		return nil, err
	}
	k := bits.Len(uint(n - 1))
	for stage := range k {
		for stride := 1 << stage; stride > 0; stride /= 2 {
			w.layers = append(w.layers, layer{stride: stride, before: 1<<k - n, total: 1 << k, run: 2 << stage})
		}
	}
	return w, nil
}

// NetworkByName returns [OddEven] for "odd-even" and [Bitonic] for "bitonic". It fails on
// other names, and where n is not 1 to 10,000.
func NetworkByName(name string, n int) (*Network, error) {
	switch name {
	case "odd-even":
		return OddEven(n)
	case "bitonic":
		return Bitonic(n)
	}
	return nil, fmt.Errorf("sorting network %q: unknown, wanted odd-even or bitonic", name)
}

func (w *Network) check() error {
	if w.n < 1 || w.n > maxWires {
		return fmt.Errorf("sorting network %s: wanted 1 to %d wires (got %d)", w.name, maxWires, w.n)
	}
	return nil
}

// Name returns "odd-even" or "bitonic".
func (w *Network) Name() string { return w.name }

// N returns the number of wires.
func (w *Network) N() int { return w.n }

// Depth returns the number of layers.
func (w *Network) Depth() int { return len(w.layers) }

// Layer returns the comparators of layer t, 0 to Depth()−1.
func (w *Network) Layer(t int) []Comparator {
	var out []Comparator
	w.layers[t].each(w.n, func(a, b int, falls bool) {
		if falls {
			a, b = b, a
		}
		out = append(out, Comparator{Low: a, High: b})
	})
	return out
}

// each calls f for the pairs of real wires, a before b; falls is true where b gets the
// smaller value.
func (l layer) each(n int, f func(a, b int, falls bool)) {
	for block := 0; block < l.total; block += 2 * l.stride {
		for v := block; v < block+l.stride; v++ {
			a, b := v-l.before, v-l.before+l.stride
			if a >= 0 && b < n {
				f(a, b, l.falls(v))
			}
		}
	}
}

// falls tells the direction at a virtual wire: runs alternate, and the run with the first
// real wire rises.
func (l layer) falls(v int) bool {
	return l.run > 0 && (v/l.run)%2 != (l.before/l.run)%2
}

// Sort sends x, one value a wire, through the network and returns the order it comes out in:
// x[o[0]] ≤ x[o[1]] ≤ …. x stays as it is. A comparator leaves equal values, and NaN, where they
// are. Equal values need not keep their order. With NaN the result is an order, but maybe not
// sorted. It fails where len(x) is not the number of wires.
func (w *Network) Sort(x []float64) (perm.Order, error) {
	if len(x) != w.n {
		return nil, fmt.Errorf("sorting network %s: wanted %d values (got %d)", w.name, w.n, len(x))
	}
	o := perm.Identity(w.n)
	for _, l := range w.layers {
		l.each(w.n, func(a, b int, falls bool) {
			if falls {
				a, b = b, a
			}
			if x[o[b]] < x[o[a]] {
				o[a], o[b] = o[b], o[a]
			}
		})
	}
	return o, nil
}
