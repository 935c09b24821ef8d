package constraint

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/riffle-ml/riffle/perm"
)

// dense are rules that a random order obeys: so many items before others and positions forbidden.
func dense(rng *rand.Rand, n, befores, forbids int) (s Rules) {
	truth := perm.Random(rng, n)
	rank := truth.Rank()
	for len(s.Befores) < befores {
		if a, b := rng.IntN(n), rng.IntN(n); rank[a] < rank[b] {
			s.Befores = append(s.Befores, Before{a, b})
		}
	}
	for len(s.Forbids) < forbids {
		if k, i := rng.IntN(n), rng.IntN(n); rank[k] != i {
			s.Forbids = append(s.Forbids, Place{k, i})
		}
	}
	return s
}

// completable says of every set of items, as bits, whether an order obeys whose first items they
// are. It does so by dynamic programming over sets, which knows nothing of windows, matchings and
// searches.
func completable(s Rules, n int) []bool {
	ok := make([]bool, 1<<n)
	ok[1<<n-1] = true
	for set := 1<<n - 2; set >= 0; set-- {
		at := 0
		for k := range n {
			at += set >> k & 1
		}
		for k := range n {
			if set>>k&1 == 0 && ok[set|1<<k] && !slices.Contains(s.Forbids, Place{k, at}) &&
				!slices.ContainsFunc(s.Befores, func(b Before) bool { return b.B == k && set>>b.A&1 == 0 }) {
				ok[set] = true
				break
			}
		}
	}
	return ok
}

// At each step of walks through rules that only a search decides, those items may come next that
// dynamic programming allows and no others. However the walk came there does not matter: from the
// start, by a clone, by Set, or with no call of Next before Place.
func TestNextAgainstSets(t *testing.T) {
	const n = 11
	rng := rand.New(rand.NewPCG(5, 5))
	searched := 0
	for c := range 60 {
		s := dense(rng, n, 1+c%12, c*n*n*8/10/60+1)
		p, err := s.Compile(n)
		if err != nil {
			t.Fatal(err)
		}
		ok := completable(s, n)
		start := p.Walk()
		w := start.Clone()
		may := make([]bool, n)
		for walk := range 6 {
			if w.Set(start); walk%3 == 0 {
				w = start.Clone()
			}
			set := 0
			for at := range n {
				var next []int
				for k := range n {
					if set>>k&1 == 0 && ok[set|1<<k] && !slices.Contains(s.Forbids, Place{k, at}) &&
						!slices.ContainsFunc(s.Befores, func(b Before) bool { return b.B == k && set>>b.A&1 == 0 }) {
						next = append(next, k)
					}
				}
				if walk%3 < 2 {
					w.Next(may)
					for k := range n {
						if may[k] != slices.Contains(next, k) {
							t.Fatalf("%+v: after %v item %d may follow: %v, wanted %v", s, w.Order(), k, may[k], next)
						}
					}
				}
				k := next[rng.IntN(len(next))]
				w.Place(k)
				set |= 1 << k
			}
			if err := errors.Join(w.Order().Validate(), p.Check(w.Order())); err != nil {
				t.Fatal(err)
			}
		}
		searched += len(start.room.known)
	}
	if searched < 100 {
		t.Errorf("%d searches: the cases are too tame", searched)
	}
}

// What may come next depends on where a walk is and not on the walks before it in the same
// memory, even where searches are cut off.
func TestWalksForgetOthers(t *testing.T) {
	const n = 40
	rng := rand.New(rand.NewPCG(6, 6))
	p, err := dense(rng, n, n/2, n*n*8/10).Compile(n)
	if err != nil {
		t.Fatal(err)
	}
	start := p.Walk()
	start.left = 60 // so that it is spent on the way
	shared := start.Clone()
	a, b, spent := make([]bool, n), make([]bool, n), false
	for range 10 {
		shared.Set(start)
		alone := p.Walk()
		alone.left = start.left
		for range n {
			shared.Next(a)
			shared.Next(a) // asked twice
			if alone.Next(b); !slices.Equal(a, b) {
				t.Fatalf("after %v may follow %v, in a new walk %v", shared.Order(), a, b)
			}
			k := rng.IntN(n)
			for !a[k] {
				k = (k + 1) % n
			}
			shared.Place(k)
			alone.Place(k)
		}
		if err := errors.Join(shared.Order().Validate(), p.Check(shared.Order())); err != nil {
			t.Fatal(err)
		}
		spent = spent || shared.left <= 0
	}
	if !spent {
		t.Error("no walk used up what its searches may look at: the case is too tame")
	}
}

// A search ends with its context.
func TestCompileEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := dense(rand.New(rand.NewPCG(7, 7)), 20, 10, 10)
	if _, err := s.CompileContext(ctx, 20); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, wanted that the context has ended", err)
	}
	p, err := s.Compile(20)
	if err != nil {
		t.Fatal(err)
	}
	r := newRoom(p)
	r.ctx, r.looked = ctx, 255
	if r.try(p) || !r.cut {
		t.Error("a search goes on after its context")
	}
}
