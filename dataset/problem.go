package dataset

import (
	"errors"
	"fmt"

	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/tsp"
)

// Problem is an instance of a file of cities, or a tour of a file that has nothing else.
type Problem struct {
	ID     string
	Cities int
	Tour   perm.Order // the file's, nil where it has none; closed
	// Where names it in errors: the file, and of tour text the line.
	Where string
	set   *Set          // of tour text
	x     *tsp.Instance // of TSPLIB
}

// IsCities reports whether a file holds problems or tours.
func (f *File) IsCities() bool { return f.Format == FormatTSPLIB || f.Format == FormatTourText }

// Problems are what a file of cities holds, one or more. Of a TSPLIB file with several tours the
// first counts.
func (f *File) Problems() []Problem {
	if lib := f.problem; lib != nil {
		p := Problem{ID: lib.Name, Cities: lib.Dimension, Where: f.Path, x: lib.Instance}
		if p.ID == "" {
			p.ID = "1"
		}
		if len(lib.Tours) > 0 {
			p.Tour = lib.Tours[0]
		}
		return []Problem{p}
	}
	out := make([]Problem, len(f.Sets))
	for i, s := range f.Sets {
		out[i] = Problem{ID: s.ID, Cities: len(s.Items), Tour: s.Order, Where: fmt.Sprintf("%s:%d", f.Path, s.Line), set: s}
	}
	return out
}

// CheckPoints reports why the cities of a file are no points in the plane.
func (f *File) CheckPoints() error {
	if f.problem == nil {
		return nil
	}
	_, err := f.problem.Set()
	return err
}

// Tours is how many tours a TSPLIB file has, 0 of other formats.
func (f *File) Tours() int {
	if f.problem == nil {
		return 0
	}
	return len(f.problem.Tours)
}

// TourAlone reports whether there are no distances, as in a TSPLIB file of tours.
func (p *Problem) TourAlone() bool { return p.set == nil && p.x == nil }

// Instance has the distances. A file of many lines does not keep them all at once. It is nil where
// there is only a tour.
func (p *Problem) Instance() (*tsp.Instance, error) {
	if p.set == nil {
		return p.x, nil
	}
	x, err := tsp.New(p.set.points(), tsp.Euclidean)
	if pair, ok := errors.AsType[*tsp.PairError](err); ok {
		pair.Base = 1
	}
	return x, err
}

// points are those of a set's items.
func (s *Set) points() [][2]float64 {
	points := make([][2]float64, len(s.Items))
	for k := range points {
		points[k] = s.Items[k].Point
	}
	return points
}

// SameCities reports where q, of another file, is not a problem or a tour of p's cities.
func (p *Problem) SameCities(q *Problem) error {
	if p.Cities != q.Cities {
		return fmt.Errorf("%s: %d cities, wanted %d as in %s", q.Where, q.Cities, p.Cities, p.Where)
	}
	if p.set == nil || q.set == nil {
		return nil
	}
	for k, it := range p.set.Items {
		if at := q.set.Items[k].Point; at != it.Point {
			return fmt.Errorf("%s: city %d is at %g, %g, wanted %g, %g as in %s", q.Where, k+1, at[0], at[1], it.Point[0], it.Point[1], p.Where)
		}
	}
	return nil
}

// MatchTours reports where the tours of a file are not one for each problem of another.
func MatchTours(path string, problems []Problem, toursPath string, tours []Problem) error {
	if len(tours) != len(problems) {
		return fmt.Errorf("%s: has %d tours, wanted %d as %s has instances", toursPath, len(tours), len(problems), path)
	}
	for i := range problems {
		if err := problems[i].SameCities(&tours[i]); err != nil {
			return err
		}
		if tours[i].Tour == nil {
			return fmt.Errorf("%s: has no tour", tours[i].Where)
		}
	}
	return nil
}
