package learn

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/riffle-ml/riffle/diffusion"
	"github.com/riffle-ml/riffle/internal/text"
	"github.com/riffle-ml/riffle/method"
	"github.com/riffle-ml/riffle/run"
	"github.com/riffle-ml/riffle/task"
)

// Progress says how far a training has come.
type Progress struct {
	Step    int
	Done    float64 // 0 to 1
	Loss    float64 // nats a reverse step, running mean; 0 until the engine has given one
	LR      float64
	Elapsed time.Duration // over all sessions of the run
	Rate    float64       // steps a second, of this session
}

// Line describes the progress in one line, for batches of so many sets. What is not known yet is a
// question mark, such as the loss while the engine is still at the first step.
func (p Progress) Line(batch float64) string {
	loss, left := "?", "?"
	if p.Loss != 0 {
		loss = fmt.Sprintf("%.3f", p.Loss)
	}
	if p.Done > 0.001 {
		left = text.Clock(time.Duration(float64(p.Elapsed) * (1 - p.Done) / p.Done))
	}
	return fmt.Sprintf("step %d  loss %s  %.1f sets/s  left %s", p.Step, loss, p.Rate*batch, left)
}

// TrainOptions are options that do not belong to a run's configuration.
type TrainOptions struct {
	// Devices is how many devices of the engine share each batch; 0 means 1. See
	// [Model.CheckDevices].
	Devices int
	// Validate judges the model on count sets for validation, at each checkpoint where
	// train.validate asks for it. It returns what goes into the log, or nil. If Validate is nil
	// there is no validation. Package evaluate has such a function.
	Validate func(ctx context.Context, m *Model, count int) (map[string]any, error)
	// Peers are the processes that share each batch, nil if there is only this one: see
	// [Model.CheckPeers].
	Peers diffusion.Peers
	// The callbacks may be nil; they are called between steps.
	OnStep    func(Progress)
	OnMessage func(text string)
}

// ErrStopped is returned when the context ended a training; its state is saved.
var ErrStopped = errors.New("stopped")

// maxRefused is how many steps in a row may be refused before a training gives up.
const maxRefused = 20

// lag is how many steps the log is behind the engine, so that the engine need not wait.
const lag = 2

type trainer struct {
	*Model
	ctx     context.Context
	dir     *run.Dir
	opt     TrainOptions
	method  method.Training
	steps   *diffusion.Trainer
	log     *run.Metrics
	pending []*diffusion.Step
	items   []float64 // of the pending steps, see [run.StepLine]
	loss    float64   // running mean
	before  time.Duration
	start   time.Time
	limit   time.Duration // 0: the steps decide
	refused int           // in a row
	known   map[int]bool  // sizes of sets whose steps are compiled
	best    best
	renewed bool // the length is another one than it was
	// validated is the step of the last validation of this session.
	validated int
}

// Train trains the model in a run directory, from the last checkpoint if resume is set. If it
// resumes, the model must have the run's configuration; an error names the keys that differ. Only
// the length, train.steps or train.time, may change, even after the training had ended. The new
// length includes what was trained before. The learning rate is then what a training of the new
// length has at this point, and the run's configuration takes the new length.
//
// Train returns ErrStopped when ctx ends it. After a stop, or a kill, a resumed training makes the
// same steps as an unbroken one, bit for bit on the same engine. There are two exceptions. With
// Config.Train.Time the clock decides the learning rate. With another number of devices or
// processes, sums are rounded differently.
//
// Several processes all call Train, with the same model, on one directory. Only the first one opens
// it for writing and calls the callbacks.
func (m *Model) Train(ctx context.Context, dir *run.Dir, resume bool, opt TrainOptions) (err error) {
	t := &trainer{Model: m, ctx: ctx, dir: dir, opt: opt, start: time.Now(), known: map[int]bool{}}
	if t.limit, err = m.Config.TimeLimit(); err != nil {
		return err
	}
	if resume {
		if err := t.resume(); err != nil {
			return err
		}
	}
	devices := max(1, opt.Devices)
	if err := errors.Join(m.CheckDevices(devices), m.CheckPeers(opt.Peers)); err != nil {
		return err
	}
	if m.State.Finished && (t.ended() || t.spent()) {
		t.say(fmt.Sprintf("this training finished at step %d", m.State.Step))
		if err := t.keepTask(true); err != nil {
			return err
		}
		_, err := t.restore(dir, false) // the average, where there is one
		return err
	}
	if err := m.start(); err != nil {
		return err
	}
	if err := t.keepTask(resume && m.State.Step > 0); err != nil {
		return err
	}
	if t.method, err = m.Method.Train(m.setup()); err != nil {
		return err
	}
	defer t.method.Close()
	if t.steps, err = diffusion.NewTrainer(m.Engine, m.Store, m.Denoiser, t.method.Loss, m.Config.AdamW(), m.Config.Seed, m.State.Step-m.State.Skipped); err != nil {
		return err
	}
	defer t.steps.Close()
	defer func() { err = errors.Join(err, t.steps.Swap()) }() // from now on the average is used, if there is one
	if err := t.steps.Spread(devices); err != nil {
		return err
	}
	if opt.Peers != nil {
		if err := t.steps.Join(opt.Peers); err != nil {
			return err
		}
		// Nobody writes to the directory before all have read the checkpoint.
		if err := opt.Peers.Sum([]float32{0}); err != nil {
			return err
		}
	}
	if t.writes() {
		var warnings []string
		if t.log, warnings, err = dir.OpenMetrics(m.State.Step); err != nil {
			return err
		}
		for _, w := range warnings {
			t.say(w)
		}
		defer func() { err = errors.Join(err, t.log.Close()) }()
	}
	if resume && m.State.Step > 0 {
		if err := t.event("resume", m.State.Step, map[string]any{"engine": m.Engine.Kind, "renewed": t.renewed}); err != nil {
			return err
		}
	}
	if m.began != nil && m.State.Step == 0 && !resume { // a resumed training must find these weights
		if err := t.save(false); err != nil {
			return err
		}
	}
	return t.loop()
}

