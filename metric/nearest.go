package metric

import "github.com/riffle-ml/riffle/perm"

// Nearest returns the order to judge got against where items of a class are interchangeable. Many
// orders have an item of class[want[i]] at every position i. This one has got's own item wherever
// that is of the class. Items that stand wrong in got fill the rest, in their order there. All
// three have one entry an item or position; got and want must be valid orders.
func Nearest(got, want perm.Order, class []int) perm.Order {
	nearest := make(perm.Order, len(want))
	left := map[int][]int{} // items that stand wrong, by class
	for i, k := range got {
		if class[k] != class[want[i]] {
			left[class[k]] = append(left[class[k]], k)
		}
	}
	for i, k := range got {
		nearest[i] = k
		if c := class[want[i]]; class[k] != c {
			nearest[i], left[c] = left[c][0], left[c][1:]
		}
	}
	return nearest
}
