package learn

import (
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/diffusion"
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

// CheckDraws refuses a number of orders or trajectories that is out of range. option is what the
// number is called.
func CheckDraws(option string, count int) error { return InRange(option, count, MaxDraws) }

// Check refuses options that no model takes. top is how many orders are asked for.
func (o DecodeOptions) Check(top int) error {
	if err := InRange("top", top, MaxBeam); err != nil {
		return err
	}
	for _, x := range []struct {
		option      string
		value, most int
	}{{"symmetries", o.Symmetries, MaxSymmetries}, {"beam", o.Beam, MaxBeam}, {"inner", o.Inner, MaxBeam}} {
		if x.value != 0 {
			if err := InRange(x.option, x.value, x.most); err != nil {
				return err
			}
		}
	}
	m := methodOf(o.Method)
	switch {
	case o.Method == "":
	case m == nil:
		return RefuseWord("decode", "method", o.Method, Methods())
	case !m.wide && (o.Beam != 0 || o.Inner != 0):
		return Refuse(Usage, "decode", "%s has no %s and %s (got %d and %d)", m.name, Opt("beam"), Opt("inner"), o.Beam, o.Inner)
	case !m.wide && top > 1:
		return Refuse(Usage, "decode", "%s gives one order (asked for %s %d)", m.name, Opt("top"), top).WithHint("decode with the beam")
	}
	return nil
}

// Complete fills what o leaves open from own, the options of a model. More than one order, or a
// width, asks for the beam. That is made wide enough for top orders. Options that have no answer
// are a [Refusal].
func (o DecodeOptions) Complete(own DecodeOptions, top int) (DecodeOptions, error) {
	if err := o.Check(top); err != nil {
		return o, err
	}
	if o.Symmetries == 0 {
		o.Symmetries = own.Symmetries
	}
	if o.Symmetries == 1 { // the cities as they are
		o.Symmetries = 0
	}
	if o.Method == "" {
		o.Method = own.Method
		if o.Beam != 0 || o.Inner != 0 || top > 1 {
			o.Method = "beam"
		}
	}
	if m := methodOf(o.Method); m != nil && !m.wide {
		o.Beam, o.Inner = 0, 0
		return o, o.Check(1)
	}
	if o.Beam == 0 {
		o.Beam = own.Beam
	}
	if o.Inner == 0 {
		o.Inner = own.Inner
	}
	o.Beam = max(o.Beam, top)
	for option, width := range map[string]int{"beam": o.Beam, "inner": o.Inner} {
		if err := InRange(option, width, MaxBeam); err != nil {
			return o, err
		}
	}
	return o, o.Check(top)
}

// CheckScore reports why a set has no order to which a model of the process gives a probability. p is
// nil where the model has no process.
func CheckScore(p *diffusion.Process, s *dataset.Set) error {
	switch {
	case len(s.Items) == 0 || s.Order != nil:
		return nil
	case s.Levels.Known() == 0 && s.Count == 0: // voters who say nothing have all orders
		return Refuse(Unfit, "order", "no order to score").WithHint(`every set needs "order", "rank" or "levels"`)
	case p != nil && p.FixFirst: // its orders begin at one item
		return Refuse(Unfit, "order", "ties, or items without a place: an order of all was wanted, as tours are")
	}
	return nil
}
