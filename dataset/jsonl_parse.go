package dataset

import (
	"bytes"
	"encoding/json/jsontext"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/riffle-ml/riffle/constraint"
	"github.com/riffle-ml/riffle/internal/hint"
	"github.com/riffle-ml/riffle/internal/nearest"
	"github.com/riffle-ml/riffle/perm"
)

var (
	setFields  = []string{"id", "items", "features", "order", "rank", "levels", "count", "weight", "constraints"}
	ruleFields = []string{"pin", "forbid", "before", "first"}
	itemFields = []string{"id", "features", "image", "point"}
)

// parser reads one set, token by token, so that an error names its field. Lists grow in room
// that it keeps for the next one, and leave it in their own size.
type parser struct {
	dec    jsontext.Decoder
	in     io.Reader
	list   []Item
	floats []float64
	ints   []int
	Options
}

func (p *parser) reset(r io.Reader) {
	p.in = r
	p.dec.Reset(r)
}

// ParseSet reads one set as [JSONLReader] reads a line; it has no Dir and no Line.
func ParseSet(line []byte, o Options) (*Set, error) {
	p := &parser{Options: o}
	p.reset(bytes.NewBuffer(line))
	return p.set(bytes.TrimSpace(line))
}

// set reads a set; start is how it begins.
func (p *parser) set(start []byte) (*Set, error) {
	if p.dec.PeekKind() == '[' {
		return nil, errors.New("is a JSON array, wanted one set a line: {\"items\": […], \"order\": […]}")
	}
	if len(start) > 0 && start[0] != '{' && p.dec.PeekKind() == jsontext.KindInvalid {
		return nil, fmt.Errorf("is no JSON, wanted one set a line: {\"items\": […], \"order\": […]} (begins with %.40q)", start)
	}
	s := &Set{}
	var order []int
	var levels BucketOrder
	var own *features // of the set
	given, hasItems := "", false
	err := p.object("a set", setFields, func(field string) (err error) {
		switch field {
		case "id":
			s.ID, err = p.name()
		case "items":
			hasItems = true
			if kind := p.dec.PeekKind(); kind != '[' && kind != jsontext.KindInvalid {
				tok, err := p.dec.ReadToken()
				if err != nil {
					return p.explain(err)
				}
				return fmt.Errorf("items: is %s, wanted a list", describe(tok))
			}
			err = p.items(s)
		case "constraints":
			err = p.constraints(&s.Constraints)
		case "features":
			own, err = p.features()
		case "count", "weight":
			err = p.count(s)
		default:
			if given != "" {
				return errors.New("is there beside \"" + given + "\", wanted one of them")
			}
			if given = field; field == "levels" {
				levels, err = p.levels()
			} else {
				order, err = p.integers()
			}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if _, err := p.dec.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more follows the set, wanted one set a line")
	}
	if !hasItems {
		return nil, errors.New("items: is missing")
	}
	if own != nil {
		if err := s.append(own); err != nil {
			return nil, fmt.Errorf("features: %w", err)
		}
	}
	switch given {
	case "levels":
		if err := levels.Validate(len(s.Items)); err != nil {
			return nil, fmt.Errorf("levels: %w", err)
		}
		if s.setLevels(levels); s.Order != nil { // then that says it all
			s.Levels = nil
		}
	case "order", "rank":
		if err := checkOrder(given, order, len(s.Items)); err != nil {
			return nil, err
		}
		s.Order, s.OrderGiven = order, given
		if given == "rank" {
			s.Order = perm.Rank(order).Order()
		}
	}
	return s, s.validate(p.Empty)
}

// maxRules is how many rules of a kind a set may have.
const maxRules = 1 << 20

// constraints reads {"pin": ["a=0"], …}; what the texts say is checked with the set.
func (p *parser) constraints(t *constraint.Text) error {
	return p.object("constraints", ruleFields, func(field string) error {
		to := map[string]*[]string{"pin": &t.Pin, "forbid": &t.Forbid, "before": &t.Before, "first": &t.First}[field]
		return p.array(maxRules, func(i int) error {
			text, err := p.text()
			if err != nil {
				return &elementError{i, err}
			}
			*to = append(*to, text)
			return nil
		})
	})
}

// checkOrder reports whether order, read as field says, is a permutation of n items.
func checkOrder(field string, order []int, n int) error {
	if len(order) != n {
		err := fmt.Errorf("%s: has %d entries, wanted %d, one an item", field, len(order), n)
		if len(order) < n {
			err = hint.Errorf("\"levels\": [[0], [2, 1]] is for ties and for orders of some items", "%w", err)
		}
		return err
	}
	err := perm.Order(order).Validate()
	if field == "rank" {
		err = perm.Rank(order).Validate()
	}
	if err == nil {
		return nil
	}
	if sorted := slices.Sorted(slices.Values(order)); sorted[0] == 1 && sorted[n-1] == n {
		return hint.With(err, field+" counts from 0 in this format; take 1 from each entry")
	}
	return err
}

// items reads the items of a set. Bare ones without ids are [bareItems], which all sets share, so
// that "{}," costs no memory.
func (p *parser) items(s *Set) error {
	count, content := 0, false
	p.list = p.list[:0]
	err := p.array(MaxItems+1, func(i int) error {
		if i >= MaxItems {
			return fmt.Errorf("items: wanted at most %d (there are more)", MaxItems)
		}
		it, columns, kind, err := p.item()
		if err == nil && i > 0 && kind != s.Kind {
			err = fmt.Errorf("is %s, wanted %s as item 0 is", articled(kind), articled(s.Kind))
		}
		if i == 0 {
			s.Columns = columns
		} else if err == nil {
			it.Features, err = arranged(it.Features, columns, s.Columns, "item 0")
		}
		if err == nil && kind == KindFeatures && i > 0 && len(it.Features) != len(p.list[0].Features) {
			err = fmt.Errorf("features: has %d numbers, wanted %d as item 0 has", len(it.Features), len(p.list[0].Features))
		}
		if err != nil {
			return fmt.Errorf("item %d: %w", i, err)
		}
		s.Kind, count = kind, i+1
		if content = content || kind != KindBare || it.ID != ""; content {
			for len(p.list) < i { // bare ones before the first of an id
				p.list = append(p.list, Item{})
			}
			p.list = append(p.list, it)
		}
		return nil
	})
	if content {
		for len(p.list) < count {
			p.list = append(p.list, Item{})
		}
		s.Items = slices.Clone(p.list)
		clear(p.list)
	} else if count > 0 {
		s.Items = bareItems()[:count:count]
	}
	return err
}

// bareItems are items of nothing.
var bareItems = sync.OnceValue(func() []Item { return make([]Item, MaxItems) })

func articled(k Kind) string {
	switch k {
	case KindFeatures:
		return "one of features"
	case KindImage:
		return "an image"
	case KindPoint:
		return "a point"
	}
	return "bare"
}

// item reads an item; columns are the names of its features, nil where they are a list.
func (p *parser) item() (it Item, columns *Columns, kind Kind, err error) {
	err = p.object("an item", itemFields, func(field string) (err error) {
		if field != "id" && kind != KindBare {
			return fmt.Errorf("is there beside %q, wanted one of them", kind)
		}
		switch field {
		case "id":
			it.ID, err = p.name()
		case "features":
			kind = KindFeatures
			var f *features
			if f, err = p.features(); err == nil {
				it.Features, columns = f.values, f.columns
			}
		case "image":
			kind = KindImage
			it.Image, err = p.text()
		case "point":
			kind = KindPoint
			var xy []float64
			if xy, err = p.numbers(p.float); err == nil && len(xy) != 2 {
				err = fmt.Errorf("has %d numbers, wanted 2, x and y", len(xy))
			}
			copy(it.Point[:], xy)
		}
		return err
	})
	return it, columns, kind, err
}

// arranged brings features that are called have into the places of want, the names of those that
// came first.
func arranged(features []float64, have, want *Columns, first string) ([]float64, error) {
	switch {
	case have == nil && want == nil:
		return features, nil
	case have == nil:
		return nil, fmt.Errorf("features: is a list, wanted names and numbers as %s has", first)
	case want == nil:
		return nil, fmt.Errorf("features: has names, wanted a list as %s has", first)
	}
	at, err := matchNames(have.Names, want.Names)
	if err != nil {
		return nil, fmt.Errorf("features: %w", err)
	}
	return perm.Act(perm.Order(at), features), nil
}

// namedNumbers reads {"runs": 4.4, "hits": 9}. The values are valid as long as those of numbers
// are.
func (p *parser) namedNumbers() (values []float64, names []string, err error) {
	if err := p.open('{', "names and numbers"); err != nil {
		return nil, nil, err
	}
	values = p.floats[:0]
	for p.dec.PeekKind() == '"' {
		tok, err := p.dec.ReadToken()
		if err != nil {
			return nil, nil, p.explain(err)
		}
		name := tok.String()
		if err := checkName(name); err != nil {
			return nil, nil, err
		}
		if name != strings.TrimSpace(name) {
			return nil, nil, fmt.Errorf("name %s has white space around it", quoted(name))
		}
		v, err := p.feature()
		if err != nil {
			return nil, nil, joinField(quoted(name), err)
		}
		values, names = append(values, v), append(names, name)
	}
	_, err = p.dec.ReadToken()
	p.floats = values
	return values, names, p.explain(err)
}

// object reads { … }, calling read for the value of each known field.
func (p *parser) object(what string, known []string, read func(field string) error) error {
	if err := p.open('{', what+" in braces"); err != nil {
		return err
	}
	for p.dec.PeekKind() == '"' {
		tok, err := p.dec.ReadToken()
		if err != nil {
			return p.explain(err)
		}
		field := tok.String()
		if !slices.Contains(known, field) {
			return unknownField(field, known)
		}
		if err := read(field); err != nil {
			return joinField(field, err)
		}
	}
	_, err := p.dec.ReadToken()
	return p.explain(err)
}

// unknownField names a field that is not known and, where it may be a slip, the nearest that is.
func unknownField(field string, known []string) error {
	if len(field) > longName {
		return fmt.Errorf("unknown field %s, wanted one of %s", quoted(field), strings.Join(known, ", "))
	}
	return fmt.Errorf("unknown field %.100q%s", field, nearest.Hint(strings.ToLower(field), known))
}

// longName is the length in bytes beyond which a name is neither shown whole nor compared with
// others.
const longName = 100

// quoted is a text of a file in quotes; of a long text it is the beginning.
func quoted(text string) string {
	if len(text) <= longName {
		return strconv.Quote(text)
	}
	return fmt.Sprintf("%q… (%d bytes)", strings.ToValidUTF8(text[:longName/2], ""), len(text))
}

// joinField writes "field: fault", and "field[2]: fault" for a fault of an element.
func joinField(field string, err error) error {
	var at *elementError
	switch {
	case errors.As(err, &at) && err == error(at): //nolint:errorlint // the error itself, not one it wraps
		return fmt.Errorf("%s[%d]: %w", field, at.index, at.err)
	case field == "items": // an item's error says which
		return err
	}
	return fmt.Errorf("%s: %w", field, err)
}

type elementError struct {
	index int
	err   error
}

func (e *elementError) Error() string { return fmt.Sprintf("[%d]: %v", e.index, e.err) }
func (e *elementError) Unwrap() error { return e.err }

// array reads [ … ] of at most so many elements, calling read for each.
func (p *parser) array(most int, read func(i int) error) error {
	if err := p.open('[', "a list"); err != nil {
		return err
	}
	for i := 0; p.dec.PeekKind() != ']'; i++ {
		if i >= most {
			return fmt.Errorf("wanted at most %d (there are more)", most)
		}
		if err := read(i); err != nil {
			return err
		}
	}
	_, err := p.dec.ReadToken()
	return p.explain(err)
}

func (p *parser) open(kind jsontext.Kind, what string) error {
	tok, err := p.dec.ReadToken()
	if err != nil {
		return p.explain(err)
	}
	if tok.Kind() != kind {
		return fmt.Errorf("is %s, wanted %s", describe(tok), what)
	}
	return nil
}

// name reads the id of a set or an item; white space around it is left out, as in tables.
func (p *parser) name() (string, error) {
	text, err := p.text()
	return strings.TrimSpace(text), err
}

func (p *parser) text() (string, error) {
	tok, err := p.dec.ReadToken()
	if err != nil {
		return "", p.explain(err)
	}
	if tok.Kind() != '"' {
		return "", fmt.Errorf("is %s, wanted text in quotes", describe(tok))
	}
	return tok.String(), nil
}

// numbers is valid until it is called again.
func (p *parser) numbers(read func() (float64, error)) (out []float64, err error) {
	out = p.floats[:0]
	err = p.array(MaxFeatures, func(i int) error {
		v, err := read()
		if err != nil {
			return &elementError{i, err}
		}
		out = append(out, v)
		return nil
	})
	p.floats = out
	return out, err
}

// feature reads a number or, where features may be empty, null, which is NaN.
func (p *parser) feature() (float64, error) {
	if p.Empty && p.dec.PeekKind() == jsontext.KindNull {
		_, err := p.dec.ReadToken()
		return math.NaN(), p.explain(err)
	}
	return p.float()
}

func (p *parser) float() (float64, error) {
	text, err := p.number("a finite number")
	if err != nil {
		return 0, err
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, fmt.Errorf("%s is beyond the largest float64, wanted a finite number", text)
	}
	return v, nil
}

func (p *parser) integers() ([]int, error) {
	out := p.ints[:0]
	err := p.array(MaxItems, func(i int) error {
		text, err := p.number("an integer")
		if err != nil {
			return &elementError{i, err}
		}
		v, err := strconv.Atoi(text)
		if err != nil {
			return &elementError{i, fmt.Errorf("is %s, wanted an integer", text)}
		}
		out = append(out, v)
		return nil
	})
	p.ints = out
	return append(make([]int, 0, len(out)), out...), err
}

// levels reads [[2], [0, 1]]. An empty level is an error, so that memory follows what is there.
func (p *parser) levels() (l BucketOrder, err error) {
	err = p.array(MaxItems, func(i int) error {
		group, err := p.integers()
		if err == nil && len(group) == 0 {
			err = errors.New("is empty, wanted one item or more")
		}
		if err != nil {
			return &elementError{i, err}
		}
		l = append(l, group)
		return nil
	})
	return l, err
}

func (p *parser) number(wanted string) (string, error) {
	tok, err := p.dec.ReadToken()
	if err != nil {
		return "", p.explain(err)
	}
	if tok.Kind() != '0' {
		return "", fmt.Errorf("is %s, wanted %s", describe(tok), wanted)
	}
	return tok.String(), nil
}

// explain turns a syntax error into what the writer of the file can act on.
func (p *parser) explain(err error) error {
	var syntax *jsontext.SyntacticError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return errors.New("ends inside the set, wanted a whole set in one line")
	case errors.Is(err, jsontext.ErrDuplicateName):
		if errors.As(err, &syntax) {
			return fmt.Errorf("field %s is there twice", quoted(syntax.JSONPointer.LastToken()))
		}
		return errors.New("a field is there twice")
	case errors.As(err, &syntax):
		rest := p.dec.UnreadBuffer()
		if len(rest) < 32 { // more may be there
			more := make([]byte, 32)
			n, _ := p.in.Read(more)
			rest = append(bytes.Clone(rest), more[:n]...)
		}
		rest = bytes.TrimLeft(rest, " \t,:-+")
		for _, word := range []string{"NaN", "nan", "Infinity", "Inf", "inf"} {
			if bytes.HasPrefix(rest, []byte(word)) {
				return fmt.Errorf("is %s, wanted a finite number", word)
			}
		}
		return fmt.Errorf("column %d: %w", syntax.ByteOffset+1, syntax.Err)
	}
	return err
}

func describe(t jsontext.Token) string {
	switch t.Kind() {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return quoted(t.String())
	}
	return t.String()
}
