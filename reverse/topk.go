package reverse

import (
	"math"
	"math/bits"
	"slices"
	"sync"

	"github.com/riffle-ml/riffle/perm"
)

// Beam finds probable orders of a law whose row i of scores chooses the object at output position i
// from those left. That is GPL, and PL with the same row for all positions (paper, appendix
// "Additional Details of Decoding").
//
// After each row it keeps the k most probable prefixes, and always the greedy one. So the first
// candidate is never worse than the greedy order. For k = 1 it is the greedy order. The result is
// exact if k is at least the number of prefixes of every length. Otherwise it may miss a better
// order. Prefixes of probability zero are dropped.
//
// Prefixes are back-pointers and bitsets, so memory is O(k·n). A Beam reuses its memory from one
// search to the next. The zero value is ready. It does one search at a time.
type Beam struct {
	words int // of a bitset of objects

	// The row at hand.
	byScore []key     // objects by falling score
	row     []float64 // its scores
	partial []float64 // sums of e^(score − greatest score) over every part of four objects
	places  []uint64  // bitsets of where in byScore the possible objects of every such part are

	// The prefixes, most probable first.
	logp, nextLogp []float64
	used, nextUsed []uint64
	left           []logSum // of the scores of objects not used
	open           []uint64 // bitsets of where in byScore the objects are that may still be offered
	cursor         []int32  // the first of them, or len(byScore)
	values         []uint64 // the best offer of each prefix, from which offered starts
	offered        tournament

	// All prefixes: those of length i + 1 are at start[i] and after.
	start        []int
	parent, item []int32

	orders     []int
	candidates []Candidate
}

// Search returns at most k orders of n objects, most probable first; row(i) gives
// the n scores of position i. If all prefixes run into a row without a possible
// object, the greedy order is returned alone, with log-probability −Inf. The result
// is valid until the next Search.
func (b *Beam) Search(n, k int, row func(i int) []float64) []Candidate {
	return b.SearchAbove(n, k, negInf, row)
}

// SearchAbove is [Beam.Search] without the orders whose log-probability is below floor, except for
// the greedy one. A prefix is given up as soon as it falls below. What is left is the same.
func (b *Beam) SearchAbove(n, k int, floor float64, row func(i int) []float64) []Candidate {
	if k < 1 {
		return nil
	}
	b.words = (n + 63) / 64
	b.logp = append(b.logp[:0], 0)
	b.used = append(b.used[:0], make([]uint64, b.words)...)
	b.start, b.parent, b.item = b.start[:0], b.parent[:0], b.item[:0]
	greedyAt := 0 // where the greedy prefix is, or −1 if it is impossible
	for i := range n {
		b.prepare(row(i))
		if greedyAt = b.extend(k, floor, greedyAt); len(b.logp) == 0 {
			return b.impossible(n, row)
		}
	}
	return b.result(n)
}

// prepare sorts a row and takes its exponentials.
func (b *Beam) prepare(row []float64) {
	if slices.Equal(b.row, row) {
		return // PL: the same row again
	}
	b.row = append(b.row[:0], row...)
	b.byScore = grown(b.byScore, len(row))
	for j, s := range row {
		b.byScore[j] = key{clean(s), int32(j)}
	}
	slices.SortFunc(b.byScore, byValue)
	b.partial = grown(b.partial, b.words<<8)
	clear(b.partial)
	b.places = grown(b.places, b.words<<8*b.words)
	clear(b.places)
	greatest := b.byScore[0].value
	for place, o := range b.byScore {
		if o.value == negInf {
			break
		}
		at := int(o.index)>>2<<4 + 1<<(o.index&3)
		b.partial[at] = math.Exp(o.value - greatest)
		b.places[at*b.words+place>>6] |= 1 << (place & 63)
	}
	for at := 0; at < len(b.partial); at += 16 {
		t, u := (*[16]float64)(b.partial[at:]), b.places[at*b.words:(at+16)*b.words]
		for part := 3; part < 16; part++ {
			rest := part & (part - 1)
			if rest == 0 {
				continue
			}
			t[part] = t[part&-part] + t[rest]
			for w := range b.words {
				u[part*b.words+w] = u[part&-part*b.words+w] | u[rest*b.words+w]
			}
		}
	}
}

