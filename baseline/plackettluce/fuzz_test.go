package plackettluce

import (
	"math"
	"testing"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/internal/fuzztest"
)

// votesOf makes votes of bytes: below 200 an item, then the end of a level, of a vote, or a
// vote of many voters. They need not be valid.
func votesOf(data []byte) (votes []dataset.Vote) {
	v, level := dataset.Vote{Count: 1}, []int(nil)
	for _, b := range data {
		switch {
		case b < 200:
			level = append(level, int(b)-2) // also below 0
			continue
		case b < 230:
			v.Levels = append(v.Levels, level)
		case b < 250:
			v.Levels = append(v.Levels, level)
			votes = append(votes, v)
			v = dataset.Vote{Count: 1}
		default:
			v.Count = (int(b) - 250) << 35 // 0, or too many
		}
		level = nil
	}
	return votes
}

// Whatever votes say, there is an error, or scores that are finite and a log-likelihood that is
// no probability above one.
func FuzzEstimate(f *testing.F) {
	f.Add([]byte{2, 200, 3, 230, 3, 200, 2, 230}, byte(2), 0.0)
	f.Add([]byte{2, 200, 3, 4, 230, 251, 3, 200, 2, 230}, byte(3), 0.1)
	f.Add([]byte{0, 230, 250, 2, 230, 200, 200, 230}, byte(4), 1e-300)
	f.Add([]byte{2, 200, 3, 200, 4, 230}, byte(5), math.MaxFloat64)
	f.Fuzz(func(t *testing.T, data []byte, n byte, prior float64) {
		if len(data) > 256 {
			t.Skip("nothing that fewer votes do not show")
		}
		votes := votesOf(data)
		// Newton's method may take a hundred steps, and each keeps what follows the votes.
		fuzztest.Within(t, 16<<20, 64<<10, len(data), func() {
			fit, err := Estimate(votes, int(n), prior)
			if err != nil {
				return
			}
			for k, s := range fit.Scores {
				if math.IsNaN(s) || math.IsInf(s, 0) {
					t.Fatalf("%v of %d: the score of item %d is %v", votes, n, k, s)
				}
			}
			if !(fit.LogLikelihood <= 0) {
				t.Fatalf("%v of %d: log-likelihood %v", votes, n, fit.LogLikelihood)
			}
		})
	})
}
