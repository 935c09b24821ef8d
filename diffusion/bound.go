package diffusion

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/shuffle"
)

// multiStep is a forward law whose t-fold probabilities are known in closed form.
type multiStep interface {
	LogProbT(t int, o perm.Order) float64
}

// drawsAtOnce is how many trajectories of a set go through the network together.
const drawsAtOnce = 64

// Bound estimates, for each set of an encoded batch, the variational bound
//
//	log p(X_0 | 𝒳) ≥ E_q[ log p(X_T) + Σ_i log p_θ(X_{t_{i−1}} | X_{t_i}) − log q(X_{t_i} | X_{t_{i−1}}) ]
//
// (paper eq. loss) of the orders clean, in nats, by draws trajectories from rngs[set]. The q
// terms are exact: for riffles by Bayer & Diaconis at any number of shuffles, for the other
// laws at one shuffle a step. It returns the mean and its standard error (NaN for one draw).
// What the estimate leaves out of the bound is only its sampling error.
func (d *Decoder) Bound(ctx context.Context, e *Encoded, clean []perm.Order, draws int, rngs []*rand.Rand) (mean, stderr []float64, err error) {
	estimates, err := d.Likelihood(ctx, e, clean, draws, rngs)
	for _, x := range estimates {
		mean, stderr = append(mean, x.Bound), append(stderr, x.BoundStdErr)
	}
	return mean, stderr, err
}

// Estimate is what trajectories say of log p(X_0 | 𝒳), in nats.
type Estimate struct {
	// Bound is the mean of the log weights, an estimate of the bound below log p; BoundStdErr
	// is its standard error, NaN for one draw.
	Bound, BoundStdErr float64
	// LogProb is the log of the mean of the weights, whose expectation is p itself. It tends to log
	// p as the draws grow. In expectation it lies below log p, but never below Bound (Y. Burda, R.
	// Grosse, R. Salakhutdinov, Importance weighted autoencoders, ICLR 2016, Thm 1). StdErr is its
	// standard error to first order, which says little where Effective is small.
	LogProb, StdErr float64
	// Effective is the number of draws that count, (Σ w)²/Σ w², from 1 to all of them.
	Effective float64
}

// Likelihood estimates, for each set of an encoded batch, the log-probability of the orders
// clean and the bound of [Decoder.Bound] from the same draws trajectories: forward ones
// X_{t_1}, …, X_{t_k} from q(· | X_0), with the weights
//
//	w = p(X_T) Π_i p_θ(X_{t_{i−1}} | X_{t_i}) / q(X_{t_i} | X_{t_{i−1}}),  E_q[w] = p(X_0 | 𝒳).
//
// That is where the shuffles can undo whatever the model thinks possible. Sometimes they cannot:
// one riffle of three objects or more cannot make all orders of PL and GPL. Ways through such steps
// are then missing, and E_q[w] is below p. It is still a bound, which no draws close.
//
// Where ctx has ended it stops, at the next set of a reverse step or sooner, with its error.
func (d *Decoder) Likelihood(ctx context.Context, e *Encoded, clean []perm.Order, draws int, rngs []*rand.Rand) ([]Estimate, error) {
	return d.LikelihoodAmong(ctx, e, func(set int) perm.Order { return clean[set] }, make([]float64, e.Batch), draws, rngs)
}

// LikelihoodAmong is [Decoder.Likelihood] of sets of orders, such as all that a list with ties
// allows. It gives the log of the sum of their probabilities, and a bound on it. draw(i) draws an
// order uniformly from those of set i, of which there are exp(logCount[i]). Each trajectory starts
// at one of its own, and its weight is multiplied by that number.
func (d *Decoder) LikelihoodAmong(ctx context.Context, e *Encoded, draw func(set int) perm.Order, logCount []float64, draws int, rngs []*rand.Rand) ([]Estimate, error) {
	values, err := d.logWeights(ctx, e, draw, draws, rngs)
	if err != nil {
		return nil, err
	}
	out := make([]Estimate, len(values))
	for i, v := range values {
		for j := range v {
			v[j] += logCount[i]
		}
		out[i] = estimate(v)
	}
	return out, nil
}

// estimate sums up log weights.
func estimate(logs []float64) (e Estimate) {
	draws := float64(len(logs))
	greatest := slices.Max(logs)
	weight, square := 0.0, 0.0 // of weights over the greatest
	for _, x := range logs {
		e.Bound += x / draws
		if !math.IsInf(greatest, -1) {
			w := math.Exp(x - greatest)
			weight, square = weight+w, square+w*w
		}
	}
	e.LogProb = math.Inf(-1)
	if weight > 0 {
		e.LogProb = max(e.Bound, greatest+math.Log(weight/draws)) // rounding may turn equals round
		e.Effective = weight * weight / square
	}
	if e.BoundStdErr, e.StdErr = math.NaN(), math.NaN(); len(logs) > 1 {
		deviation := 0.0
		for _, x := range logs {
			deviation += (x - e.Bound) * (x - e.Bound)
		}
		e.BoundStdErr = math.Sqrt(deviation / (draws - 1) / draws)
		e.StdErr = math.Sqrt(max(0, square/(weight*weight)-1/draws) * draws / (draws - 1))
	}
	return e
}

// logWeights draws trajectories, each from an order that clean gives, and returns the logs of
// their weights, [set][draw].
func (d *Decoder) logWeights(ctx context.Context, e *Encoded, clean func(set int) perm.Order, draws int, rngs []*rand.Rand) ([][]float64, error) {
	if draws < 1 {
		return nil, fmt.Errorf("bound: wanted 1 or more draws (got %d)", draws)
	}
	ways, _ := d.ways(e)
	for _, steps := range ways {
		for k := 1; k < len(steps); k++ {
			if _, closed := d.Process.Forward.(multiStep); !closed && steps[k] != steps[k-1]+1 {
				return nil, fmt.Errorf("bound: the probability of %d shuffles by %s has no closed form", steps[k]-steps[k-1], d.Process.Forward.Name())
			}
		}
	}
	values := make([][]float64, e.Batch) // they grow with the work done, however many draws are asked for
	for first := 0; first < draws; first += drawsAtOnce {
		count := min(drawsAtOnce, draws-first)
		shuffles := make([][]perm.Order, e.Batch*count)
		states := make([][]perm.Order, e.Batch*count)
		for i := range e.Batch {
			p := d.Process.At(e.Size(i))
			for j := range count {
				values[i] = append(values[i], -p.LogOrders(e.Size(i)))
				states[i*count+j], shuffles[i*count+j] = p.Trajectory(rngs[i], clean(i))
			}
		}
		err := d.descend(ctx, e, descent{
			travellers: len(states),
			set:        func(i int) int { return i / count },
			states:     func(i, k int) []perm.Order { return states[i][k : k+1] },
			move: func(i, k int, scores [][]float64) error {
				steps, sigma := ways[i/count], shuffles[i][k-1]
				logp := d.Process.Reverse.LogProb(scores[0], sigma.Inverse())
				values[i/count][first+i%count] += logp - forwardLogProb(d.Process.Forward, steps[k]-steps[k-1], sigma)
				return nil
			},
		})
		if err != nil {
			return nil, err
		}
	}
	return values, nil
}

// forwardLogProb is log q of a t-fold shuffle; t is 1 where there is no closed form.
func forwardLogProb(law shuffle.Law, t int, sigma perm.Order) float64 {
	if m, ok := law.(multiStep); ok {
		return m.LogProbT(t, sigma)
	}
	return law.LogProb(sigma)
}
