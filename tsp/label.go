package tsp

import (
	"context"
	"math/rand/v2"

	"github.com/riffle-ml/riffle/perm"
)

const (
	labelNodes  = 1000 // of the branch and bound
	labelStarts = 8    // of the search in its place
)

// Label is a tour for training, [Canonical]: of up to about fifty random cities the shortest
// nearly always, as the tests and bench/lkh.py show. It is what [OrOpt] finds and branch and
// bound proves or improves. That may visit so many nodes; where they do not suffice, and with
// more than a hundred cities, the label is the best of several searches. Labels depend on the
// points and rng alone, not on the time there is. It panics where [New] has an error.
func Label(points [][2]float64, rng *rand.Rand) perm.Order {
	x, err := New(points, Euclidean)
	if err != nil {
		panic(err)
	}
	n, proven := x.n, false
	best := OrOpt(x, perm.Random(rng, n), 5*n, rng)
	if n <= 100 {
		best, proven = branchAndBound(context.Background(), x, best, labelNodes)
	}
	for k := 0; k < labelStarts && !proven; k++ {
		if t := OrOpt(x, perm.Random(rng, n), n*n/2, rng); x.Length(t) < x.Length(best) {
			best = t
		}
	}
	return Canonical(best)
}
