package dataset

import (
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// MaxAlternatives is the most alternatives of a PrefLib or SUSHI file.
const MaxAlternatives = 1 << 16

// PrefLib is a file of PrefLib: orders of one list of alternatives.
type PrefLib struct {
	// Type is soc (strict orders, complete), soi (strict, incomplete), toc (with ties,
	// complete) or toi (with ties, incomplete).
	Type         string
	Title        string
	Alternatives []string
	// Orders are the different orders, each a set of bare items, whose Count is the number of
	// voters. An item is an alternative and has its name for an id, where it is not one already.
	// Of alternatives that an incomplete order leaves out nothing is known.
	Orders []*Set
}

// ReadPrefLib reads a file of PrefLib in its present format, which begins with lines such as
// "# NUMBER ALTERNATIVES: 4", or in the one before, which begins with the number of
// alternatives. Alternatives are numbered from 1 there and from 0 here; braces hold ties. The
// type is that of the header, else of the file's extension, else what the orders show. The
// same order on two lines adds up.
func ReadPrefLib(path string) (*PrefLib, error) { return readFile(path, NewPrefLib) }

// NewPrefLib is [ReadPrefLib] for a reader; name stands for the file in errors.
func NewPrefLib(r io.Reader, name string) (*PrefLib, error) {
	p := &prefLibParser{seen: map[string]*Set{}}
	for number, line := range lines(r) {
		err := line.err
		if err == nil && line.text != "" {
			err = p.line(line.text, number)
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, number, err)
		}
	}
	if p.stage != stageOrders {
		return nil, fmt.Errorf("%s: ends before the first order", name)
	}
	f := &p.file
	if f.Type == "" {
		if f.Type = strings.TrimPrefix(strings.ToLower(filepath.Ext(strings.TrimSuffix(name, ".gz"))), "."); !slices.Contains(prefLibTypes, f.Type) {
			f.Type = p.shown()
		}
	}
	ties, incomplete := strings.HasPrefix(f.Type, "t"), strings.HasSuffix(f.Type, "i")
	for _, s := range f.Orders {
		if !ties && len(s.Levels) != s.Levels.Known() {
			return nil, fmt.Errorf("%s:%d: has ties, which type %s has not", name, s.Line, f.Type)
		}
		if !incomplete && s.Levels.Known() != len(f.Alternatives) {
			return nil, fmt.Errorf("%s:%d: orders %d of %d alternatives, type %s orders all", name, s.Line, s.Levels.Known(), len(f.Alternatives), f.Type)
		}
	}
	return f, nil
}

var prefLibTypes = []string{"soc", "soi", "toc", "toi"}

type prefLibParser struct {
	file  PrefLib
	stage int
	names int    // old format: alternatives named so far
	items []Item // shared by all orders
	seen  map[string]*Set
}

const (
	stageStart  = iota
	stageNames  // old format: a line an alternative
	stageTotals // old format: voters,sum,unique
	stageOrders
)

func (p *prefLibParser) line(text string, number int) error {
	if comment, ok := strings.CutPrefix(text, "#"); ok {
		return p.header(comment)
	}
	switch p.stage {
	case stageStart:
		if n, err := strconv.Atoi(text); err == nil {
			p.stage = stageNames
			return p.alternatives(n)
		}
		if p.file.Alternatives == nil {
			return errors.New("wanted \"# NUMBER ALTERNATIVES: n\", or the number of alternatives, before the first order")
		}
		p.stage = stageOrders
	case stageNames:
		number, alternative, ok := strings.Cut(text, ",")
		k, err := p.alternative(number)
		if !ok || err != nil {
			return errors.Join(fmt.Errorf("wanted number,name of an alternative (got %q)", text), err)
		}
		p.file.Alternatives[k] = strings.TrimSpace(alternative)
		if p.names++; p.names == len(p.file.Alternatives) {
			p.stage = stageTotals
		}
		return nil
	case stageTotals:
		if strings.Count(text, ",") != 2 {
			return fmt.Errorf("wanted voters,sum of counts,different orders (got %q)", text)
		}
		p.stage = stageOrders
		return nil
	}
	// count: order, or, before, count,order
	head, order, ok := strings.Cut(text, ":")
	if !ok {
		head, order, ok = strings.Cut(text, ",")
	}
	count, err := strconv.Atoi(strings.TrimSpace(head))
	if !ok || err != nil || count < 1 {
		return fmt.Errorf("wanted a count of 1 or more and an order (got %q)", text)
	}
	l, err := p.order(order)
	if err != nil {
		return err
	}
	key := fmt.Sprint(l)
	if s := p.seen[key]; s != nil {
		if s.Count > math.MaxInt-count {
			return fmt.Errorf("count %d: too large", count)
		}
		s.Count += count
		return nil
	}
	if p.items == nil {
		p.items = make([]Item, len(p.file.Alternatives))
		ids := map[string]bool{}
		for k, name := range p.file.Alternatives {
			if !ids[name] {
				p.items[k].ID, ids[name] = name, true
			}
		}
	}
	s := &Set{ID: strconv.Itoa(len(p.file.Orders) + 1), Count: count, Line: number, Items: p.items}
	s.setLevels(l)
	p.seen[key], p.file.Orders = s, append(p.file.Orders, s)
	return nil
}

