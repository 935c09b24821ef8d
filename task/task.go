// Package task holds what can be learned: where a task's sets come from, what their right
// order is, and how an order is judged. One file a task.
package task

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/internal/field"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/run"
)

// Split says which sets are wanted. Sets of different splits are drawn independently.
type Split uint64

// The splits: Validation watches a training, Test judges it at the end.
const (
	Train Split = iota + 1
	Validation
	Test
)

// Task makes sets of objects with their right order.
type Task interface {
	// Encoder says what the objects are, for the network.
	Encoder() denoiser.EncoderConfig
	// Examples makes the sets number first, …, first+count−1 of a split, all of one size or padded
	// to one. They are a pure function of the configuration's seed, the split and these numbers.
	Examples(split Split, first, count int) (*Examples, error)
	// Objects reads a user's sets, all of one size, as the network takes them.
	Objects(ctx context.Context, sets []*dataset.Set) (objects *tensors.Tensor, warnings []string, err error)
}

// Persister is a task with something that a trained model needs of its data, such as the scale of
// features: it is kept in the run's directory.
type Persister interface {
	Keep(dir *run.Dir) error
	Restore(dir *run.Dir) error
}

// Flusher is a task that keeps work for other runs, which Flush writes.
type Flusher interface{ Flush() error }

// Coster is a task whose orders cost something, less being better: tours, their length.
type Coster interface {
	Cost(set *dataset.Set, o perm.Order) float64
}

// Doubter is a task that sees what may be wrong with a set that it takes all the same.
type Doubter interface {
	// Doubt is a warning, "" where nothing is odd.
	Doubt(set *dataset.Set) string
}

// Turner is a [Coster] whose sets can be looked at from several sides. Turned returns copy c of so
// many, the first as it is, with objects that may stand in another order, and what gives an order of
// the copy as one of the set.
type Turner interface {
	Coster
	Turned(set *dataset.Set, c, of int) (*dataset.Set, func(perm.Order) perm.Order)
}

// Examples are some sets of one size, or padded to one.
type Examples struct {
	Objects *tensors.Tensor // [count, n, …] what the encoder takes
	// Padded tells that some sets may have fewer than n objects, as many as Clean has; padding
	// follows them.
	Padded bool
	// Clean is a right order of each set; where several are right, one at random.
	Clean []perm.Order
	// Values are what the objects are sorted by, nil where only Clean is right. Objects of
	// equal value may stand in any order.
	Values [][]float64
	// Modes are all orders that are right, in whatever share of the sets: the nearest counts.
	// nil where Clean or Values say it all.
	Modes []perm.Order
	// Levels are what is known of each set's order, which Clean is drawn from; nil where Clean,
	// Values or Modes say it all.
	Levels []dataset.BucketOrder
	// Same and Alike tell which objects of a set are one as good as another, nil where Clean or
	// Values say it all: item k and item l if Same[set][k] = Same[set][l], since they are
	// identical; and, if Alike[set][k] = Alike[set][l], but for noise.
	Same, Alike [][]int
	// Pictures are a set's objects, nil where they are none. Columns is how many stand side by
	// side where they are the tiles of a picture, row by row, and else 0.
	Pictures func(set int) []*dataset.Picture
	Columns  int
	// Names are what a set's objects are called, nil where that is their number.
	Names func(set int) []string
	// Cost is what an order costs, less is better, and Best what the right ones do: of tours
	// their length. nil where an order is right or wrong.
	Cost func(set int, o perm.Order) float64
	Best []float64
	// Points are the objects as points of the plane, nil where they are none.
	Points [][][2]float64
	// Pixels are the objects as pictures to compare, [count, n, PixelSize] row-major in [0, 1];
	// nil where they are none.
	Pixels    []float32
	PixelSize int
}

// New returns the task that a configuration names.
func New(c *config.Config) (Task, error) {
	if err := c.Check("task"); err != nil {
		return nil, err
	}
	t, err := makeTask(c)
	if err != nil {
		return nil, config.Within("task", err)
	}
	return t, nil
}

func makeTask(c *config.Config) (Task, error) {
	switch c.Task.Name {
	case "sort":
		if err := feeds(c, "images", denoiser.Images); err != nil {
			return nil, err
		}
		return newSort(c), nil
	case "jigsaw":
		if err := feeds(c, "images", denoiser.Images); err != nil {
			return nil, err
		}
		return newJigsaw(c)
	case "delta":
		if err := feeds(c, "identities", denoiser.Identities); err != nil {
			return nil, err
		}
		return newDelta(c)
	case "tsp":
		if err := feeds(c, "points", denoiser.Points); err != nil {
			return nil, err
		}
		return newTour(c)
	}
	return newRanking(c)
}

// feeds checks that the encoder reads what the task's objects are.
func feeds(c *config.Config, objects string, kind denoiser.Objects) error {
	encoders := denoiser.EncodersOf(kind)
	if slices.Contains(encoders, c.Model.Encoder) {
		return nil
	}
	return config.Within("model", field.Errorf("Encoder", "%q does not read %s, the objects of task %s, wanted %s", c.Model.Encoder, objects, c.Task.Name, strings.Join(encoders, " or ")))
}

// source is the generator of one set.
func source(seed uint64, split Split, index int) *rand.Rand {
	return rand.New(rand.NewPCG(seed^uint64(split)*0x9e3779b97f4a7c15, uint64(index)))
}
