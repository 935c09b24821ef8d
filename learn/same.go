package learn

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"math"

	"github.com/riffle-ml/riffle/dataset"
)

// digest is the SHA-256 of what a question about a set depends on.
type digest [sha256.Size]byte

// seed is a digest as the seed of a generator. So draws depend on the set alone, and not on its id,
// its place in a file, or the sets around it.
func (d digest) seed() uint64 { return binary.LittleEndian.Uint64(d[:]) }

// digestOf hashes the items of a set in their order, its constraints and, where a question is about
// that, what is known of its order. Names of columns count. Names of items count where items are
// known by them, and where constraints use them. Images of files count by the path that the set has
// for them.
func digestOf(s *dataset.Set, known bool) digest {
	h := hasher{Hash: sha256.New()}
	rules := !s.Constraints.IsZero()
	if c := s.Columns; c != nil && s.Kind == dataset.KindFeatures {
		h.integer(c.First)
		for _, name := range c.Names {
			h.text(name)
		}
	}
	h.integer(int(s.Kind))
	h.integer(len(s.Items))
	if c := s.Columns; c != nil && !c.Sparse {
		h.integer(len(c.Names))
		for _, name := range c.Names {
			h.text(name)
		}
	} else if c != nil {
		h.integer(-1 - c.First)
	}
	var names []string
	if rules {
		names = s.ItemNames()
	}
	for i := range s.Items {
		it := &s.Items[i]
		switch s.Kind {
		case dataset.KindFeatures:
			h.integer(len(it.Features))
			for _, v := range it.Features {
				h.number(v)
			}
		case dataset.KindPoint:
			h.number(it.Point[0])
			h.number(it.Point[1])
		case dataset.KindImage:
			if p := it.Picture; p != nil {
				h.integer(p.Rows)
				h.integer(p.Cols)
				h.integer(p.Channels)
				h.text(string(p.Pix))
			} else {
				h.text(it.Image)
			}
		}
		switch {
		case rules: // which call items so
			h.text(names[i])
		case s.Kind == dataset.KindBare:
			h.text(it.ID)
		}
	}
	if rules {
		for _, list := range [][]string{s.Constraints.Pin, s.Constraints.Forbid, s.Constraints.Before, s.Constraints.First} {
			h.integer(len(list))
			for _, rule := range list {
				h.text(rule)
			}
		}
	}
	if known {
		l := s.Levels
		if s.Order != nil { // it is what is scored
			l = dataset.Strict(s.Order)
		}
		h.integer(len(l))
		for _, group := range l {
			h.integer(len(group))
			for _, k := range group {
				h.integer(k)
			}
		}
	}
	return digest(h.Sum(nil))
}

// hasher writes values of fixed length, and texts behind their length. So two different lists of
// values are never the same bytes.
type hasher struct {
	hash.Hash
	buf [8]byte
}

func (h *hasher) integer(v int)    { h.bits(uint64(v)) }
func (h *hasher) number(v float64) { h.bits(math.Float64bits(v)) }

func (h *hasher) bits(v uint64) {
	binary.LittleEndian.PutUint64(h.buf[:], v)
	h.Write(h.buf[:])
}

func (h *hasher) text(s string) {
	h.integer(len(s))
	h.Write([]byte(s))
}

// distinct are sets without repetitions, so that the same question is answered once.
type distinct struct {
	sets    []*dataset.Set // copies that have the names by which errors call them
	digests []digest       // without what is known of the order: all orders of a set get the same draws
	of      []int          // of[i] is where in sets the answer for set i is
}

// distinctSets finds the sets that are the same question. Sets without an id are called by their
// number, from 1.
func distinctSets(sets []*dataset.Set, known bool) *distinct {
	type question struct {
		digest
		dir string // where images are
	}
	d := &distinct{of: make([]int, len(sets))}
	at := make(map[question]int, len(sets))
	for i, s := range sets {
		objects := digestOf(s, false)
		q := question{digest: objects}
		if known {
			q.digest = digestOf(s, true)
		}
		if s.Kind == dataset.KindImage {
			q.dir = s.Dir
		}
		j, there := at[q]
		if !there {
			j = len(d.sets)
			at[q] = j
			called := *s
			called.ID = s.Called(i)
			d.sets, d.digests = append(d.sets, &called), append(d.digests, objects)
		}
		d.of[i] = j
	}
	return d
}

// spread gives every set the value of its question.
func spread[T any](d *distinct, values []T) []T {
	out := make([]T, len(d.of))
	for i, j := range d.of {
		out[i] = values[j]
	}
	return out
}
