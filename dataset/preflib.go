package dataset

import (
	"errors"
	"fmt"
	"io"
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
	// voters. An item is an alternative. Its id is the alternative's name, unless another item has
	// that id. Nothing is known of alternatives that an incomplete order leaves out. Voters of a
	// blank ballot have an order of no levels.
	Orders []*Set
	// Warnings say where the header's numbers are not those of the file.
	Warnings []string
}

// ParsePrefLib reads a file of PrefLib. The present format begins with lines such as "# NUMBER
// ALTERNATIVES: 4"; the one before begins with the number of alternatives. Alternatives are
// numbered from 1 there and from 0 here. Braces hold ties. The type is that of the header, else of
// the file's extension, else what the orders show. The same order on two lines adds up. A ballot
// with nothing behind its count, or with "{}", is blank. name stands for the file in errors.
func ParsePrefLib(r io.Reader, name string) (*PrefLib, error) {
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
	p.compare()
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
	file    PrefLib
	stage   int
	counted bool   // the number of alternatives was given
	named   []bool // alternatives with a name
	items   []Item // shared by all orders
	seen    map[string]*Set
	voters  int
	lines   int                             // of orders
	said    struct{ voters, orders string } // by the header
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
		if k := slices.Index(p.named, false); k >= 0 && !p.counted {
			return fmt.Errorf("alternative %d has no name and NUMBER ALTERNATIVES is missing: how many there are is not known", k+1)
		}
		p.stage = stageOrders
	case stageNames:
		number, alternative, ok := strings.Cut(text, ",")
		k, err := p.alternative(number)
		if !ok || err != nil {
			return errors.Join(fmt.Errorf("wanted number,name of an alternative (got %q)", text), err)
		}
		if err := p.name(k, strings.TrimSpace(alternative)); err != nil {
			return err
		}
		if !slices.Contains(p.named, false) {
			p.stage = stageTotals
		}
		return nil
	case stageTotals:
		totals := strings.Split(text, ",")
		if len(totals) != 3 {
			return fmt.Errorf("wanted voters,sum of counts,different orders (got %q)", text)
		}
		p.said.voters, p.said.orders = strings.TrimSpace(totals[1]), strings.TrimSpace(totals[2])
		p.stage = stageOrders
		return nil
	}
	return p.ballot(text, number)
}

// ballot reads a count and an order.
func (p *prefLibParser) ballot(text string, number int) error {
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
	if count > MaxVoters-p.voters {
		return fmt.Errorf("count %d: more than %d voters in all", count, MaxVoters)
	}
	p.voters += count
	p.lines++
	key := fmt.Sprint(l)
	if s := p.seen[key]; s != nil {
		s.Count += count
		return nil
	}
	if p.items == nil {
		p.items = make([]Item, len(p.file.Alternatives))
		ids := map[string]bool{}
		for k, name := range p.file.Alternatives {
			if name == "" || ids[name] {
				why := fmt.Sprintf("alternative %d is called %q as another is", k+1, name)
				if name == "" {
					why = fmt.Sprintf("alternative %d has an empty name", k+1)
				}
				p.file.Warnings = append(p.file.Warnings, why+": it is called by its number too")
				name = strings.TrimSpace(fmt.Sprintf("%s (%d)", name, k+1))
			}
			p.items[k].ID, ids[name] = name, true
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
		if p.file.Type = strings.ToLower(value); !slices.Contains(prefLibTypes, p.file.Type) {
			return fmt.Errorf("data type %q: wanted one of %s", value, strings.Join(prefLibTypes, ", "))
		}
	case key == "TITLE":
		p.file.Title = value
	case key == "NUMBER ALTERNATIVES":
		n, err := strconv.Atoi(value)
		if err != nil || p.counted || p.stage == stageOrders {
			return fmt.Errorf("number alternatives: wanted one number, once (got %q)", value)
		}
		return p.alternatives(n)
	case key == "NUMBER VOTERS":
		p.said.voters = value
	case key == "NUMBER UNIQUE ORDERS":
		p.said.orders = value
	case strings.HasPrefix(key, "ALTERNATIVE NAME"):
		number := strings.TrimSpace(strings.TrimPrefix(key, "ALTERNATIVE NAME"))
		if k, err := strconv.Atoi(number); err == nil && !p.counted && p.stage == stageStart && k <= MaxAlternatives {
			p.grow(k) // the count may be missing
		}
		k, err := p.alternative(number)
		if err != nil {
			return err
		}
		return p.name(k, value)
	}
	return nil
}

// alternatives takes the number of alternatives.
func (p *prefLibParser) alternatives(n int) error {
	if n < 1 || n > MaxAlternatives {
		return fmt.Errorf("number of alternatives: wanted 1 to %d (got %d)", MaxAlternatives, n)
	}
	if k := len(p.file.Alternatives); k > n {
		return fmt.Errorf("number of alternatives: alternative %d has a name (got %d)", k, n)
	}
	p.grow(n)
	p.counted = true
	return nil
}

// grow makes alternatives up to number n, which are called by their numbers.
func (p *prefLibParser) grow(n int) {
	more := max(0, n-len(p.file.Alternatives))
	p.file.Alternatives, p.named = slices.Grow(p.file.Alternatives, more), slices.Grow(p.named, more)
	for k := len(p.file.Alternatives); k < n; k++ {
		p.file.Alternatives, p.named = append(p.file.Alternatives, strconv.Itoa(k+1)), append(p.named, false)
	}
}

// name names an alternative, once.
func (p *prefLibParser) name(k int, name string) error {
	if p.named[k] {
		return fmt.Errorf("alternative %d is there twice", k+1)
	}
	p.file.Alternatives[k], p.named[k] = name, true
	return nil
}

// called is an alternative as the file calls it, in messages.
func (p *prefLibParser) called(k int) string {
	if number := strconv.Itoa(k + 1); p.file.Alternatives[k] == number {
		return number
	}
	return fmt.Sprintf("%d (%s)", k+1, p.file.Alternatives[k])
}

// compare holds the header's numbers against the file.
func (p *prefLibParser) compare() {
	voters, errV := strconv.Atoi(p.said.voters)
	orders, errO := strconv.Atoi(p.said.orders)
	if p.said.voters != "" && errV != nil || p.said.orders != "" && errO != nil {
		p.file.Warnings = append(p.file.Warnings, fmt.Sprintf("the header's numbers of voters and of orders are no numbers (%q and %q)", p.said.voters, p.said.orders))
		return
	}
	if errV == nil && voters != p.voters || errO == nil && orders != len(p.file.Orders) && orders != p.lines {
		said := ""
		if errV == nil {
			said = fmt.Sprintf("%d voters", voters)
		}
		if errO == nil {
			said = strings.TrimPrefix(fmt.Sprintf("%s and %d different orders", said, orders), " and ")
		}
		p.file.Warnings = append(p.file.Warnings, fmt.Sprintf("the header says %s, the file has %d voters and %d orders: was it cut off, or changed?", said, p.voters, len(p.file.Orders)))
	}
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
func (p *prefLibParser) order(text string) (BucketOrder, error) {
	var l BucketOrder
	tie := false
	if strings.TrimSpace(text) == "" {
		return nil, nil // a blank ballot
	}
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
	on := map[int]bool{}
	for _, group := range l {
		slices.Sort(group) // so that equal orders are equal
		for _, k := range group {
			if on[k] {
				return nil, fmt.Errorf("alternative %s is there twice", p.called(k))
			}
			on[k] = true
		}
	}
	return l, nil
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