// header reads a line of the present format's head.
func (p *prefLibParser) header(comment string) error {
	key, value, ok := strings.Cut(comment, ":")
	if !ok {
		return nil // a comment
	}
	key, value = strings.ToUpper(strings.TrimSpace(key)), strings.TrimSpace(value)
	switch {
	case key == "DATA TYPE":
		if !slices.Contains(prefLibTypes, value) {
			return fmt.Errorf("data type %q: wanted one of %s", value, strings.Join(prefLibTypes, ", "))
		}
		p.file.Type = value
	case key == "TITLE":
		p.file.Title = value
	case key == "NUMBER ALTERNATIVES":
		n, err := strconv.Atoi(value)
		if err != nil || p.file.Alternatives != nil {
			return fmt.Errorf("number alternatives: wanted one number, once (got %q)", value)
		}
		return p.alternatives(n)
	case strings.HasPrefix(key, "ALTERNATIVE NAME"):
		k, err := p.alternative(strings.TrimPrefix(key, "ALTERNATIVE NAME"))
		if err != nil {
			return err
		}
		p.file.Alternatives[k] = value
	}
	return nil
}

func (p *prefLibParser) alternatives(n int) error {
	if n < 1 || n > MaxAlternatives {
		return fmt.Errorf("number of alternatives: wanted 1 to %d (got %d)", MaxAlternatives, n)
	}
	p.file.Alternatives = make([]string, n)
	for k := range p.file.Alternatives {
		p.file.Alternatives[k] = strconv.Itoa(k + 1)
	}
	return nil
}

// alternative reads the number of an alternative, from 1, and returns it from 0.
func (p *prefLibParser) alternative(text string) (int, error) {
	n := len(p.file.Alternatives)
	k, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil || k < 1 || k > n {
		return 0, fmt.Errorf("alternative %q: wanted 1 to %d", strings.TrimSpace(text), n)
	}
	return k - 1, nil
}

// order reads 3,1,{2,4}.
func (p *prefLibParser) order(text string) (Levels, error) {
	var l Levels
	tie := false
	for _, part := range strings.Split(text, ",") {
		part = strings.TrimSpace(part)
		rest, opens := strings.CutPrefix(part, "{")
		if opens && tie {
			return nil, fmt.Errorf("a brace within braces (in %q)", text)
		}
		rest, closes := strings.CutSuffix(rest, "}")
		if closes && !tie && !opens {
			return nil, fmt.Errorf("a brace closes that was not opened (in %q)", text)
		}
		if rest = strings.TrimSpace(rest); rest == "" && opens && closes {
			continue // an empty tie
		}
		k, err := p.alternative(rest)
		if err != nil {
			return nil, err
		}
		if tie {
			l[len(l)-1] = append(l[len(l)-1], k)
		} else {
			l = append(l, []int{k})
		}
		tie = (tie || opens) && !closes
	}
	if tie {
		return nil, fmt.Errorf("a brace is not closed (in %q)", text)
	}
	for _, group := range l {
		slices.Sort(group) // so that equal orders are equal
	}
	return l, l.Validate(len(p.file.Alternatives))
}

// shown is the type that the orders show.
func (p *prefLibParser) shown() string {
	ties, incomplete := "s", "c"
	for _, s := range p.file.Orders {
		if len(s.Levels) != s.Levels.Known() {
			ties = "t"
		}
		if s.Levels.Known() != len(p.file.Alternatives) {
			incomplete = "i"
		}
	}
	return ties + "o" + incomplete
}
