package metric_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/riffle-ml/riffle/metric"
	"github.com/riffle-ml/riffle/perm"
)

// BenchmarkMicro has what is called in loops. A bound n_log_n is on growth: against the
// benchmark above it, see bench/micro.py.
func BenchmarkMicro(b *testing.B) {
	for n, bound := 1000, "none"; n <= 100_000; n, bound = n*10, "n_log_n" {
		b.Run(fmt.Sprintf("kendall_tau/n=%d/bound=%s", n, bound), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 2))
			x, y := perm.Random(rng, n).Rank(), perm.Random(rng, n).Rank()
			b.ReportAllocs()
			for b.Loop() {
				if _, err := metric.KendallTau(x, y); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
