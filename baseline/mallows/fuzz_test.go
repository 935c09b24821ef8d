package mallows

import (
	"testing"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/internal/fuzztest"
)

// Whatever votes say, there is an error, or a consensus that is an order and a θ of 0 or more.
// A byte below 200 is an item, then come the ends of a level and of a vote, and many voters.
func FuzzEstimate(f *testing.F) {
	f.Add([]byte{2, 200, 3, 230, 3, 200, 2, 230}, byte(2))
	f.Add([]byte{2, 200, 3, 4, 230, 251, 3, 200, 2, 4, 230}, byte(3))
	f.Add([]byte{0, 230, 250, 2, 230, 200, 200, 230}, byte(4))
	f.Add([]byte{2, 3, 4, 5, 230}, byte(4))
	f.Fuzz(func(t *testing.T, data []byte, n byte) {
		if len(data) > 256 {
			t.Skip("nothing that fewer votes do not show")
		}
		var votes []dataset.Vote
		v, level := dataset.Vote{Count: 1}, []int(nil)
		for _, b := range data {
			switch {
			case b < 200:
				level = append(level, int(b)-2)
				continue
			case b < 230:
				v.Levels = append(v.Levels, level)
			case b < 250:
				v.Levels = append(v.Levels, level)
				votes = append(votes, v)
				v = dataset.Vote{Count: 1}
			default:
				v.Count = (int(b) - 250) << 35
			}
			level = nil
		}
		// The dynamic programme over subsets of a part of 16 items keeps some numbers for each.
		fuzztest.Within(t, 64<<20, 64<<10, len(data), func() {
			fit, err := Estimate(votes, int(n))
			if err != nil {
				return
			}
			if err := fit.Consensus.Validate(); err != nil || len(fit.Consensus) != int(n) {
				t.Fatalf("%v of %d: consensus %v, %v", votes, n, fit.Consensus, err)
			}
			if !(fit.Theta >= 0) || fit.Distance < 0 || !(fit.LogLikelihood <= 0) {
				t.Fatalf("%v of %d: θ %v, distance %d, log-likelihood %v", votes, n, fit.Theta, fit.Distance, fit.LogLikelihood)
			}
		})
	})
}
