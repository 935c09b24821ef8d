package reverse

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/riffle-ml/riffle/perm"
)

func benchmarkLaw(b *testing.B, n int, call func(law Law, rng *rand.Rand, scores []float64, o perm.Order)) {
	for _, law := range Laws() {
		rng := rand.New(rand.NewPCG(1, 1))
		scores, o := randomScores(rng, law.NumScores(n), 1), make(perm.Order, n)
		law.Sample(rng, scores, o)
		b.Run(fmt.Sprintf("%s/n=%d", law.Name(), n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				call(law, rng, scores, o)
			}
		})
	}
}

// BenchmarkMicro has what is called in loops; names say the most that a call may take, and
// bench/micro.py holds them to it.
func BenchmarkMicro(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	run := func(name string, law Law, n int, call func(scores []float64, o perm.Order)) {
		scores, o := randomScores(rng, law.NumScores(n), 1), make(perm.Order, n)
		law.Sample(rng, scores, o)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				call(scores, o)
			}
		})
	}
	run("GPL_log_probability/n=52/bound=30us", GeneralizedPlackettLuce{}, 52, func(s []float64, o perm.Order) {
		GeneralizedPlackettLuce{}.LogProb(s, o)
	})
	run("PL_sample/n=1000/bound=100us", PlackettLuce{}, 1000, func(s []float64, o perm.Order) {
		PlackettLuce{}.Sample(rng, s, o)
	})
}

func BenchmarkLogProb(b *testing.B) {
	benchmarkLaw(b, 52, func(law Law, _ *rand.Rand, s []float64, o perm.Order) { law.LogProb(s, o) })
}

func BenchmarkSample(b *testing.B) {
	for _, n := range []int{52, 1000} {
		benchmarkLaw(b, n, func(law Law, rng *rand.Rand, s []float64, o perm.Order) { law.Sample(rng, s, o) })
	}
}

func BenchmarkMode(b *testing.B) {
	benchmarkLaw(b, 52, func(law Law, _ *rand.Rand, s []float64, o perm.Order) { law.Mode(s, o) })
}

func BenchmarkTopK(b *testing.B) {
	benchmarkLaw(b, 52, func(law Law, _ *rand.Rand, s []float64, _ perm.Order) { law.TopK(s, 200) })
}

// The inner beam of decoding: flat scores are the hardest, trained ones are peaked.
func BenchmarkBeam(b *testing.B) {
	const n, k = 52, 200
	for _, scale := range []float64{0.1, 1, 5} {
		scores := randomScores(rand.New(rand.NewPCG(1, 1)), n*n, scale)
		b.Run(fmt.Sprintf("scale=%g", scale), func(b *testing.B) {
			b.ReportAllocs()
			var beam Beam
			for b.Loop() {
				beam.Search(n, k, func(i int) []float64 { return scores[i*n : (i+1)*n] })
			}
		})
	}
}
