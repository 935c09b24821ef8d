package learn

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/internal/hint"
)

// Votes returns the orders of sets as votes on named items: item k of the votes is names[k].
// Features and pictures of the items do not matter. Bare items without names are known by their
// numbers. Sets that put no item before another are left out. A Count of 0 is one voter. All votes
// are on the n items of all sets together.
func Votes(sets []*dataset.Set) (votes []dataset.Vote, names []string, err error) {
	named := slices.ContainsFunc(sets, func(s *dataset.Set) bool {
		return slices.ContainsFunc(s.Items, func(it dataset.Item) bool { return it.ID != "" })
	})
	if !named {
		votes, n, err := dataset.Votes(sets)
		if err != nil {
			return nil, nil, hint.With(err, "items of features need an id, to be the same in several sets")
		}
		for k := range n {
			names = append(names, strconv.Itoa(k))
		}
		return slices.DeleteFunc(votes, silent), names, nil
	}
	at := map[string]int{}
	var last *dataset.Item // the sets of a file often share their items
	var places []int
	for i, s := range sets {
		if len(s.Items) > 0 && &s.Items[0] != last {
			last, places = &s.Items[0], make([]int, len(s.Items))
			for j, it := range s.Items {
				if it.ID == "" {
					return nil, nil, fmt.Errorf("set %s: item %d has no name, other items have one", name(s, i), j)
				}
				k, known := at[it.ID]
				if !known {
					k = len(names)
					at[it.ID], names = k, append(names, it.ID)
				}
				places[j] = k
			}
		}
		v := dataset.Vote{Count: max(1, s.Count)}
		for _, group := range s.Known() {
			level := make([]int, len(group))
			for j, k := range group {
				level[j] = places[k]
			}
			v.Levels = append(v.Levels, level)
		}
		if !silent(v) {
			votes = append(votes, v)
		}
	}
	return votes, names, nil
}

// silent tells whether a vote puts no item before another.
func silent(v dataset.Vote) bool { return len(v.Levels) < 2 }
