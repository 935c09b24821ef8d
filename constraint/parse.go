package constraint

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/riffle-ml/riffle/internal/hint"
	"github.com/riffle-ml/riffle/internal/nearest"
)

// Text is rules as people write them: in flags, and as the field "constraints" of a set in JSONL.
// An item is its name or its number, from 0. A name that is a number goes before the number. Where
// some item has another's number for a name, numbers are only names. In a list, a name with a
// comma, or with blanks or a quotation mark at its ends, is written in quotation marks as in CSV:
// "St. John, Ann","the ""big"" one". Before the = of a pin it need not be, the last = being that of
// the pin. Blanks around names count for nothing.
type Text struct {
	Pin    []string `json:"pin,omitempty"`    // ITEM=POSITION
	Forbid []string `json:"forbid,omitempty"` // ITEM=POSITION
	Before []string `json:"before,omitempty"` // A,B or A,B,C, …: each before the next
	First  []string `json:"first,omitempty"`  // M:ITEM,ITEM, …: all among the first M positions
}

// IsZero reports whether there are no rules.
func (t Text) IsZero() bool {
	return len(t.Pin)+len(t.Forbid)+len(t.Before)+len(t.First) == 0
}

// And returns the rules of both.
func (t Text) And(u Text) Text {
	return Text{slices.Concat(t.Pin, u.Pin), slices.Concat(t.Forbid, u.Forbid), slices.Concat(t.Before, u.Before), slices.Concat(t.First, u.First)}
}

// Parse reads rules about the items of the given names. It fails, naming the rule, on what is not
// written so and on items that are not there. [Rules.Compile] says whether the rules fit each
// other.
func (t Text) Parse(names []string) (Rules, error) {
	s := Rules{Names: names}
	r := newReader(names)
	for _, text := range t.Pin {
		p, err := r.place(text)
		if err != nil {
			return Rules{}, fmt.Errorf("pin %.200q: %w", text, err)
		}
		s.Pins = append(s.Pins, p)
	}
	for _, text := range t.Forbid {
		p, err := r.place(text)
		if err != nil {
			return Rules{}, fmt.Errorf("forbid %.200q: %w", text, err)
		}
		s.Forbids = append(s.Forbids, p)
	}
	for _, text := range t.Before {
		items, err := r.items(text)
		if err == nil && len(items) < 2 {
			err = errPair
		}
		if err != nil {
			return Rules{}, fmt.Errorf("before %.200q: %w", text, err)
		}
		for i := 1; i < len(items); i++ {
			s.Befores = append(s.Befores, Before{items[i-1], items[i]})
		}
	}
	for _, text := range t.First {
		f, err := r.among(text)
		if err != nil {
			return Rules{}, fmt.Errorf("first %.200q: %w", text, err)
		}
		s.Firsts = append(s.Firsts, f)
	}
	return s, nil
}

// CheckForm fails, naming the rule, on a rule that no set could have, whatever its items are
// called. That is an empty rule, one without its = or :, and one whose position or count is no
// whole number.
func (t Text) CheckForm() error {
	number := func(text string, least int) error {
		if i, err := strconv.Atoi(strings.TrimSpace(text)); err != nil || i < least {
			return fmt.Errorf("wanted a whole number, %d or more (got %q)", least, strings.TrimSpace(text))
		}
		return nil
	}
	place := func(text string) error {
		at := strings.LastIndex(text, "=")
		if at < 0 {
			return errPlace
		}
		if strings.TrimSpace(text[:at]) == "" {
			return errNoName
		}
		if err := number(text[at+1:], 0); err != nil {
			return fmt.Errorf("position: %w", err)
		}
		return nil
	}
	before := func(text string) error {
		items, err := words(text)
		if err == nil && len(items) < 2 {
			err = errPair
		}
		return err
	}
	first := func(text string) error {
		count, list, ok := strings.Cut(text, ":")
		if !ok {
			return errAmong
		}
		if err := number(count, 1); err != nil {
			return fmt.Errorf("count: %w", err)
		}
		_, err := words(list)
		return err
	}
	for _, rules := range []struct {
		name  string
		texts []string
		check func(string) error
	}{{"pin", t.Pin, place}, {"forbid", t.Forbid, place}, {"before", t.Before, before}, {"first", t.First, first}} {
		for _, text := range rules.texts {
			if err := rules.check(text); err != nil {
				return fmt.Errorf("%s %.200q: %w", rules.name, text, err)
			}
		}
	}
	return nil
}