// extend replaces the prefixes of length i by the k best of length i + 1, and
// returns where the greedy one is now.
func (b *Beam) extend(k int, floor float64, greedyAt int) int {
	live := len(b.logp)
	b.left = grown(b.left, live)
	b.cursor = grown(b.cursor, live)
	b.open = grown(b.open, live*b.words)
	b.values = grown(b.values, live)
	for p := range live {
		b.values[p] = 0
		if b.survey(p) {
			b.values[p] = ordered(b.offer(p))
		}
	}
	b.offered.start(b.values)

	b.start = append(b.start, len(b.item))
	b.nextLogp, b.nextUsed = b.nextLogp[:0], b.nextUsed[:0]
	greedyNext := -1
	for len(b.nextLogp) < k {
		best := b.offered.nodes[0]
		value, p := number(best.value), int(best.place)
		if best.value == 0 || value < floor {
			break
		}
		if p == greedyAt && greedyNext < 0 {
			greedyNext = len(b.nextLogp)
		}
		b.take(p, value)
		next := uint64(0)
		if b.next(p) {
			next = ordered(b.offer(p))
		}
		b.offered.fall(next)
	}
	// Its best offer is still there if the greedy prefix was not taken.
	if greedyNext < 0 && greedyAt >= 0 && b.offers(greedyAt) {
		greedyNext = len(b.nextLogp)
		if greedyNext == k { // the last one gives way
			greedyNext--
			b.nextLogp = b.nextLogp[:greedyNext]
			b.nextUsed = b.nextUsed[:greedyNext*b.words]
			b.parent, b.item = b.parent[:len(b.parent)-1], b.item[:len(b.item)-1]
		}
		b.take(greedyAt, b.offer(greedyAt))
	}
	b.logp, b.nextLogp = b.nextLogp, b.logp
	b.used, b.nextUsed = b.nextUsed, b.used
	return greedyNext
}

// offers reports whether prefix p has anything to offer.
func (b *Beam) offers(p int) bool { return int(b.cursor[p]) < len(b.byScore) }

// survey finds what prefix p can offer, goes to the first of it and sums over what is left. It
// reports false if that is nothing.
func (b *Beam) survey(p int) bool {
	used, open := b.used[p*b.words:(p+1)*b.words], b.open[p*b.words:(p+1)*b.words]
	if b.words == 1 {
		t, left := (*[256]uint64)(b.places), ^used[0]
		open[0] = (t[left&15] | t[16+left>>4&15] | t[32+left>>8&15] | t[48+left>>12&15]) |
			(t[64+left>>16&15] | t[80+left>>20&15] | t[96+left>>24&15] | t[112+left>>28&15]) |
			(t[128+left>>32&15] | t[144+left>>36&15] | t[160+left>>40&15] | t[176+left>>44&15]) |
			(t[192+left>>48&15] | t[208+left>>52&15] | t[224+left>>56&15] | t[240+left>>60])
	} else {
		clear(open)
		for w, word := range used {
			for part, left := w<<8, ^word; left != 0; part, left = part+16, left>>4 {
				at := (part + int(left&15)) * b.words
				for i, places := range b.places[at : at+b.words] {
					open[i] |= places
				}
			}
		}
	}
	if !b.first(p) {
		return false
	}
	b.left[p] = b.sumLeft(p)
	return true
}

// first moves prefix p's cursor to the first object that it may offer. If there is none it reports
// false, with the cursor at the end.
func (b *Beam) first(p int) bool {
	for w, word := range b.open[p*b.words : (p+1)*b.words] {
		if word != 0 {
			b.cursor[p] = int32(w<<6 + bits.TrailingZeros64(word))
			return true
		}
	}
	b.cursor[p] = int32(len(b.byScore))
	return false
}

// next is first after the object at the cursor.
func (b *Beam) next(p int) bool {
	c := int(b.cursor[p])
	b.open[p*b.words+c>>6] &^= 1 << (c & 63)
	return b.first(p)
}

// offer returns the log-probability of prefix p with the object at its cursor.
func (b *Beam) offer(p int) float64 {
	return b.logp[p] + b.left[p].logProb(b.byScore[b.cursor[p]].value)
}

