package reverse

import "math"

// tournament gives the greatest of many values while one after the other falls. It is a tree of
// matches, in each of which the loser stays (Knuth, The Art of Computer Programming 3, §5.4.1). A
// heap looks at two children a level and branches on both. This looks at one loser a level, without
// branches. Equal values are ordered by rising place.
type tournament struct {
	nodes []match // nodes[0] is the winner, nodes[1:] are the losers; the leaf of place p is node len + p
}

// match is a value and its place. Zero is below all.
type match struct {
	value uint64 // see ordered
	place int64
}

// ordered maps numbers, −Inf among them, to integers above 0 of the same order.
func ordered(v float64) uint64 {
	bits := math.Float64bits(v + 0) // −0 becomes 0
	return bits ^ (uint64(int64(bits)>>63) | 1<<63)
}

// number is the inverse of ordered.
func number(u uint64) float64 {
	return math.Float64frombits(u ^ (uint64(int64(^u)>>63) | 1<<63))
}

// start begins anew with the values of places 0, 1, …, one or more; 0 is none.
func (t *tournament) start(values []uint64) {
	n := len(values)
	t.nodes = grown(t.nodes, 2*n)
	for p, v := range values {
		t.nodes[n+p] = match{v, int64(p)}
	}
	// From the leaves to the root the winner goes up in place of the pair's parent. Then each node
	// gets the loser of its children, from the root down, parents before children.
	winners := t.nodes // and losers, from the root as far as the second loop is
	for i := n - 1; i > 0; i-- {
		winners[i] = winners[2*i]
		if winners[2*i+1].beats(winners[2*i]) {
			winners[i] = winners[2*i+1]
		}
	}
	winners[0] = winners[1]
	for i := 1; i < n; i++ {
		if a, b := winners[2*i], winners[2*i+1]; a.beats(b) {
			t.nodes[i] = b
		} else {
			t.nodes[i] = a
		}
	}
	t.nodes = t.nodes[:n]
}

func (m match) beats(other match) bool {
	return m.value > other.value || m.value == other.value && m.place < other.place
}

// fall replaces the winner's value by a lower one, or 0 for none, and finds the next.
func (t *tournament) fall(value uint64) {
	nodes := t.nodes
	now := match{value, nodes[0].place}
	for i := (len(nodes) + int(now.place)) >> 1; i > 0; i >>= 1 {
		loser := &nodes[i]
		var swap uint64
		if loser.value > now.value {
			swap = 1
		}
		if loser.value == now.value && loser.place < now.place { // rare
			swap = 1
		}
		d, e := (loser.value^now.value)&-swap, (loser.place^now.place)&-int64(swap)
		loser.value, loser.place = loser.value^d, loser.place^e
		now.value, now.place = now.value^d, now.place^e
	}
	nodes[0] = now
}
