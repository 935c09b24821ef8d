package learn

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/internal/hint"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/run"
	"github.com/riffle-ml/riffle/task"
)

// A training stopped after any step, saved and resumed makes the steps of one that was not.
func TestStoppedAndResumed(t *testing.T) {
	t.Run("weights", func(t *testing.T) { stoppedAndResumed(t, tiny) })
	t.Run("sizes", func(t *testing.T) { stoppedAndResumed(t, tours) })
	t.Run("average", func(t *testing.T) {
		stoppedAndResumed(t, func() config.Config {
			c := tiny()
			c.Train.Average = 0.9
			return c
		})
	})
}

func stoppedAndResumed(t *testing.T, tiny func() config.Config) {
	e := openEngine(t, "go")
	_, unbroken := train(t, tiny(), e)
	for _, stops := range [][]int{{0}, {1}, {17}, {39}, {40}, {2, 3, 30}} {
		t.Run(fmt.Sprint(stops), func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "run")
			for i, at := range stops {
				ctx, cancel := context.WithCancel(t.Context())
				if at == 0 {
					cancel()
				}
				err := trainIn(ctx, newModel(t, tiny(), e), dir, i > 0, TrainOptions{OnStep: func(p Progress) {
					if p.Step == at {
						cancel()
					}
				}})
				cancel()
				if !errors.Is(err, ErrStopped) {
					t.Fatalf("stopped at step %d: %v", at, err)
				}
				m, _, err := Load(dir, e)
				if err != nil {
					t.Fatal(err)
				}
				if m.State.Step != at || m.State.Finished {
					t.Errorf("stopped at step %d, saved %+v", at, m.State)
				}
			}
			m := newModel(t, tiny(), e)
			if err := trainIn(t.Context(), m, dir, true, TrainOptions{}); err != nil {
				t.Fatal(err)
			}
			if m.State.Step != 40 || !m.State.Finished {
				t.Errorf("ended with %+v", m.State)
			}
			sameRun(t, unbroken, dir)
		})
	}
}

// A finished training stays as it is.
func TestFinishedIsNotResumed(t *testing.T) {
	e := openEngine(t, "go")
	_, dir := train(t, tiny(), e)
	before, err := os.ReadFile(filepath.Join(dir, run.ModelFile))
	if err != nil {
		t.Fatal(err)
	}
	said := ""
	opt := TrainOptions{OnMessage: func(s string) { said += s }}
	if err := trainIn(t.Context(), newModel(t, tiny(), e), dir, true, opt); err != nil {
		t.Fatal(err)
	}
	after, err := os.ReadFile(filepath.Join(dir, run.ModelFile))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(before, after) || said != "this training finished at step 40" {
		t.Errorf("said %q, weights unchanged: %v", said, bytes.Equal(before, after))
	}
}

// A run is resumed with its own configuration: an error names the first key that differs,
// and the run stays as it is.
func TestResumedWithAnotherConfiguration(t *testing.T) {
	e := openEngine(t, "go")
	cfg := tiny()
	cfg.Train.Steps = 3
	_, dir := train(t, cfg, e)
	before := stepLines(t, dir)
	for want, change := range map[string]func(*config.Config){
		"train.batch, eval.batch: the model to resume with has other values: train.batch: wanted 6 (got 7); eval.batch: wanted 8 (got 9)":            func(c *config.Config) { c.Train.Batch, c.Eval.Batch = 7, 9 },
		"seed, train.lr: the model to resume with has other values: seed: wanted 1 (got 2); train.lr: wanted 0.001 (got 1.0)":                        func(c *config.Config) { c.Seed, c.Train.LR = 2, 1 },
		`task.target: the model to resume with has another value: wanted 'random' (got 'identity')`:                                                  func(c *config.Config) { c.Task.Target = "identity" },
		"process.schedule: the model to resume with has another value: wanted [0, 2, 4, 8] (got [0, 3, 8])":                                          func(c *config.Config) { c.Process.Schedule = []int{0, 3, 8} },
		"paper.table, paper.exact: the model to resume with has other values: paper.table: wanted none (got ''); paper.exact: wanted none (got 1.0)": func(c *config.Config) { c.Paper = &config.Paper{Exact: new(1.0)} },
	} {
		other := cfg
		change(&other)
		err := trainIn(t.Context(), newModel(t, other, e), dir, true, TrainOptions{})
		if err == nil || hint.Text(err) != filepath.Join(dir, run.ConfigFile)+": "+want {
			t.Errorf("error %v, wanted %s", err, want)
		}
	}
	if got := stepLines(t, dir); got != before {
		t.Errorf("the log was %s, is %s", before, got)
	}
	if err := trainIn(t.Context(), newModel(t, cfg, e), dir, true, TrainOptions{}); err != nil {
		t.Error(err)
	}
}