// keepTask keeps in the run what the task has found in its data, or takes it from there.
func (t *trainer) keepTask(resumed bool) error {
	k, ok := t.Task.(task.Persister)
	switch {
	case !ok:
		return nil
	case resumed:
		return k.Restore(t.dir)
	case t.writes():
		return k.Keep(t.dir)
	}
	return nil
}

// ended reports whether a training of the configured length has no step left to make.
func (t *trainer) ended() bool {
	if t.limit > 0 {
		return t.before >= t.limit
	}
	return t.State.Step >= t.Config.Train.Steps
}

func (t *trainer) loop() error {
	every, err := t.Config.CheckpointEvery()
	if err != nil {
		return err
	}
	ctx, of := t.ctx, share{0, 1}
	if p := t.opt.Peers; p != nil { // all stop after the same step, which each makes to its end
		ctx, of = context.WithoutCancel(ctx), share{p.Rank(), p.Size()}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	batches := t.batches(ctx, t.State.Step+1, of)
	saved, first := time.Now(), t.State.Step
	schedule := t.Config.LearningRate()
	for s := t.State.Step + 1; ; s++ {
		done, stop, spent, err := t.agree(s)
		if err != nil {
			return err
		}
		finished := !stop && (spent || done > 1 || done == 1 && t.limit > 0)
		due := t.writes() && time.Since(saved) >= every
		if due && !stop && !finished {
			// The cause of refused steps may already be in the weights. So the earlier
			// checkpoint stays until a step is taken again.
			if err := t.read(0); err != nil {
				return err
			}
			due = t.refused == 0
		}
		if stop || finished || due {
			if err := t.save(finished); err != nil {
				return err
			}
			if stop {
				return ErrStopped
			}
			if err := t.validate(); err != nil {
				return err
			}
			if finished {
				t.sayBest()
				return nil
			}
			saved = time.Now()
		}
		made, ok := <-batches
		if !ok { // the context ended meanwhile; the next turn sees it
			s--
			continue
		}
		if made.err != nil {
			return made.err
		}
		rate := schedule.At(s, done)
		step, err := t.make(s, rate, made.batch)
		if err != nil {
			return err
		}
		t.pending, t.items = append(t.pending, step), append(t.items, t.meanItems(made.batch.Clean))
		if err := t.read(lag); err != nil {
			return err
		}
		t.State.Step = s
		if t.opt.OnStep != nil && t.writes() {
			elapsed := time.Since(t.start)
			t.opt.OnStep(Progress{Step: s, Done: min(1, t.done(s)), Loss: t.loss, LR: rate, Elapsed: t.before + elapsed, Rate: float64(s-first) / elapsed.Seconds()})
		}
	}
}

// make makes step s. The first step with a shape compiles it. That does not count as training time.
func (t *trainer) make(s int, rate float64, b *method.Batch) (*diffusion.Step, error) {
	if size := b.Objects.Shape().Dim(1); !t.known[size] {
		t.known[size] = true
		before, done := t.compiled, t.compiling(size)
		defer func() {
			done()
			t.start = t.start.Add(t.compiled - before)
		}()
	}
	inputs, err := t.method.Inputs(b)
	if err != nil {
		return nil, err
	}
	return t.steps.Step(s, rate, inputs...)
}

// writes reports whether this process writes to the run. Of several processes only the first does.
func (t *trainer) writes() bool { return t.opt.Peers == nil || t.opt.Peers.Rank() == 0 }

// agree returns [trainer.done] by the first process's clock, and whether any process is to stop. Only the
// first process validates; spent says that its patience is spent.
func (t *trainer) agree(s int) (done float64, stop, spent bool, err error) {
	done, stop, spent = t.done(s), t.ctx.Err() != nil, t.spent()
	if t.opt.Peers == nil {
		return done, stop, spent, nil
	}
	x := []float32{0, 0, 0}
	if t.writes() {
		x[0] = float32(done)
	}
	if spent {
		x[2] = 1
	}
	if stop {
		x[1] = 1
	}
	err = t.opt.Peers.Sum(x)
	if t.limit > 0 { // steps are counted alike everywhere, more exactly than float32 does
		done = float64(x[0])
	}
	return done, x[1] > 0, x[2] > 0, err
}

// done returns how much of the training is done when step s is about to be made. If it is above 1,
// there is no step s. The first step is made whatever the time, since a model that was never
// trained is of no use.
func (t *trainer) done(s int) float64 {
	switch {
	case t.limit > 0 && s == 1:
		return 0
	case t.limit > 0:
		return min(1, float64(t.before+time.Since(t.start))/float64(t.limit))
	}
	return float64(s) / float64(t.Config.Train.Steps)
}

func (t *trainer) elapsed() float64 { return (t.before + time.Since(t.start)).Seconds() }
