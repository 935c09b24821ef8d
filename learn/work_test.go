package learn

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/constraint"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/diffusion"
	"github.com/riffle-ml/riffle/engine"
)

// working is a model of ranked lists by a law, with its starting weights.
func working(t *testing.T, law string) *Model {
	t.Helper()
	e, err := engine.Open("go")
	if err != nil {
		t.Fatal(err)
	}
	cfg := config.Default()
	cfg.Task = config.Task{Name: "tsp", N: 16}
	cfg.Process.Reverse = law
	cfg.Model.Encoder = "points"
	cfg.Model.Dim, cfg.Model.Layers, cfg.Model.Heads, cfg.Model.FeedForward = 64, 2, 4, 128
	switch law {
	case "ii":
		cfg.Process.Forward = "insertion"
	case "it":
		cfg.Process.Forward = "transposition"
	}
	m, _, err := New(cfg, e)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	return m
}

func setsOf(sizes ...int) (out []*dataset.Set) {
	for _, n := range sizes {
		out = append(out, &dataset.Set{Items: make([]dataset.Item, n)})
	}
	return out
}

// More of anything is more work, and no question is so large that its work wraps round.
func TestWorkGrows(t *testing.T) {
	beam := func(beam, inner int) Query {
		return Query{Kind: KindOrder, Top: 1, Decode: DecodeOptions{Method: "beam", Beam: beam, Inner: inner}}
	}
	ruled := setsOf(16)
	ruled[0].Constraints = constraint.Text{Before: []string{"1,2"}}
	for _, law := range []string{"gpl", "pl", "path", "irs", "ii", "it"} {
		m := working(t, law)
		for _, c := range []struct {
			name       string
			less, more Work
		}{
			{"beam over greedy", m.Work(Query{Kind: KindOrder, Top: 1, Decode: DecodeOptions{Method: "greedy"}}, setsOf(16)), m.Work(beam(20, 200), setsOf(16))},
			{"wider", m.Work(beam(20, 200), setsOf(16)), m.Work(beam(40, 200), setsOf(16))},
			{"items", m.Work(beam(20, 200), setsOf(16)), m.Work(beam(20, 200), setsOf(32))},
			{"sets", m.Work(beam(20, 200), setsOf(16)), m.Work(beam(20, 200), setsOf(16, 16))},
			{"sizes", m.Work(beam(20, 200), setsOf(16, 16)), m.Work(beam(20, 200), setsOf(16, 17))},
			{"a rule", m.Work(beam(20, 200), setsOf(16)), m.Work(beam(20, 200), ruled)},
			{"samples", m.Work(Query{Kind: KindSample, Count: 100}, setsOf(16)), m.Work(Query{Kind: KindSample, Count: 200}, setsOf(16))},
			{"a rule of samples", m.Work(Query{Kind: KindSample, Count: 100}, setsOf(16)), m.Work(Query{Kind: KindSample, Count: 100}, ruled)},
			{"draws", m.Work(Query{Kind: KindScore, Count: 100}, setsOf(16)), m.Work(Query{Kind: KindScore, Count: 200}, setsOf(16))},
			{"many draws", m.Work(Query{Kind: KindScore, Count: MaxDraws}, setsOf(2)), m.Work(Query{Kind: KindScore, Count: math.MaxInt}, setsOf(2, 2))},
			{"many samples", m.Work(Query{Kind: KindSample, Count: 1 << 40}, setsOf(2)), m.Work(Query{Kind: KindSample, Count: math.MaxInt}, setsOf(2, 2))},
		} {
			if !(c.more.Seconds > c.less.Seconds) || c.more.Bytes < c.less.Bytes || math.IsInf(c.more.Seconds, 0) {
				t.Errorf("%s, %s: %+v, wanted more than %+v", law, c.name, c.more, c.less)
			}
		}
	}
}

