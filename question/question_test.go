package question

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/riffle-ml/riffle/constraint"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/internal/hint"
	"github.com/riffle-ml/riffle/learn"
)

// What has no answer is refused with a kind, the option, and a hint apart, and doors name options their
// way.
func TestRefusals(t *testing.T) {
	order := func(top int, d learn.DecodeOptions) error { return Order{top, d}.Check() }
	for _, c := range []struct {
		err               error
		kind              learn.RefusalKind
		option            string
		field, flag, help string
	}{
		{order(0, learn.DecodeOptions{}), learn.Usage, "top", "top: must be 1 to 65536 (got 0)", "--top must be 1 to 65536 (got 0)", ""},
		{order(2, learn.DecodeOptions{Method: "greedy"}), learn.Usage, "decode", "decode: greedy gives one order (asked for top 2)", "--decode greedy gives one order (asked for --top 2)", "decode with the beam"},
		{order(1, learn.DecodeOptions{Method: "best"}), learn.Usage, "decode", `decode: unknown method "best", wanted greedy or beam`, `unknown --decode "best", wanted greedy or beam`, ""},
		{order(1, learn.DecodeOptions{Method: "greedy", Beam: 3}), learn.Usage, "decode", "decode: greedy has no beam and inner (got 3 and 0)", "--decode greedy has no --beam and --inner (got 3 and 0)", ""},
		{Sample{}.Check(), learn.Usage, "count", "count: must be 1 to 1073741824 (got 0)", "--count must be 1 to 1073741824 (got 0)", ""},
		{Score{}.Check(), learn.Usage, "draws", "draws: must be 1 to 1073741824 (got 0)", "--draws must be 1 to 1073741824 (got 0)", ""},
		{Ends{End: "3"}.Check(), learn.Usage, "end", "end is for open: a closed tour has no end", "--end is for --open: a closed tour has no end", ""},
		{(&Search{Method: "3opt"}).Check(), learn.Usage, "method", `method: unknown method "3opt", wanted exact, 2opt or oropt`, `unknown --method "3opt", wanted exact, 2opt or oropt`, ""},
		{CheckRules(constraint.Text{Pin: []string{"a"}}), learn.Usage, "", `pin "a": wanted ITEM=POSITION`, `--pin "a": wanted ITEM=POSITION`, ""},
		{(&Puzzle{Rows: 9, Columns: 9}).Check(80), learn.TooMuch, "items", "rows and columns: wanted at most 80 tiles (got 9×9)", "rows and columns: wanted at most 80 tiles (got 9×9)", ""},
		{learn.CheckScore(nil, &dataset.Set{Items: make([]dataset.Item, 2)}), learn.Unfit, "order", "no order to score", "no order to score", `every set needs "order", "rank" or "levels"`},
	} {
		r, ok := errors.AsType[*learn.Refusal](fmt.Errorf("wrapped: %w", c.err))
		if !ok {
			t.Errorf("%q: %v is no refusal", c.field, c.err)
			continue
		}
		if r.Kind != c.kind || r.Option != c.option || r.Error() != c.field || !strings.HasPrefix(r.Calling("--"), c.flag) || strings.Join(hint.Of(r), "") != c.help {
			t.Errorf("%+v: %q, of flags %q, hint %q; wanted kind %d, %q, %q, %q, %q", r, r.Error(), r.Calling("--"), hint.Of(r), c.kind, c.option, c.field, c.flag, c.help)
		}
	}
}

