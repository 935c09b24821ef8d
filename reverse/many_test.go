package reverse

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/riffle-ml/riffle/perm"
)

// Many orders at once have the log-probabilities that they have alone, whatever the scores.
func TestLogProbs(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, law := range []BatchLaw{PlackettLuce{}, GeneralizedPlackettLuce{}} {
		for _, n := range []int{0, 1, 2, 7, 70} {
			for _, scale := range []float64{1, 30, 500, 1e6, 1e299} {
				scores := randomScores(rng, law.NumScores(n), scale)
				for i := range scores { // some of the kinds that are not finite
					switch rng.IntN(40 * n) {
					case 0:
						scores[i] = math.Inf(-1)
					case 1:
						scores[i] = math.Inf(1)
					case 2:
						scores[i] = math.NaN()
					}
				}
				orders := make([]perm.Order, 30)
				for i := range orders {
					orders[i] = perm.Random(rng, n)
					if i%2 == 0 {
						law.Sample(rng, scores, orders[i])
					}
				}
				got := make([]float64, len(orders))
				law.LogProbs(scores, orders, got)
				for i, o := range orders {
					want := law.LogProb(scores, o)
					if got[i] != want && !(math.Abs(got[i]-want) <= 1e-12*max(1, math.Abs(want))) {
						t.Fatalf("%s, n = %d, scale %g: %g, alone %g", law.Name(), n, scale, got[i], want)
					}
				}
			}
		}
	}
}
