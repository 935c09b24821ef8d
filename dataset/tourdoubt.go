package dataset

import (
	"fmt"

	"github.com/riffle-ml/riffle/tsp"
)

// mostDoubted is how many tours of a file [DoubtTours] looks at, spread over all of it.
const mostDoubted = 10_000

// DoubtTours says why the tours of sets of points, as in tour text, may not be the shortest ones
// ([tsp.Doubts]). name stands for the file.
func DoubtTours(name string, sets []*Set) []string {
	var d tsp.Doubts
	step := max(1, (len(sets)+mostDoubted-1)/mostDoubted)
	for i := 0; i < len(sets); i += step {
		s := sets[i]
		if s.Kind != KindPoint || s.Order == nil {
			continue
		}
		if x, err := tsp.New(s.points(), tsp.Euclidean); err == nil {
			d.Look(fmt.Sprintf("%s:%d", name, s.Line), x, s.Order)
		}
	}
	return d.Warnings()
}

// doubt is [DoubtTours] of the tours of a problem of TSPLIB, by its own distances.
func (f *TSPLIB) doubt(name string) []string {
	var d tsp.Doubts
	if f.Instance != nil {
		for _, tour := range f.Tours[:min(mostDoubted, len(f.Tours))] {
			d.Look(name, f.Instance, tour)
		}
	}
	return d.Warnings()
}

// Doubts says why the tours of a file of cities may not be the shortest ones.
func (f *File) Doubts() []string {
	switch {
	case f.problem != nil:
		return f.problem.doubt(f.Path)
	case f.Format == FormatTourText:
		return DoubtTours(f.Path, f.Sets)
	}
	return nil
}