// Questions that were measured to take more than 35 seconds, or 2 GB, of a model of this size take more than
// 20 s and 256 MiB here. Usual ones take less.
func TestWorkOfKnownQuestions(t *testing.T) {
	m := working(t, "gpl")
	for _, c := range []struct {
		beam, inner int
		sizes       []int
		much        bool
	}{
		{16384, 1024, []int{16}, true}, // 272 s, 6.6 GB
		{4096, 1024, []int{64}, true},  // 6.1 GB
		{1024, 1, []int{256}, true},    // out of memory
		{20, 200, []int{16, 16, 16, 16}, false},
		{64, 64, []int{52}, false},
	} {
		w := m.Work(Query{Kind: KindOrder, Top: 1, Decode: DecodeOptions{Method: "beam", Beam: c.beam, Inner: c.inner}}, setsOf(c.sizes...))
		if much := w.Seconds > 20 || w.Bytes > 256<<20; much != c.much {
			t.Errorf("beam %d/%d of %v: %+v, wanted too much: %v", c.beam, c.inner, c.sizes, w, c.much)
		}
	}
}

// Options that have no answer are said by name.
func TestOptions(t *testing.T) {
	own := DecodeOptions{Method: "beam", Beam: 5, Inner: 7}
	for _, c := range []struct {
		given  DecodeOptions
		top    int
		want   DecodeOptions
		option string
	}{
		{DecodeOptions{}, 1, own, ""},
		{DecodeOptions{}, 9, DecodeOptions{Method: "beam", Beam: 9, Inner: 7}, ""},
		{DecodeOptions{Beam: 2}, 1, DecodeOptions{Method: "beam", Beam: 2, Inner: 7}, ""},
		{DecodeOptions{Method: "greedy"}, 1, DecodeOptions{Method: "greedy"}, ""},
		{DecodeOptions{Method: "greedy"}, 2, own, "decode"},
		{DecodeOptions{Method: "greedy", Beam: 1}, 1, own, "decode"},
		{DecodeOptions{Method: "best"}, 1, own, "decode"},
		{DecodeOptions{}, 0, own, "top"},
		{DecodeOptions{}, MaxBeam + 1, own, "top"},
		{DecodeOptions{Beam: MaxBeam + 1}, 1, own, "beam"},
		{DecodeOptions{Inner: -1}, 1, own, "inner"},
	} {
		got, err := c.given.Complete(own, c.top)
		wrong, isOption := errors.AsType[*Refusal](err)
		if c.option == "" && (err != nil || got != c.want) || c.option != "" && (!isOption || wrong.Option != c.option) {
			t.Errorf("%+v with top %d: %+v, %v, wanted %+v, an error of %q", c.given, c.top, got, err, c.want, c.option)
		}
	}
	for count, wrong := range map[int]bool{0: true, -1: true, 1: false, MaxDraws: false, MaxDraws + 1: true} {
		if err := CheckDraws("draws", count); (err != nil) != wrong {
			t.Errorf("%d draws: %v", count, err)
		}
	}
}

// Tied ranked lists have a score, tours with ties have none, and the rule looks at the process.
func TestCheckScore(t *testing.T) {
	tied := &dataset.Set{Items: make([]dataset.Item, 3), Levels: dataset.BucketOrder{{0, 1}, {2}}}
	for _, c := range []struct {
		fixed bool
		set   *dataset.Set
		ok    bool
	}{
		{false, tied, true},
		{true, tied, false},
		{false, &dataset.Set{Items: make([]dataset.Item, 3)}, false},
		{true, &dataset.Set{Items: make([]dataset.Item, 3), Order: []int{0, 1, 2}}, true},
		{true, &dataset.Set{}, true},
	} {
		if err := CheckScore(&diffusion.Process{FixFirst: c.fixed}, c.set); (err == nil) != c.ok {
			t.Errorf("%s: %v", fmt.Sprint(c), err)
		}
	}
}
