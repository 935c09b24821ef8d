package metric

import (
	"fmt"
	"math"
	"slices"

	"github.com/riffle-ml/riffle/perm"
)

// NDCG returns the normalised discounted cumulative gain of the first k places of an order,
//
//	NDCG@k = DCG@k / ideal DCG@k,   DCG@k = Σ_{i < min(k, n)} (2^rel[o[i]] − 1) / log₂(i + 2),
//
// where rel[item] is an item's relevance, on any scale from 0. The ideal is the DCG of an order of
// falling relevance (Järvelin & Kekäläinen 2002, with the gains of Burges et al. 2005). It is from
// 0 to 1. A relevance below 0 stands for an item nobody judged, and gains as much as one of
// relevance 0: nothing. Where nothing is relevant the ideal is 0, no order is wrong and the value
// is 1. Relevances may be large: gains are taken relative to the greatest. It fails on different
// lengths, k below 1, a relevance that is not finite and an item out of range; o must be a valid
// order. O(n log n).
func NDCG(o perm.Order, rel []float64, k int) (float64, error) {
	if len(o) != len(rel) {
		return 0, fmt.Errorf("ndcg: an order of %d items, wanted %d as there are relevances", len(o), len(rel))
	}
	if k < 1 {
		return 0, fmt.Errorf("ndcg: k must be 1 or more (got %d)", k)
	}
	top := 0.0
	for i, v := range rel {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return 0, fmt.Errorf("ndcg: relevance of item %d is %v, wanted a finite number", i, v)
		}
		top = max(top, v)
	}
	if top == 0 {
		return 1, nil
	}
	ideal := slices.Clone(rel)
	slices.Sort(ideal)
	slices.Reverse(ideal)
	got, want := 0.0, 0.0
	for i := range min(k, len(o)) {
		if o[i] < 0 || o[i] >= len(rel) {
			return 0, fmt.Errorf("ndcg: place %d has item %d, wanted 0 to %d", i, o[i], len(rel)-1)
		}
		discount := math.Log2(float64(i + 2))
		got += gain(rel[o[i]], top) / discount
		want += gain(ideal[i], top) / discount
	}
	return got / want, nil
}

// gain returns (2^rel − 1) / (2^top − 1), without overflow and without loss near 0.
func gain(rel, top float64) float64 {
	if rel <= 0 {
		return 0
	}
	if top < 1 {
		return math.Expm1(rel*math.Ln2) / math.Expm1(top*math.Ln2)
	}
	return (math.Exp2(rel-top) - math.Exp2(-top)) / (1 - math.Exp2(-top))
}