// A question is admitted where its sets fit and its work is within the limits, which counts rules; no
// limits allow all.
func TestAdmit(t *testing.T) {
	m := About("tours", tours(t))
	q, err := Order{Top: 1, Decode: learn.DecodeOptions{Method: "beam", Beam: 64, Inner: 512}}.Query(m, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	free, ruled := randomSets(1, 5), randomSets(1, 5)
	if err := GiveRules(constraint.Text{Before: []string{"1,2"}}, ruled); err != nil {
		t.Fatal(err)
	}
	work, err := m.Admit(q, free, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	between := Limits{Work: int(work.Seconds/WorkUnit) + 1}
	bare := []*dataset.Set{{Items: make([]dataset.Item, 3)}}
	far := []*dataset.Set{{Kind: dataset.KindPoint, Items: []dataset.Item{{Point: [2]float64{1e301, 0}}}}}
	tied := randomSets(2, 5)
	tied[1].Levels = dataset.BucketOrder{{0, 1}, {2}}
	score := learn.Query{Kind: learn.KindScore, Count: 3}
	tied[0].Order = []int{0, 1, 2, 3, 4}
	for name, c := range map[string]struct {
		q      learn.Query
		sets   []*dataset.Set
		limits Limits
		option string // of the refusal, "" for none
		at     int    // the set
	}{
		"free":           {q, free, between, "", 0},
		"ruled":          {q, ruled, between, "work", -1},
		"no limit":       {q, ruled, Limits{}, "", 0},
		"memory":         {q, free, Limits{WorkBytes: 10}, "work", -1},
		"items":          {q, free, Limits{Items: 4}, "items", 0},
		"kind":           {q, bare, Limits{}, "items", 0},
		"far away":       {q, far, Limits{}, "items", 0},
		"ties in a tour": {score, tied, Limits{}, "order", 1},
	} {
		_, err := m.Admit(c.q, c.sets, c.limits)
		r, refused := errors.AsType[*learn.Refusal](err)
		at, ofSet := errors.AsType[*AtSet](err)
		if (c.option == "") != (err == nil) || c.option != "" && (!refused || r.Option != c.option || ofSet != (c.at >= 0) || ofSet && at.Index != c.at) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Tiles are numbered as the shuffle leaves them, rules are about those numbers, and what is right is
// told.
func TestPuzzle(t *testing.T) {
	picture := &dataset.Picture{Rows: 2, Cols: 2, Channels: 1, Pix: []byte{10, 20, 30, 40}}
	seed := uint64(3)
	p := &Puzzle{Rows: 2, Columns: 2, Shuffle: &seed, Rules: constraint.Text{Pin: []string{"2=0"}}, CropHint: "crop it"}
	tiles, err := p.Cut("x", picture)
	if err != nil {
		t.Fatal(err)
	}
	for k, tile := range tiles.Pictures() {
		if tile.Pix[0] != picture.Pix[tiles.Shuffled[k]] || tiles.Items[k].ID != fmt.Sprint(k) {
			t.Errorf("tile %d: %v called %q, shuffled %v", k, tile.Pix, tiles.Items[k].ID, tiles.Shuffled)
		}
	}
	m := &Model{Name: "m", Task: "jigsaw", N: 4, Rows: 1, Columns: 4}
	right := tiles.Shuffled.Inverse()
	r, err := tiles.Restored(m, learn.Ordered{Orders: []learn.Ranked{{Order: right}}})
	if err != nil || *r.Right != 4 || len(r.Warnings) != 1 {
		t.Errorf("%+v, %v: wanted 4 tiles in place and a warning of the grid", r, err)
	}
	if len(tiles.Constraints.Pin) != 1 {
		t.Error("the rules are lost")
	}
	if _, err := (&Puzzle{Rows: 3, Columns: 1, CropHint: "crop it"}).Cut("x", &dataset.Picture{Rows: 4, Cols: 4, Channels: 1, Pix: make([]byte, 16)}); strings.Join(hint.Of(err), "") != "crop it" {
		t.Errorf("%v: wanted the hint", err)
	}
	if _, err := p.Fits(&Model{Name: "m", Task: "tsp"}); err == nil {
		t.Error("a model of tours takes a puzzle")
	}
}

// A source gives ids by number, leaves out what is answered, and says where sets gave ranks.
func TestSource(t *testing.T) {
	all := []*dataset.Set{{ID: "a"}, {}, {ID: "c", OrderGiven: "rank"}}
	src, err := NewSource("x", from(all), map[string]bool{"a": true})
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for s, err := range src.All {
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, s.ID)
	}
	if got := strings.Join(ids, " "); got != "2 c" || src.Count != 3 || src.Ranks != 1 {
		t.Errorf("%s, %d sets, %d ranks", got, src.Count, src.Ranks)
	}
	if _, err := NewSource("x", from(nil), nil); err == nil || err.Error() != "x: has no sets" {
		t.Error(err)
	}
}
