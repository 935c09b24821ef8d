package diffusion

import (
	"math"
	"testing"

	"github.com/riffle-ml/riffle/perm"
)

// Of few objects log p is the sum over all ways, also those that the shuffles cannot make: one riffle
// of four cards makes 12 of 24 orders.
func TestExact(t *testing.T) {
	const n = 4
	for _, p := range processes() {
		if p.Reverse.FullSupport() {
			p.Steps = []int{0, 1, 4}
		} else {
			p.Steps = Every(4)
		}
		dec, enc, all, index, likelihood := likelihoods(t, p, n)
		sum := 0.0
		for _, o := range all {
			got, err := dec.Exact(t.Context(), enc, []int{0}, func(_ int, x perm.Order) bool { return orderKey(x) == orderKey(o) })
			if err != nil {
				t.Fatal(err)
			}
			want := math.Log(likelihood[index[orderKey(o)]])
			if math.Abs(got[0]-want) > 1e-9 && got[0] != want { // both may be −Inf
				t.Errorf("%s: log p of %v is %g, wanted %g", p.Reverse.Name(), o, got[0], want)
			}
			sum += math.Exp(got[0])
		}
		if math.Abs(sum-1) > 1e-6 {
			t.Errorf("%s: all orders have p %g together", p.Reverse.Name(), sum)
		}
	}
}

func TestOrders(t *testing.T) {
	free, fixed := &Process{}, &Process{FixFirst: true}
	for _, c := range []struct {
		p    *Process
		n    int
		want int
	}{{free, 0, 1}, {free, 1, 1}, {free, 4, 24}, {free, 5, 120}, {free, 6, 121}, {free, 1000, 121}, {fixed, 0, 1}, {fixed, 5, 24}, {fixed, 7, 121}} {
		if got := c.p.Orders(c.n, 120); got != c.want {
			t.Errorf("%d objects, first fixed %v: %d orders, wanted %d", c.n, c.p.FixFirst, got, c.want)
		}
	}
}
