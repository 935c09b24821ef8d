package dataset

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/riffle-ml/riffle/internal/connected"
	"github.com/riffle-ml/riffle/internal/hint"
	"github.com/riffle-ml/riffle/perm"
)

// MaxVoters is the most voters that [CheckVotes] takes: sums over voters and pairs of items
// then fit 64 bits.
const MaxVoters = 1 << 36

// Vote is what one or more voters say of the order of n items that are known by their number
// alone, 0 to n−1.
type Vote struct {
	Levels BucketOrder
	Count  int // voters, 1 or more
}

// VoteOf is an order of all items as that many voters gave it.
func VoteOf(o perm.Order, count int) Vote {
	v := Vote{Count: count}
	for _, k := range o {
		v.Levels = append(v.Levels, []int{k})
	}
	return v
}

// Votes returns the orders of sets as votes on named items: item k of the votes is names[k].
// Features and pictures of the items do not matter. Bare items without names are known by their
// numbers. Sets that put no item before another are left out. A Count of 0 is one voter. All votes
// are on the n items of all sets together.
func Votes(sets []*Set) (votes []Vote, names []string, err error) {
	named := slices.ContainsFunc(sets, func(s *Set) bool {
		return slices.ContainsFunc(s.Items, func(it Item) bool { return it.ID != "" })
	})
	if !named {
		votes, n, err := numberVotes(sets)
		if err != nil {
			return nil, nil, hint.With(err, "items of features need an id, to be the same in several sets")
		}
		for k := range n {
			names = append(names, strconv.Itoa(k))
		}
		return slices.DeleteFunc(votes, Vote.silent), names, nil
	}
	at := map[string]int{}
	var last *Item // the sets of a file often share their items
	var places []int
	for i, s := range sets {
		if len(s.Items) > 0 && &s.Items[0] != last {
			last, places = &s.Items[0], make([]int, len(s.Items))
			for j, it := range s.Items {
				if it.ID == "" {
					return nil, nil, fmt.Errorf("set %s: item %d has no name, other items have one", s.Called(i), j)
				}
				k, known := at[it.ID]
				if !known {
					k = len(names)
					at[it.ID], names = k, append(names, it.ID)
				}
				places[j] = k
			}
		}
		v := Vote{Count: max(1, s.Count)}
		for _, group := range s.Known() {
			level := make([]int, len(group))
			for j, k := range group {
				level[j] = places[k]
			}
			v.Levels = append(v.Levels, level)
		}
		if !v.silent() {
			votes = append(votes, v)
		}
	}
	return votes, names, nil
}

// silent tells whether a vote puts no item before another.
func (v Vote) silent() bool { return len(v.Levels) < 2 }

// Called is what a set is called, by its id or else by its number from 1.
func (s *Set) Called(i int) string { return cmp.Or(s.ID, strconv.Itoa(i+1)) }

// numberVotes returns what sets of bare items say as votes on n items, the most that a set has. Sets of
// which nothing is known are left out. A Count of 0 is one voter. It fails on items that are not
// bare, since those of one set are not those of another.
func numberVotes(sets []*Set) (votes []Vote, n int, err error) {
	for i, s := range sets {
		if s.Kind != KindBare {
			return nil, 0, fmt.Errorf("set %d: has %v items, wanted bare ones, known by their number alone", i, s.Kind)
		}
		n = max(n, len(s.Items))
		if l := s.Known(); len(l) > 0 {
			votes = append(votes, Vote{l, max(1, s.Count)})
		}
	}
	return votes, n, nil
}

// CheckVotes counts the voters. It fails where levels are not of n items (see
// [BucketOrder.Validate]), where a count is below 1, and on more than [MaxVoters]. A vote takes
// time for the items that it names, not for n.
func CheckVotes(votes []Vote, n int) (voters int, err error) {
	if n < 0 {
		return 0, fmt.Errorf("votes: %d items, wanted 0 or more", n)
	}
	last := make([]int, n) // the vote that named an item last, from 1
	for i, v := range votes {
		if v.Count < 1 {
			return 0, fmt.Errorf("vote %d: count is %d, wanted 1 or more", i, v.Count)
		}
		if v.Count > MaxVoters-voters {
			return 0, fmt.Errorf("vote %d: more than %d voters in all", i, MaxVoters)
		}
		voters += v.Count
		for j, group := range v.Levels {
			if len(group) == 0 {
				return 0, fmt.Errorf("vote %d: level %d: is empty", i, j)
			}
			for _, k := range group {
				if k < 0 || k >= n {
					return 0, fmt.Errorf("vote %d: level %d: item %d, wanted 0 to %d", i, j, k, n-1)
				}
				if last[k] == i+1 {
					return 0, fmt.Errorf("vote %d: level %d: item %d is there twice", i, j, k)
				}
				last[k] = i + 1
			}
		}
	}
	return voters, nil
}

// ComparisonParts returns the strongly connected parts of the comparison graph of valid votes on n
// items. The graph has an edge from item a to item b where some vote puts a before b. No vote puts
// an item of a later part before one of an earlier part. An item in no vote is a part of its own.
// Hunter (2004, "MM algorithms for generalized Bradley–Terry models", assumption 1) shows that
// strengths of maximum likelihood exist just where there is one part. Time and memory grow with the
// items that votes name.
func ComparisonParts(votes []Vote, n int) [][]int {
	// Items of a level come before those of the next, and through them before all later ones.
	// Between two levels of many items a node of its own saves the edges of all pairs.
	successors := make([][]int, n)
	for _, v := range votes {
		for i := 1; i < len(v.Levels); i++ {
			from, to := v.Levels[i-1], v.Levels[i]
			if len(from) > 1 && len(to) > 1 {
				between := len(successors)
				successors = append(successors, to)
				to = []int{between}
			}
			for _, k := range from {
				successors[k] = append(successors[k], to...)
			}
		}
	}
	var parts [][]int
	for _, part := range connected.Parts(successors) {
		items, _ := slices.BinarySearch(part, n) // sorted: items first, then nodes between levels
		if items > 0 {
			parts = append(parts, part[:items])
		}
	}
	return parts
}
