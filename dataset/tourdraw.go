package dataset

import (
	"context"
	"io"
	"math/rand/v2"

	"github.com/riffle-ml/riffle/internal/parallel"
	"github.com/riffle-ml/riffle/tsp"
)

// generateBatch is how many instances are held before they are written.
const generateBatch = 256

// GenerateTours writes count instances of n cities as tour text. Cities are drawn uniformly from the
// unit square, and tours are short ([tsp.Label]). It returns the mean length of the tours. The same
// seed gives the same instances.
func GenerateTours(ctx context.Context, w io.Writer, n, count int, seed uint64) (mean float64, err error) {
	sum := 0.0
	for first := 0; first < count; first += generateBatch {
		sets := make([]*Set, min(generateBatch, count-first))
		lengths := make([]float64, len(sets))
		failed := make([]error, len(sets))
		parallel.For(len(sets), func(i int) {
			if ctx.Err() == nil {
				sets[i], lengths[i], failed[i] = drawInstance(n, rand.New(rand.NewPCG(seed, uint64(first+i))))
			}
		})
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		for i, err := range failed {
			if err != nil {
				return 0, err
			}
			sum += lengths[i]
		}
		if err := WriteTourText(w, sets); err != nil {
			return 0, err
		}
	}
	return sum / float64(count), nil
}

func drawInstance(n int, rng *rand.Rand) (*Set, float64, error) {
	points := make([][2]float64, n)
	s := &Set{Kind: KindPoint, Items: make([]Item, n)}
	for k := range points {
		points[k] = [2]float64{rng.Float64(), rng.Float64()}
		s.Items[k].Point = points[k]
	}
	s.Order = tsp.Label(points, rng)
	x, err := tsp.New(points, tsp.Euclidean)
	if err != nil {
		return nil, 0, err
	}
	return s, x.Length(s.Order), nil
}
