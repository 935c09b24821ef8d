package tsp

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/riffle-ml/riffle/perm"
)

// Ends are where a path begins and ends, a path being a tour that does not go back: cities, or
// below 0 for any.
type Ends struct{ Start, End int }

// Free are ends of a path that may be anywhere.
var Free = Ends{-1, -1}

func (e Ends) free() bool { return e.Start < 0 && e.End < 0 }

// Check reports ends that no path of n cities has.
func (e Ends) Check(n int) error {
	switch {
	case e.Start >= n || e.End >= n:
		return fmt.Errorf("ends: wanted cities 0 to %d (got %d and %d)", n-1, e.Start, e.End)
	case n > 1 && e.Start >= 0 && e.Start == e.End:
		return errors.New("ends: a path that ends where it began is a closed tour")
	}
	return nil
}

// PathLength is the length of a path: without the way back that [Instance.Length] counts.
func (x *Instance) PathLength(path perm.Order) float64 {
	sum := 0.0
	for i := 1; i < len(path); i++ {
		sum += x.matrix[path[i-1]*x.n+path[i]]
	}
	return sum
}

// Open returns an instance of one city more, the last, whose shortest tours are the shortest paths
// of x between ends. That city is nowhere, at distance 0 from the ends. From other cities than a
// wanted end it is three times the longest distance away, more than any path can save there.
func (x *Instance) Open(e Ends) (*Instance, error) {
	if err := e.Check(x.n); err != nil {
		return nil, err
	}
	n := x.n + 1
	far := 0.0
	for _, d := range x.matrix {
		far = max(far, 3*d)
	}
	if far == 0 {
		far = 1
	}
	m := make([]float64, n*n)
	for i := range x.n {
		copy(m[i*n:], x.matrix[i*x.n:(i+1)*x.n])
	}
	// Without a direction either end can be the start: both cities are at distance 0.
	fixed := func(k int, own, other int) bool {
		return own >= 0 && k != own && (x.directed || k != other) || !x.directed && own < 0 && other >= 0 && k != other
	}
	for k := range x.n {
		if fixed(k, e.Start, e.End) {
			m[x.n*n+k] = far
		}
		if fixed(k, e.End, e.Start) {
			m[k*n+x.n] = far
		}
	}
	return NewDirected(m, n)
}

// Path is the path of x that a tour of [Instance.Open] is. A tour that is not between the ends,
// as searches may find, is mended: the city goes to its end.
func (x *Instance) Path(tour perm.Order, e Ends) perm.Order {
	return x.mend(From(tour, x.n)[1:], e)
}

// mend brings a path's ends to its ends.
func (x *Instance) mend(path perm.Order, e Ends) perm.Order {
	last := len(path) - 1
	if last < 1 {
		return path
	}
	if !x.directed {
		switch start, end := path[0], path[last]; {
		case e.Start >= 0 && start != e.Start && end == e.Start, e.End >= 0 && end != e.End && start == e.End, e.free() && start > end:
			slices.Reverse(path)
		}
	}
	if e.Start >= 0 {
		at := slices.Index(path, e.Start)
		path = slices.Insert(slices.Delete(path, at, at+1), 0, e.Start)
	}
	if e.End >= 0 {
		at := slices.Index(path, e.End)
		path = append(slices.Delete(path, at, at+1), e.End)
	}
	return path
}

// Cut is the shortest path between ends that a closed tour becomes when one of its edges is left out.
// Where no edge has both ends, the path is mended to have them. The end is brought to the end, or what
// comes after it is turned round before it.
func (x *Instance) Cut(tour perm.Order, e Ends) perm.Order {
	if e.free() { // without the longest edge
		longest, at := -1.0, 0
		for i, k := range tour {
			if d := x.matrix[tour[(i+len(tour)-1)%len(tour)]*x.n+k]; d > longest {
				longest, at = d, k
			}
		}
		return x.mend(From(tour, at), e)
	}
	var best perm.Order
	shortest := math.Inf(1)
	ways := []perm.Order{tour}
	if !x.directed {
		back := slices.Clone(tour)
		slices.Reverse(back)
		ways = append(ways, back)
	}
	for _, way := range ways {
		for i, k := range way {
			if e.Start >= 0 && k != e.Start || e.Start < 0 && way[(i+len(way)-1)%len(way)] != e.End {
				continue
			}
			ways := []perm.Order{x.mend(From(way, k), e)}
			if e.Start >= 0 && e.End >= 0 {
				turned := From(way, k)
				after := turned[slices.Index(turned, e.End):]
				slices.Reverse(after)
				ways = append(ways, turned)
			}
			for _, path := range ways {
				if l := x.PathLength(path); l < shortest {
					best, shortest = path, l
				}
			}
		}
	}
	return best
}
