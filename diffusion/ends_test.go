package diffusion

import (
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/riffle-ml/riffle/constraint"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/reverse"
	"github.com/riffle-ml/riffle/shuffle"
)

// countdown is a context that ends when it was looked at so many times.
type countdown struct {
	context.Context
	looks, ends int64
}

func (c *countdown) Err() error {
	if atomic.AddInt64(&c.looks, 1) > c.ends {
		return context.Canceled
	}
	return nil
}

// ruledDecoder decodes two sets of six under rules that one order in 60 obeys, so that most
// draws are of orders that are built.
func ruledDecoder(t *testing.T) (dec *Decoder, enc *Encoded) {
	const n = 6
	p := &Process{Forward: shuffle.Riffle{}, Reverse: reverse.GeneralizedPlackettLuce{}, Steps: []int{0, 7}}
	e, store, d := tiny(t, p, n)
	dec, err := NewDecoder(e, store, d, p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(dec.Close)
	plan := compile(t, constraint.Rules{
		Befores: []constraint.Before{{A: 5, B: 4}, {A: 4, B: 3}, {A: 3, B: 2}, {A: 2, B: 1}},
		Forbids: []constraint.Place{{Item: 0, Position: 1}, {Item: 0, Position: 3}, {Item: 0, Position: 5}},
	}, n)
	if dec, err = dec.WithConstraints([]*constraint.Plan{plan, plan}); err != nil {
		t.Fatal(err)
	}
	if enc, err = dec.Encode(t.Context(), features(rand.New(rand.NewPCG(1, 1)), 2, n)); err != nil {
		t.Fatal(err)
	}
	return dec, enc
}

// decodings are ways to decode, each the same whenever it is called.
func decodings(dec *Decoder, enc *Encoded, draws int) map[string]func(context.Context) (any, error) {
	noise := func(count int) (starts []perm.Order, rngs []*rand.Rand) {
		for i := range count {
			rngs = append(rngs, rand.New(rand.NewPCG(4, uint64(i))))
			starts = append(starts, dec.Process.Start(rngs[i], enc.Size(0)))
		}
		return starts, rngs
	}
	return map[string]func(context.Context) (any, error){
		"greedy": func(ctx context.Context) (any, error) {
			starts, _ := noise(enc.Batch)
			return dec.Greedy(ctx, enc, starts)
		},
		"beam": func(ctx context.Context) (any, error) {
			starts, _ := noise(enc.Batch)
			return dec.Beam(ctx, enc, starts, 4, 8)
		},
		"sample": func(ctx context.Context) (any, error) {
			starts, rngs := noise(enc.Batch * draws)
			return dec.Sample(ctx, enc, starts, rngs)
		},
	}
}

// Under rules decoding looks at its context all the while, and ends with its error.
func TestDecodingEnds(t *testing.T) {
	dec, enc := ruledDecoder(t)
	const draws = 8
	for name, decode := range decodings(dec, enc, draws) {
		whole := &countdown{t.Context(), 0, 1 << 62}
		if _, err := decode(whole); err != nil {
			t.Fatal(err)
		}
		if name == "sample" && whole.looks < draws*Proposals {
			t.Errorf("%s: %d looks at the context: the case is too tame", name, whole.looks)
		}
		for _, share := range []int64{0, 2, 3} { // ended before, at a half and at two thirds
			part := &countdown{t.Context(), 0, whole.looks * max(0, share-1) / max(1, share)}
			if out, err := decode(part); !errors.Is(err, context.Canceled) || !reflect.ValueOf(out).IsNil() {
				t.Errorf("%s: %v after %d of %d looks, wanted that the context has ended", name, err, part.ends, whole.looks)
			}
			// Each way that was begun looks once more, each that was not once.
			if part.looks > part.ends+4*draws {
				t.Errorf("%s: %d looks at a context that ended at %d", name, part.looks, part.ends)
			}
		}
	}
}

// Without rules, every kind of work looks at its context in each part of the network's and for each
// state of the host's, and ends with its error at whatever look.
func TestFreeWorkEnds(t *testing.T) {
	const n, draws, wide = 5, 6, 7
	p := &Process{Forward: shuffle.Riffle{}, Reverse: reverse.GeneralizedPlackettLuce{}, Steps: []int{0, 2, 6}}
	e, store, d := tiny(t, p, n)
	dec, err := NewDecoder(e, store, d, p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(dec.Close)
	objects := features(rand.New(rand.NewPCG(1, 1)), 2, n)
	dec.elements, dec.tokens = 1, 1 // an object, and a state, at a time
	enc, err := dec.Encode(t.Context(), objects)
	if err != nil {
		t.Fatal(err)
	}
	all := decodings(dec, enc, draws)
	all["beam"] = func(ctx context.Context) (any, error) {
		return dec.Beam(ctx, enc, []perm.Order{perm.Identity(n), perm.Identity(n)}, wide, wide)
	}
	all["score"] = func(ctx context.Context) (any, error) {
		rngs := []*rand.Rand{rand.New(rand.NewPCG(1, 1)), rand.New(rand.NewPCG(1, 2))}
		return dec.Likelihood(ctx, enc, []perm.Order{perm.Identity(n), perm.Identity(n)}, draws, rngs)
	}
	all["encode"] = func(ctx context.Context) (any, error) {
		return dec.Encode(ctx, objects)
	}
	// What has to be looked at: two steps, each of so many states of each of two sets.
	least := map[string]int64{"greedy": 2, "beam": 1 + wide + 2*(1+2*wide), "sample": 2 * 2 * draws, "score": 2 * draws, "encode": 2}
	for name, work := range all {
		whole := &countdown{t.Context(), 0, 1 << 62}
		if _, err := work(whole); err != nil {
			t.Fatal(err)
		}
		if whole.looks < least[name] {
			t.Errorf("%s: %d looks at the context, wanted %d or more", name, whole.looks, least[name])
		}
		for ends := range whole.looks {
			part := &countdown{t.Context(), 0, ends}
			if out, err := work(part); !errors.Is(err, context.Canceled) || !reflect.ValueOf(out).IsNil() {
				t.Errorf("%s: %v after %d of %d looks, wanted that the context has ended", name, err, ends, whole.looks)
			}
		}
	}
}

// What comes out does not depend on how many cores there are.
func TestCoresDoNotMatter(t *testing.T) {
	dec, enc := ruledDecoder(t)
	for name, decode := range decodings(dec, enc, 20) {
		var outs []any
		for _, cores := range []int{1, 4} {
			before := runtime.GOMAXPROCS(cores)
			out, err := decode(t.Context())
			runtime.GOMAXPROCS(before)
			if err != nil {
				t.Fatal(err)
			}
			outs = append(outs, out)
		}
		if !reflect.DeepEqual(outs[0], outs[1]) {
			t.Errorf("%s: %v on one core, %v on four", name, outs[0], outs[1])
		}
	}
}
