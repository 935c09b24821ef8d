package mallows

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/perm"
)

// For many voters the variance of θ is that of maximum likelihood, 1/(N·Var d), where Var d is
// the sum of the variances of the n − 1 independent jumps, computed here from their
// probabilities.
func TestBootstrapAsymptotics(t *testing.T) {
	const n, voters, theta = 5, 800, 0.7
	m := Model{Consensus: perm.Order{2, 0, 4, 1, 3}, Theta: theta}
	rng := rand.New(rand.NewPCG(3, 4))
	var votes []dataset.Vote
	for range voters {
		votes = append(votes, strict(1, m.Sample(rng)...))
	}
	variance := 0.0
	for i := 1; i < n; i++ {
		z, mean, square := 0.0, 0.0, 0.0
		for j := range i + 1 {
			p := math.Exp(-theta * float64(j))
			z, mean, square = z+p, mean+p*float64(j), square+p*float64(j*j)
		}
		variance += square/z - mean*mean/z/z
	}
	want := 1 / math.Sqrt(voters*variance)
	s, err := Bootstrap(t.Context(), votes, n, 400, 1)
	if err != nil {
		t.Fatal(err)
	}
	// A standard deviation of 400 draws is off by 3.5 %, θ's own estimate moves the rest.
	if math.Abs(s.ThetaStdErr/want-1) > 0.15 {
		t.Errorf("standard error %g, the asymptotic one is %g", s.ThetaStdErr, want)
	}
	if !(s.ThetaLow < s.ThetaHigh) || math.Abs((s.ThetaHigh-s.ThetaLow)/(2*1.96*want)-1) > 0.2 {
		t.Errorf("θ %g to %g, wanted a width of %g", s.ThetaLow, s.ThetaHigh, 2*1.96*want)
	}
	if s.SameConsensus != 1 {
		t.Errorf("the consensus of so many voters is the same in %g of the resamples", s.SameConsensus)
	}
	for i, k := range m.Consensus {
		if s.Low[k] != i || s.High[k] != i {
			t.Errorf("item %d stands at %d to %d, wanted %d", k, s.Low[k], s.High[k], i)
		}
	}
	again, err := Bootstrap(t.Context(), votes, n, 400, 1)
	if err != nil || again.ThetaStdErr != s.ThetaStdErr {
		t.Errorf("the same seed gives %v, before %v, %v", again, s, err)
	}
}

// Two voters of each mind leave the place of two items open; counts are those of all voters.
func TestBootstrapOfFewVoters(t *testing.T) {
	votes := []dataset.Vote{strict(2, 0, 1, 2), strict(2, 1, 0, 2)}
	s, err := Bootstrap(t.Context(), votes, 3, 300, 1)
	if err != nil {
		t.Fatal(err)
	}
	if s.Low[0] != 0 || s.High[0] != 1 || s.Low[1] != 0 || s.High[1] != 1 || s.Low[2] != 2 || s.High[2] != 2 {
		t.Errorf("positions %v to %v", s.Low, s.High)
	}
	if !math.IsInf(s.ThetaHigh, 1) { // one in eight resamples is of one mind
		t.Errorf("θ up to %g, wanted +Inf", s.ThetaHigh)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for range 50 {
		total := 0
		for _, v := range resample([]dataset.Vote{strict(1<<35, 0), strict(7, 0), strict(1, 0)}, rng) {
			total += v.Count
		}
		if total != 1<<35+8 {
			t.Fatalf("%d voters were drawn, wanted %d", total, 1<<35+8)
		}
	}
	if _, err := Bootstrap(t.Context(), votes, 3, 1, 1); err == nil {
		t.Error("one resample: no error")
	}
	if _, err := Bootstrap(t.Context(), []dataset.Vote{strict(1, 0)}, 3, 10, 1); err == nil {
		t.Error("a vote that leaves items out: no error")
	}
}
