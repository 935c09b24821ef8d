package reverse

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/riffle-ml/riffle/perm"
)

// Of two objects the fit is the share of either order: 3 to 1 is log 3 apart.
func TestFitOfTwo(t *testing.T) {
	s := FitPlackettLuce([]perm.Order{{0, 1}, {1, 0}}, []float64{0.75, 0.25})
	if d := s[0] - s[1]; math.Abs(d-math.Log(3)) > 1e-8 {
		t.Errorf("scores are %g apart, wanted log 3 = %g", d, math.Log(3))
	}
}

// Fitting a law to its own probabilities of all orders gives it back.
func TestFitGivesTheLawBack(t *testing.T) {
	want := []float64{0.7, -0.2, 0.1, -0.6} // their mean is 0
	var orders []perm.Order
	var weights []float64
	for o := range perm.All(4) {
		orders = append(orders, append(perm.Order(nil), o...))
		weights = append(weights, math.Exp(PlackettLuce{}.LogProb(want, o)))
	}
	mean := 0.0
	got := FitPlackettLuce(orders, weights)
	for _, s := range got {
		mean += s / 4
	}
	for k, s := range got {
		if math.Abs(s-mean-want[k]) > 1e-7 {
			t.Errorf("score %d is %g, wanted %g", k, s-mean, want[k])
		}
	}
}

// At the fit no small change of the scores is likelier.
func TestFitIsTheGreatest(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	orders, weights := []perm.Order{}, []float64{}
	for range 30 {
		orders, weights = append(orders, perm.Random(rng, 6)), append(weights, 0.1+rng.Float64())
	}
	likelihood := func(s []float64) (sum float64) {
		for m, o := range orders {
			sum += weights[m] * PlackettLuce{}.LogProb(s, o)
		}
		return sum
	}
	s := FitPlackettLuce(orders, weights)
	best := likelihood(s)
	for k := range s {
		for _, by := range []float64{-0.01, 0.01} {
			s[k] += by
			if l := likelihood(s); l > best {
				t.Errorf("score %d by %g: %g, the fit has %g", k, by, l, best)
			}
			s[k] -= by
		}
	}
}

// One order alone is fitted as near to certainty as the numbers go, and they stay finite.
func TestFitOfOne(t *testing.T) {
	for n := 1; n < 6; n++ {
		o := perm.Random(rand.New(rand.NewPCG(4, 4)), n)
		s := FitPlackettLuce([]perm.Order{o}, []float64{1})
		for k, v := range s {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Errorf("n = %d: score %d is %g", n, k, v)
			}
		}
		if p := math.Exp(PlackettLuce{}.LogProb(s, o)); p < 0.99 {
			t.Errorf("n = %d: the order has probability %g", n, p)
		}
	}
}
