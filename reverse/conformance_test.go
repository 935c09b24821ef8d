package reverse

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/riffle-ml/riffle/internal/near"
	"github.com/riffle-ml/riffle/perm"
)

// eachLaw runs the suite's check for every law and every n of 0 … most.
func eachLaw(t *testing.T, most int, check func(t *testing.T, law Law, n int, rng *rand.Rand)) {
	for _, law := range Laws() {
		for n := range most + 1 {
			t.Run(fmt.Sprintf("%s/n=%d", law.Name(), n), func(t *testing.T) {
				check(t, law, n, rand.New(rand.NewPCG(1, uint64(n))))
			})
		}
	}
}

// randomScores draws normal scores times scale.
func randomScores(rng *rand.Rand, count int, scale float64) []float64 {
	s := make([]float64, count)
	for i := range s {
		s[i] = scale * rng.NormFloat64()
	}
	return s
}

// scoreSets is a few score lists of different kinds, all of them finite.
func scoreSets(rng *rand.Rand, law Law, n int) [][]float64 {
	count := law.NumScores(n)
	coarse := randomScores(rng, count, 1) // with ties
	for i := range coarse {
		coarse[i] = math.Round(coarse[i])
	}
	return [][]float64{
		make([]float64, count), coarse,
		randomScores(rng, count, 1), randomScores(rng, count, 3), randomScores(rng, count, 30),
	}
}

// enumerate returns all orders that law can give, sorted as TopK sorts.
func enumerate(law Law, scores []float64, n int) []Candidate {
	var all []Candidate
	for _, o := range States(n) {
		if logp := law.LogProb(scores, o); logp > negInf {
			all = append(all, Candidate{o, logp})
		}
	}
	return sortCandidates(all, len(all))
}

func isExact(law Law) bool {
	_, rows := law.(Rows)
	return !rows
}

// How many orders each law thinks possible.
func TestSupport(t *testing.T) {
	eachLaw(t, 6, func(t *testing.T, law Law, n int, rng *rand.Rand) {
		support := map[string]int{"gpl": len(States(n)), "path": len(States(n)), "cgpl": len(States(n)), "pl": len(States(n)), "irs": 1<<n - n, "ii": max(n, 1), "it": 1 + n*(n-1)/2}
		for _, scores := range scoreSets(rng, law, n) {
			all := enumerate(law, scores, n)
			if len(all) != support[law.Name()] {
				t.Errorf("support has %d orders, wanted %d", len(all), support[law.Name()])
			}
		}
	})
}

func TestModeIsBest(t *testing.T) {
	eachLaw(t, 6, func(t *testing.T, law Law, n int, rng *rand.Rand) {
		for _, scores := range scoreSets(rng, law, n) {
			o := make(perm.Order, n)
			logp := law.Mode(scores, o)
			if err := o.Validate(); err != nil {
				t.Fatal(err)
			}
			near.Equal(t, "returned log-probability", logp, law.LogProb(scores, o), 1e-13)
			best := enumerate(law, scores, n)[0]
			if slices.Contains([]string{"gpl", "path", "cgpl"}, law.Name()) {
				if want := slowGreedy(law.Name(), scores, n); !slices.Equal(o, want) {
					t.Errorf("mode %v, wanted the greedy order %v", o, want)
				}
			} else {
				near.Equal(t, "mode", logp, best.LogProb, 1e-12)
			}
		}
	})
}

// slowGreedy takes row by row the first of the greatest scores not taken yet.
func slowGreedy(law string, scores []float64, n int) perm.Order {
	var o perm.Order
	for i := range n {
		row, best := i, -1
		if law == "path" && i > 0 {
			row = 1 + o[i-1]
		}
		odds := func(k int) float64 { return scores[row*n+k] }
		if law == "cgpl" {
			odds = func(k int) float64 { return slowOdds(scores, o, k) }
		}
		for k := range n {
			if !slices.Contains(o, k) && (best < 0 || odds(k) > odds(best)) {
				best = k
			}
		}
		o = append(o, best)
	}
	return o
}

