package learn

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/run"
)

// judged returns a validation that gives the scores in turn, the last again and again, and the steps at which
// it was made.
func judged(scores ...float64) (func(context.Context, *Model, int) (map[string]any, error), *[]int) {
	var steps []int
	return func(_ context.Context, m *Model, _ int) (map[string]any, error) {
		steps = append(steps, m.State.Step)
		return map[string]any{"exact": 0.0, "correct": scores[min(len(steps), len(scores))-1]}, nil
	}, &steps
}

func patient(patience int) config.Config {
	c := tiny()
	c.Train.Checkpoint, c.Train.Validate, c.Train.Patience, c.Train.Steps = "1ns", 1, patience, 40
	return c
}

// A training ends when its patience is spent, and the best model is kept beside the last one. A
// resumption does not begin the patience again, nor does another one, unless it asks for more steps.
func TestPatience(t *testing.T) {
	e := openEngine(t, "go")
	dir := filepath.Join(t.TempDir(), "run")
	validate, steps := judged(10, 30, 30, 20, 29)
	var said []string
	opt := TrainOptions{Validate: validate, OnMessage: func(text string) { said = append(said, text) }}
	m := newModel(t, patient(3), e)
	if err := trainIn(t.Context(), m, dir, false, opt); err != nil {
		t.Fatal(err)
	}
	// The third without a gain is the fifth; the step being made then is the last, and judged too.
	if len(*steps) != 6 || m.State.Step != (*steps)[5] || !m.State.Finished {
		t.Fatalf("validated at %v, ended at %d, finished: %t", *steps, m.State.Step, m.State.Finished)
	}
	if !slices.ContainsFunc(said, func(s string) bool { return strings.Contains(s, filepath.Join(dir, run.BestDir)) }) {
		t.Errorf("said %q", said)
	}
	best, _, err := Load(filepath.Join(dir, run.BestDir), e)
	if err != nil {
		t.Fatal(err)
	}
	if best.State.Step != (*steps)[1] {
		t.Errorf("the best is of step %d, wanted %d", best.State.Step, (*steps)[1])
	}
	again := newModel(t, patient(3), e)
	if err := trainIn(t.Context(), again, dir, true, opt); err != nil || again.State.Step != m.State.Step {
		t.Errorf("resumed: step %d, %v", again.State.Step, err)
	}
	more := patient(3)
	more.Train.Steps = 60
	longer := newModel(t, more, e)
	if err := trainIn(t.Context(), longer, dir, true, opt); err != nil || longer.State.Step <= m.State.Step {
		t.Errorf("with more steps: step %d, %v", longer.State.Step, err)
	}
}

// A stopped training remembers its validations.
func TestPatienceIsRemembered(t *testing.T) {
	e := openEngine(t, "go")
	dir := filepath.Join(t.TempDir(), "run")
	validate, steps := judged(30, 20)
	ctx, stop := context.WithCancel(t.Context())
	opt := TrainOptions{Validate: func(c context.Context, m *Model, count int) (map[string]any, error) {
		if len(*steps) == 2 {
			stop()
		}
		return validate(c, m, count)
	}}
	if err := trainIn(ctx, newModel(t, patient(4), e), dir, false, opt); !errors.Is(err, ErrStopped) {
		t.Fatal(err)
	}
	before := len(*steps)
	opt.Validate = validate
	m := newModel(t, patient(4), e)
	if err := trainIn(t.Context(), m, dir, true, opt); err != nil {
		t.Fatal(err)
	}
	if len(*steps) != 6 || before > 4 || m.State.Step >= 40 {
		t.Errorf("validated at %v, %d of them before the stop", *steps, before)
	}
}

// Patience that was renewed by another length stays so after a stop.
func TestRenewedPatienceIsRemembered(t *testing.T) {
	e := openEngine(t, "go")
	dir := filepath.Join(t.TempDir(), "run")
	validate, steps := judged(30, 20, 20, 20)
	if err := trainIn(t.Context(), newModel(t, patient(3), e), dir, false, TrainOptions{Validate: validate}); err != nil {
		t.Fatal(err)
	}
	more := patient(3)
	more.Train.Steps = 60
	ctx, stop := context.WithCancel(t.Context())
	err := trainIn(ctx, newModel(t, more, e), dir, true, TrainOptions{Validate: func(c context.Context, m *Model, count int) (map[string]any, error) {
		stop()
		return validate(c, m, count)
	}})
	if !errors.Is(err, ErrStopped) {
		t.Fatal(err)
	}
	m := newModel(t, more, e)
	before := len(*steps)
	if err := trainIn(t.Context(), m, dir, true, TrainOptions{Validate: validate}); err != nil {
		t.Fatal(err)
	}
	if len(*steps) < before+2 {
		t.Errorf("validated at %v, %d of them before the last resumption: its patience was spent", *steps, before)
	}
}

// Without patience a training goes on to its end, and what is best is less where the measure says so.
func TestBestWithoutPatience(t *testing.T) {
	e := openEngine(t, "go")
	dir := filepath.Join(t.TempDir(), "run")
	validate, steps := judged(30, 20)
	c := patient(0)
	c.Train.Steps = 12
	m := newModel(t, c, e)
	if err := trainIn(t.Context(), m, dir, false, TrainOptions{Validate: validate, OnStep: func(Progress) { time.Sleep(time.Millisecond) }}); err != nil {
		t.Fatal(err)
	}
	if m.State.Step != 12 || len(*steps) < 3 {
		t.Errorf("ended at %d, validated at %v", m.State.Step, *steps)
	}
	best, _, err := Load(filepath.Join(dir, run.BestDir), e)
	if err != nil || best.State.Step != (*steps)[0] {
		t.Errorf("step %d, %v", best.State.Step, err)
	}
}