// A finished run trains on to more steps. Those after the first end are those of a training of the
// whole length that had the first steps of the short one, at its learning rates.
func TestTrainOn(t *testing.T) {
	e := openEngine(t, "go")
	cfg := tiny()
	_, dir := train(t, cfg, e)
	long := cfg
	long.Train.Steps = 80
	said := ""
	opt := TrainOptions{OnMessage: func(s string) { said += s }}
	m := newModel(t, long, e)
	if err := trainIn(t.Context(), m, dir, true, opt); err != nil {
		t.Fatal(err)
	}
	if m.State.Step != 80 || !m.State.Finished {
		t.Errorf("ended with %+v", m.State)
	}
	// Cosine, of 1e-3: half of it at half of the way, and what the short one ended with is 0.
	if want := "trains on from step 40 to 80 steps instead of 40 steps; the learning rate (cosine) is now that of the whole length: 0.00048, it was 0"; said != want {
		t.Errorf("said %q, wanted %q", said, want)
	}
	d, err := run.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if d.Config.Train.Steps != 80 {
		t.Errorf("the configuration says %d steps", d.Config.Train.Steps)
	}
	steps, _, _, err := d.ReadMetrics()
	if err != nil || len(steps) != 80 {
		t.Fatalf("%d steps in the log, %v", len(steps), err)
	}
	for i, s := range steps {
		of := cfg.Train.Steps
		if i >= 40 {
			of = 80
		}
		if want := 1e-3 * (1 + math.Cos(math.Pi*float64(i+1)/float64(of))) / 2 * min(1, float64(i+1)/5); math.Abs(s.LR-want) > 1e-12 || s.Step != i+1 {
			t.Errorf("step %d has the rate %g, wanted %g", s.Step, s.LR, want)
		}
	}
	// Without another length it is finished again; with one that is behind, an error says so.
	said = ""
	if err := trainIn(t.Context(), newModel(t, long, e), dir, true, opt); err != nil || said != "this training finished at step 80" {
		t.Errorf("said %q, error %v", said, err)
	}
	err = trainIn(t.Context(), newModel(t, cfg, e), dir, true, TrainOptions{})
	if want := "train.steps: must be above the 80 steps that were made (got 40)\nhint: it counts all steps"; err == nil || hint.Text(err) != want {
		t.Errorf("error %v, wanted %s", err, want)
	}
	// The clock: what was trained before counts.
	timed := long
	timed.Train.Time = "1ms"
	err = trainIn(t.Context(), newModel(t, timed, e), dir, true, TrainOptions{})
	if err == nil || !strings.HasPrefix(hint.Text(err), "train.time: must be above the ") {
		t.Errorf("a time that is over: %v", err)
	}
	timed.Train.Time = fmt.Sprintf("%dms", int(m.State.Elapsed*1000)+300)
	on := newModel(t, timed, e)
	if err := trainIn(t.Context(), on, dir, true, TrainOptions{}); err != nil || on.State.Step <= 80 || !on.State.Finished {
		t.Errorf("by the clock: %+v, %v", on.State, err)
	}
}