// slowOdds is the formula of contextual Plackett–Luce, number by number.
func slowOdds(scores []float64, placed []int, m int) float64 {
	const w = ContextWidth
	at := func(row, vector, i int) float64 { return scores[row*(3*w+1)+vector*w+i] }
	odds := at(1+m, 3, 0)
	for i := range w {
		last, mean := 0, 0.0
		for _, j := range placed {
			last = 1 + j
			mean += at(1+j, 2, i) / float64(len(placed))
		}
		odds += at(1+m, 0, i) * math.Tanh(at(last, 1, i)+mean)
	}
	return odds
}

func TestTopK(t *testing.T) {
	eachLaw(t, 6, func(t *testing.T, law Law, n int, rng *rand.Rand) {
		for _, scores := range scoreSets(rng, law, n) {
			all := enumerate(law, scores, n)
			mode := make(perm.Order, n)
			modeLogp := law.Mode(scores, mode)
			if got := law.TopK(scores, 0); len(got) != 0 {
				t.Errorf("k=0 gave %v", got)
			}
			for _, k := range []int{1, 2, 3, 7, 50, 1000} {
				got := law.TopK(scores, k)
				if len(got) != min(k, len(all)) {
					t.Fatalf("k=%d gave %d, wanted %d", k, len(got), min(k, len(all)))
				}
				seen, hasMode := map[string]bool{}, false
				for i, c := range got {
					if err := c.Order.Validate(); err != nil {
						t.Fatal(err)
					}
					near.Equal(t, "log-probability", c.LogProb, law.LogProb(scores, c.Order), 1e-12)
					if i > 0 && c.LogProb > got[i-1].LogProb {
						t.Errorf("k=%d: %d is out of order", k, i)
					}
					if i > 0 && c.LogProb == got[i-1].LogProb && slices.Compare(c.Order, got[i-1].Order) < 0 {
						t.Errorf("k=%d: tie at %d is out of order", k, i)
					}
					seen[fmt.Sprint(c.Order)] = true
					hasMode = hasMode || slices.Equal(c.Order, mode)
					if isExact(law) || k >= len(all) {
						near.Equal(t, fmt.Sprintf("k=%d: candidate %d", k, i), c.LogProb, all[i].LogProb, 1e-12)
					}
				}
				if len(seen) != len(got) {
					t.Errorf("k=%d: an order comes twice", k)
				}
				if !hasMode && !isExact(law) {
					t.Errorf("k=%d: the greedy order %v is not there", k, mode)
				}
				if got[0].LogProb < modeLogp-1e-12*(1+math.Abs(modeLogp)) {
					t.Errorf("k=%d: best %g is below the mode's %g", k, got[0].LogProb, modeLogp)
				}
				if k == 1 && !slices.Equal(got[0].Order, mode) {
					t.Errorf("k=1 gave %v, wanted %v", got[0].Order, mode)
				}
			}
		}
	})
}

// Identical objects get identical scores: every order of equals is equally probable
// and the lowest index comes first.
func TestIdenticalScores(t *testing.T) {
	for _, law := range Laws() {
		const n = 5
		scores := slices.Repeat([]float64{0.25}, law.NumScores(n))
		o := make(perm.Order, n)
		law.Mode(scores, o)
		want := perm.Identity(n)
		switch law.Name() {
		case "ii":
			want = perm.Order{1, 2, 3, 4, 0} // moves object 0
		case "irs":
			scores = make([]float64, n)
		case "it":
			scores[n] = 0 // identity 1/2, each swap 1/20
		}
		if law.Mode(scores, o); !slices.Equal(o, want) {
			t.Errorf("%s: mode %v, wanted %v", law.Name(), o, want)
		}
		top := law.TopK(scores, 4)
		for i := 2; i < len(top); i++ {
			if top[i].LogProb == top[i-1].LogProb && slices.Compare(top[i-1].Order, top[i].Order) >= 0 {
				t.Errorf("%s: ties %v, %v are out of order", law.Name(), top[i-1].Order, top[i].Order)
			}
		}
	}
}