// sumLeft sums over the objects that prefix p has not used.
func (b *Beam) sumLeft(p int) logSum {
	used := b.used[p*b.words : (p+1)*b.words]
	sum := 0.0
	for w, word := range used {
		t, left := (*[256]float64)(b.partial[w<<8:]), ^word
		sum += (t[left&15] + t[16+left>>4&15] + t[32+left>>8&15] + t[48+left>>12&15]) +
			(t[64+left>>16&15] + t[80+left>>20&15] + t[96+left>>24&15] + t[112+left>>28&15]) +
			(t[128+left>>32&15] + t[144+left>>36&15] + t[160+left>>40&15] + t[176+left>>44&15]) +
			(t[192+left>>48&15] + t[208+left>>52&15] + t[224+left>>56&15] + t[240+left>>60])
	}
	greatest := b.byScore[0].value
	if sum > 1e-280 {
		return logSum{greatest, math.Log(sum)}
	}
	// The objects left are far below the greatest: measure from their own.
	sum, greatest = 0, b.byScore[b.cursor[p]].value
	for _, o := range b.byScore[b.cursor[p]:] {
		if used[o.index>>6]&(1<<(o.index&63)) == 0 {
			sum += math.Exp(o.value - greatest)
		}
	}
	return logSum{greatest, math.Log(sum)}
}

// take adds prefix p with the object at its cursor to the next prefixes.
func (b *Beam) take(p int, logp float64) {
	j := b.byScore[b.cursor[p]].index
	b.nextLogp = append(b.nextLogp, logp)
	b.parent = append(b.parent, int32(p))
	b.item = append(b.item, j)
	at := len(b.nextUsed)
	b.nextUsed = append(b.nextUsed, b.used[p*b.words:(p+1)*b.words]...)
	b.nextUsed[at+int(j>>6)] |= 1 << (j & 63)
}

// siftDown restores the heap below entry i.
func siftDown(heap []key, i int) {
	if i >= len(heap) {
		return
	}
	moving := heap[i]
	for {
		child := 2*i + 1
		if child >= len(heap) {
			break
		}
		if child+1 < len(heap) && before(heap[child+1], heap[child]) {
			child++
		}
		if !before(heap[child], moving) {
			break
		}
		heap[i] = heap[child]
		i = child
	}
	heap[i] = moving
}

// siftUp restores the heap after an entry was appended.
func siftUp(heap []key) {
	for i := len(heap) - 1; i > 0; {
		up := (i - 1) / 2
		if !before(heap[i], heap[up]) {
			return
		}
		heap[up], heap[i] = heap[i], heap[up]
		i = up
	}
}

// dropTop removes the first entry of the heap.
func dropTop(heap []key) []key {
	last := len(heap) - 1
	heap[0] = heap[last]
	siftDown(heap[:last], 0)
	return heap[:last]
}

// result follows the back-pointers of the prefixes, now orders.
func (b *Beam) result(n int) []Candidate {
	live := len(b.logp)
	b.orders = grown(b.orders, live*n)
	b.candidates = grown(b.candidates, live)
	for c := range live {
		o := b.orders[c*n : (c+1)*n : (c+1)*n]
		for i, p := n-1, c; i >= 0; i-- {
			at := b.start[i] + p
			o[i], p = int(b.item[at]), int(b.parent[at])
		}
		b.candidates[c] = Candidate{o, min(b.logp[c], 0)}
	}
	return b.candidates
}

// impossible is the result where every prefix has probability zero.
func (b *Beam) impossible(n int, row func(i int) []float64) []Candidate {
	b.orders = grown(b.orders, n)
	greedyBy(func(placed []int) []float64 { return row(len(placed)) }, b.orders)
	b.candidates = append(b.candidates[:0], Candidate{b.orders, negInf})
	return b.candidates
}

var beamPool = sync.Pool{New: func() any { return new(Beam) }}

// beamTopK searches with a borrowed beam and copies the result, ties in
// lexicographic order.
func beamTopK(n, k int, floor float64, row func(i int) []float64) []Candidate {
	b := beamPool.Get().(*Beam)
	defer beamPool.Put(b)
	found := b.SearchAbove(n, k, floor, row)
	orders, out := make([]int, len(found)*n), make([]Candidate, len(found))
	for c, f := range found {
		o := perm.Order(orders[c*n : (c+1)*n : (c+1)*n])
		copy(o, f.Order)
		out[c] = Candidate{o, f.LogProb}
	}
	return sortCandidates(out, len(out))
}
