package shuffle_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/shuffle"
)

// BenchmarkMicro has what is called in loops; names say the most that a call may take, and
// bench/micro.py holds them to it.
func BenchmarkMicro(b *testing.B) {
	for _, t := range []int{1, 7, 14, 60} {
		b.Run(fmt.Sprintf("riffle/n=52/t=%d/bound=2us", t), func(b *testing.B) {
			rng, dst := rand.New(rand.NewPCG(1, 2)), make(perm.Order, 52)
			b.ReportAllocs()
			for b.Loop() {
				shuffle.Riffle{}.SampleT(rng, t, dst)
			}
		})
	}
	// Two million riffles a second, all cores drawing.
	b.Run("riffles_on_all_cores/n=52/t=1/bound=500ns", func(b *testing.B) {
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			rng, dst := rand.New(rand.NewPCG(rand.Uint64(), 2)), make(perm.Order, 52)
			for pb.Next() {
				shuffle.Riffle{}.Sample(rng, dst)
			}
		})
	})
	for _, c := range []struct {
		n, t  int
		bound string
	}{{1000, 15, "1s"}, {10000, 21, "60s"}} {
		b.Run(fmt.Sprintf("total_variation/n=%d/t=%d/bound=%s", c.n, c.t, c.bound), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				shuffle.TVUniform(c.n, c.t)
			}
		})
	}
}
