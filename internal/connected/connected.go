// Package connected finds the strongly connected parts of directed graphs.
package connected

import "slices"

// Parts returns the strongly connected parts of a graph whose nodes are 0 to
// len(successors)−1, each sorted. An edge between two parts goes from an earlier to a later
// one. O(nodes + edges) and without recursion, so a long path needs no deep stack (Tarjan
// 1972).
func Parts(successors [][]int) [][]int {
	n := len(successors)
	index := make([]int, n) // when a node was met, from 1; 0 not yet
	low := make([]int, n)   // the earliest node on the stack that it is known to reach
	next := make([]int, n)  // the successor to look at next
	onStack := make([]bool, n)
	var stack, path []int
	var parts [][]int
	met := 0
	enter := func(v int) {
		met++
		index[v], low[v], onStack[v] = met, met, true
		stack, path = append(stack, v), append(path, v)
	}
	for root := range n {
		if index[root] > 0 {
			continue
		}
		enter(root)
		for len(path) > 0 {
			v := path[len(path)-1]
			if next[v] < len(successors[v]) {
				w := successors[v][next[v]]
				next[v]++
				if index[w] == 0 {
					enter(w)
				} else if onStack[w] {
					low[v] = min(low[v], index[w])
				}
				continue
			}
			path = path[:len(path)-1]
			if len(path) > 0 {
				parent := path[len(path)-1]
				low[parent] = min(low[parent], low[v])
			}
			if low[v] < index[v] {
				continue
			}
			at := len(stack) - 1
			for stack[at] != v {
				at--
			}
			part := slices.Clone(stack[at:])
			for _, w := range part {
				onStack[w] = false
			}
			stack = stack[:at]
			slices.Sort(part)
			parts = append(parts, part)
		}
	}
	slices.Reverse(parts) // Tarjan's algorithm finds a part after all that it leads to
	return parts
}
