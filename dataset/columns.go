package dataset

import (
	"fmt"
	"slices"

	"github.com/riffle-ml/riffle/internal/nearest"
)

// Columns are what the features of sets are called. The sets of a file share them. They are nil
// where features are a list of numbers, which has nothing but places.
type Columns struct {
	// Names are those of the features, each once.
	Names []string
	// Sparse is whether features have numbers for names, from First on, as in svmlight. A feature
	// that a line leaves out is then 0, and Names is nil.
	Sparse bool
	First  int // 0 or 1
}

// Match finds the features of a model among those of a set. The model has width features and calls them want;
// the set has so many features and calls them c. at[j] is where feature j is in a row. It is −1 where the row
// has none of that number, which stands for 0. byPlace says that only one of the two has names, so that places
// decide. It fails where a column is missing or unknown, and names it. Without names it fails where their
// numbers differ.
func (c *Columns) Match(want *Columns, width, features int) (at []int, byPlace bool, err error) {
	named, sparse := c.named(), c != nil && c.Sparse
	if named && want.named() {
		at, err = matchNames(c.Names, want.Names)
		return at, false, err
	}
	shift := 0
	if sparse && want != nil && want.Sparse {
		shift = want.First - c.First
	}
	if !sparse && features != width {
		return nil, false, fmt.Errorf("has %d features, wanted %d", features, width)
	}
	at = make([]int, width)
	for j := range at {
		if at[j] = j + shift; at[j] < 0 || at[j] >= features {
			at[j] = -1
		}
	}
	return at, named || want.named(), nil
}

func (c *Columns) named() bool { return c != nil && !c.Sparse }

// matchNames is [Columns.Match] of names.
func matchNames(have, want []string) ([]int, error) {
	if slices.Equal(have, want) {
		at := make([]int, len(want))
		for j := range at {
			at[j] = j
		}
		return at, nil
	}
	place := make(map[string]int, len(have))
	for i, name := range have {
		place[name] = i
	}
	at := make([]int, len(want))
	var missing []string
	for j, name := range want {
		i, ok := place[name]
		if !ok {
			missing = append(missing, name)
			continue
		}
		at[j] = i
		delete(place, name)
	}
	for _, name := range have {
		if _, unknown := place[name]; !unknown {
			continue
		}
		if near := nearest.Near(name, missing); near != "" {
			return nil, fmt.Errorf("unknown column %s, the nearest is %q", quoted(name), near)
		}
		if len(missing) > 0 {
			return nil, fmt.Errorf("unknown column %s, and column %q is missing", quoted(name), missing[0])
		}
		return nil, fmt.Errorf("unknown column %s, wanted %s", quoted(name), fewNames(want))
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("column %q is missing, has %s", missing[0], fewNames(have))
	}
	return at, nil
}
