// Package diffusion trains a denoiser on shuffled sets and runs it backwards: objectives,
// optimiser and training step, greedy, beam and sampled decoding, and the likelihood bound.
//
// Batches are laid out as [batch, states, …]: batch sets of n objects each, and for every
// set some noisy states of one or more forward trajectories. Objects are encoded once a
// set; a state is only an arrangement of them.
package diffusion

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/riffle-ml/riffle/internal/field"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/reverse"
	"github.com/riffle-ml/riffle/shuffle"
)

// Process is a forward shuffle, the reverse law that undoes it, and the denoising schedule.
type Process struct {
	Forward shuffle.Law
	Reverse reverse.Law
	// Steps is the denoising schedule t_0 = 0 < t_1 < … < t_k = T (paper §3.4).
	Steps []int
	// FixFirst leaves the object at position 0 where it is. A tour may begin anywhere, so its first
	// city is fixed, and only the others are shuffled and ordered (paper appendix, TSP).
	FixFirst bool
	// Sizes, where not nil, is the schedule for sets of n objects; Steps is then that of the
	// largest. Where it is nil all sizes take Steps.
	Sizes func(n int) []int
}

// At returns the process for sets of n objects.
func (p *Process) At(n int) *Process {
	if p.Sizes == nil {
		return p
	}
	at := *p
	at.Steps, at.Sizes = p.Sizes(n), nil
	return &at
}

// Validate checks the schedule. Steps can only be merged where the reverse law reaches all
// of S_n (PL, GPL); for the others the schedule must be 0, 1, …, T.
func (p *Process) Validate() error {
	if p.Forward == nil || p.Reverse == nil {
		return errors.New("process: a forward and a reverse law are wanted")
	}
	if !undoes(p.Reverse, p.Forward) {
		var names []string
		for _, law := range reverse.Laws() {
			if undoes(law, p.Forward) {
				names = append(names, law.Name())
			}
		}
		return field.Errorf("Reverse", "%s cannot undo one %s, wanted one of %s", p.Reverse.Name(), p.Forward.Name(), strings.Join(names, ", "))
	}
	if len(p.Steps) < 2 || p.Steps[0] != 0 {
		return field.Errorf("Steps", "wanted 0 < t_1 < … < T (got %v)", p.Steps)
	}
	for i := 1; i < len(p.Steps); i++ {
		if p.Steps[i] <= p.Steps[i-1] {
			return field.Errorf("Steps", "must increase (got %v)", p.Steps)
		}
		if !p.Reverse.FullSupport() && p.Steps[i] != p.Steps[i-1]+1 {
			return field.Errorf("Steps", "%s can only undo one shuffle at a time, wanted 0, 1, …, T (got %v)", p.Reverse.Name(), p.Steps)
		}
	}
	return nil
}

// undoes tells whether a reverse law gives a probability to the inverse of every order that
// one forward shuffle of four objects can make.
func undoes(law reverse.Law, forward shuffle.Law) bool {
	if law.FullSupport() {
		return true
	}
	const n = 4
	scores := make([]float64, law.NumScores(n))
	for sigma := range perm.All(n) {
		if !math.IsInf(forward.LogProb(sigma), -1) && math.IsInf(law.LogProb(scores, sigma.Inverse()), -1) {
			return false
		}
	}
	return true
}

// Every returns the unmerged schedule 0, 1, …, T.
func Every(T int) []int {
	s := make([]int, T+1)
	for i := range s {
		s[i] = i
	}
	return s
}

// lastShuffle is a forward law whose last shuffle moved one object: Last writes the probability of each,
// given what all t shuffles together made.
type lastShuffle interface {
	Last(t int, sigma perm.Order, dst []float64)
}

// HasExactPosterior tells whether the process undoes insertions one at a time by II. The posterior of its
// reverse steps is known ([shuffle.Insertion.Last]). So [BoundLoss] need not take a step that was drawn:
// −Σ_i q(i | X_t, X_0)·log p(i | X_t) has the same mean and less noise.
func (p *Process) HasExactPosterior() bool {
	_, known := p.Forward.(lastShuffle)
	_, picks := p.Reverse.(reverse.Categorical)
	return known && picks
}

// NumSteps is k, the number of reverse steps.
func (p *Process) NumSteps() int { return len(p.Steps) - 1 }