var (
	errNoName = errors.New("the name of an item is missing")
	errPlace  = errors.New("wanted ITEM=POSITION")
	errAmong  = errors.New("wanted COUNT:ITEM,ITEM")
	errPair   = errors.New("wanted two items or more, such as A,B")
)

// reader finds items by their names.
type reader struct {
	names    []string
	index    map[string]int
	twice    map[string]int     // where a name is a second time
	commas   map[string][]parts // names with a comma, by what is before it
	numbered bool               // some item has another's number for a name
}

// parts are those of a name that commas separate.
type parts struct {
	item int
	list []string
}

func newReader(names []string) reader {
	r := reader{names: names, index: make(map[string]int, len(names)), twice: map[string]int{}, commas: map[string][]parts{}}
	for k, name := range names {
		if _, twice := r.index[name]; twice {
			r.twice[name] = k
			continue
		}
		r.index[name] = k
		if list := strings.Split(name, ","); len(list) > 1 {
			for i := range list {
				list[i] = strings.TrimSpace(list[i])
			}
			r.commas[list[0]] = append(r.commas[list[0]], parts{k, list})
		}
		if i, err := strconv.Atoi(name); err == nil && i != k {
			r.numbered = true
		}
	}
	return r
}

func (r reader) item(w word) (int, error) {
	name := w.text
	if name == "" && !w.quoted {
		return 0, errNoName
	}
	if k, twice := r.twice[name]; twice {
		return 0, hint.Errorf("give the number", "items %d and %d are both called %q", r.index[name], k, name)
	}
	if k, ok := r.index[name]; ok {
		return k, nil
	}
	if k, err := strconv.Atoi(name); err == nil && !w.quoted && !r.numbered {
		if k >= 0 && k < len(r.names) {
			return k, nil
		}
		return 0, fmt.Errorf("no item %d in a set of %d, wanted 0 to %d", k, len(r.names), len(r.names)-1)
	}
	if len(r.names) == 0 {
		return 0, fmt.Errorf("no item %q: the set has none", name)
	}
	if near := nearest.Near(name, r.names); near != "" {
		return 0, fmt.Errorf("no item %q, the nearest is %q", name, near)
	}
	if _, err := strconv.Atoi(name); err == nil && r.numbered {
		return 0, fmt.Errorf("no item is called %q: numbers are names here, items are %s", name, r.some())
	}
	return 0, fmt.Errorf("no item %q: items are %s", name, r.some())
}

// some are a few names of items.
func (r reader) some() string {
	const few = 5
	list := strings.Join(QuoteAll(r.names[:min(few, len(r.names))]), ", ")
	if len(r.names) > few {
		list += ", …"
	}
	return list
}

func (r reader) items(text string) (items []int, err error) {
	list, err := words(text)
	if err == nil {
		err = r.split(list)
	}
	if err != nil {
		return nil, err
	}
	seen := map[int]bool{}
	for _, w := range list {
		k, err := r.item(w)
		if err != nil {
			return nil, err
		}
		if seen[k] {
			return nil, fmt.Errorf("item %s is there twice", Quote(r.names[k]))
		}
		seen[k] = true
		items = append(items, k)
	}
	return items, nil
}

func (r reader) place(text string) (Place, error) {
	at := strings.LastIndex(text, "=") // a name may hold one
	if at < 0 {
		return Place{}, errPlace
	}
	k, err := r.item(r.single(text[:at]))
	if err != nil {
		return Place{}, err
	}
	i, err := strconv.Atoi(strings.TrimSpace(text[at+1:]))
	if err != nil || i < 0 || i >= len(r.names) {
		return Place{}, fmt.Errorf("position: wanted 0 to %d (got %q)", len(r.names)-1, strings.TrimSpace(text[at+1:]))
	}
	return Place{k, i}, nil
}

func (r reader) among(text string) (Among, error) {
	count, list, ok := strings.Cut(text, ":")
	if !ok {
		return Among{}, errAmong
	}
	m, err := strconv.Atoi(strings.TrimSpace(count))
	if err != nil || m < 1 || m > len(r.names) {
		return Among{}, fmt.Errorf("count: wanted 1 to %d (got %q)", len(r.names), strings.TrimSpace(count))
	}
	items, err := r.items(list)
	return Among{items, m}, err
}
