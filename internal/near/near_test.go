package near

import (
	"fmt"
	"math"
	"testing"
)

// failed is a test that notes whether it failed.
type failed struct {
	testing.TB
	yes bool
}

func (*failed) Helper() {}

func (f *failed) Errorf(string, ...any) { f.yes = true }

func TestEqual(t *testing.T) {
	for _, c := range []struct {
		got, want float64
		fails     bool
	}{{1, 1.001, false}, {1, 1.003, true}, {0, 0.001, false}, {0, 0.003, true}, {1000, 1001, false}, {1000, 1003, true}, {math.Inf(1), math.Inf(1), false}, {math.Inf(1), 1, true}, {math.NaN(), math.NaN(), true}, {1, math.NaN(), true}} {
		t.Run(fmt.Sprint(c.got, c.want), func(t *testing.T) {
			one, all, within := &failed{TB: t}, &failed{TB: t}, &failed{TB: t}
			Equal(one, "", c.got, c.want, 0.002)
			All(all, "", []float64{2, c.got}, []float64{2, c.want}, 0.002)
			AllWithin(within, "", []float64{2, c.got}, []float64{2, c.want}, relative(0.002, c.want))
			if one.yes != c.fails || all.yes != c.fails || within.yes != c.fails {
				t.Errorf("%g for %g: failed %v, %v, %v, wanted %v", c.got, c.want, one.yes, all.yes, within.yes, c.fails)
			}
		})
	}
}