// What was changed in config.toml since a training began is named, every key. A key that training
// goes by ends a resumption. One that says what a model means ends an answer. The rest is a
// warning.
func TestConfigChangedByHand(t *testing.T) {
	e := openEngine(t, "go")
	_, dir := train(t, tiny(), e)
	path := filepath.Join(dir, run.ConfigFile)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		edits            []string // old, new, …
		changed          string
		answers, resumes bool
	}{
		{[]string{"# one line", "# some line"}, "", true, true},
		{[]string{"beam = 20", "beam = 64", "examples = 20", "examples = 30"}, "decode.beam was 20, is 64; eval.examples was 20, is 30", true, true},
		{[]string{"lr = 0.001", "lr = 0.1", "batch = 6", "batch = 12"}, "train.batch was 6, is 12; train.lr was 0.001, is 0.1", true, false},
		{[]string{"seed = 1", "seed = 2"}, "seed was 1, is 2", false, false},
		{
			[]string{"target = 'random'", "target = 'identity'", "schedule = [0, 2, 4, 8]", "schedule = [0, 8]", "heads = 2", "heads = 4"},
			"task.target was 'random', is 'identity'; process.schedule was [0, 2, 4, 8], is [0, 8]; model.heads was 2, is 4", false, false,
		},
	} {
		text := strings.NewReplacer(c.edits...).Replace(string(whole))
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		warning := path + ": was changed since the training began: " + c.changed
		m, warnings, err := Load(dir, e)
		switch {
		case !c.answers:
			if !errors.Is(err, run.ErrConfigChanged) || !strings.HasPrefix(hint.Text(err), path+": is not what the training began with: "+c.changed+"\nhint: ") {
				t.Errorf("%v: loaded: %v", c.edits, err)
			}
		case err != nil:
			t.Errorf("%v: %v", c.edits, err)
		case c.changed == "" && warnings != nil || c.changed != "" && !slices.Equal(m.Warnings(), append(slices.Clip(m.schedule), warning)):
			t.Errorf("%v: warnings %q", c.edits, m.Warnings())
		}
		d, err := run.Resume(dir)
		if err != nil {
			t.Fatal(err)
		}
		said := ""
		err = newModel(t, d.Config, e).Train(t.Context(), d, true, TrainOptions{OnMessage: func(s string) { said += s + "\n" }})
		switch {
		case !c.resumes:
			if !errors.Is(err, run.ErrConfigChanged) || !strings.HasPrefix(hint.Text(err), path+": is not what the training began with: "+c.changed+"\nhint: ") {
				t.Errorf("%v: resumed: %v", c.edits, err)
			}
		case err != nil:
			t.Errorf("%v: resumed: %v", c.edits, err)
		case c.changed != "" && !strings.HasPrefix(said, warning+"\n"):
			t.Errorf("%v: said %q", c.edits, said)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}

// With an average the checkpoint's model is the average, which is also what the model holds after
// training. The weights that training goes on with are beside it.
func TestAverageIsTheModel(t *testing.T) {
	cfg := tiny()
	cfg.Train.Average = 0.9
	m, path := train(t, cfg, openEngine(t, "go"))
	dir, err := run.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	c, _, err := dir.LoadCheckpoint()
	if err != nil {
		t.Fatal(err)
	}
	now, _, _, err := run.FromStore(m.Store, m.Denoiser)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(now, c.Model) || len(c.Trained) != len(c.Model) || reflect.DeepEqual(c.Trained, c.Model) {
		t.Error("wanted the average as model.safetensors and in the model, and other weights in trained.safetensors")
	}
	_, plain := train(t, tiny(), openEngine(t, "go"))
	if dir, err = run.Open(plain); err != nil {
		t.Fatal(err)
	}
	without, _, err := dir.LoadCheckpoint()
	if err != nil || without.Trained != nil || !reflect.DeepEqual(without.Model, c.Trained) {
		t.Errorf("the average changes what is trained: %v", err)
	}
}

// finite fails the test unless the checkpoint of a run is finite.
func finite(t *testing.T, path string) {
	t.Helper()
	dir, err := run.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	c, warnings, err := dir.LoadCheckpoint()
	if err != nil || len(warnings) > 0 {
		t.Fatal(warnings, err)
	}
	for _, tensors := range [][]run.Tensor{c.Model, c.AdamM, c.AdamV} {
		for _, x := range tensors {
			for _, v := range x.Data {
				if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
					t.Fatalf("%s holds %g", x.Name, v)
				}
			}
		}
	}
}

