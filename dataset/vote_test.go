package dataset

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/riffle-ml/riffle/internal/connected"
	"github.com/riffle-ml/riffle/internal/hint"
	"github.com/riffle-ml/riffle/perm"
)

func TestVotes(t *testing.T) {
	p, err := ParsePrefLib(strings.NewReader("# NUMBER ALTERNATIVES: 3\n4: 3,{1,2}\n1: 2\n"), "x")
	if err != nil {
		t.Fatal(err)
	}
	sets := append(p.Orders,
		&Set{Items: make([]Item, 4)}, // nothing is known
		&Set{Items: make([]Item, 2), Order: perm.Order{1, 0}, OrderGiven: "order"})
	votes, n, err := numberVotes(sets)
	want := []Vote{{BucketOrder{{2}, {0, 1}}, 4}, {BucketOrder{{1}}, 1}, {BucketOrder{{1}, {0}}, 1}}
	if err != nil || n != 4 || !reflect.DeepEqual(votes, want) {
		t.Errorf("Votes = %v, %d, %v, wanted %v, 4", votes, n, err, want)
	}
	if voters, err := CheckVotes(votes, n); err != nil || voters != 6 {
		t.Errorf("CheckVotes = %d, %v, wanted 6", voters, err)
	}
	if _, _, err := numberVotes([]*Set{{Kind: KindPoint}}); err == nil || hint.Text(err) != "set 0: has point items, wanted bare ones, known by their number alone" {
		t.Errorf("points: %v", err)
	}
}

func TestCheckVotesErrors(t *testing.T) {
	for _, c := range []struct {
		votes   []Vote
		n       int
		message string
	}{
		{nil, -1, "votes: -1 items, wanted 0 or more"},
		{[]Vote{{BucketOrder{{0}}, 0}}, 1, "vote 0: count is 0, wanted 1 or more"},
		{[]Vote{{BucketOrder{{0}}, 1}, {BucketOrder{{0}}, math.MaxInt}}, 1, "vote 1: more than 68719476736 voters in all"},
		{[]Vote{{BucketOrder{{0}, {}}, 1}}, 1, "vote 0: level 1: is empty"},
		{[]Vote{{BucketOrder{{1}}, 1}}, 1, "vote 0: level 0: item 1, wanted 0 to 0"},
		{[]Vote{{BucketOrder{{0}}, 1}, {BucketOrder{{0}, {0}}, 1}}, 1, "vote 1: level 1: item 0 is there twice"},
	} {
		if _, err := CheckVotes(c.votes, c.n); err == nil || hint.Text(err) != c.message {
			t.Errorf("%v: got %v, want %s", c.votes, err, c.message)
		}
	}
}

// Parts are those of the graph with an edge for every pair that a vote puts in an order.
func TestComparisonParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 9).Draw(t, "n")
		votes := make([]Vote, rapid.IntRange(0, 4).Draw(t, "votes"))
		for i := range votes {
			votes[i] = Vote{drawLevels(t, n), 1}
		}
		edges := make([][]int, n)
		for _, v := range votes {
			for i, better := range v.Levels {
				for _, worse := range v.Levels[i+1:] {
					for _, a := range better {
						edges[a] = append(edges[a], worse...)
					}
				}
			}
		}
		got, want := ComparisonParts(votes, n), connected.Parts(edges)
		partOf := make([]int, n)
		for i, part := range got {
			for _, k := range part {
				partOf[k] = i
			}
		}
		// The same parts, though perhaps in another order, for which edges are looked at.
		gotSet, wantSet := map[string]bool{}, map[string]bool{}
		for _, part := range got {
			gotSet[fmt.Sprint(part)] = true
		}
		for _, part := range want {
			wantSet[fmt.Sprint(part)] = true
		}
		if !reflect.DeepEqual(gotSet, wantSet) {
			t.Fatalf("%v: parts %v, wanted %v", votes, got, want)
		}
		for a, successors := range edges {
			for _, b := range successors {
				if partOf[a] > partOf[b] {
					t.Fatalf("%v: %d of part %d comes before %d of part %d", votes, a, partOf[a], b, partOf[b])
				}
			}
		}
	})
}

func drawLevels(t *rapid.T, n int) BucketOrder {
	items := rapid.Permutation(perm.Identity(n)).Draw(t, "items")
	items = items[:rapid.IntRange(0, n).Draw(t, "known")]
	var l BucketOrder
	for len(items) > 0 {
		size := rapid.IntRange(1, min(4, len(items))).Draw(t, "size")
		l, items = append(l, items[:size]), items[size:]
	}
	return l
}

func TestRestLast(t *testing.T) {
	for _, c := range []struct{ l, want BucketOrder }{
		{BucketOrder{{3}, {0}}, BucketOrder{{3}, {0}, {1, 2}}},
		{BucketOrder{{3}, {0, 1, 2}}, BucketOrder{{3}, {0, 1, 2}}},
		{nil, BucketOrder{{0, 1, 2, 3}}},
	} {
		if got := c.l.RestLast(4); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%v: %v, wanted %v", c.l, got, c.want)
		}
	}
}

// Items are the same by their names, whatever their places; without names by their numbers.
func TestVotesByName(t *testing.T) {
	set := func(count int, order perm.Order, ids ...string) *Set {
		s := &Set{Kind: KindFeatures, Order: order, OrderGiven: "order", Count: count}
		for _, id := range ids {
			s.Items = append(s.Items, Item{ID: id, Features: []float64{1}})
		}
		return s
	}
	votes, names, err := Votes([]*Set{set(3, perm.Order{1, 0}, "x", "y"), set(0, perm.Order{0, 2, 1}, "y", "z", "x"), set(2, perm.Order{0}, "w")})
	want := "[{[[1] [0]] 3} {[[1] [0] [2]] 1}] [x y z w] <nil>"
	if got := fmt.Sprint(votes, names, err); got != want {
		t.Errorf("%s, wanted %s", got, want)
	}
	bare := &Set{Items: make([]Item, 3), Levels: BucketOrder{{2}, {0, 1}}}
	votes, names, err = Votes([]*Set{bare, {Items: make([]Item, 2)}})
	if got := fmt.Sprint(votes, names, err); got != "[{[[2] [0 1]] 1}] [0 1 2] <nil>" {
		t.Errorf("bare: %s", got)
	}
	if _, _, err := Votes([]*Set{set(1, perm.Order{0, 1}, "x", "")}); err == nil {
		t.Error("an item without a name: no error")
	}
	if _, _, err := Votes([]*Set{set(1, perm.Order{0, 1}, "", "")}); err == nil {
		t.Error("features without names: no error")
	}
}
