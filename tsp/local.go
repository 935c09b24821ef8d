package tsp

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"github.com/riffle-ml/riffle/perm"
)

// TwoOpt improves a tour by 2-opt moves, two edges replaced by two shorter ones, until there is
// none (Croes 1958). It takes the first improvement in the order of positions. The tour given stays
// as it is. Where distances depend on the direction, which such a move turns round, it is [OrOpt]
// without kicks.
func TwoOpt(x *Instance, tour perm.Order) perm.Order {
	if x.directed {
		return OrOpt(x, tour, 0, nil)
	}
	t, n := slices.Clone(tour), x.n
	for improved := true; improved; {
		improved = false
		for i := 0; i < n-2; i++ {
			for j := i + 2; j < n; j++ {
				if i == 0 && j == n-1 {
					continue // neighbours round the end
				}
				a, b, c, d := t[i], t[i+1], t[j], t[(j+1)%n]
				if x.gain(a, b, c, d) > 0 {
					slices.Reverse(t[i+1 : j+1])
					improved = true
				}
			}
		}
	}
	return t
}

// gain is what replacing the edges ab and cd by ac and bd saves, 0 where it is only rounding.
func (x *Instance) gain(a, b, c, d int) float64 {
	old, fresh := x.matrix[a*x.n+b]+x.matrix[c*x.n+d], x.matrix[a*x.n+c]+x.matrix[b*x.n+d]
	if fresh < old-1e-12*old {
		return old - fresh
	}
	return 0
}

// TwoOptStarts is the best of 2-opt from as many random tours; the paper's row has five.
func TwoOptStarts(x *Instance, starts int, rng *rand.Rand) perm.Order {
	var best perm.Order
	for range starts {
		if t := TwoOpt(x, perm.Random(rng, x.n)); best == nil || x.Length(t) < x.Length(best) {
			best = t
		}
	}
	return best
}

// OrOpt improves tours by 2-opt and Or-opt moves (Or 1976: a run of one to three cities goes
// elsewhere, either way round). It has neighbour lists and a queue of cities whose surroundings
// changed. From where it stands it goes on by double bridges (Martin, Otto & Felten 1991). These
// are kicks that both kinds of moves cannot undo. They are taken back where the tour did not become
// shorter. It returns the best tour after kicks of them. With n ≤ 3 all tours are equal. Where
// distances depend on the direction, its moves are those that turn no part of the tour round: two
// neighbouring runs of any length change places.
func OrOpt(x *Instance, start perm.Order, kicks int, rng *rand.Rand) perm.Order {
	return orOpt(x, start, kicks, rng, func() bool { return false })
}

// orOpt is [OrOpt] that gives up further kicks where stop says so.
func orOpt(x *Instance, start perm.Order, kicks int, rng *rand.Rand, stop func() bool) perm.Order {
	if x.directed {
		return directed(x, start, kicks, rng, stop)
	}
	if x.n <= 3 {
		return slices.Clone(start)
	}
	s := newSearch(x, start)
	for k := range x.n {
		s.push(k)
	}
	s.descend()
	if x.n < 8 {
		kicks = min(kicks, 50)
	}
	best, length := slices.Clone(s.tour), x.Length(s.tour)
	for range kicks {
		if stop() {
			break
		}
		s.kick(rng)
		s.descend()
		if l := x.Length(s.tour); l <= length {
			length = l
			copy(best, s.tour)
		} else {
			copy(s.tour, best)
			for i, k := range best {
				s.at[k] = i
			}
		}
	}
	return best
}

// search is a tour under improvement.
type search struct {
	x         *Instance
	tour      perm.Order
	at        []int // position of each city
	neighbour [][]int
	queue     []int
	queued    []bool
	scratch   perm.Order
}

// nearest is how many neighbours of a city are tried.
const nearest = 10

// neighbours are the cities that are nearest from each, the nearest first.
func (x *Instance) neighbours() [][]int {
	near := make([][]int, x.n)
	others := make([]int, 0, x.n)
	for k := range x.n {
		others = others[:0]
		for j := range x.n {
			if j != k {
				others = append(others, j)
			}
		}
		row := x.matrix[k*x.n : (k+1)*x.n]
		slices.SortStableFunc(others, func(a, b int) int { return cmp.Compare(row[a], row[b]) })
		near[k] = slices.Clone(others[:min(nearest, len(others))])
	}
	return near
}

func newSearch(x *Instance, start perm.Order) *search {
	s := &search{x: x, tour: slices.Clone(start), at: make([]int, x.n), neighbour: x.neighbours(), queued: make([]bool, x.n), scratch: make(perm.Order, x.n)}
	for i, k := range start {
		s.at[k] = i
	}
	return s
}

func (s *search) push(k int) {
	if !s.queued[k] {
		s.queued[k] = true
		s.queue = append(s.queue, k)
	}
}

func (s *search) next(k int) int {
	if i := s.at[k] + 1; i < len(s.tour) {
		return s.tour[i]
	}
	return s.tour[0]
}

func (s *search) prev(k int) int {
	if i := s.at[k] - 1; i >= 0 {
		return s.tour[i]
	}
	return s.tour[len(s.tour)-1]
}

// descend makes improving moves until no city in the queue has one.
func (s *search) descend() {
	for len(s.queue) > 0 {
		k := s.queue[len(s.queue)-1]
		s.queue = s.queue[:len(s.queue)-1]
		s.queued[k] = false
		for s.improve(k) {
		}
	}
}

