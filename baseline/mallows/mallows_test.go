package mallows

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/internal/hint"
	"github.com/riffle-ml/riffle/internal/near"
	"github.com/riffle-ml/riffle/metric"
	"github.com/riffle-ml/riffle/perm"
)

func vote(count int, levels ...[]int) dataset.Vote { return dataset.Vote{Levels: levels, Count: count} }

func strict(count int, items ...int) dataset.Vote {
	return dataset.Vote{Levels: dataset.Strict(items), Count: count}
}

var thetas = []float64{0, 1e-9, 0.01, 0.3, 2, 40, math.Inf(1)}

func TestProbabilitiesSumToOne(t *testing.T) {
	for n := range 5 {
		for _, theta := range thetas {
			m, sum := Model{perm.Identity(n), theta}, 0.0
			for o := range perm.All(n) {
				logp, err := m.LogProb(o)
				if err != nil {
					t.Fatal(err)
				}
				sum += math.Exp(logp)
			}
			near.Equal(t, fmt.Sprintf("n = %d, theta = %g", n, theta), sum, 1, 1e-14)
		}
	}
}

// By hand: with e^-θ = 1/2 the orders of three items at distances 0, 1, 1, 2, 2, 3 weigh 1,
// 1/2, 1/2, 1/4, 1/4, 1/8, in all 21/8.
func TestLogProbByHand(t *testing.T) {
	m := Model{perm.Order{2, 0, 1}, math.Ln2}
	for _, c := range []struct {
		o    perm.Order
		want float64
	}{{perm.Order{2, 0, 1}, 8. / 21}, {perm.Order{2, 1, 0}, 4. / 21}, {perm.Order{0, 1, 2}, 2. / 21}, {perm.Order{1, 0, 2}, 1. / 21}} {
		got, err := m.LogProb(c.o)
		if err != nil {
			t.Fatal(err)
		}
		near.Equal(t, fmt.Sprint(c.o), math.Exp(got), c.want, 1e-15)
	}
}

// The normaliser and the mean distance, summed over S_6.
func TestNormaliserAndMean(t *testing.T) {
	for _, theta := range []float64{0, 1e-9, 1e-3, 0.02, 0.049999, 0.05, 0.3, 2, 30} {
		z, mean := 0.0, 0.0
		for o := range perm.All(6) {
			w := math.Exp(-theta * float64(o.Inversions()))
			z, mean = z+w, mean+w*float64(o.Inversions())
		}
		near.Equal(t, fmt.Sprintf("log Z(%g)", theta), logZ(6, theta), math.Log(z), 1.7e-14)
		if got, want := expected(6, theta), mean/z; math.Abs(got-want) > 1e-12*want {
			t.Errorf("mean distance at %g: %.16g, wanted %.16g", theta, got, want)
		}
	}
}

// A vote with ties has the probability of all orders that agree with it.
func TestLogLikelihoodOfTies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 5).Draw(t, "n")
		m := Model{rapid.Permutation(perm.Identity(n)).Draw(t, "consensus"), rapid.SampledFrom(thetas[:5]).Draw(t, "theta")}
		v := dataset.Vote{Levels: drawLevels(t, n).RestLast(n), Count: 2}
		sum := 0.0
		for o := range perm.All(n) {
			if d, err := metric.Discordant(o.Rank(), v.Levels); err == nil && d == 0 {
				logp, err := m.LogProb(o)
				if err != nil {
					t.Fatal(err)
				}
				sum += math.Exp(logp)
			}
		}
		if got, err := m.LogLikelihood([]dataset.Vote{v}); err != nil || math.Abs(math.Exp(got/2)-sum) > 1e-13 {
			t.Fatalf("%v: %v, %v, wanted twice log %v", v.Levels, got, err, sum)
		}
	})
}

func drawLevels(t *rapid.T, n int) dataset.BucketOrder {
	items := rapid.Permutation(perm.Identity(n)).Draw(t, "items")
	items = items[:rapid.IntRange(0, n).Draw(t, "known")]
	var l dataset.BucketOrder
	for len(items) > 0 {
		size := rapid.IntRange(1, min(3, len(items))).Draw(t, "size")
		l, items = append(l, items[:size]), items[size:]
	}
	return l
}

func TestSamplesMatchLogProb(t *testing.T) {
	const draws = 20_000
	for _, theta := range thetas {
		m := Model{perm.Order{2, 0, 3, 1}, theta}
		rng := rand.New(rand.NewPCG(1, 2))
		count := map[string]float64{}
		for range draws {
			count[fmt.Sprint(m.Sample(rng))]++
		}
		// Orders expected fewer than 5 times share a cell.
		chi, cells, rare, rareSeen := 0.0, 0.0, 0.0, 0.0
		for o := range perm.All(4) {
			logp, err := m.LogProb(o)
			if err != nil {
				t.Fatal(err)
			}
			want, got := draws*math.Exp(logp), count[fmt.Sprint(o)]
			if want < 5 {
				rare, rareSeen = rare+want, rareSeen+got
				continue
			}
			chi, cells = chi+(got-want)*(got-want)/want, cells+1
		}
		chi += (rareSeen - rare) * (rareSeen - rare) / max(rare, 1)
		if df := cells; chi > df+5*math.Sqrt(2*df)+5 { // far out of its spread
			t.Errorf("theta %g: chi-square %.1f with %g cells", theta, chi, cells)
		}
	}
}

