package difusco

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// q(x_t | x_0) is the product of the steps' matrices, and the posterior is Bayes' rule on all ways.
func TestAgainstEnumeration(t *testing.T) {
	const steps = 6
	n, err := New(steps, 0.05, 0.3)
	if err != nil {
		t.Fatal(err)
	}
	if n.Beta(1) != 0.05 || math.Abs(n.Beta(steps)-0.3) > 1e-15 {
		t.Errorf("β is %g … %g, wanted 0.05 … 0.3", n.Beta(1), n.Beta(steps))
	}
	// ways[x0][s][xs][t][xt]: the joint probability of the states at s and t, from all 2^6 ways.
	var joint [2][steps + 1][2][steps + 1][2]float64
	for x0 := range 2 {
		for way := range 1 << steps {
			p := 1.0
			var x [steps + 1]int
			x[0] = x0
			for k := 1; k <= steps; k++ {
				x[k] = way >> (k - 1) & 1
				if x[k] != x[k-1] {
					p *= n.Beta(k)
				} else {
					p *= 1 - n.Beta(k)
				}
			}
			for s := range steps + 1 {
				for u := range steps + 1 {
					joint[x0][s][x[s]][u][x[u]] += p
				}
			}
		}
	}
	for u := 1; u <= steps; u++ {
		if got, want := n.Flipped(u), joint[0][u][1][u][1]; math.Abs(got-want) > 1e-12 {
			t.Errorf("flipped after %d: %g, wanted %g", u, got, want)
		}
		for s := range u {
			for xt := range 2 {
				one := 0.3
				want := 0.0
				for x0, p := range []float64{1 - one, one} {
					all := joint[x0][s][0][u][xt] + joint[x0][s][1][u][xt]
					want += p * joint[x0][s][1][u][xt] / all
				}
				if got := n.Posterior(s, u, xt == 1, one); math.Abs(got-want) > 1e-12 {
					t.Errorf("posterior at %d of %d, x_t = %d: %g, wanted %g", s, u, xt, got, want)
				}
			}
		}
	}
}

// The paper's noise leaves next to nothing of the start, and its 50 steps go down to 0.
func TestPaper(t *testing.T) {
	n := Paper()
	if f := n.Flipped(n.Steps()); f < 0.4999 || f > 0.5 {
		t.Errorf("after %d steps %g are flipped, wanted a half", n.Steps(), f)
	}
	rapid.Check(t, func(t *rapid.T) {
		count := rapid.IntRange(1, 1000).Draw(t, "count")
		times, err := n.Schedule(count)
		if err != nil {
			t.Fatal(err)
		}
		if len(times) != count+1 || times[0] != 1000 || times[count] != 0 {
			t.Fatalf("%d steps: %v", count, times)
		}
		for i := range count {
			if times[i+1] >= times[i] {
				t.Fatalf("%d steps: %v does not go down", count, times)
			}
		}
	})
	times, _ := n.Schedule(50)
	if want := int(1000 * (1 - math.Sin(math.Pi/4))); times[25] != want { // half-way
		t.Errorf("t_25 = %d, wanted %d", times[25], want)
	}
}

// Corrupt keeps tours symmetric and flips as often as Flipped says.
func TestCorrupt(t *testing.T) {
	const size, draws, at = 8, 4000, 300
	n, rng, changed := Paper(), rand.New(rand.NewPCG(1, 2)), 0
	for range draws {
		x := make([]float32, size*size)
		n.Corrupt(rng, at, size, x)
		for i := range size {
			if x[i*size+i] != 0 {
				t.Fatal("an edge from a city to itself")
			}
			for j := range i {
				if x[i*size+j] != x[j*size+i] {
					t.Fatal("not symmetric")
				}
				changed += int(x[i*size+j])
			}
		}
	}
	p, count := n.Flipped(at), float64(draws*size*(size-1)/2)
	if got := float64(changed) / count; math.Abs(got-p) > 5*math.Sqrt(p*(1-p)/count) {
		t.Errorf("%g flipped, wanted %g", got, p)
	}
}

func TestRefuses(t *testing.T) {
	for _, c := range []struct {
		steps       int
		first, last float64
	}{{0, .1, .2}, {5, 0, .2}, {5, .3, .2}, {5, .1, .6}, {5, math.NaN(), .2}} {
		if _, err := New(c.steps, c.first, c.last); err == nil {
			t.Errorf("%v was taken", c)
		}
	}
	if _, err := Paper().Schedule(1001); err == nil {
		t.Error("1,001 steps of 1,000 were taken")
	}
}
