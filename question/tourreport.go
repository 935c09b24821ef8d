package question

import (
	"fmt"
	"math"
	"slices"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/internal/hint"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/tsp"
)

// TourReport is what a file of cities holds, and how long its tours are.
type TourReport struct {
	File      string   `json:"file"`
	Format    string   `json:"format"` // TSPLIB or tour text
	Name      string   `json:"name,omitempty"`
	Distance  tsp.Kind `json:"distance,omitempty"`
	Instances int      `json:"instances"` // 0 in a file of a tour alone
	// The cities of the smallest and the largest instance.
	CitiesMin int `json:"cities_min"`
	CitiesMax int `json:"cities_max"`
	Tours     int `json:"tours"` // that were measured; in a file of a tour alone only looked at
	// Means over instances with a tour, and the largest gap. They are nil where there are no tours,
	// or no references.
	Length    *float64 `json:"length,omitempty"`
	Reference *float64 `json:"reference,omitempty"`
	Gap       *float64 `json:"gap,omitempty"` // percent
	GapMax    *float64 `json:"gap_max,omitempty"`
	Warnings  []string `json:"warnings,omitempty"`
	Doubts    []string `json:"-"` // those of Warnings that are about tours
}

// ReportTours measures the tours of f or, where other is not nil, those of other, one for each
// instance of f. Where best is above 0 they are compared with that length. Else the tours of other
// are compared with f's own.
func ReportTours(f, other *dataset.File, best float64) (*TourReport, error) {
	list := f.Problems()
	r := &TourReport{File: f.Path, Format: string(f.Format), Name: f.Title, Instances: len(list), CitiesMin: math.MaxInt}
	if list[0].TourAlone() {
		r.Instances = 0
	}
	if best > 0 && len(list) > 1 {
		return nil, learn.Refuse(learn.Usage, "best", "is for one instance (%s has %d)", f.Path, len(list))
	}
	tours := list
	if other != nil {
		if r.Instances == 0 {
			return nil, hint.Errorf("riffle tsp check PROBLEM TOUR", "%s: has a tour and no problem", f.Path)
		}
		tours = other.Problems()
		if err := dataset.MatchTours(f.Path, list, other.Path, tours); err != nil {
			return nil, err
		}
	}
	m := measured{most: math.Inf(-1)}
	for i := range list {
		p := &list[i]
		r.CitiesMin, r.CitiesMax = min(r.CitiesMin, p.Cities), max(r.CitiesMax, p.Cities)
		x, err := p.Instance()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.Where, err)
		}
		if x != nil {
			r.Distance = x.Kind
		}
		if tours[i].Tour != nil {
			r.Tours++
		}
		if err := m.look(p, &tours[i], x, other != nil, best); err != nil {
			return nil, err
		}
	}
	r.Warnings = append(slices.Clone(f.Warnings), m.doubts.Warnings()...)
	r.Doubts = m.doubts.Warnings()
	if r.Tours > 0 && r.Instances > 0 {
		r.Length = mean(m.length, r.Tours)
	}
	if m.compared > 0 {
		r.Reference, r.Gap, r.GapMax = mean(m.reference, m.compared), mean(m.gap, m.compared), &m.most
	}
	return r, nil
}

// measured are sums over instances.
type measured struct {
	length, reference, gap, most float64
	compared                     int
	doubts                       tsp.Doubts
}

// look measures the tour of an instance. x is nil where there are no distances. other is whether
// the tour is of another file.
func (m *measured) look(p, tour *dataset.Problem, x *tsp.Instance, other bool, best float64) error {
	switch {
	case x == nil:
		return nil
	case p.Tour != nil: // a reference
		m.doubts.Look(p.Where, x, p.Tour)
	case tour.Tour != nil && best == 0: // nothing else to hold it against
		m.doubts.Look(tour.Where, x, tour.Tour)
	}
	if tour.Tour == nil {
		return nil
	}
	length := x.Length(tour.Tour)
	m.length += length
	against := best
	if best == 0 && other && p.Tour != nil {
		against = x.Length(p.Tour)
	} else if best == 0 {
		return nil
	}
	gap, err := gapTo(length, against)
	if err != nil {
		return fmt.Errorf("%s: %w", tour.Where, err)
	}
	m.doubts.Found(tour.Where, length, against)
	m.reference, m.gap, m.most, m.compared = m.reference+against, m.gap+*gap, max(m.most, *gap), m.compared+1
	return nil
}

func mean(sum float64, count int) *float64 {
	m := sum / float64(count)
	return &m
}
