package ranking

import (
	"context"
	"fmt"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/internal/field"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/task"
)

// Task is the task of a user's own lists: sets of items, of whatever sizes, with what is
// known of their order. Items are feature vectors, images, points, or bare identities, which
// are the same in all sets: then the model is of one population's distribution of orders.
//
// Sets of all sizes that are padded to one ([denoiser.PaddedSize]) are a bucket. A training batch
// is of one bucket, drawn in proportion to its sets. Each set has a uniformly random order
// consistent with what is known ([dataset.BucketOrder.Draw]). Features are standardised by the mean
// and the deviation of the training part, or by its quantiles (task.scale).
type Task struct {
	config config.Task
	seed   uint64
	points string // model.points
	scale  *Scale // of features, from a run's directory or from the data

	index   map[string]int // of bare items' names
	unnamed []int          // bare items without a name, where others have one
	items   []dataset.Item // all bare items, where they have names

	read  bool
	parts [task.Test + 1]part
	known bool  // what the model knows is another's: a test needs no training data
	own   *part // the test of a known model
	// resized is whether the model that is known was trained with another task.n.
	resized bool
	// Dropped says which sets were left out, and why, and what is odd about those that were not.
	Dropped []string
}

// Kind is the task in the list of all.
var Kind = task.Kind{Name: "ranking", New: open, Infer: infer, Measures: measures(topKAt)}

func open(c *config.Config) (task.Task, error) {
	t, err := New(c)
	if err != nil {
		return nil, err
	}
	return t, nil
}

// New makes the task of a configuration. Its data are read when they are needed.
func New(c *config.Config) (*Task, error) {
	t := c.Task
	kind, ok := map[string]denoiser.Objects{"bare": denoiser.Identities, "features": denoiser.Features, "points": denoiser.Points, "images": denoiser.Images}[t.Items]
	if !ok {
		return nil, field.Errorf("Items", "unknown %q, wanted bare, features, images or points", t.Items)
	}
	if err := task.Reads(c, t.Items, kind); err != nil {
		return nil, err
	}
	switch {
	case t.Fill != "" && t.Items != "features":
		return nil, field.Errorf("Fill", "is for items that are features (got %q)", t.Items)
	case t.Scale == "quantile" && t.Items != "features":
		return nil, field.Errorf("Scale", "quantile is for items that are features (got %q), wanted standard", t.Items)
	case t.Items == "features" && t.Features < 1:
		return nil, field.Errorf("Features", "must be 1 or more (got %d)", t.Features)
	case t.Items == "images" && t.Pixels < 1:
		return nil, field.Errorf("Pixels", "must be 1 or more (got %d)", t.Pixels)
	}
	return &Task{config: t, seed: c.Seed, points: c.Model.Points}, nil
}

// Encoder implements [task.Task].
func (r *Task) Encoder() denoiser.EncoderConfig {
	switch r.config.Items {
	case "features":
		return denoiser.EncoderConfig{Features: r.config.Features}
	case "points":
		return denoiser.EncoderConfig{Features: 2}
	case "images":
		return denoiser.EncoderConfig{Height: r.config.Pixels, Width: r.config.Pixels, Window: r.config.Pixels}
	}
	return denoiser.EncoderConfig{}
}

// Examples implements [task.Task]. Sets of a call are of one bucket, which its first set decides.
func (r *Task) Examples(split task.Split, first, count int) (*task.Examples, error) {
	p, err := r.part(split)
	if err != nil {
		return nil, err
	}
	if p.total == 0 {
		return nil, fmt.Errorf("%s: %w", r.config.Data, task.ErrNoSets)
	}
	rng := task.Source(r.seed, split, first)
	var sizes []int
	sum := 0
	for _, b := range p.sizes {
		sum += b.upTo[len(b.upTo)-1]
		sizes = append(sizes, sum)
	}
	b := &p.sizes[draw(rng, sizes)]
	sets := make([]*dataset.Set, count)
	e, known := &task.Examples{Padded: b.mixed, Clean: make([]perm.Order, count)}, make([]dataset.BucketOrder, count)
	for i := range sets {
		rng := task.Source(r.seed, split, first+i)
		sets[i] = p.sets[b.index[draw(rng, b.upTo)]]
		known[i] = sets[i].Known()
		e.Clean[i] = known[i].Draw(rng, len(sets[i].Items))
	}
	e.Judge = judge{task.One{Clean: e.Clean}, known}
	e.Look.Names = func(set int) []string { return sets[set].ItemNames() }
	e.Objects, _, err = r.padded(context.Background(), sets, b.n)
	return e, err
}
