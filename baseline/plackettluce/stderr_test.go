package plackettluce

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/internal/near"
)

func TestStdErrs(t *testing.T) {
	// The odds of a of a+b have a log with the variance 1/a + 1/b; scores of mean 0 are ± half
	// of it.
	two := []dataset.Vote{strict(3, 0, 1), strict(1, 1, 0)}
	half := math.Sqrt(1./3+1) / 2
	// NumPy: the square roots of the diagonal of pinv(H), H being the sum over choices of
	// count·(diag p − p·pᵀ), p the softmax of the scores that are up for it.
	reference := []float64{0.40248595, 0.33386148, 0.37523542, 0.39186571, 0.37340776}
	for _, c := range []struct {
		name  string
		votes []dataset.Vote
		want  []float64
	}{{"two items", two, []float64{half, half}}, {"five items", mixed, reference}, {"one item", []dataset.Vote{strict(2, 0)}, []float64{0}}} {
		f, err := Estimate(c.votes, len(c.want), 0)
		if err != nil {
			t.Fatal(err)
		}
		got, err := f.StdErrs(c.votes, 0)
		if err != nil {
			t.Fatal(err)
		}
		near.AllWithin(t, c.name, got, c.want, 1e-8)
	}
	// Two items with a prior w: each score alone has the curvature of the prior, w/2 at 0.
	even := []dataset.Vote{strict(2, 0, 1), strict(2, 1, 0)}
	f, err := Estimate(even, 2, 3)
	if err != nil {
		t.Fatal(err)
	}
	got, err := f.StdErrs(even, 3)
	if err != nil {
		t.Fatal(err)
	}
	// H = [[1+1.5, −1], [−1, 1+1.5]]: along (1, −1) it is 3.5, so the half difference has 1/7.
	near.AllWithin(t, "prior", got, []float64{math.Sqrt(1. / 7), math.Sqrt(1. / 7)}, 1e-12)
}

// Scores fitted to drawn votes lie about the true ones as their standard errors say.
func TestStdErrsOfDrawnVotes(t *testing.T) {
	truth := Model{[]float64{1, 0.4, 0, -0.4, -1}}
	rng := rand.New(rand.NewPCG(1, 2))
	const sets, voters = 200, 300
	square, expected := 0.0, 0.0
	for range sets {
		var votes []dataset.Vote
		for range voters {
			votes = append(votes, strict(1, truth.Sample(rng)...))
		}
		f, err := Estimate(votes, 5, 0)
		if err != nil {
			t.Fatal(err)
		}
		e, err := f.StdErrs(votes, 0)
		if err != nil {
			t.Fatal(err)
		}
		for k, s := range f.Scores {
			square += (s - truth.Scores[k]) * (s - truth.Scores[k])
			expected += e[k] * e[k]
		}
	}
	// 1000 squares, four of each five free: their mean's standard error is some 5 %.
	if ratio := square / expected; ratio < 0.85 || ratio > 1.15 {
		t.Errorf("squared errors are %g of what the standard errors say", ratio)
	}
}
