package learn

import (
	"errors"
	"fmt"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/diffusion"
)

// What a question asks for where it does not say.
const (
	// DefaultCount is how many orders are drawn of a set.
	DefaultCount = 10
	// DefaultDraws is how many trajectories log p is estimated by.
	DefaultDraws = 32
	// DefaultSeed is the seed of what is drawn.
	DefaultSeed = 1
)

// MaxDraws is the most orders, or trajectories, that are drawn of a set.
const MaxDraws = 1 << 30

// Kind is what is asked about sets.
type Kind string

// The kinds of questions: [Model.Order], [Model.Sample] and [Model.Score].
const (
	KindOrder  Kind = "order"
	KindSample Kind = "sample"
	KindScore  Kind = "score"
)

// Query is what is asked about sets, complete. Those that are equal can be asked together.
type Query struct {
	Kind Kind
	// Top and Decode are of [KindOrder].
	Top    int
	Decode DecodeOptions
	// Count is how many orders or trajectories are drawn, by Seed.
	Count int
	Seed  uint64
}

// OptionError is of an option with a value that has no answer.
type OptionError struct {
	// Option is its name, as flags and fields of requests have it: top, decode, beam, inner,
	// symmetries, count or draws.
	Option string
	Wrong  string
}

func (e *OptionError) Error() string { return e.Option + ": " + e.Wrong }

func optionError(option, format string, args ...any) error {
	return &OptionError{option, fmt.Sprintf(format, args...)}
}

// CheckTop reports an [OptionError] of how many orders are asked for.
func CheckTop(top int) error { return inRange("top", top, MaxBeam) }

// CheckDraws reports an [OptionError] of how many orders or trajectories are asked for; option is
// what the number is called.
func CheckDraws(option string, count int) error { return inRange(option, count, MaxDraws) }

func inRange(option string, value, most int) error {
	if value < 1 || value > most {
		return optionError(option, "must be 1 to %d (got %d)", most, value)
	}
	return nil
}

// Complete takes what o does not say from own, the options of a model, and widens the beam to top
// orders. More than one order, or a width, asks for the beam. What has no answer is an
// [OptionError].
func (o DecodeOptions) Complete(own DecodeOptions, top int) (DecodeOptions, error) {
	wide := o.Beam != 0 || o.Inner != 0
	if err := CheckTop(top); err != nil {
		return o, err
	}
	if o.Symmetries == 0 {
		o.Symmetries = own.Symmetries
	}
	if o.Symmetries < 0 || o.Symmetries > MaxSymmetries {
		return o, optionError("symmetries", "must be 1 to %d (got %d)", MaxSymmetries, o.Symmetries)
	}
	if o.Symmetries == 1 { // the cities as they are
		o.Symmetries = 0
	}
	switch {
	case o.Method != "" && o.Method != "greedy" && o.Method != "beam":
		return o, optionError("decode", "unknown method %.100q, wanted greedy or beam", o.Method)
	case o.Method == "greedy" && wide:
		return o, optionError("decode", "greedy has no widths (got beam %d, inner %d)", o.Beam, o.Inner)
	case o.Method == "greedy" && top > 1:
		return o, optionError("decode", "greedy gives one order (asked for top %d)\nhint: decode with the beam", top)
	case o.Method == "" && (wide || top > 1):
		o.Method = "beam"
	case o.Method == "":
		o.Method = own.Method
	}
	if o.Method == "greedy" {
		o.Beam, o.Inner = 0, 0
		return o, nil
	}
	if o.Beam == 0 {
		o.Beam = own.Beam
	}
	if o.Inner == 0 {
		o.Inner = own.Inner
	}
	if err := inRange("beam", o.Beam, MaxBeam); err != nil {
		return o, err
	}
	if err := inRange("inner", o.Inner, MaxBeam); err != nil {
		return o, err
	}
	o.Beam = max(o.Beam, top)
	return o, nil
}

// CheckScore reports why a set has no order that a model of the process gives a probability. p is nil
// where the model has none.
func CheckScore(p *diffusion.Process, s *dataset.Set) error {
	switch {
	case len(s.Items) == 0 || s.Order != nil:
		return nil
	case s.Levels.Known() == 0 && s.Count == 0: // voters who say nothing have all orders
		return errors.New("no order to score\nhint: every set needs \"order\", \"rank\" or \"levels\"")
	case p != nil && p.FixFirst: // its orders begin at one item
		return errors.New("ties, or items without a place: an order of all was wanted, as tours are")
	}
	return nil
}
