package diffsort

import (
	"slices"

	"github.com/riffle-ml/riffle/perm"
)

// Order decodes scores: the items by rising score, equal ones by index, NaN last. It always
// is an order of all items.
func Order[F ~float32 | ~float64](scores []F) perm.Order {
	o := perm.Identity(len(scores))
	slices.SortStableFunc(o, func(i, j int) int {
		a, b := scores[i], scores[j]
		switch {
		case a < b, a == a && b != b:
			return -1
		case b < a, a != a && b == b:
			return 1
		}
		return 0
	})
	return o
}
