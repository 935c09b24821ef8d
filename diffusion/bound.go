package diffusion

import (
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
// laws at one shuffle a step. It returns the mean and its standard error (0 for one draw).
// What the estimate leaves out of the bound is only its sampling error.
func (d *Decoder) Bound(e *Encoded, clean []perm.Order, draws int, rngs []*rand.Rand) (mean, stderr []float64, err error) {
	if draws < 1 {
		return nil, nil, fmt.Errorf("bound: wanted 1 or more draws (got %d)", draws)
	}
	p := d.Process.At(e.N)
	for i := 1; i < len(p.Steps); i++ {
		if _, closed := p.Forward.(multiStep); !closed && p.Steps[i] != p.Steps[i-1]+1 {
			return nil, nil, fmt.Errorf("bound: the probability of %d shuffles by %s has no closed form", p.Steps[i]-p.Steps[i-1], p.Forward.Name())
		}
	}
	width := p.Reverse.NumScores(p.Free(e.N))
	values := make([][]float64, e.Batch)
	for i := range values {
		values[i] = slices.Repeat([]float64{-p.LogOrders(e.N)}, draws)
	}
	for first := 0; first < draws; first += drawsAtOnce {
		count := min(drawsAtOnce, draws-first)
		shuffles := make([][][]perm.Order, e.Batch)
		states := make([][][]perm.Order, e.Batch)
		for i := range e.Batch {
			for range count {
				s, sigma := p.Trajectory(rngs[i], clean[i])
				states[i] = append(states[i], s)
				shuffles[i] = append(shuffles[i], sigma)
			}
		}
		flat := make([]int32, e.Batch*count*e.N)
		for k := p.NumSteps(); k > 0; k-- {
			for i := range e.Batch {
				for j := range count {
					putOrder(flat[(i*count+j)*e.N:], states[i][j][k])
				}
			}
			scores, err := d.Scores(e, flat, count, p.Steps[k])
			if err != nil {
				return nil, nil, err
			}
			for i := range e.Batch {
				for j := range count {
					sigma := shuffles[i][j][k-1]
					row := scores[(i*count+j)*width : (i*count+j+1)*width]
					values[i][first+j] += p.Reverse.LogProb(row, sigma.Inverse()) - forwardLogProb(p.Forward, p.Steps[k]-p.Steps[k-1], sigma)
				}
			}
		}
	}
	mean, stderr = make([]float64, e.Batch), make([]float64, e.Batch)
	for i, v := range values {
		sum, square := 0.0, 0.0
		for _, x := range v {
			sum += x
		}
		mean[i] = sum / float64(draws)
		for _, x := range v {
			square += (x - mean[i]) * (x - mean[i])
		}
		if draws > 1 {
			stderr[i] = math.Sqrt(square / float64(draws-1) / float64(draws))
		}
	}
	return mean, stderr, nil
}

// forwardLogProb is log q of a t-fold shuffle; t is 1 where there is no closed form.
func forwardLogProb(law shuffle.Law, t int, sigma perm.Order) float64 {
	if m, ok := law.(multiStep); ok {
		return m.LogProbT(t, sigma)
	}
	return law.LogProb(sigma)
}
