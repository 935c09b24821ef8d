package perm

import (
	"fmt"
	"strconv"
	"strings"
)

// Base is the number that stands for the first item, or position, in text.
type Base int

// The two ways to number in text. In memory everything is zero-based.
const (
	ZeroBased Base = 0
	OneBased  Base = 1
)

// ParseOrder reads an order written as items separated by spaces, commas or both. With [OneBased],
// "1 4 2 5 3", "1,4,2,5,3" and "1, 4, 2, 5, 3" are all 0 3 1 4 2. Text without entries is the empty
// order. It fails, naming the entry, on anything that is not a bijection on base … base+n−1.
func ParseOrder(text string, base Base) (Order, error) {
	p, err := parse(text, base, "order")
	return Order(p), err
}

// ParseRank reads a rank form, a list of positions, as [ParseOrder] reads items.
func ParseRank(text string, base Base) (Rank, error) {
	p, err := parse(text, base, "rank")
	return Rank(p), err
}

// Text writes o as items separated by spaces, numbered from base.
func (o Order) Text(base Base) string { return text(o, base) }

// Text writes r as positions separated by spaces, numbered from base.
func (r Rank) Text(base Base) string { return text(r, base) }

func text(p []int, base Base) string {
	var b []byte
	for i, v := range p {
		if i > 0 {
			b = append(b, ' ')
		}
		b = strconv.AppendInt(b, int64(v+int(base)), 10)
	}
	return string(b)
}

func parse(text string, base Base, what string) ([]int, error) {
	if strings.TrimSpace(text) == "" {
		return []int{}, nil
	}
	var fields []string
	for part := range strings.SplitSeq(text, ",") {
		inner := strings.Fields(part)
		if len(inner) == 0 {
			return nil, fmt.Errorf("%s: entry %d is empty, wanted a number", what, len(fields)+int(base))
		}
		fields = append(fields, inner...)
	}
	// Messages count entries and values from base, as the text does.
	first, last := int(base), len(fields)-1+int(base)
	p := make([]int, len(fields))
	seen := make([]bool, len(fields))
	for i, field := range fields {
		v, err := strconv.Atoi(field)
		if err != nil {
			return nil, fmt.Errorf("%s: entry %d is %q, wanted a whole number", what, i+first, field)
		}
		if v < first || v > last {
			return nil, fmt.Errorf("%s: entry %d is %d, wanted %d to %d", what, i+first, v, first, last)
		}
		if seen[v-first] {
			return nil, fmt.Errorf("%s: entry %d repeats %d", what, i+first, v)
		}
		seen[v-first] = true
		p[i] = v - first
	}
	return p, nil
}
