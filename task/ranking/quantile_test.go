package ranking

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// Normal scores of a few shares, from tables of the normal distribution.
const (
	score625 = 0.3186393640 // Φ⁻¹(5/8)
	score875 = 1.1503493804 // Φ⁻¹(7/8)
)

var near = cmpopts.EquateApprox(0, 1e-9)

func TestKnots(t *testing.T) {
	for _, x := range []struct{ values, at, scores []float64 }{
		{[]float64{3, 1, 2, 2}, []float64{1, 2, 3}, []float64{-score875, 0, score875}},
		{[]float64{10, 0, 0, 0}, []float64{0, 10}, []float64{-score625, score875}},
		{[]float64{-7, -7, -7}, []float64{-7}, []float64{0}},
		{nil, nil, nil},
	} {
		at, scores := knots(slices.Clone(x.values))
		if diff := cmp.Diff(x.at, at); diff != "" {
			t.Errorf("%v: knots %s", x.values, diff)
		}
		if diff := cmp.Diff(x.scores, scores, near); diff != "" {
			t.Errorf("%v: scores %s", x.values, diff)
		}
	}
}

// Of many values the extremes are knots and gaps in score are even, but at the ends, where a gap
// may have no value. A value between knots has about its own share.
func TestKnotsOfMany(t *testing.T) {
	const count = 10_000
	values := make([]float64, count)
	for i, v := range rand.New(rand.NewPCG(1, 2)).Perm(count) {
		values[i] = float64(v)
	}
	at, scores := knots(values)
	last := len(at) - 1
	if len(at) < maxKnots-4 || len(at) > maxKnots || at[0] != 0 || at[last] != count-1 {
		t.Fatalf("%d knots from %g to %g, wanted about %d from 0 to %d", len(at), at[0], at[last], maxKnots, count-1)
	}
	gap := 2 * scores[last] / (maxKnots - 1)
	s := &Scale{Knots: [][]float64{at}, Scores: [][]float64{scores}}
	for i := range at {
		if z := scores[i]; math.Abs(z+scores[last-i]) > 1e-9 || i > 8 && i < last-8 && math.Abs(z-scores[i-1]-gap) > gap/10 {
			t.Errorf("score %d is %g after %g, wanted even gaps of %g, and the reverse from the end", i, z, scores[max(0, i-1)], gap)
		}
	}
	for v := range count {
		z := float64(s.quantile(0, float64(v)))
		if share, want := math.Erfc(-z/math.Sqrt2)/2, (float64(v)+0.5)/count; math.Abs(share-want) > 1e-3 {
			t.Fatalf("%d has share %g, wanted %g", v, share, want)
		}
	}
}

func TestQuantile(t *testing.T) {
	s := &Scale{Knots: [][]float64{{0, 1, 5}, {7}, nil, {-1e30, 1e30}}, Scores: [][]float64{{-1, 0.5, 2}, {0}, nil, {-1, 1}}}
	for _, x := range []struct {
		feature     int
		value, want float64
	}{
		{0, 0, -1}, {0, 1, 0.5}, {0, 5, 2}, // knots
		{0, 0.5, -0.25}, {0, 2, 0.875}, // a half and a quarter of the way
		{0, -0.001, -1}, {0, -math.MaxFloat64, -1}, {0, 5.001, 2}, {0, math.MaxFloat64, 2}, // beyond
		{1, 7, 0}, {1, 8, 0}, {1, -8, 0}, {2, 3, 0}, // constant, and without a value
		{3, 0, 0}, {3, 1e300, 1},
	} {
		if got := s.input(x.feature, x.value); got != float32(x.want) {
			t.Errorf("feature %d: %g becomes %g, wanted %g", x.feature, x.value, got, x.want)
		}
	}
}

// table is sets of three items with a feature that f makes of one of 41 numbers, one that is
// constant and one with values beyond ±1e30.
func table(sets int, f func(float64) float64) string {
	rng := rand.New(rand.NewPCG(3, 4))
	text := "set,item,rank,x,same,huge\n"
	for i := range sets {
		for k := range 3 {
			x, huge := float64(rng.IntN(41)-20)/8, float64(k)
			if rng.IntN(4) == 0 {
				huge = 1e300
			}
			text += fmt.Sprintf("%d,%d,%d,%v,5,%v\n", i, k, k+1, f(x), huge)
		}
	}
	return text
}

