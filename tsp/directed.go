package tsp

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/riffle-ml/riffle/perm"
)

// mostSubsets is the most cities of which [Exact] looks through all sets, where distances depend on
// the direction.
const mostSubsets = 16

// subsets finds a shortest tour by dynamic programming over sets of cities (Held & Karp 1962), in
// 2ⁿ⁻¹·n steps a city.
func subsets(x *Instance) perm.Order {
	n := x.n
	if n < 2 {
		return perm.Identity(n)
	}
	all := 1 << (n - 1) // sets of the cities 1 … n−1
	best, last := slices.Repeat([]float64{math.Inf(1)}, all*n), make([]int8, all*n)
	for k := 1; k < n; k++ {
		best[1<<(k-1)*n+k] = x.matrix[k]
	}
	for set := range all {
		for end := 1; end < n; end++ {
			b := best[set*n+end]
			if math.IsInf(b, 1) {
				continue
			}
			for k := 1; k < n; k++ {
				if set>>(k-1)&1 != 0 {
					continue
				}
				at := (set|1<<(k-1))*n + k
				if d := b + x.matrix[end*n+k]; d < best[at] {
					best[at], last[at] = d, int8(end)
				}
			}
		}
	}
	set, end := all-1, 1
	for k := 2; k < n; k++ {
		if best[set*n+k]+x.matrix[k*n] < best[set*n+end]+x.matrix[end*n] {
			end = k
		}
	}
	tour := make(perm.Order, n)
	for i := n - 1; i > 0; i-- {
		tour[i] = end
		set, end = set&^(1<<(end-1)), int(last[set*n+end])
	}
	return tour
}

// directedSearch improves a tour whose direction matters by the one exchange of three edges that
// turns no part round. In it two neighbouring runs of the tour change places. (Or-opt is that with
// a run of one to three cities.) It has neighbour lists and a queue as [OrOpt]'s search has.
type directedSearch struct {
	x         *Instance
	tour      perm.Order
	at        []int
	neighbour [][]int // of each city, those that are nearest to go to
	queue     []int
	queued    []bool
	scratch   perm.Order
}

func newDirectedSearch(x *Instance, start perm.Order) *directedSearch {
	s := &directedSearch{x: x, tour: slices.Clone(start), at: make([]int, x.n), neighbour: x.neighbours(), queued: make([]bool, x.n), scratch: make(perm.Order, 0, x.n)}
	for i, k := range start {
		s.at[k] = i
	}
	return s
}

func (s *directedSearch) push(cities ...int) {
	for _, k := range cities {
		if !s.queued[k] {
			s.queued[k] = true
			s.queue = append(s.queue, k)
		}
	}
}

// descend makes improving moves until no city in the queue has one; it tells whether there were
// any.
func (s *directedSearch) descend(stop func() bool) (improved bool) {
	for len(s.queue) > 0 && !stop() {
		k := s.queue[len(s.queue)-1]
		s.queue = s.queue[:len(s.queue)-1]
		s.queued[k] = false
		for s.improve(k) {
			improved = true
		}
	}
	return improved
}

// improve makes a shorter tour in which a goes to one of its neighbours. Of a b … e c … f g it makes
// a c … f b … e g. g is anything from behind c to a itself. f is the best there is.
func (s *directedSearch) improve(a int) bool {
	n, d := s.x.n, s.x.matrix
	i := s.at[a]
	next := func(at int) int { // of a place, round the end
		if at++; at == n {
			return 0
		}
		return at
	}
	b := s.tour[next(i)]
	for _, c := range s.neighbour[a] {
		won := d[a*n+b] - d[a*n+c]
		if won <= 0 {
			break
		}
		j := s.at[c]
		e := s.tour[(j+n-1)%n]
		if c == b || e == a {
			continue
		}
		won += d[e*n+c]
		best, cut, old := 0.0, -1, d[a*n+b]+d[e*n+c]
		for f := j; ; f = next(f) { // the place of f
			g := next(f)
			out := d[s.tour[f]*n+s.tour[g]]
			if gain := won + out - d[s.tour[f]*n+b] - d[e*n+s.tour[g]]; gain > best && gain > 1e-12*(old+out) {
				best, cut = gain, f
			}
			if g == i {
				break
			}
		}
		if cut < 0 {
			continue
		}
		f, g := s.tour[cut], s.tour[next(cut)]
		s.exchange(next(i), j, next(cut))
		s.push(a, b, c, e, f, g)
		return true
	}
	return false
}

// exchange has the runs of places from … middle−1 and middle … to−1, round the end, change places.
func (s *directedSearch) exchange(from, middle, to int) {
	n := s.x.n
	out := s.scratch[:0]
	for _, run := range [][2]int{{middle, to}, {from, middle}} {
		for i := run[0]; i != run[1]; {
			out = append(out, s.tour[i])
			if i++; i == n {
				i = 0
			}
		}
	}
	for k, city := range out {
		i := (from + k) % n
		s.tour[i], s.at[city] = city, i
	}
}

// kick exchanges two neighbouring runs near one place, whatever it costs.
func (s *directedSearch) kick(rng *rand.Rand) {
	n := s.x.n
	span := min(n-1, 30)
	var cuts [3]int
	for cuts[0] == cuts[1] || cuts[1] == cuts[2] {
		for i := range cuts {
			cuts[i] = rng.IntN(span + 1)
		}
		slices.Sort(cuts[:])
	}
	shift := rng.IntN(n)
	for i := range cuts {
		cuts[i] = (cuts[i] + shift) % n
		s.push(s.tour[cuts[i]], s.tour[(cuts[i]+n-1)%n])
	}
	s.exchange(cuts[0], cuts[1], cuts[2])
}

// directed is [OrOpt] where distances depend on the direction.
func directed(x *Instance, start perm.Order, kicks int, rng *rand.Rand, stop func() bool) perm.Order {
	if x.n < 3 {
		return slices.Clone(start)
	}
	s := newDirectedSearch(x, start)
	for improved := true; improved; { // a move elsewhere can make room for one of a city that had none
		s.push(start...)
		improved = s.descend(stop)
	}
	best, length := slices.Clone(s.tour), x.Length(s.tour)
	for range kicks {
		if stop() {
			break
		}
		s.kick(rng)
		s.descend(stop)
		if l := x.Length(s.tour); l <= length {
			length = l
			copy(best, s.tour)
			continue
		}
		copy(s.tour, best)
		for i, k := range best {
			s.at[k] = i
		}
	}
	return best
}