// States are the noisy states of some sets, ready for the engine, all row-major.
type States struct {
	Batch, PerSet, N int
	Arrangement      []int32   // [batch, perSet, n] order form: the object at position i of X_t
	Rank             []int32   // [batch, perSet, n] rank form of σ': where position k of X_t goes in X_{t'}
	Time             []int32   // [batch, perSet] t
	Weight           []float32 // [batch, perSet] 1, or 0 for padding
	// Last is, at each position of X_t, the probability that the last insertion put its object
	// there, given X_0: [batch, perSet, n], see [Process.HasExactPosterior]. Nil in other processes, and
	// where it is not asked for: make it before [Objective.Fill].
	Last []float32
	// Lengths are how many objects the sets have where they are of several sizes, the rest of N
	// being padding, which stays where it is: [batch]. Nil where all have N; make it before
	// [Objective.Fill], which fills it in.
	Lengths []int32
}

// NewStates makes room for states.
func NewStates(batch, perSet, n int) *States {
	return &States{
		Batch: batch, PerSet: perSet, N: n,
		Arrangement: make([]int32, batch*perSet*n), Rank: make([]int32, batch*perSet*n),
		Time: make([]int32, batch*perSet), Weight: make([]float32, batch*perSet),
	}
}

// Objective says which states of a trajectory the loss is computed on.
type Objective struct {
	// Trajectories is the number of forward trajectories a set (paper: 3).
	Trajectories int
	// RandomStep takes one step of each trajectory, drawn uniformly from the schedule
	// (paper eq. random-timestep), instead of all of them.
	RandomStep bool
}

// PerSet is the number of states a set contributes.
func (o Objective) PerSet(p *Process) int {
	if o.RandomStep {
		return o.Trajectories
	}
	return o.Trajectories * p.NumSteps()
}

// Fill draws trajectories for set b, whose clean order is clean, into rows b of s. Of fewer
// objects than s.N the process is p.At(len(clean)); it may have fewer states than s.PerSet, of
// which the others weigh nothing.
func (o Objective) Fill(s *States, p *Process, rng *rand.Rand, b int, clean perm.Order) {
	n := len(clean)
	if s.Lengths != nil {
		s.Lengths[b] = int32(n)
		s.pad(b)
	}
	present, next, sigma := make(perm.Order, n), make(perm.Order, n), make(perm.Order, n)
	free := sigma[n-p.Free(n):]
	row := b * s.PerSet
	var total perm.Order // of the free positions: X_t = total·X_0
	var rank perm.Rank   // of X_0
	var last []float64
	if s.Last != nil {
		total, rank, last = make(perm.Order, len(free)), clean.Rank(), make([]float64, len(free))
	}
	for range o.Trajectories {
		copy(present, clean)
		only := 0
		if o.RandomStep {
			only = 1 + rng.IntN(p.NumSteps())
		}
		for i := 1; i < len(p.Steps); i++ {
			// X_{t_i} = σ·X_{t_{i−1}}; the reverse step is σ' = σ⁻¹, whose rank form is σ.
			p.Forward.SampleT(rng, p.Steps[i]-p.Steps[i-1], free)
			p.shift(free)
			for j, v := range sigma {
				next[j] = present[v]
			}
			present, next = next, present
			if only != 0 && i != only {
				continue
			}
			for j := range n {
				s.Arrangement[row*s.N+j] = int32(present[j])
				s.Rank[row*s.N+j] = int32(sigma[j])
			}
			s.Time[row] = int32(p.Steps[i])
			s.Weight[row] = 1
			if s.Last != nil {
				for j, k := range present[n-len(free):] {
					total[j] = rank[k] - (n - len(free))
				}
				p.Forward.(lastShuffle).Last(p.Steps[i], total, last)
				for j, q := range last {
					s.Last[row*s.N+n-len(free)+j] = float32(q)
				}
			}
			row++
			if only != 0 {
				break
			}
		}
	}
}

// pad leaves all in its place in the states of set b.
func (s *States) pad(b int) {
	for row := b * s.PerSet; row < (b+1)*s.PerSet; row++ {
		for j := range s.N {
			s.Arrangement[row*s.N+j], s.Rank[row*s.N+j] = int32(j), int32(j)
		}
	}
}

// Trajectory draws X_{t_0}, …, X_{t_k} from a clean order, and the shuffles of the free
// positions between them.
func (p *Process) Trajectory(rng *rand.Rand, clean perm.Order) (states, shuffles []perm.Order) {
	states = []perm.Order{slices.Clone(clean)}
	for i := 1; i < len(p.Steps); i++ {
		sigma := make(perm.Order, p.Free(len(clean)))
		p.Forward.SampleT(rng, p.Steps[i]-p.Steps[i-1], sigma)
		states = append(states, p.apply(sigma, states[i-1]))
		shuffles = append(shuffles, sigma)
	}
	return states, shuffles
}