// inputs is what the network gets of a file of sets, by a model trained on it and by one that
// another process restores.
func inputs(t *testing.T, text, scale string) []float32 {
	t.Helper()
	c := rankingConfig(write(t, "a.csv", text))
	c.Task.Scale = scale
	r, dir := openRanking(t, c), newRun(t)
	if err := r.Keep(dir); err != nil {
		t.Fatal(err)
	}
	sets := readText(t, "b.csv", text)
	want, _ := seen[float32](t, r, sets)
	again := openRanking(t, c)
	if err := again.Restore(dir); err != nil {
		t.Fatal(err)
	}
	if got, _ := seen[float32](t, again, sets); !slices.Equal(got, want) {
		t.Error("the inputs are others after Keep and Restore")
	}
	return want
}

// By quantiles a feature and its exponential are the same to the network, and its negative is the
// negative. By mean and deviation they are not the same.
func TestMonotone(t *testing.T) {
	same := func(x float64) float64 { return x }
	negated := func(x float64) float64 { return -x }
	plain, exp, negative := inputs(t, table(300, same), "quantile"), inputs(t, table(300, math.Exp), "quantile"), inputs(t, table(300, negated), "quantile")
	different := map[float32]bool{}
	for i, v := range plain {
		switch feature := i % 3; {
		case math.Abs(float64(v-exp[i])) > 1e-5:
			t.Fatalf("input %d is %g, of the exponential %g", i, v, exp[i])
		case feature == 0 && math.Abs(float64(v+negative[i])) > 1e-5:
			t.Fatalf("input %d is %g, of the negative %g", i, v, negative[i])
		case feature == 1 && v != 0:
			t.Fatalf("a constant feature became %g", v)
		case feature == 2 && !(math.Abs(float64(v)) < 1.5): // of three values
			t.Fatalf("input %d is %g: 1e300 counts", i, v)
		}
		if i%3 == 0 {
			different[v] = true
		}
	}
	if len(different) < 35 {
		t.Errorf("%d different inputs, wanted about 41", len(different))
	}
	standard, before, exp := inputs(t, table(300, same), "standard"), inputs(t, table(300, same), ""), inputs(t, table(300, math.Exp), "standard")
	if !slices.Equal(standard, before) || slices.Equal(standard, exp) || slices.Equal(standard, plain) {
		t.Error("without a scale inputs are not standardised by mean and deviation")
	}
}

func TestScaleRefuses(t *testing.T) {
	c := rankingConfig(write(t, "a.csv", table(20, math.Exp)))
	quantile := c
	quantile.Task.Scale = "quantile"
	const start = `{"mean":[0,0,0],"deviation":[1,1,1]`
	for text, want := range map[string]string{
		start + `}`: "has knots of 0 features and scores of 0, wanted task.features = 3 of both",
		start + `,"knots":[[1],[1]],"scores":[[1],[1]]}`:             "has knots of 2 features and scores of 2, wanted",
		start + `,"knots":[[1],[1,2],[1]],"scores":[[1],[1],[1]]}`:   "feature 1 has 2 knots and 1 scores",
		start + `,"knots":[[1],[1],[2,2]],"scores":[[0],[0],[0,1]]}`: "knot 1 of feature 2 is 2 with score 1, wanted ascending",
		start + `,"knots":[[1e31],[1],[2]],"scores":[[0],[0],[0]]}`:  "knot 0 of feature 0 is 1e+31",
		start + `,"knots":[[1],[1],[2]],"scores":[[0],[-10.5],[0]]}`: "with score -10.5",
	} {
		if err := openRanking(t, quantile).parseScale([]byte(text), "x/items.json"); err == nil || !strings.HasPrefix(err.Error(), "x/items.json: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, wanted %q", text, err, want)
		}
	}
	good := start + `,"knots":[[1],[1,2],[]],"scores":[[0],[-1,1],[]]}`
	if err := openRanking(t, quantile).parseScale([]byte(good), "x"); err != nil {
		t.Error(err)
	}
	if err := openRanking(t, c).parseScale([]byte(good), "x"); err == nil || !strings.Contains(err.Error(), "wanted none") {
		t.Errorf("knots of a standard scale: error %v", err)
	}
	votes := rankingConfig(write(t, "votes.csv", "rank1,rank2,count\na,b,3\nb,a,1\n"))
	votes.Task.Scale = "quantile"
	if err := infer(&votes); err != nil {
		t.Fatal(err)
	}
	if _, err := votes.Resolve(); err != nil {
		t.Fatal(err)
	}
	if _, err := made(&votes); err == nil || !strings.Contains(err.Error(), `task.scale: quantile is for items that are features (got "bare"), wanted standard`) {
		t.Errorf("votes: error %v", err)
	}
}
