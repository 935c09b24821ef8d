package learn

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/riffle-ml/riffle/run"
	"github.com/riffle-ml/riffle/task"
)

// best is the best validation of a training so far.
type best struct {
	score float64 // more is better
	step  int     // 0: there is none yet
	since int     // validations after it
}

// see takes in a validation and reports whether it is the best.
func (b *best) see(score float64, step int) bool {
	if b.step > 0 && !(score > b.score) {
		b.since++
		return false
	}
	*b = best{score: score, step: step}
	return true
}

// score is what a validation is worth by the task's measure for that. fields are what the log keeps
// of it.
func (m *Model) score(fields map[string]any) (score float64, ok bool) {
	for _, x := range slices.Concat(m.Task.Measures(), task.PlaceMeasures) {
		if value, has := fields[x.Log].(float64); has && x.Better != 0 {
			return float64(x.Better) * value, true
		}
	}
	return 0, false
}

// recall takes the validations before a resumption from the log.
func (t *trainer) recall() error {
	_, events, _, err := t.dir.ReadMetrics() // of lines that cannot be read it is said when the log is opened
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range events {
		if renewed, _ := e.Fields["renewed"].(bool); renewed && e.Event == "resume" && e.Step <= t.State.Step {
			t.best.since = 0 // as it was when that length was asked for
		}
		if score, ok := t.score(e.Fields); ok && e.Event == "validation" && e.Step <= t.State.Step {
			t.best.see(score, e.Step)
		}
	}
	return nil
}

// keepBest keeps the weights that are in the store if their validation is the best so far.
func (t *trainer) keepBest(fields map[string]any) error {
	score, ok := t.score(fields)
	if !ok || !t.best.see(score, t.State.Step) {
		return nil
	}
	weights, _, _, err := run.FromStore(t.Store, t.Denoiser)
	if err != nil {
		return err
	}
	return t.dir.SaveBest(weights, t.State)
}

// spent reports whether validations have brought no gain for as long as train.patience waits.
func (t *trainer) spent() bool {
	patience := t.Config.Train.Patience
	return patience > 0 && t.best.since >= patience
}

// sayBest tells where the best model is, if that is not the last one.
func (t *trainer) sayBest() {
	if t.best.step > 0 && t.best.step < t.State.Step {
		t.say(fmt.Sprintf("%s: the model of step %d, the best by validation", t.dir.File(run.BestDir), t.best.step))
	}
}