// improve makes the first improving move at city a, if there is one.
func (s *search) improve(a int) bool {
	x, n := s.x, s.x.n
	d := func(i, j int) float64 { return x.matrix[i*n+j] }
	for _, c := range s.neighbour[a] {
		// 2-opt: a and its successor b, c and its successor; then their predecessors.
		b, e := s.next(a), s.next(c)
		if d(a, c) < d(a, b) && b != c && e != a && x.gain(a, b, c, e) > 0 {
			s.reverse(b, c)
			s.touch(a, b, c, e)
			return true
		}
		b, e = s.prev(a), s.prev(c)
		if d(a, c) < d(a, b) && b != c && e != a && x.gain(a, b, c, e) > 0 {
			s.reverse(a, e)
			s.touch(a, b, c, e)
			return true
		}
	}
	// Or-opt: the run of one to three cities that begins or ends at a goes beside c.
	for size := 1; size <= 3 && size < n-2; size++ {
		for _, forward := range []bool{true, false} {
			if s.move(a, size, forward) {
				return true
			}
		}
	}
	return false
}

// move takes the run of size cities from a on, or up to a. It puts a next to one of its neighbours
// where that makes the tour shorter.
func (s *search) move(a, size int, forward bool) bool {
	x, n := s.x, s.x.n
	d := func(i, j int) float64 { return x.matrix[i*n+j] }
	first, last := a, a // of the run, in the direction of the tour
	for range size - 1 {
		if forward {
			last = s.next(last)
		} else {
			first = s.prev(first)
		}
	}
	before, after := s.prev(first), s.next(last)
	if before == last || after == first || before == after {
		return false
	}
	out := d(before, first) + d(last, after)
	saved := out - d(before, after)
	if saved <= 0 {
		return false
	}
	other := last // the end of the run that is not a
	if a == last {
		other = first
	}
	inRun := func(k int) bool {
		i := s.at[k] - s.at[first]
		if i < 0 {
			i += n
		}
		return i < size
	}
	for _, c := range s.neighbour[a] {
		if d(a, c) >= saved {
			break // c's own edge only adds
		}
		if inRun(c) {
			continue
		}
		for _, e := range []int{s.next(c), s.prev(c)} {
			if inRun(e) {
				continue
			}
			if c == before && e == after || c == after && e == before {
				continue
			}
			added := d(a, c) + d(other, e) - d(c, e)
			if !(added < saved-1e-12*out) {
				continue
			}
			// Between c and e, a beside c.
			s.insert(first, size, c, e, a)
			s.touch(before, after, c, e)
			s.touch(first, last)
			return true
		}
	}
	return false
}

func (s *search) touch(cities ...int) {
	for _, k := range cities {
		s.push(k)
	}
}

// reverse turns round the part of the tour from city b to city c, or, which makes the same
// cycle, the other part where that is shorter.
func (s *search) reverse(b, c int) {
	n := len(s.tour)
	i, j := s.at[b], s.at[c]
	inner := j - i
	if inner < 0 {
		inner += n
	}
	if inner++; 2*inner > n {
		i, j = s.at[s.next(c)], s.at[s.prev(b)]
		inner = n - inner
	}
	for range inner / 2 {
		p, q := s.tour[i], s.tour[j]
		s.tour[i], s.tour[j] = q, p
		s.at[q], s.at[p] = i, j
		if i++; i == n {
			i = 0
		}
		if j--; j < 0 {
			j = n - 1
		}
	}
}

// insert rebuilds the tour with the run of size cities from first on between the neighbours c
// and e, so that a, an end of the run, is beside c.
func (s *search) insert(first, size, c, e, a int) {
	n := len(s.tour)
	run := make([]int, 0, 3)
	for k, count := first, 0; count < size; count++ {
		run = append(run, k)
		k = s.next(k)
	}
	// The rest of the tour in its direction, from behind the run.
	rest := s.scratch[:0]
	for k, count := s.next(run[size-1]), 0; count < n-size; count++ {
		rest = append(rest, k)
		k = s.next(k)
	}
	out := s.tour[:0]
	for i, k := range rest {
		out = append(out, k)
		following := rest[(i+1)%len(rest)]
		switch {
		case k == c && following == e: // c, a … other, e
			if run[0] != a {
				slices.Reverse(run)
			}
			out = append(out, run...)
		case k == e && following == c: // e, other … a, c
			if run[len(run)-1] != a {
				slices.Reverse(run)
			}
			out = append(out, run...)
		}
	}
	s.tour = out
	for i, k := range out {
		s.at[k] = i
	}
}

// kick exchanges two neighbouring runs of the tour: a double bridge, near one place.
func (s *search) kick(rng *rand.Rand) {
	n := len(s.tour)
	span := min(n-1, 30)
	var cuts [3]int
	for {
		for i := range cuts {
			cuts[i] = 1 + rng.IntN(span)
		}
		slices.Sort(cuts[:])
		if cuts[0] < cuts[1] && cuts[1] < cuts[2] {
			break
		}
	}
	shift := rng.IntN(n)
	for i := range n {
		s.scratch[i] = s.tour[(i+shift)%n]
	}
	t := s.scratch
	out := s.tour[:0]
	out = append(out, t[:cuts[0]]...)
	out = append(out, t[cuts[1]:cuts[2]]...)
	out = append(out, t[cuts[0]:cuts[1]]...)
	out = append(out, t[cuts[2]:]...)
	s.tour = out
	for i, k := range out {
		s.at[k] = i
	}
	for _, i := range []int{cuts[0] - 1, cuts[0], cuts[1], cuts[2] - 1, cuts[2]} {
		s.push(t[i%n])
	}
	s.push(t[cuts[1]-1])
}
