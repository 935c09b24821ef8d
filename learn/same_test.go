package learn

import (
	"context"
	"fmt"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/riffle-ml/riffle/constraint"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/perm"
)

// asked counts the sets that go through a task.
type asked struct {
	scalars
	sets *int
}

func (a asked) Objects(ctx context.Context, sets []*dataset.Set) (*tensors.Tensor, []dataset.Warning, error) {
	*a.sets += len(sets)
	return a.scalars.Objects(ctx, sets)
}

// The same question is answered once, whatever the sets are called. Where a set stands does not
// matter to its answer. Orders and constraints make another question.
func TestSameQuestionOnce(t *testing.T) {
	count := 0
	m := newScalars(t, scalars{N: 4}, nil)
	m.Task = asked{scalars{N: 4}, &count}
	set := func(id string, order perm.Order, pin ...string) *dataset.Set {
		s := numbers(0.1, 0.4, 0.2, 0.3)
		s.ID, s.Order, s.Constraints = id, order, constraint.Text{Pin: pin}
		return s
	}
	some := sets(set("a", perm.Order{0, 1, 2, 3}), numbers(4, 3, 2, 1), set("b", perm.Order{0, 1, 2, 3}), set("", perm.Order{3, 1, 2, 0}), set("p", perm.Order{0, 1, 2, 3}, "2=0"))
	some[1].Order = perm.Order{0, 1, 2, 3}
	ordered, _, err1 := m.Order(t.Context(), some, 1, DecodeOptions{})
	orderedSets := count
	drawn, _, err2 := m.Sample(t.Context(), some, 20, 1)
	drawnSets := count - orderedSets
	scored, _, err3 := m.Score(t.Context(), some, 3, 1)
	if err1 != nil || err2 != nil || err3 != nil {
		t.Fatal(err1, err2, err3)
	}
	if orderedSets != 3 || drawnSets != 3 || count-orderedSets-drawnSets != 4 {
		t.Errorf("of 5 sets %d, %d and %d were asked, wanted 3, 3 and, of four orders and rules, 4", orderedSets, drawnSets, count-orderedSets-drawnSets)
	}
	for i, id := range []string{"a", "2", "b", "4", "p"} {
		if ordered[i].ID != id || drawn[i].ID != id || scored[i].ID != id {
			t.Errorf("set %d is called %q, %q and %q, wanted %q", i, ordered[i].ID, drawn[i].ID, scored[i].ID, id)
		}
	}
	if fmt.Sprint(drawn[0].Samples) != fmt.Sprint(drawn[2].Samples) || scored[0].Bound != scored[2].Bound {
		t.Error("one question has two answers")
	}
	if fmt.Sprint(drawn[0].Samples) == fmt.Sprint(drawn[4].Samples) || fmt.Sprint(drawn[0].Samples) == fmt.Sprint(drawn[1].Samples) {
		t.Error("two questions have one answer")
	}
	// An order that is changed is another question, whatever was known before.
	changed := *some[0]
	changed.Levels, changed.Order = dataset.Strict(perm.Order{0, 1, 2, 3}), perm.Order{3, 2, 1, 0}
	if scored, _, err := m.Score(t.Context(), sets(set("", perm.Order{0, 1, 2, 3}), &changed), 3, 1); err != nil || scored[0].Bound == scored[1].Bound {
		t.Errorf("of two orders: %+v, %v", scored, err)
	}
	for _, o := range drawn[4].Samples {
		if o[0] != 2 {
			t.Fatalf("%v does not obey", o)
		}
	}
}

// Rules call pictures in memory by their files' names, which then belong to the question.
func TestNamesOfPicturesInRules(t *testing.T) {
	one, two := &dataset.Picture{Rows: 1, Cols: 1, Channels: 1, Pix: []uint8{1}}, &dataset.Picture{Rows: 1, Cols: 1, Channels: 1, Pix: []uint8{2}}
	set := func(first, second string, pin ...string) *dataset.Set {
		return &dataset.Set{Kind: dataset.KindImage, Items: []dataset.Item{{Image: first, Picture: one}, {Image: second, Picture: two}}, Constraints: constraint.Text{Pin: pin}}
	}
	if d := distinctSets(sets(set("x.png", "y.png", "x.png=0"), set("y.png", "x.png", "x.png=0")), false); len(d.sets) != 2 {
		t.Error("x.png is another picture, and the question counts as the same")
	}
	if d := distinctSets(sets(set("x.png", "y.png"), set("y.png", "x.png")), false); len(d.sets) != 1 {
		t.Error("the same pictures without rules are two questions")
	}
}
