package evaluate

import (
	"cmp"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/constraint"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/task"
)

// Of copies the shortest tour counts. No set's is longer than that of its cities as they are, in a
// test and in an answer. With a model that has learned nothing most are shorter. A tour has the length
// that is said, begins at city 0, and is of the set's own cities.
func TestSymmetries(t *testing.T) {
	cfg := tourConfig(8)
	cfg.Process.Reverse, cfg.Process.Schedule = "path", []int{0, 9}
	m := newModel(t, cfg, openEngine(t, "go"))
	const count = 20
	ex, err := m.Task.Examples(task.Test, 0, count)
	if err != nil {
		t.Fatal(err)
	}
	for _, method := range []string{"greedy", "beam"} {
		gaps := map[int]float64{}
		for _, copies := range []int{1, 6} {
			r, err := Run(t.Context(), m, task.Test, count, learn.DecodeOptions{Method: method, Symmetries: copies}, nil)
			if err != nil {
				t.Fatal(err)
			}
			gaps[copies] = r.Mean("tour.gap")
			if want := map[int]int{1: 0, 6: 6}[copies]; r.Decode.Symmetries != want {
				t.Errorf("%d copies are told as %d, wanted %d", copies, r.Decode.Symmetries, want)
			}
		}
		if !(gaps[6] < 0.95*gaps[1]) {
			t.Errorf("%s: gap %.1f %% of 6 copies, %.1f %% of one", method, gaps[6], gaps[1])
		}
	}
	var sets []*dataset.Set
	for _, points := range ex.Look.Points {
		s := &dataset.Set{Kind: dataset.KindPoint}
		for _, p := range points {
			s.Items = append(s.Items, dataset.Item{Point: [2]float64{1e6 + 1000*p[0], 1000 * p[1]}})
		}
		sets = append(sets, s)
	}
	sets[3].Constraints = constraint.Text{Pin: []string{"2=1"}}
	one, _, err1 := m.Order(t.Context(), sets, 3, learn.DecodeOptions{Beam: 4})
	several, _, err2 := m.Order(t.Context(), sets, 3, learn.DecodeOptions{Beam: 4, Symmetries: 6})
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	shorter := 0
	for i, o := range several {
		last := 0.0
		for j, r := range o.Orders {
			if err := r.Order.Validate(); err != nil || r.Order[0] != 0 {
				t.Fatalf("set %d: %v, %v", i, r.Order, err)
			}
			if cost := m.Task.(task.Coster).Cost(sets[i], r.Order); math.Abs(cost-*r.Cost) > 1e-6 || cost < last {
				t.Errorf("set %d, tour %d: of length %g, said %g, after one of %g", i, j, cost, *r.Cost, last)
			}
			last = *r.Cost
		}
		if len(o.Orders) != 3 || *o.Orders[0].Cost > *one[i].Orders[0].Cost {
			t.Errorf("set %d: %d tours, the best %g, without copies %g", i, len(o.Orders), *o.Orders[0].Cost, *one[i].Orders[0].Cost)
		}
		if *o.Orders[0].Cost < *one[i].Orders[0].Cost {
			shorter++
			if end := o.Steps[len(o.Steps)-1]; !reflect.DeepEqual(end, o.Orders[0].Order) {
				t.Errorf("set %d: the steps end at %v, the tour is %v", i, end, o.Orders[0].Order)
			}
		}
	}
	if shorter < count/2 {
		t.Errorf("%d of %d tours are shorter", shorter, count)
	}
	if !reflect.DeepEqual(several[3].Orders, one[3].Orders) {
		t.Error("a set with rules has other tours")
	}
}

func TestSymmetriesAreForTours(t *testing.T) {
	m := newModel(t, tiny(), openEngine(t, "go"))
	var wrong *learn.Refusal
	_, err := Run(t.Context(), m, task.Test, 5, learn.DecodeOptions{Symmetries: 2}, nil)
	if !errors.As(err, &wrong) || wrong.Option != "symmetries" {
		t.Errorf("got %v", err)
	}
	if _, _, err = m.Order(t.Context(), randomSets(1, 5), 1, learn.DecodeOptions{Symmetries: -1}); !errors.As(err, &wrong) || wrong.Option != "symmetries" {
		t.Errorf("got %v", err)
	}
}

