// Package task has what all tasks share: what a task is, what its examples are, and how its figures
// are told. The packages below it have the tasks themselves, and package tasks lists them.
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
)

// Split says which sets are wanted. Sets of different splits are drawn independently.
type Split uint64

// The splits: Validation watches a training, Test judges it at the end.
const (
	Train Split = iota + 1
	Validation
	Test
)

// Kind is one of the tasks that there are.
type Kind struct {
	Name string // of task.name
	New  func(c *config.Config) (Task, error)
	// Infer fills in what the data says of a configuration, nil where there is nothing to fill in.
	Infer func(c *config.Config) error
	// Measures are those of all models of the kind, in the order in which they are told.
	Measures []Measure
}

// Task makes sets of objects with their right order. What else a task can do is told by the
// interfaces in this package that it implements.
type Task interface {
	// Encoder says what the objects are, for the network.
	Encoder() denoiser.EncoderConfig
	// Examples makes the sets number first, …, first+count−1 of a split, all of one size or padded
	// to one. They are a pure function of the configuration's seed, the split and these numbers.
	Examples(split Split, first, count int) (*Examples, error)
	// Objects reads a user's sets, all of one size, as the network takes them.
	Objects(ctx context.Context, sets []*dataset.Set) (objects *tensors.Tensor, warnings []dataset.Warning, err error)
	// Measures are those of the figures of [Judge.Figures], or [Lister.JudgeList], in the order in
	// which they are told.
	Measures() []Measure
}

// Examples are some sets of one size, or padded to one.
type Examples struct {
	Objects *tensors.Tensor // [count, n, …] what the encoder takes
	// Padded says that sets may have fewer than n objects. A set has as many as its order in Clean,
	// and padding follows them.
	Padded bool
	// Clean is a right order of each set; where several are right, one at random.
	Clean []perm.Order
	// Judge knows what is right.
	Judge Judge
	Look  Look
	// Pixels are the objects as pictures to compare, [count, n, PixelSize] row-major in [0, 1];
	// nil where they are none.
	Pixels    []float32
	PixelSize int
}

// Look is how sets are drawn, by what they have.
type Look struct {
	// Pictures are a set's objects, nil where they are no pictures. Where they are the tiles of a
	// picture, row by row, Columns is how many stand side by side. Else it is 0.
	Pictures func(set int) []*dataset.Picture
	Columns  int
	// Names are what a set's objects are called, nil where that is their number.
	Names func(set int) []string
	// Points are the objects as points of the plane, nil where they are none.
	Points [][][2]float64
}

// Reads checks that the encoder reads what the task's objects are.
func Reads(c *config.Config, objects string, kind denoiser.Objects) error {
	encoders := denoiser.EncodersOf(kind)
	if slices.Contains(encoders, c.Model.Encoder) {
		return nil
	}
	return config.Within("model", field.Errorf("Encoder", "%q does not read %s, the objects of task %s, wanted %s", c.Model.Encoder, objects, c.Task.Name, strings.Join(encoders, " or ")))
}

// Source is the generator of one set.
func Source(seed uint64, split Split, index int) *rand.Rand {
	return rand.New(rand.NewPCG(seed^uint64(split)*0x9e3779b97f4a7c15, uint64(index)))
}
