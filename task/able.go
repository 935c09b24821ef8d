package task

import (
	"errors"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/run"
)

// Persister is a task with something that a trained model needs of its data, such as the scale of
// features. It is kept in the run's directory.
type Persister interface {
	Keep(dir *run.Dir) error
	Restore(dir *run.Dir) error
}

// Flusher is a task that keeps work for other runs, which Flush writes.
type Flusher interface{ Flush() error }

// Coster is a task whose orders cost something, less being better. The cost of a tour is its
// length.
type Coster interface {
	Cost(set *dataset.Set, o perm.Order) float64
}

// Turner is a [Coster] whose sets can be looked at from several sides. Turned returns copy c of so many;
// the first is the set as it is. Objects of a copy may stand in another order. So Turned also returns what
// turns an order of the copy into one of the set.
type Turner interface {
	Coster
	Turned(set *dataset.Set, c, of int) (*dataset.Set, func(perm.Order) perm.Order)
}

// Viewer is a task whose objects are pictures that show the same when they are moved and turned a little. View
// returns objects [count, n, …] as copy c shows them; the first, 0, as they are.
type Viewer interface {
	View(objects *tensors.Tensor, c int) (*tensors.Tensor, error)
}

// Doubter is a task that sees what may be wrong with a set that it takes all the same.
type Doubter interface {
	// Doubt is a warning, whose Text is "" where nothing is odd. It does not name the set.
	Doubt(set *dataset.Set) dataset.Warning
}

// DataDoubter is a task that sees what is odd about its data.
type DataDoubter interface {
	// Doubts are about the data of a split, or about what all splits share.
	Doubts(split Split) []string
}

// Resizer is a task whose training sets may have any size. OfSize is the task of sets of n objects,
// and in all else the same. A training asks for it again and again, from one goroutine at a time.
type Resizer interface{ OfSize(n int) Task }

// FixedSize is a task whose sets all have one size.
type FixedSize interface {
	// OtherSize says why there are no sets of n objects.
	OtherSize(n int) error
}

// Tester is a task that can be tested on a file of sets in place of those of its configuration.
type Tester interface {
	// OnTest returns the task of a configuration that differs in task.test alone.
	OnTest(c *config.Config) (Task, error)
	// FileSets is how many sets of a split its files have, 0 where as many as asked for are made.
	FileSets(split Split) int
}

// Lister is a task of a user's own lists, of which not everything may be known. They are ordered
// and scored as sets are. A list that many people gave counts as many times.
type Lister interface {
	DataDoubter
	// Sets returns the sets of a split and how many people gave each, those that most gave first.
	// It returns at most count of them where count is above 0. It fails with [ErrNoSets] where
	// there are none.
	Sets(split Split, count int) (sets []*dataset.Set, weights []int, err error)
	// Lists is how many lists of a split there are. A set that many people gave counts as many
	// times.
	Lists(split Split) (int, error)
	// JudgeList returns the figures of the order o that a model gave a list. bound is a bound on the
	// log-probability of what is known of the list. uniform is that log-probability where all orders
	// are alike.
	JudgeList(set *dataset.Set, o perm.Order, bound, uniform float64) (Figures, error)
	// Details are what a result keeps beside the figures of so many lists.
	Details(lists int, dropped []string) []Detail
}

// ErrNoSets is returned where a split has no sets. Where there are few lists in all, validation has
// none.
var ErrNoSets = errors.New("no sets")

// Population is a task whose sets all have the same objects: there is no other input.
type Population interface {
	// All is the set of all objects. It fails where sets have objects of their own after all.
	All() (*dataset.Set, error)
}

// Modal is a task of which several orders are right, each in a share of the sets. Nothing about the
// objects of a set tells which.
type Modal interface {
	// Modes are the orders with their weights, which sum to 1. They are nil where one order is
	// right.
	Modes() (orders []perm.Order, weights []float64)
}

// Reader is a task whose objects show digits, which a probe of the encoder reads.
type Reader interface {
	// Digits are the digits of a set's objects, object by object.
	Digits(ex *Examples, set int) []int
}

// Grid is a task whose objects are the tiles of a picture.
type Grid interface {
	Grid() (rows, columns int)
}

// Explainer is a task whose figures need a word of explanation.
type Explainer interface{ Explain() string }

// Knower is a task whose model knows items or features by their names.
type Knower interface {
	// ItemNames are those of bare items, nil where they have none.
	ItemNames() []string
	// Features are those that the model was trained on, nil where their range is not known.
	Features() []Feature
}

// Feature is a number of an item, with its range in training.
type Feature struct {
	Name      string
	Low, High float64
}

// Namer is a task whose network knows items or features by their names.
type Namer interface {
	// Naming says where another run's weights have what this task's items or features are called. It is nil where
	// neither has names.
	Naming(of *run.Dir) (*Naming, error)
}

// Naming is where a weight of a run, which has a row or a column for each item or feature, has those of another.
type Naming struct {
	What   string // items or features
	Weight string // its name
	Axis   int    // 0 for rows, 1 for columns
	At     []int  // of each of the task's, −1 where the run has none of this name; nil where one of the two has no names
}
