package diffusion

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/reverse"
	"github.com/riffle-ml/riffle/shuffle"
)

// beamOf makes a beam of different states with falling probabilities, and the law's scores of
// each, of which the last states are the least probable by far.
func beamOf(rng *rand.Rand, law reverse.Law, n, states int, sharp float64) (beam []beamState, scores [][]float64) {
	logp := 0.0
	for range states {
		logp -= rng.Float64() * 20 / float64(states)
		beam = append(beam, beamState{path: Path{States: []perm.Order{perm.Random(rng, n)}, LogProb: logp}})
		row := make([]float64, law.NumScores(n))
		for i := range row {
			row[i] = sharp * rng.NormFloat64()
		}
		scores = append(scores, row)
	}
	beam[rng.IntN(states)].greedy = true
	return beam, scores
}

// everyWay is the step by its definition: of every state the most probable orders, by looking at
// all, and the greedy state's mode. Those that lead to one state are added up.
func everyWay(p *Process, beam []beamState, scores [][]float64, most int) map[string]float64 {
	sums := map[string]float64{}
	for j, s := range beam {
		row := scores[j]
		var all []perm.Order
		for sigma := range perm.All(p.Free(len(s.path.Order()))) {
			if !math.IsInf(p.Reverse.LogProb(row, sigma), -1) {
				all = append(all, slices.Clone(sigma))
			}
		}
		slices.SortFunc(all, func(a, b perm.Order) int { return cmp.Compare(p.Reverse.LogProb(row, b), p.Reverse.LogProb(row, a)) })
		mode := make(perm.Order, len(all[0]))
		reverse.GreedyStep(p.Reverse, row, mode)
		for i, sigma := range all {
			if i >= most && (!s.greedy || !slices.Equal(sigma, mode)) {
				continue
			}
			order := p.apply(sigma, s.path.Order())
			logp := s.path.LogProb + p.Reverse.LogProb(row, sigma)
			key := order.Text(perm.ZeroBased)
			if was, ok := sums[key]; ok {
				logp = logAdd(was, logp)
			}
			sums[key] = logp
		}
	}
	return sums
}

// The states kept are the most probable of the ways looked at, but for what the margin leaves out.
// The greedy one is among them, and each has the sum of all ways into it.
func TestExpandIsExact(t *testing.T) {
	for _, law := range reverse.Laws() {
		for _, first := range []bool{false, true} {
			p := &Process{Forward: shuffle.Riffle{}, Reverse: law, FixFirst: first}
			n := 4
			if first {
				n = 5
			}
			for seed := range uint64(20) {
				rng := rand.New(rand.NewPCG(seed, 7))
				beam, scores := beamOf(rng, law, 4, 9, 2)
				for j := range beam {
					beam[j].path.States[0] = p.Start(rng, n)
				}
				const outer = 6
				looked, all := everyWay(p, beam, scores, outer), everyWay(p, beam, scores, 24)
				var values []float64
				for _, v := range looked {
					values = append(values, v)
				}
				slices.Sort(values)
				slices.Reverse(values)
				got, err := p.expand(t.Context(), beam, scores, outer, 24, nil)
				if err != nil {
					t.Fatal(err)
				}
				if len(got) != min(outer, len(values)) {
					t.Fatalf("%s: %d states, wanted %d", law.Name(), len(got), outer)
				}
				greedy := 0
				for i, s := range got {
					key := s.path.Order().Text(perm.ZeroBased)
					if math.Abs(s.path.LogProb-all[key]) > 1e-9 {
						t.Errorf("%s: seed %d: state %d has log p %v, the sum of its ways is %v", law.Name(), seed, i, s.path.LogProb, all[key])
					}
					if i > 0 && s.path.LogProb > got[i-1].path.LogProb {
						t.Errorf("%s: seed %d: state %d is more probable than the one before", law.Name(), seed, i)
					}
					// Nine ways at the most lead into a state; eight of them may not be looked at,
					// each of at most e^−3 of the least.
					if s.greedy {
						greedy++
					} else if looked[key] < values[len(got)-1]-math.Log1p(8*math.Exp(-mergeMargin)) {
						t.Errorf("%s: seed %d: state %d of log p %v is not of the best, %v", law.Name(), seed, i, looked[key], values[:len(got)])
					}
				}
				if greedy != 1 {
					t.Errorf("%s: seed %d: %d greedy states, wanted 1", law.Name(), seed, greedy)
				}
			}
		}
	}
}

// BenchmarkExpand times one set's step of wide beams: of tours, and of sorting 52.
func BenchmarkExpand(b *testing.B) {
	for _, c := range []struct {
		name         string
		law          reverse.Law
		n            int
		outer, inner int
		sharp        float64
	}{
		{"pl-19-256", reverse.PlackettLuce{}, 19, 256, 256, 4},
		{"gpl-52-20x200", reverse.GeneralizedPlackettLuce{}, 52, 20, 200, 4},
		{"gpl-52-20x200-flat", reverse.GeneralizedPlackettLuce{}, 52, 20, 200, 0.3},
	} {
		b.Run(c.name, func(b *testing.B) {
			p := &Process{Forward: shuffle.Riffle{}, Reverse: c.law}
			beam, scores := beamOf(rand.New(rand.NewPCG(1, 2)), c.law, c.n, c.outer, c.sharp)
			b.ReportAllocs()
			for b.Loop() {
				_, _ = p.expand(b.Context(), beam, scores, c.outer, c.inner, nil)
			}
		})
	}
}

func orderKey(o perm.Order) string { return o.Text(perm.ZeroBased) }
