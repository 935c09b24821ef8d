package dataset

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/riffle-ml/riffle/internal/hint"
)

// features are numbers of an item or of a set; columns are their names, nil where they are a list.
type features struct {
	values  []float64
	columns *Columns
}

// features reads [4.4, 9] or {"runs": 4.4, "hits": 9}.
func (p *parser) features() (f *features, err error) {
	f = &features{}
	var numbers []float64
	if p.dec.PeekKind() == '{' {
		f.columns = &Columns{}
		numbers, f.columns.Names, err = p.namedNumbers()
	} else {
		numbers, err = p.numbers(p.feature)
	}
	if err == nil && len(numbers) == 0 {
		err = errors.New("has no numbers, wanted 1 or more")
	}
	f.values = slices.Clone(numbers)
	return f, err
}

// append gives the features of a set, such as those of a query, to each of its items, behind the
// item's own.
func (s *Set) append(own *features) error {
	switch {
	case len(s.Items) == 0:
		return nil
	case s.Kind != KindFeatures:
		return fmt.Errorf("belong to the set, whose items have none of their own: items are %s", s.Kind.Items())
	case own.columns == nil && s.Columns != nil:
		return errors.New("is a list, wanted names and numbers as item 0 has")
	case own.columns != nil && s.Columns == nil:
		return errors.New("has names, wanted a list as item 0 has")
	}
	if s.Columns != nil {
		names := slices.Concat(s.Columns.Names, own.columns.Names)
		for i, name := range own.columns.Names {
			if at := slices.Index(names, name); at < len(s.Columns.Names)+i {
				return fmt.Errorf("%q is a feature of the items already", name)
			}
		}
		s.Columns = &Columns{Names: names}
	}
	for i := range s.Items {
		s.Items[i].Features = slices.Concat(s.Items[i].Features, own.values)
	}
	return nil
}

// count reads how often a set counts.
func (p *parser) count(s *Set) error {
	if s.Count > 0 {
		return errors.New(`is there beside "count" or "weight", wanted one of them`)
	}
	text, err := p.number("a whole number of 1 or more")
	if err != nil {
		return err
	}
	s.Count, err = wholeWeight(text)
	return err
}

// wholeWeight reads how often a set counts: so many people gave its order. They are dealt out to
// training and test, and resampled for intervals. There is no half of a person.
func wholeWeight(text string) (int, error) {
	v, err := strconv.ParseFloat(text, 64)
	if err == nil && v > 0 && v != math.Trunc(v) {
		return 0, hint.Errorf("multiply all weights by what makes them whole, such as 1.5 and 0.5 by 2: only their proportion counts in a training; intervals take them for as many people",
			"is %s, wanted a whole number of 1 to %d: a set counts as so many people who gave it, who are dealt out and resampled one by one", text, MaxVoters)
	}
	if err != nil || v != float64(int64(v)) || v < 1 || v > MaxVoters {
		return 0, fmt.Errorf("is %s, wanted a whole number of 1 to %d", text, MaxVoters)
	}
	return int(v), nil
}