func TestScoresThatAreNotFinite(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	eachLaw(t, 4, func(t *testing.T, law Law, n int, rng *rand.Rand) {
		count := law.NumScores(n)
		sets := [][]float64{
			slices.Repeat([]float64{nan}, count), slices.Repeat([]float64{negInf}, count), slices.Repeat([]float64{inf}, count),
			randomScores(rng, count, 1e4), randomScores(rng, count, 1e300),
		}
		for range 40 {
			s := make([]float64, count)
			for i := range s {
				s[i] = []float64{nan, negInf, inf, 0, 1, -1e4, 1e4}[rng.IntN(7)]
			}
			sets = append(sets, s)
		}
		for _, scores := range sets {
			sum := 0.0
			for _, o := range States(n) {
				logp := law.LogProb(scores, o)
				if math.IsNaN(logp) || logp > 0 {
					t.Fatalf("scores %v: log p of %v is %g", scores, o, logp)
				}
				sum += math.Exp(logp)
			}
			if sum > 1+1e-9 {
				t.Errorf("scores %v: probabilities sum to %g", scores, sum)
			}
			o := make(perm.Order, n)
			for range 5 {
				law.Sample(rng, scores, o)
				if err := o.Validate(); err != nil {
					t.Fatal(err)
				}
				if sum > 1-1e-9 && law.LogProb(scores, o) == negInf {
					t.Errorf("scores %v: drew the impossible order %v", scores, o)
				}
			}
			logp := law.Mode(scores, o)
			if err := o.Validate(); err != nil || math.IsNaN(logp) {
				t.Fatalf("scores %v: mode %v, %g", scores, o, logp)
			}
			all := enumerate(law, scores, n)
			for _, k := range []int{1, 2, 30} {
				got := law.TopK(scores, k)
				if len(got) == 0 {
					t.Fatalf("scores %v: no candidate", scores)
				}
				for _, c := range got {
					if err := c.Order.Validate(); err != nil || math.IsNaN(c.LogProb) {
						t.Fatalf("scores %v: candidate %v, %g", scores, c.Order, c.LogProb)
					}
					if c.LogProb == negInf && len(got) > 1 {
						t.Errorf("scores %v: an impossible candidate beside others", scores)
					}
				}
				if isExact(law) && len(all) > 0 || k == 30 && len(all) > 0 {
					near.Equal(t, fmt.Sprintf("scores %v: best", scores), got[0].LogProb, all[0].LogProb, 1e-9)
				}
			}
		}
	})
}

func TestImpossibleOrders(t *testing.T) {
	for _, c := range []struct {
		law Law
		o   perm.Order
	}{
		{InverseInsertion{}, perm.Order{2, 1, 0}},
		{InverseInsertion{}, perm.Order{1, 0, 2}},
		{InverseTransposition{}, perm.Order{1, 2, 0}},
		{InverseTransposition{}, perm.Order{1, 0, 3, 2}},
		{InverseRiffle{}, perm.Order{2, 1, 0}},
		{InverseRiffle{}, perm.Order{1, 0, 3, 2}},
	} {
		scores := randomScores(rand.New(rand.NewPCG(1, 1)), c.law.NumScores(len(c.o)), 1)
		if logp := c.law.LogProb(scores, c.o); logp != negInf {
			t.Errorf("%s: log p of %v is %g, wanted −Inf", c.law.Name(), c.o, logp)
		}
	}
}

func TestWrongNumberOfScoresPanics(t *testing.T) {
	for _, law := range Laws() {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", law.Name())
				}
			}()
			law.LogProb(make([]float64, law.NumScores(3)+1), perm.Identity(3))
		}()
	}
}

func TestByName(t *testing.T) {
	for _, law := range Laws() {
		got, err := ByName(law.Name())
		if err != nil || got != law || got.LongName() == "" {
			t.Errorf("%s: got %v, %v", law.Name(), got, err)
		}
	}
	want := `reverse law "gp": wanted one of gpl, path, cgpl, pl, irs, ii, it`
	if _, err := ByName("gp"); err == nil || err.Error() != want {
		t.Errorf("got %v, wanted %s", err, want)
	}
}

// Calls that are given their buffers do not allocate once the scratch is warm.
func TestNoAllocations(t *testing.T) {
	const n = 52
	rng := rand.New(rand.NewPCG(1, 2))
	for _, law := range Laws() {
		scores, o := randomScores(rng, law.NumScores(n), 1), make(perm.Order, n)
		for name, call := range map[string]func(){
			"LogProb": func() { law.LogProb(scores, o) },
			"Sample":  func() { law.Sample(rng, scores, o) },
			"Mode":    func() { law.Mode(scores, o) },
		} {
			if got := testing.AllocsPerRun(50, call); got > 0 {
				t.Errorf("%s: %s allocates %g times", law.Name(), name, got)
			}
		}
	}
}
