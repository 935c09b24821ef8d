// Package connected finds the strongly connected parts of directed graphs.
package connected

import (
	"slices"

	"gonum.org/v1/gonum/graph"
	"gonum.org/v1/gonum/graph/iterator"
	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/graph/topo"
)

// Parts returns the strongly connected parts of a graph whose nodes are 0 to
// len(successors)−1, each sorted. An edge between two parts goes from an earlier to a later
// one (Tarjan 1972). It takes O(nodes + edges).
func Parts(successors [][]int) [][]int {
	found := topo.TarjanSCC(lists{to: successors})
	var parts [][]int
	for _, nodes := range slices.Backward(found) { // a part comes after all that it leads to
		part := make([]int, len(nodes))
		for i, v := range nodes {
			part[i] = int(v.ID())
		}
		slices.Sort(part)
		parts = append(parts, part)
	}
	return parts
}

// lists is a graph of lists of successors, of which [topo.TarjanSCC] asks nothing but these two. A
// [simple.DirectedGraph] keeps its edges in maps, which take many times the memory and have no order.
type lists struct {
	graph.Directed
	to [][]int
}

func (l lists) Nodes() graph.Nodes { return iterator.NewImplicitNodes(0, len(l.to), node) }

func (l lists) From(id int64) graph.Nodes {
	nodes := make([]graph.Node, len(l.to[id]))
	for i, v := range l.to[id] {
		nodes[i] = node(v)
	}
	return iterator.NewOrderedNodes(nodes)
}

func node(id int) graph.Node { return simple.Node(id) }