// A batch that gives a gradient that is not finite is refused, step and sets are named, and
// the training goes on.
func TestBadBatchIsRefused(t *testing.T) {
	for name, bad := range map[string]float64{"NaN": math.NaN(), "infinity": math.Inf(1)} {
		t.Run(name, func(t *testing.T) {
			m := newScalars(t, scalars{N: 4, Poison: 13, Healed: 14, Bad: float32(bad)}, nil) // a set of step 3
			dir := filepath.Join(t.TempDir(), "run")
			var said []string
			if err := trainIn(t.Context(), m, dir, false, TrainOptions{OnMessage: func(s string) { said = append(said, s) }}); err != nil {
				t.Fatal(err)
			}
			if len(said) != 1 || !strings.HasPrefix(said[0], "step 3 (sets 12 to 17): ") || !strings.HasSuffix(said[0], "refused, weights unchanged") {
				t.Errorf("said %q", said)
			}
			if m.State.Skipped != 1 || m.State.Step != 40 {
				t.Errorf("state %+v", m.State)
			}
			steps, events, _, err := run.ReadMetrics(filepath.Join(dir, run.MetricsFile))
			if err != nil {
				t.Fatal(err)
			}
			for i, s := range steps {
				if math.IsNaN(s.Loss) != (i == 2) {
					t.Errorf("step %d: loss %g", s.Step, s.Loss)
				}
			}
			if f := events[0].Fields; events[0].Event != "skipped" || events[0].Step != 3 || f["first_set"] != 12.0 || f["last_set"] != 17.0 || f["loss"] != nil || f["grad_norm"] != nil || len(f) != 4 {
				t.Errorf("first event %+v", events[0])
			}
			finite(t, dir)
		})
	}
}

