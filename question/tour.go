package question

import (
	"context"
	"fmt"
	"iter"
	"math"
	"time"

	"github.com/riffle-ml/riffle/constraint"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/task"
	"github.com/riffle-ml/riffle/tsp"
)

// Tour asks for tours through the cities of a file, or for paths between ends, under rules. It also
// asks how far they are above a reference.
type Tour struct {
	Order
	Ends
	Rules  constraint.Text // about cities by their numbers, and positions from 0
	Finish string          // "2opt" shortens what the model found
	// Limit is how long to look for the shortest tour of an instance for which no file has one.
	// With 0 none is looked for.
	Limit time.Duration
}

// DefaultTourLimit is a [Tour].Limit.
const DefaultTourLimit = 10 * time.Second

// Check refuses what no model answers.
func (t *Tour) Check() error {
	if err := t.Order.Check(); err != nil {
		return err
	}
	if t.Finish != "" && t.Finish != "2opt" {
		return learn.RefuseWord("finish", "finish", t.Finish, "2opt")
	}
	return t.Ends.Check()
}

// Tours are a file's cities to ask about, and the sums over the answers.
type Tours struct {
	*Tour
	file      *dataset.File
	list      []dataset.Problem
	given     []dataset.Problem // tours to compare with, or nil
	givenPath string
	trained   sizes

	gaps     float64 // of the answers so far, percent
	compared int
	doubts   tsp.Doubts
	others   otherSizes

	last     *dataset.Set // whose instance is kept
	instance *tsp.Instance
	way      *way
}

// About makes the question about a file's cities. given are tours to compare with, one for each
// instance; nil for those of the file.
func (t *Tour) About(f, given *dataset.File) (*Tours, error) {
	q := &Tours{Tour: t, file: f, list: f.Problems()}
	for i := range q.list {
		if _, err := t.way(q.list[i].Cities); err != nil {
			return nil, fmt.Errorf("%s: %w", q.list[i].Where, err)
		}
	}
	if given != nil {
		q.given, q.givenPath = given.Problems(), given.Path
		if err := dataset.MatchTours(f.Path, q.list, given.Path, q.given); err != nil {
			return nil, err
		}
	}
	return q, nil
}

// Ask orders the cities of all instances, and then judges the answers one by one. To judge one may
// take the question's Limit. warnings are about all instances. name is what refusals call the model.
func (q *Tours) Ask(ctx context.Context, m *learn.Model, name string) (answers iter.Seq2[*Toured, error], warnings []string, err error) {
	if _, ok := m.Task.(task.Turner); !ok {
		return nil, nil, learn.Refuse(learn.Unfit, "model", "%s: has cities, the model of %s is of the task %s", q.file.Path, name, m.Config.Task.Name)
	}
	q.trained = sizes{m.Config.SmallestSet(), m.Config.Task.N, m.Config.SizesInWords()}
	asked := make([]*dataset.Set, len(q.file.Sets))
	for i, s := range q.file.Sets {
		w, err := q.Tour.way(len(s.Items))
		if err != nil {
			return nil, nil, err
		}
		asked[i] = &dataset.Set{ID: s.ID, Kind: s.Kind, Items: perm.Act(w.city, s.Items), Constraints: w.rules, Line: s.Line}
	}
	found, odd, err := m.OrderBy(ctx, asked, q.Top, q.Decode, q.cost)
	if err != nil {
		return nil, nil, err
	}
	return func(yield func(*Toured, error) bool) {
		for i := range found {
			r, err := q.judge(ctx, i, found[i])
			if err != nil {
				err = fmt.Errorf("%s: %w", q.list[i].Where, err)
			}
			if !yield(r, err) || err != nil {
				return
			}
		}
	}, dataset.Texts(odd), nil
}

// cost is the length of what an order of a set is, by the file's distances.
func (q *Tours) cost(set *dataset.Set, o perm.Order) float64 {
	if set != q.last {
		w, err := q.Tour.way(len(set.Items))
		if err != nil {
			return 0 // it was asked before
		}
		x, err := q.distances(set, w)
		if err != nil {
			return math.Inf(1) // the model says that the cities are too far apart
		}
		q.last, q.instance, q.way = set, x, w
	}
	_, length := q.way.shape(q.instance, o)
	return length
}

// distances are those of a set that is asked about. TSPLIB has the file's own.
func (q *Tours) distances(set *dataset.Set, w *way) (*tsp.Instance, error) {
	if q.file.Format == dataset.FormatTSPLIB {
		return q.list[0].Instance()
	}
	points := make([][2]float64, len(set.Items))
	for k, it := range set.Items {
		points[w.city[k]] = it.Point
	}
	return tsp.New(points, tsp.Euclidean)
}

// Shortest looks for the shortest closed tour through points, without a model, for as long as limit.
// proven is whether none is shorter.
func Shortest(ctx context.Context, points [][2]float64, limit time.Duration, l Limits) (tour perm.Order, length float64, proven bool, err error) {
	n := len(points)
	switch {
	case n < 1:
		return nil, 0, false, learn.Refuse(learn.Unfit, "points", "points: wanted 1 or more")
	case l.Items > 0 && n > l.Items:
		return nil, 0, false, learn.Refuse(learn.TooMuch, "items", "points: wanted at most %d (got %d)", l.Items, n)
	}
	for k, p := range points {
		if !inBounds(p) {
			return nil, 0, false, learn.Refuse(learn.Unfit, "points", "points[%d]: coordinates are beyond %g", k, MaxCoordinate)
		}
	}
	x, err := tsp.New(points, tsp.Euclidean)
	if err != nil {
		return nil, 0, false, learn.Refuse(learn.Unfit, "points", "%w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	tour, length, proven = tsp.Exact(ctx, x)
	if math.IsInf(length, 0) || math.IsNaN(length) {
		return nil, 0, false, learn.Refuse(learn.Unfit, "points", "points: the length of a tour overflows").WithHint("smaller coordinates")
	}
	return tour, length, proven, nil
}
