package mallows

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/perm"
)

// Spread is how far a fit would move with other voters of the same kind.
type Spread struct {
	// ThetaStdErr is the standard deviation of θ over the resamples, and ThetaLow and ThetaHigh
	// are its 2.5 and 97.5 % quantiles.
	ThetaStdErr, ThetaLow, ThetaHigh float64
	// SameConsensus is the share of the resamples with the consensus of the fit.
	SameConsensus float64
	// Low[k] and High[k] are the 2.5 and 97.5 % quantiles of item k's position in the consensus,
	// from 0.
	Low, High []int
}

// Bootstrap draws as many voters as there are, with replacement, by the generator of seed. It fits
// their votes, consensus and θ anew, and does so times times over. A resample that agrees in
// everything has θ = +Inf: then so may be the upper quantile, and the standard deviation is NaN.
// Votes are those of [Estimate].
func Bootstrap(ctx context.Context, votes []dataset.Vote, n, times int, seed uint64) (*Spread, error) {
	if times < 2 {
		return nil, fmt.Errorf("mallows: wanted 2 resamples or more (got %d)", times)
	}
	fit, err := Estimate(votes, n)
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(seed, 0x6d616c6c6f7773))
	thetas := make([]float64, 0, times)
	positions := make([][]int, n)
	same := 0
	for len(thetas) < times {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		drawn := resample(votes, rng)
		f, err := Estimate(drawn, n)
		if err != nil { // no voter who says something was drawn
			f = &Fit{Model: Model{Consensus: perm.Identity(n)}}
		}
		thetas = append(thetas, f.Theta)
		if slices.Equal(f.Consensus, fit.Consensus) {
			same++
		}
		for i, k := range f.Consensus {
			positions[k] = append(positions[k], i)
		}
	}
	slices.Sort(thetas)
	low, high := int(0.025*float64(times)), int(math.Ceil(0.975*float64(times)))-1
	s := &Spread{
		ThetaStdErr: stat.StdDev(thetas, nil), ThetaLow: thetas[low], ThetaHigh: thetas[high],
		SameConsensus: float64(same) / float64(times), Low: make([]int, n), High: make([]int, n),
	}
	for k, p := range positions {
		slices.Sort(p)
		s.Low[k], s.High[k] = p[low], p[high]
	}
	return s, nil
}

// resample draws as many voters as there are, with replacement: the counts of the votes are
// multinomial, each binomial given those before it.
func resample(votes []dataset.Vote, rng *rand.Rand) (drawn []dataset.Vote) {
	left := 0
	for _, v := range votes {
		left += v.Count
	}
	draws := left
	for _, v := range votes {
		if draws == 0 {
			break
		}
		count := draws
		if v.Count < left {
			count = int(distuv.Binomial{N: float64(draws), P: float64(v.Count) / float64(left), Src: rng}.Rand())
		}
		if left, draws = left-v.Count, draws-count; count > 0 {
			drawn = append(drawn, dataset.Vote{Levels: v.Levels, Count: count})
		}
	}
	return drawn
}
