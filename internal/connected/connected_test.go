package connected

import (
	"reflect"
	"testing"

	"pgregory.net/rapid"
)

func TestPartsByHand(t *testing.T) {
	for _, c := range []struct {
		graph, want [][]int
	}{
		{nil, nil},
		{[][]int{{}}, [][]int{{0}}},
		{[][]int{{0}}, [][]int{{0}}},
		{[][]int{{1}, {0}}, [][]int{{0, 1}}},
		{[][]int{{}, {0}}, [][]int{{1}, {0}}},
		{[][]int{{2}, {0, 3}, {0}, {}}, [][]int{{1}, {3}, {0, 2}}},
	} {
		if got := Parts(c.graph); !reflect.DeepEqual(got, c.want) {
			t.Errorf("Parts(%v) = %v, wanted %v", c.graph, got, c.want)
		}
	}
}

// Against reachability by definition: two nodes are in a part if each reaches the other, and
// no node reaches one of an earlier part.
func TestParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 9).Draw(t, "n")
		graph, reach := make([][]int, n), make([][]bool, n)
		for v := range n {
			graph[v] = rapid.SliceOfN(rapid.IntRange(0, n-1), 0, 3).Draw(t, "successors")
			reach[v] = make([]bool, n)
			reach[v][v] = true
			for _, w := range graph[v] {
				reach[v][w] = true
			}
		}
		for k := range n {
			for i := range n {
				for j := range n {
					reach[i][j] = reach[i][j] || reach[i][k] && reach[k][j]
				}
			}
		}
		part := make([]int, n)
		count := 0
		for i, p := range Parts(graph) {
			for _, v := range p {
				part[v] = i
				count++
			}
		}
		if count != n {
			t.Fatalf("%d nodes in parts, wanted %d", count, n)
		}
		for i := range n {
			for j := range n {
				if (part[i] == part[j]) != (reach[i][j] && reach[j][i]) || reach[i][j] && part[i] > part[j] {
					t.Fatalf("%v: nodes %d and %d in parts %d and %d", graph, i, j, part[i], part[j])
				}
			}
		}
	})
}

func TestPartsOfALongPath(t *testing.T) {
	graph := make([][]int, 200_000)
	for v := range len(graph) - 1 {
		graph[v] = []int{v + 1}
	}
	if got := len(Parts(graph)); got != len(graph) {
		t.Errorf("%d parts, wanted %d", got, len(graph))
	}
	graph[len(graph)-1] = []int{0}
	if got := len(Parts(graph)); got != 1 {
		t.Errorf("%d parts of a circle, wanted 1", got)
	}
}