func TestEstimateByHand(t *testing.T) {
	// Two items, 3 votes of 4 agree: p = 1/(1 + e^-θ) = 3/4.
	f, err := Estimate([]dataset.Vote{strict(3, 1, 0), strict(1, 0, 1)}, 2)
	if err != nil || !slices.Equal(f.Consensus, perm.Order{1, 0}) || f.Distance != 1 || !f.Exact {
		t.Fatalf("%+v, %v", f, err)
	}
	near.Equal(t, "theta", f.Theta, math.Log(3), 1e-14)
	near.Equal(t, "log-likelihood", f.LogLikelihood, 3*math.Log(.75)+math.Log(.25), 1e-14)

	// All agree.
	f, err = Estimate([]dataset.Vote{strict(5, 2, 0, 1), vote(2, []int{2}, []int{0, 1})}, 3)
	if err != nil || !math.IsInf(f.Theta, 1) || f.LogLikelihood != 0 || !slices.Equal(f.Consensus, perm.Order{2, 0, 1}) {
		t.Errorf("all agree: %+v, %v", f, err)
	}
	// Each order and its reverse: uniform.
	f, err = Estimate([]dataset.Vote{strict(2, 2, 0, 1), strict(2, 1, 0, 2)}, 3)
	if err != nil || f.Theta != 0 {
		t.Errorf("two opposites: %+v, %v", f, err)
	}
	near.Equal(t, "log-likelihood of opposites", f.LogLikelihood, -4*math.Log(6), 1e-14)
	// One voter of 2^35 against all others, two items: θ = log(2^35 − 1).
	f, err = Estimate([]dataset.Vote{strict(1<<35-1, 0, 1), strict(1, 1, 0)}, 2)
	if err != nil {
		t.Fatal(err)
	}
	near.Equal(t, "theta of many voters", f.Theta, math.Log(1<<35-1), 1e-12)
}

// SciPy finds the same by listing S_4: for every consensus c
//
//	w = {o: exp(-t*d(o, c)) for o in permutations(range(4))}
//	ll = sum(n*log(sum(w[o] for o in w if agrees(o, vote))/sum(w.values())) for n, vote in votes)
//
// and of the best one brentq on the derivative by t.
func TestEstimateAgainstSciPy(t *testing.T) {
	f, err := Estimate([]dataset.Vote{
		strict(3, 0, 1, 2, 3), vote(2, []int{1}, []int{0, 3}, []int{2}),
		vote(1, []int{3}, []int{0, 1, 2}), vote(2, []int{2, 1}, []int{3, 0}),
	}, 4)
	if err != nil || !slices.Equal(f.Consensus, perm.Order{1, 0, 2, 3}) {
		t.Fatalf("%+v, %v", f, err)
	}
	near.Equal(t, "theta", f.Theta, 0.7117531696876832, 1e-13)
	near.Equal(t, "log-likelihood", f.LogLikelihood, -16.28126101482912, 1e-13)
}

func TestEstimateFindsTheModel(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{10, 40} {
		m := Model{perm.Random(rng, n), 0.7}
		votes := make([]dataset.Vote, 1000)
		for i := range votes {
			votes[i] = strict(1, m.Sample(rng)...)
			if i%4 == 0 { // first places alone
				votes[i].Levels = votes[i].Levels[:3].RestLast(n)
			}
		}
		f, err := Estimate(votes, n)
		if err != nil || !f.Exact || !slices.Equal(f.Consensus, m.Consensus) {
			t.Fatalf("n = %d: %+v, %v, wanted %v", n, f, err, m.Consensus)
		}
		// Var d is about n·e^-θ/(1−e^-θ)², so the standard error of θ is below 0.013.
		if math.Abs(f.Theta-m.Theta) > 0.05 {
			t.Errorf("n = %d: theta %g, wanted %g", n, f.Theta, m.Theta)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		votes   []dataset.Vote
		message string
	}{
		{[]dataset.Vote{strict(1, 2, 0)}, "mallows: vote 0 names 2 of 3 items, wanted all\nhint: if the others come last, dataset.BucketOrder.RestLast adds them; Consensus takes votes as they are"},
		{[]dataset.Vote{vote(1, []int{0, 1, 2})}, "mallows: no vote puts an item before another, wanted one that does"},
		{nil, "mallows: no vote puts an item before another, wanted one that does"},
		{[]dataset.Vote{strict(-1, 0, 1, 2)}, "mallows: vote 0: count is -1, wanted 1 or more"},
		{[]dataset.Vote{strict(1, 0, 1, 1)}, "mallows: vote 0: level 2: item 1 is there twice"},
	} {
		if _, err := Estimate(c.votes, 3); err == nil || hint.Text(err) != c.message {
			t.Errorf("got %v, wanted %s", err, c.message)
		}
	}
	if _, _, err := Consensus(nil, MaxItems+1); err == nil || hint.Text(err) != "mallows: 4097 items, wanted at most 4096" {
		t.Errorf("too many items: %v", err)
	}
	if _, _, err := Consensus([]dataset.Vote{strict(1, 7)}, 3); err == nil {
		t.Error("item 7 of 3 has a consensus")
	}
	for _, m := range []Model{{perm.Order{0, 0, 1}, 1}, {perm.Identity(3), -1}, {perm.Identity(3), math.NaN()}, {perm.Identity(2), 1}} {
		if _, err := m.LogProb(perm.Identity(3)); err == nil {
			t.Errorf("%v: no error", m)
		}
	}
}
