package learn

import (
	"errors"
	"fmt"
	"math"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/internal/hint"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/run"
	"github.com/riffle-ml/riffle/task"
)

// steadier is what may keep steps finite.
const steadier = "a lower " + config.TrainLR + ", or " + config.TrainClip

// read logs the steps that are done, all but the last keep.
func (t *trainer) read(keep int) error {
	for len(t.pending) > keep {
		s, items := t.pending[0], t.items[0]
		t.pending, t.items = t.pending[1:], t.items[1:]
		loss, norm, taken, err := s.Read()
		if err != nil {
			return fmt.Errorf("training step %d: %w", s.Number, err)
		}
		if !taken {
			t.refused++
			t.State.Skipped++
			_, from, size := t.setsOf(s.Number)
			to := from + size - 1
			t.say(fmt.Sprintf("step %d (sets %d to %d): loss %g, gradient norm %g: refused, weights unchanged", s.Number, from, to, loss, norm))
			if err := t.event("skipped", s.Number, map[string]any{"first_set": from, "last_set": to, "loss": loss, "grad_norm": norm}); err != nil {
				return err
			}
			if t.refused >= maxRefused {
				return hint.Errorf(steadier, "training step %d: %d steps in a row without a finite loss and gradient; %s", s.Number, t.refused, t.kept())
			}
		} else {
			t.refused = 0
			if t.loss == 0 {
				t.loss = loss
			}
			t.loss += (loss - t.loss) * math.Max(0.02, 1/float64(s.Number)) // a mean over about 50 steps
		}
		if !t.writes() {
			continue
		}
		if err := t.log.Step(run.StepLine{Step: s.Number, Loss: loss, GradNorm: norm, LR: s.Rate, Items: items}); err != nil {
			return err
		}
	}
	return nil
}

// kept says what is left on the disk when a training gives up.
func (t *trainer) kept() string {
	if state, err := t.dir.LoadState(); err == nil {
		return fmt.Sprintf("the last checkpoint, of step %d, is kept", state.Step)
	}
	return "no checkpoint was made yet, so that no weights are kept"
}

// meanItems is how many items the lists of a batch have, 0 where all sets have as many.
func (t *trainer) meanItems(clean []perm.Order) float64 {
	if !t.Config.MixedSizes() && t.Config.Task.NMin == 0 {
		return 0
	}
	sum := 0
	for _, o := range clean {
		sum += len(o)
	}
	return float64(sum) / float64(len(clean))
}

// save writes a checkpoint of all steps made.
func (t *trainer) save(finished bool) error {
	if err := t.read(0); err != nil || !t.writes() {
		return err
	}
	if err := t.log.Sync(); err != nil {
		return err
	}
	t.State.Elapsed, t.State.Finished, t.State.Engine = t.elapsed(), finished, t.Engine.Kind
	model, m, v, err := run.FromStore(t.Store, t.Denoiser)
	if err != nil {
		return err
	}
	var trained []run.Tensor
	if t.Config.Train.Average > 0 {
		trained = model
		if err := t.steps.Swap(); err != nil {
			return err
		}
		model, _, _, err = run.FromStore(t.Store, t.Denoiser)
		if err := errors.Join(err, t.steps.Swap()); err != nil {
			return err
		}
	}
	err = t.dir.SaveCheckpoint(&run.Checkpoint{State: t.State, Model: model, AdamM: m, AdamV: v, Trained: trained})
	if errors.Is(err, run.ErrValue) {
		return hint.Errorf(steadier, "training step %d: %w; %s", t.State.Step, err, t.kept())
	}
	if err != nil {
		return err
	}
	t.restored = nil // what is there now is whole
	if f, ok := t.Task.(task.Flusher); ok {
		if err := f.Flush(); err != nil { // it costs time only
			t.say(fmt.Sprintf("what the task has found is not kept for other runs: %v", err))
		}
	}
	name := "checkpoint"
	if finished {
		name = "finished"
	}
	return t.event(name, t.State.Step, nil)
}

// validate has a few sets judged and logs how well.
func (t *trainer) validate() error {
	count := t.Config.Train.Validate
	if count == 0 || t.opt.Validate == nil || !t.writes() || t.validated == t.State.Step {
		return nil
	}
	if err := t.steps.Swap(); err != nil {
		return err
	}
	before := t.compiled
	fields, err := t.opt.Validate(t.ctx, t.Model, count)
	t.start = t.start.Add(t.compiled - before)
	if err == nil {
		err = t.keepBest(fields)
	}
	if err := t.steps.Swap(); err != nil {
		return err
	}
	if err != nil && t.ctx.Err() == nil {
		return err
	}
	if fields == nil {
		return nil
	}
	t.validated = t.State.Step
	return t.event("validation", t.State.Step, fields)
}

func (t *trainer) event(name string, step int, fields map[string]any) error {
	if !t.writes() {
		return nil
	}
	return t.log.Event(run.Event{Event: name, Step: step, Elapsed: t.elapsed(), Fields: fields})
}

func (t *trainer) say(text string) {
	if t.opt.OnMessage != nil && t.writes() {
		t.opt.OnMessage(text)
	}
}