// From 20 refused steps in a row on nothing is gained: the training ends with an error, and
// the checkpoint is that of the good steps.
func TestTrainingGivesUp(t *testing.T) {
	const bad = 15 // the first bad step
	m := newScalars(t, scalars{N: 4, Poison: 6 * (bad - 1), Healed: math.MaxInt, Bad: float32(math.NaN())}, func(c *config.Config) {
		c.Train.Steps, c.Train.Checkpoint = 1000, "1ms"
	})
	dir := filepath.Join(t.TempDir(), "run")
	var refused []int
	err := trainIn(t.Context(), m, dir, false, TrainOptions{OnMessage: func(s string) {
		number, _, _ := strings.Cut(strings.TrimPrefix(s, "step "), " ")
		n, err := strconv.Atoi(number)
		if err != nil {
			t.Errorf("said %q", s)
		}
		refused = append(refused, n)
	}})
	if err == nil || !strings.HasPrefix(hint.Text(err), "training step 34: 20 steps in a row without a finite loss and gradient; the last checkpoint, of step ") {
		t.Errorf("error %v", err)
	}
	if len(refused) != 20 || refused[0] != bad || refused[19] != bad+19 {
		t.Errorf("refused %v", refused)
	}
	finite(t, dir)
	d, err := run.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if state, err := d.LoadState(); err != nil || state.Step == 0 || state.Step >= bad || state.Skipped != 0 {
		t.Errorf("kept %+v, %v", state, err)
	}
	kept := newScalars(t, scalars{N: 4}, nil)
	if _, err := kept.restore(d, false); err != nil {
		t.Fatal(err)
	}
	some := randomSets(5, 4)
	for _, s := range some {
		s.Order = perm.Identity(4)
	}
	scored, _, err := kept.Score(t.Context(), some, 4, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range scored {
		if math.IsInf(float64(s.Bound), 0) || math.IsNaN(float64(s.Bound)) {
			t.Errorf("set %s: the checkpoint that is kept gives the bound %g", s.ID, s.Bound)
		}
	}
}

// So does a learning rate that throws the weights away: they are not saved, and no checkpoint is
// claimed where there is none.
func TestAbsurdLearningRate(t *testing.T) {
	cfg := tiny()
	cfg.Train.LR, cfg.Train.Warmup, cfg.Train.Schedule, cfg.Train.Steps = 1e30, 0, "constant", 1000
	e := openEngine(t, "go")
	for _, c := range []struct{ checkpoint, want, kept string }{
		{"1ns", "training step 1: ", "the last checkpoint, of step 0, is kept"},
		{"1h", "20 steps in a row without a finite loss and gradient; ", "no checkpoint was made yet, so that no weights are kept"},
	} {
		cfg.Train.Checkpoint = c.checkpoint
		dir := filepath.Join(t.TempDir(), "run")
		err := trainIn(t.Context(), newModel(t, cfg, e), dir, false, TrainOptions{})
		if err == nil || !strings.Contains(hint.Text(err), c.want) || !strings.HasSuffix(hint.Text(err), "; "+c.kept+"\nhint: a lower train.lr, or train.clip") {
			t.Fatalf("checkpoint %s: error %v", c.checkpoint, err)
		}
		if errors.Is(err, run.ErrValue) != (c.checkpoint == "1ns") {
			t.Errorf("checkpoint %s: error %v", c.checkpoint, err)
		}
		if m, _, err := Load(dir, e); c.checkpoint == "1h" && !errors.Is(err, run.ErrNoCheckpoint) || c.checkpoint == "1ns" && (err != nil || m.State.Step != 0) {
			t.Errorf("checkpoint %s: loaded: %v", c.checkpoint, err)
		}
	}
}

// A decoder made before training decodes with the weights of after it.
func TestDecoderFollowsTraining(t *testing.T) {
	e := openEngine(t, "go")
	cfg := tiny()
	cfg.Train.Validate, cfg.Train.Checkpoint = 4, "5ms" // decoding also between steps
	m, dir := newModel(t, cfg, e), filepath.Join(t.TempDir(), "run")
	order := func(m *Model) Ordered {
		t.Helper()
		out, _, err := m.Order(t.Context(), sets(bare(5)), 1, DecodeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return out[0]
	}
	before := order(m).Orders[0].LogPath
	validated := 0
	validate := func(ctx context.Context, m *Model, count int) (map[string]any, error) {
		validated++
		find, _, err := m.Finder(DecodeOptions{Method: "greedy"})
		if err != nil {
			return nil, err
		}
		ex, err := m.Task.Examples(task.Validation, 0, count)
		if err != nil {
			return nil, err
		}
		_, err = find(ctx, ex, 0)
		return map[string]any{"exact": 0.0}, err
	}
	opt := TrainOptions{Validate: validate, OnStep: func(Progress) { time.Sleep(time.Millisecond) }}
	if err := trainIn(t.Context(), m, dir, false, opt); err != nil {
		t.Fatal(err)
	}
	if validated < 2 {
		t.Errorf("%d validations", validated)
	}
	fresh, _, err := Load(dir, e)
	if err != nil {
		t.Fatal(err)
	}
	got, want := order(m).Orders[0], order(fresh).Orders[0]
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("the old decoder gives %v, a new one %v", got, want)
	}
	if got.LogPath == before {
		t.Error("the old decoder kept the weights it was made with")
	}
	// Decoding between the steps changes nothing in the training.
	_, plain := train(t, tiny(), e)
	sameRun(t, plain, dir)
}

// A batch is a function of the seed and the step, whatever was made before it.
func TestBatchesAreAFunctionOfTheStep(t *testing.T) {
	e := openEngine(t, "go")
	other := tiny()
	other.Seed = 2
	for name, m := range map[string]*Model{"delta": newModel(t, tiny(), e), "scalars": newScalars(t, scalars{N: 4}, nil), "sizes": newModel(t, tours(), e)} {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		made := m.batches(ctx, 5, share{0, 1})
		for s := 5; s < 9; s++ {
			a := <-made
			if a.err != nil {
				t.Fatal(a.err)
			}
			b, err := m.batch(s, share{0, 1})
			if err != nil {
				t.Fatal(err)
			}
			if fmt.Sprint(a.batch.States) != fmt.Sprint(b.States) || !a.batch.Objects.Equal(b.Objects) {
				t.Errorf("%s: the batch of step %d depends on what was before it", name, s)
			}
		}
	}
	same, err := newModel(t, tiny(), e).batch(3, share{0, 1})
	if err != nil {
		t.Fatal(err)
	}
	for what, m := range map[string]*Model{"another step": newModel(t, tiny(), e), "another seed": newModel(t, other, e)} {
		s := map[string]int{"another step": 4, "another seed": 3}[what]
		b, err := m.batch(s, share{0, 1})
		if err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(b.States) == fmt.Sprint(same.States) {
			t.Errorf("%s gives the same batch", what)
		}
	}
}

// Batches of 1 and of more than 8 sets train.
func TestBatchSizes(t *testing.T) {
	e := openEngine(t, "go")
	for _, size := range []int{1, 7, 257} {
		cfg := tiny()
		cfg.Train.Batch, cfg.Train.Steps = size, 2
		m, dir := train(t, cfg, e)
		if m.State.Step != 2 || m.State.Skipped != 0 {
			t.Errorf("batch %d: %+v", size, m.State)
		}
		finite(t, dir)
	}
}

// A training bounded by time ends by itself, whatever its steps.
func TestTimeEndsTraining(t *testing.T) {
	cfg := tiny()
	cfg.Train.Steps, cfg.Train.Time = 1_000_000_000, "100ms"
	m := newModel(t, cfg, openEngine(t, "go"))
	dir := filepath.Join(t.TempDir(), "run")
	last := 0.0
	err := trainIn(t.Context(), m, dir, false, TrainOptions{OnStep: func(p Progress) {
		if p.Done < last || p.Done > 1 {
			t.Errorf("step %d: %g done after %g", p.Step, p.Done, last)
		}
		last = p.Done
	}})
	if err != nil || !m.State.Finished || m.State.Elapsed < 0.1 {
		t.Errorf("%+v, %v", m.State, err)
	}
}

// However little the time, one step is made, and it changes the weights.
func TestTimeBelowAStep(t *testing.T) {
	cfg := tiny()
	cfg.Train.Time = "1ns"
	e := openEngine(t, "go")
	m, fresh := newModel(t, cfg, e), newModel(t, cfg, e)
	err := trainIn(t.Context(), m, filepath.Join(t.TempDir(), "run"), false, TrainOptions{})
	if err != nil || !m.State.Finished || m.State.Step != 1 {
		t.Errorf("%+v, %v, wanted a training that finished at step 1", m.State, err)
	}
	before, _, _, err := run.FromStore(fresh.Store, fresh.Denoiser)
	if err != nil {
		t.Fatal(err)
	}
	after, _, _, err := run.FromStore(m.Store, m.Denoiser)
	if err != nil || cmp.Equal(before, after) {
		t.Errorf("weights are those from before the step, %v", err)
	}
}

// TestManyTrainings looks for trainings that hang: 10 of 50 steps in one process, or
// $RIFFLE_STRESS.
func TestManyTrainings(t *testing.T) {
	count := 10
	if v := os.Getenv("RIFFLE_STRESS"); v != "" {
		var err error
		if count, err = strconv.Atoi(v); err != nil {
			t.Fatalf("RIFFLE_STRESS: %v", err)
		}
	}
	e := openEngine(t, "go")
	first := ""
	for i := range count {
		cfg := tiny()
		cfg.Train.Steps, cfg.Train.Validate = 50, 8
		began := time.Now()
		m, dir := train(t, cfg, e)
		if m.State.Step != 50 {
			t.Fatalf("training %d ended at step %d", i, m.State.Step)
		}
		lines := stepLines(t, dir)
		if first == "" {
			first = lines
		}
		if lines != first {
			t.Errorf("training %d made other steps than the first", i)
		}
		if d := time.Since(began); d > 30*time.Second {
			t.Logf("training %d took %s", i, d)
		}
	}
}