// Of several looks at numbers the median of the direct scores counts, in an answer and in a test.
func TestViewsOfPictures(t *testing.T) {
	const n, copies = 6, 7
	cfg := config.Default()
	cfg.Task = config.Task{Name: "sort", N: n, Digits: 2}
	cfg.Process.Reverse, cfg.Process.Schedule = "pl", []int{0, 7}
	cfg.Model = config.Model{Encoder: "window", Channels: []int{4}, Hidden: []int{8}, Dim: 8, Heads: 2, FeedForward: 8, Positions: "none", Score: "direct"}
	m := newModel(t, cfg, openEngine(t, "go"))
	rng := rand.New(rand.NewPCG(1, 1))
	var sets []*dataset.Set
	for range 8 {
		s := &dataset.Set{Kind: dataset.KindImage}
		for range n {
			p := &dataset.Picture{Rows: 28, Cols: 56, Channels: 1, Pix: make([]uint8, 28*56)}
			for range 200 {
				p.Pix[rng.IntN(len(p.Pix))] = 255
			}
			s.Items = append(s.Items, dataset.Item{Picture: p})
		}
		sets = append(sets, s)
	}
	objects, _, err := m.Task.Objects(t.Context(), sets)
	if err != nil {
		t.Fatal(err)
	}
	dec, err := m.Decoder()
	if err != nil {
		t.Fatal(err)
	}
	arrangements := make([]int32, len(sets)*n)
	for i := range arrangements {
		arrangements[i] = int32(i % n)
	}
	var scores [][]float64
	for c := range copies {
		seen, err := m.Task.(task.Viewer).View(objects, c)
		if err != nil {
			t.Fatal(err)
		}
		enc, err := dec.Encode(t.Context(), seen)
		if err != nil {
			t.Fatal(err)
		}
		of, err := dec.Scores(t.Context(), enc, arrangements, 1, 7)
		if err != nil {
			t.Fatal(err)
		}
		scores = append(scores, of)
	}
	answers := func(copies int) []learn.Ordered {
		out, _, err := m.Order(t.Context(), sets, 1, learn.DecodeOptions{Method: "greedy", Symmetries: copies})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	once, often := answers(1), answers(copies)
	changed := false
	for i := range sets {
		median := make([]float64, n)
		for k := range median {
			var of []float64
			for c := range copies {
				of = append(of, scores[c][i*n+k])
			}
			slices.Sort(of)
			median[k] = of[copies/2]
		}
		want := perm.Identity(n)
		slices.SortStableFunc(want, func(a, b int) int { return cmp.Compare(median[b], median[a]) })
		if got := often[i].Orders[0].Order; !slices.Equal(got, want) {
			t.Errorf("set %d: order %v, by the median %v", i, got, want)
		}
		changed = changed || !slices.Equal(once[i].Orders[0].Order, want)
	}
	if !changed {
		t.Error("no order differs from that of one look")
	}
	if r, err := Run(t.Context(), m, task.Test, 5, learn.DecodeOptions{Symmetries: 3}, nil); err != nil || r.Decoding() != "greedy, 3 copies" {
		t.Errorf("test: %v, %v", r, err)
	}
	cfg.Model.Score, cfg.Model.Layers, cfg.Decode.Symmetries = "context", 1, 3
	var wrong *config.KeyError
	if _, _, err := learn.New(cfg, m.Engine); !errors.As(err, &wrong) || wrong.Key != "decode.symmetries" {
		t.Errorf("scores of context: %v", err)
	}
	cfg.Model.Score, cfg.Decode.Symmetries = "direct", 65
	if _, _, err := learn.New(cfg, m.Engine); !errors.As(err, &wrong) || wrong.Key != "decode.symmetries" {
		t.Errorf("65 copies: %v", err)
	}
	var refused *learn.Refusal
	if _, _, err := m.Order(t.Context(), sets, 1, learn.DecodeOptions{Symmetries: 65}); !errors.As(err, &refused) || refused.Option != "symmetries" {
		t.Errorf("65 copies: %v", err)
	}
}
