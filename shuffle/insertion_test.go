package shuffle_test

import (
	"math"
	"testing"

	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/shuffle"
	"github.com/riffle-ml/riffle/shuffle/shuffletest"
)

// The closed form is the t-fold convolution of one insertion.
func TestInsertionLogProbT(t *testing.T) {
	for times := range 9 {
		want := shuffletest.Convolve(shuffle.Insertion{}, times)
		for o := range perm.All(4) {
			if got := math.Exp(shuffle.Insertion{}.LogProbT(times, o)); math.Abs(got-want[shuffletest.Index(o)]) > 1e-13 {
				t.Errorf("%d insertions, %v: %g, wanted %g", times, o, got, want[shuffletest.Index(o)])
			}
		}
	}
	// In the limit all orders are alike.
	if got := (shuffle.Insertion{}).LogProbT(400, perm.Order{3, 2, 1, 0}); math.Abs(got+math.Log(24)) > 1e-12 {
		t.Errorf("after 400 insertions of 4: %g, wanted −log 24", got)
	}
	// By hand: of 1,000 cards the last stays where it is.
	long := perm.Identity(1000)
	if got, want := (shuffle.Insertion{}).LogProbT(1, long), -math.Log(1000); math.Abs(got-want) > 1e-9 {
		t.Errorf("1,000 cards: %g, wanted %g", got, want)
	}
}

// What the last insertion was is Bayes' rule over those it could be.
func TestInsertionLast(t *testing.T) {
	const n = 4
	for times := 1; times < 7; times++ {
		for o := range perm.All(n) {
			q := math.Exp(shuffle.Insertion{}.LogProbT(times, o))
			got := make([]float64, n)
			shuffle.Insertion{}.Last(times, o, got)
			for i := range n {
				back := perm.Order{} // moves the card at i to the end
				for k := range n {
					if k != i {
						back = append(back, k)
					}
				}
				before := perm.Compose(append(back, i), o)
				want := 0.0
				if q > 0 {
					want = math.Exp(shuffle.Insertion{}.LogProbT(times-1, before)) / n / q
				}
				if math.Abs(got[i]-want) > 1e-12 {
					t.Errorf("%d insertions, %v, position %d: %g, wanted %g", times, o, i, got[i], want)
				}
			}
		}
	}
}
