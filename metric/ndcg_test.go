package metric_test

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/riffle-ml/riffle/metric"
	"github.com/riffle-ml/riffle/perm"
)

func TestNDCG(t *testing.T) {
	cases := []struct {
		name string
		o    perm.Order
		rel  []float64
		k    int
		want float64
	}{
		// NumPy: g = 2.0**rel - 1; d = 1/np.log2(np.arange(6) + 2);
		// (g*d)[:k].sum() / (np.sort(g)[::-1]*d)[:k].sum()
		{"all places", perm.Identity(6), []float64{3, 2, 3, 0, 1, 2}, 6, 0.9488107485678985},
		{"three places", perm.Identity(6), []float64{3, 2, 3, 0, 1, 2}, 3, 0.9594535145926796},
		{"k beyond the end", perm.Identity(6), []float64{3, 2, 3, 0, 1, 2}, 100, 0.9488107485678985},
		// By hand: the one relevant item in the second place is worth 1/log2 3.
		{"second place", perm.Order{1, 0}, []float64{1, 0}, 2, 1 / math.Log2(3)},
		{"not in the first place", perm.Order{1, 0}, []float64{1, 0}, 1, 0},
		{"nothing relevant", perm.Order{1, 0}, []float64{0, 0}, 2, 1},
		{"nobody judged", perm.Order{1, 0}, []float64{-1, -1}, 2, 1},
		{"unjudged gains nothing", perm.Order{1, 0}, []float64{1, -1}, 2, 1 / math.Log2(3)},
		{"no items", perm.Order{}, nil, 1, 1},
		// Gains of 2^2000 and 2^1999, half of it: (1/2 + 1/log2 3) / (1 + 1/(2 log2 3)).
		{"large", perm.Order{1, 0}, []float64{2000, 1999}, 2, (0.5 + 1/math.Log2(3)) / (1 + 0.5/math.Log2(3))},
		// Near 0 the gain is linear: half the relevance is half the gain.
		{"small", perm.Order{1, 0}, []float64{2e-200, 1e-200}, 1, 0.5},
	}
	for _, c := range cases {
		got, err := metric.NDCG(c.o, c.rel, c.k)
		if err != nil || math.Abs(got-c.want) > 1e-14 {
			t.Errorf("%s: %v, %v, wanted %v", c.name, got, err, c.want)
		}
	}
}

func TestNDCGIsBestForFallingRelevance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rel := rapid.SliceOfN(rapid.Float64Range(-1, 5), 1, 9).Draw(t, "rel")
		o := rapid.Permutation(perm.Identity(len(rel))).Draw(t, "o")
		k := rapid.IntRange(1, 10).Draw(t, "k")
		got, err := metric.NDCG(o, rel, k)
		if err != nil || !(got >= 0 && got <= 1+1e-14) {
			t.Fatalf("NDCG = %v, %v, wanted 0 to 1", got, err)
		}
		slices.SortFunc(o, func(a, b int) int { return cmp.Compare(rel[b], rel[a]) })
		if got, err := metric.NDCG(o, rel, k); err != nil || math.Abs(got-1) > 1e-14 {
			t.Fatalf("the best order has %v, %v, wanted 1", got, err)
		}
	})
}

func TestNDCGErrors(t *testing.T) {
	for _, c := range []struct {
		o    perm.Order
		rel  []float64
		k    int
		want string
	}{
		{perm.Order{0}, []float64{1, 2}, 1, "ndcg: an order of 1 items, wanted 2 as there are relevances"},
		{perm.Order{0, 1}, []float64{1, 2}, 0, "ndcg: k must be 1 or more (got 0)"},
		{perm.Order{0, 1}, []float64{1, math.NaN()}, 1, "ndcg: relevance of item 1 is NaN, wanted a finite number"},
		{perm.Order{0, 1}, []float64{math.Inf(1), 1}, 1, "ndcg: relevance of item 0 is +Inf, wanted a finite number"},
		{perm.Order{2, 1}, []float64{1, 1}, 1, "ndcg: place 0 has item 2, wanted 0 to 1"},
	} {
		if _, err := metric.NDCG(c.o, c.rel, c.k); err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}
