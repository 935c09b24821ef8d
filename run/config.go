// Package run keeps a training on disk: its configuration, its log, its checkpoints, so
// that it can be stopped at any moment and go on as if it had not been.
package run

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/diffusion"
	"github.com/riffle-ml/riffle/reverse"
	"github.com/riffle-ml/riffle/shuffle"
)

// Config is everything that defines a training: two runs with equal configurations, seeds
// and engines are equal. It is written in TOML; the tags name the keys.
type Config struct {
	Title   string  `toml:"title" comment:"one line that says what this is"`
	Seed    uint64  `toml:"seed" comment:"all randomness comes from this number"`
	Task    Task    `toml:"task"`
	Process Process `toml:"process"`
	Model   Model   `toml:"model"`
	Train   Train   `toml:"train"`
	Decode  Decode  `toml:"decode"`
	Eval    Eval    `toml:"eval"`
	Paper   *Paper  `toml:"paper,omitempty"`

	set []string // the keys that Set changed, see Resolve; never written to in place, as copies share it
}

// Task says what is learned.
type Task struct {
	Name    string  `toml:"name" comment:"sort or delta"`
	N       int     `toml:"n" comment:"objects in a set"`
	Digits  int     `toml:"digits,omitempty" comment:"sort: digits of each number"`
	Data    string  `toml:"data,omitempty" comment:"sort: folder of the MNIST files; empty looks in the usual places"`
	Augment Augment `toml:"augment,omitempty"`
	Target  string  `toml:"target,omitempty" comment:"delta: identity or random (drawn from the seed)"`
}

// Augment distorts training images: each is drawn uniformly within ± the value.
type Augment struct {
	Rotate float64 `toml:"rotate" comment:"degrees"`
	Scale  float64 `toml:"scale" comment:"share of the size, 0.1 is 90 to 110 %"`
	Shift  float64 `toml:"shift" comment:"pixels"`
}

// Process is the forward shuffle, the reverse law and the denoising schedule.
type Process struct {
	Forward  string `toml:"forward" comment:"riffle, transposition or insertion"`
	Reverse  string `toml:"reverse" comment:"gpl, pl, irs, ii or it"`
	Schedule []int  `toml:"schedule" comment:"denoising schedule 0 = t_0 < ... < t_k = T; empty: the rule of the paper for riffles with gpl or pl, else 0, 1, ..., T"`
}

// Model is the network.
type Model struct {
	Encoder        string  `toml:"encoder" comment:"table, cnn, window, points or features"`
	Channels       []int   `toml:"channels,omitempty" comment:"cnn, window: channels of the convolutions"`
	Kernel         int     `toml:"kernel,omitempty" comment:"cnn: size of the convolutions, pixels"`
	Hidden         []int   `toml:"hidden,omitempty" comment:"window, features, cnn: sizes of the layers between the convolutions, if any, and dim"`
	EncoderDropout float64 `toml:"encoder_dropout,omitempty" comment:"window: probability of dropping a hidden unit in training"`
	Dim            int     `toml:"dim"`
	Layers         int     `toml:"layers"`
	Heads          int     `toml:"heads"`
	FeedForward    int     `toml:"feed_forward"`
	Dropout        float64 `toml:"dropout"`
	Positions      string  `toml:"positions" comment:"sinusoid, learned or none"`
	GPLRows        string  `toml:"gpl_rows,omitempty" comment:"gpl: dummies or items"`
}

// Train is the objective and the optimiser.
type Train struct {
	Steps        int     `toml:"steps"`
	Time         string  `toml:"time,omitempty" comment:"train for this long, such as 30m, instead of for steps; the learning rate follows the clock"`
	Batch        int     `toml:"batch" comment:"sets a step"`
	Objective    string  `toml:"objective" comment:"bound (all steps of a trajectory) or random-step (one)"`
	Trajectories int     `toml:"trajectories" comment:"forward trajectories a set"`
	Schedule     string  `toml:"schedule" comment:"noam, cosine or constant"`
	LR           float64 `toml:"lr" comment:"highest rate; noam: a factor, 1 in the paper"`
	Warmup       int     `toml:"warmup" comment:"steps"`
	WeightDecay  float64 `toml:"weight_decay"`
	Beta1        float64 `toml:"beta1"`
	Beta2        float64 `toml:"beta2"`
	Epsilon      float64 `toml:"epsilon"`
	Clip         float64 `toml:"clip" comment:"bound on the gradient's norm; 0: none"`
	Checkpoint   string  `toml:"checkpoint" comment:"time between checkpoints"`
	Validate     int     `toml:"validate" comment:"sets in the short check at every checkpoint; 0: none"`
}

// Decode is how orders are found.
type Decode struct {
	Method string `toml:"method" comment:"greedy or beam"`
	Beam   int    `toml:"beam" comment:"states kept after each reverse step"`
	Inner  int    `toml:"inner" comment:"prefixes kept inside a reverse step (gpl, pl)"`
}

// Eval is the final test.
type Eval struct {
	Examples int `toml:"examples" comment:"test sets"`
	Batch    int `toml:"batch" comment:"sets decoded at a time"`
}

// Paper is what the paper reports for this experiment, printed beside ours. A figure that it
// does not give is nil: some are 0.
type Paper struct {
	Table      string   `toml:"table" json:"table"`
	KendallTau *float64 `toml:"kendall_tau,omitempty" json:"kendall_tau,omitempty"`
	Exact      *float64 `toml:"exact,omitempty" json:"exact,omitempty" comment:"percent"`
	Correct    *float64 `toml:"correct,omitempty" json:"correct,omitempty" comment:"percent"`
}

// Default is what a configuration leaves unsaid.
func Default() Config {
	return Config{
		Seed:    1,
		Process: Process{Forward: "riffle", Reverse: "gpl"},
		Model: Model{
			Dim: 128, Layers: 4, Heads: 8, FeedForward: 512, Positions: "sinusoid",
		},
		Train: Train{
			Steps: 1000, Batch: 64, Objective: "bound", Trajectories: 1, Schedule: "cosine", LR: 1e-3, Warmup: 100,
			WeightDecay: 1e-2, Beta1: 0.9, Beta2: 0.98, Epsilon: 1e-9, Clip: 1, Checkpoint: "1m", Validate: 200,
		},
		Decode: Decode{Method: "greedy", Beam: 20, Inner: 200},
		Eval:   Eval{Examples: 1000, Batch: 50},
	}
}

// Resolve fills in what follows from other keys (the schedule, the GPL rows) and checks
// everything but the task's own keys. Warnings are things that work but that a user may not
// want.
//
// A key that has no effect with the chosen task, encoder or reverse law is an error where it
// was given: a key of a file against what the file says, in [ParseConfig]; a key of
// [Config.Set] against the whole configuration, here. A key of a file that a later Set has
// made useless (process.reverse=pl on a preset with model.gpl_rows) is dropped silently, and
// so are fields that a program sets.
func (c *Config) Resolve() (warnings []string, err error) {
	forward, err := shuffle.ByName(c.Process.Forward)
	if err != nil {
		return nil, keyError("process.forward", err)
	}
	law, err := reverse.ByName(c.Process.Reverse)
	if err != nil {
		return nil, keyError("process.reverse", err)
	}
	if err := c.checkUsed(c.set, func(int) string { return "" }); err != nil {
		return nil, err
	}
	c.dropUnused()
	if law.Name() == "gpl" && c.Model.GPLRows == "" {
		c.Model.GPLRows = "dummies"
	}
	if c.Task.N < 2 { // smaller sets have one order: there is nothing to learn
		return nil, fmt.Errorf("task.n: must be 2 or more (got %d)", c.Task.N)
	}
	if c.Task.N > maxSize { // before a schedule is computed
		return nil, fmt.Errorf("task.n: must be at most %d (got %d)", maxSize, c.Task.N)
	}
	if len(c.Process.Schedule) == 0 {
		if c.Process.Schedule, err = defaultSchedule(c.Task.N, forward, law); err != nil {
			return nil, keyError("process.schedule", err)
		}
	}
	if forward.Name() == "riffle" {
		w, err := shuffle.Check(c.Task.N, c.Process.Schedule)
		if err != nil {
			return nil, keyError("process.schedule", err)
		}
		for _, x := range w {
			warnings = append(warnings, x.Message)
		}
	}
	p, err := c.DiffusionProcess()
	if err != nil {
		return nil, err
	}
	if err := p.Validate(); err != nil {
		return nil, err
	}
	t := &c.Train
	switch {
	case t.Steps < 1:
		err = fmt.Errorf("train.steps: must be 1 or more (got %d)", t.Steps)
	case t.Batch < 1:
		err = fmt.Errorf("train.batch: must be 1 or more (got %d)", t.Batch)
	case t.Batch > maxBatch:
		err = fmt.Errorf("train.batch: must be at most %d (got %d)", maxBatch, t.Batch)
	case t.Trajectories < 1:
		err = fmt.Errorf("train.trajectories: must be 1 or more (got %d)", t.Trajectories)
	case t.Trajectories > maxBatch:
		err = fmt.Errorf("train.trajectories: must be at most %d (got %d)", maxBatch, t.Trajectories)
	case t.Objective != "bound" && t.Objective != "random-step":
		err = fmt.Errorf("train.objective: unknown %q, wanted bound or random-step", t.Objective)
	case t.Validate < 0:
		err = fmt.Errorf("train.validate: must be 0 or more (got %d)", t.Validate)
	case c.Decode.Method != "greedy" && c.Decode.Method != "beam":
		err = fmt.Errorf("decode.method: unknown %q, wanted greedy or beam", c.Decode.Method)
	case c.Decode.Beam < 1:
		err = fmt.Errorf("decode.beam: must be 1 or more (got %d)", c.Decode.Beam)
	case c.Decode.Inner < 1:
		err = fmt.Errorf("decode.inner: must be 1 or more (got %d)", c.Decode.Inner)
	case c.Decode.Beam > maxBatch:
		err = fmt.Errorf("decode.beam: must be at most %d (got %d)", maxBatch, c.Decode.Beam)
	case c.Decode.Inner > maxBatch:
		err = fmt.Errorf("decode.inner: must be at most %d (got %d)", maxBatch, c.Decode.Inner)
	case c.Eval.Examples < 1:
		err = fmt.Errorf("eval.examples: must be 1 or more (got %d)", c.Eval.Examples)
	case c.Eval.Batch < 1:
		err = fmt.Errorf("eval.batch: must be 1 or more (got %d)", c.Eval.Batch)
	case c.Eval.Batch > maxBatch:
		err = fmt.Errorf("eval.batch: must be at most %d (got %d)", maxBatch, c.Eval.Batch)
	}
	if err != nil {
		return nil, err
	}
	if p := c.Paper; p != nil {
		for key, figure := range map[string]*float64{"kendall_tau": p.KendallTau, "exact": p.Exact, "correct": p.Correct} {
			if figure != nil && (math.IsNaN(*figure) || math.IsInf(*figure, 0)) { // JSON has neither
				return nil, fmt.Errorf("paper.%s: must be finite (got %g)", key, *figure)
			}
		}
	}
	if _, err := c.CheckpointEvery(); err != nil {
		return nil, err
	}
	if _, err := c.TimeLimit(); err != nil {
		return nil, err
	}
	return warnings, errors.Join(c.LearningRate().Validate(), c.AdamW().Validate())
}

// Sizes above these are slips of the keyboard, which would end a process for want of memory.
const (
	maxSize  = 1 << 16 // objects in a set
	maxBatch = 1 << 20 // sets at a time, trajectories of a set, states of a beam
)

func keyError(key string, err error) error { return fmt.Errorf("%s: %w", key, err) }

// defaultSchedule follows the paper where steps can be merged, and else takes every step
// up to the cut-off time.
func defaultSchedule(n int, forward shuffle.Law, law reverse.Law) ([]int, error) {
	if forward.Name() == "riffle" {
		s, err := shuffle.NewSchedule(n)
		if err != nil || law.FullSupport() {
			return s.Steps, err
		}
		return diffusion.Every(s.T), nil
	}
	return diffusion.Every(max(1, int(forward.CutOff(n)+0.5))), nil
}

// DiffusionProcess returns the process the configuration describes.
func (c *Config) DiffusionProcess() (*diffusion.Process, error) {
	forward, err := shuffle.ByName(c.Process.Forward)
	if err != nil {
		return nil, keyError("process.forward", err)
	}
	law, err := reverse.ByName(c.Process.Reverse)
	if err != nil {
		return nil, keyError("process.reverse", err)
	}
	return &diffusion.Process{Forward: forward, Reverse: law, Steps: c.Process.Schedule}, nil
}

// DenoiserConfig returns the network; what the objects are is the task's to say.
func (c *Config) DenoiserConfig(objects denoiser.EncoderConfig) (denoiser.Config, error) {
	law, err := reverse.ByName(c.Process.Reverse)
	if err != nil {
		return denoiser.Config{}, keyError("process.reverse", err)
	}
	m := c.Model
	objects.Kind, objects.Channels, objects.Kernel, objects.Hidden, objects.Dropout = m.Encoder, m.Channels, m.Kernel, m.Hidden, m.EncoderDropout
	return denoiser.Config{
		N: c.Task.N, Law: law, GPLRows: m.GPLRows, Encoder: objects,
		Dim: m.Dim, Layers: m.Layers, Heads: m.Heads, FeedForward: m.FeedForward,
		Dropout: m.Dropout, Positions: m.Positions,
	}, nil
}

// LearningRate returns the schedule of the learning rate.
func (c *Config) LearningRate() diffusion.LearningRate {
	t := c.Train
	return diffusion.LearningRate{Kind: t.Schedule, Max: t.LR, Warmup: t.Warmup, Dim: c.Model.Dim, Steps: t.Steps}
}

// AdamW returns the optimiser's settings.
func (c *Config) AdamW() diffusion.AdamW {
	t := c.Train
	return diffusion.AdamW{Beta1: t.Beta1, Beta2: t.Beta2, Epsilon: t.Epsilon, WeightDecay: t.WeightDecay, Clip: t.Clip}
}

// Objective returns which states the loss is computed on.
func (c *Config) Objective() diffusion.Objective {
	return diffusion.Objective{Trajectories: c.Train.Trajectories, RandomStep: c.Train.Objective == "random-step"}
}

// TimeLimit returns how long to train, 0 where the steps decide.
func (c *Config) TimeLimit() (time.Duration, error) {
	if c.Train.Time == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(c.Train.Time)
	if err != nil || d <= 0 {
		return 0, fmt.Errorf("train.time: wanted a time above 0 such as 90s or 30m (got %q)", c.Train.Time)
	}
	return d, nil
}

// CheckpointEvery returns the time between checkpoints.
func (c *Config) CheckpointEvery() (time.Duration, error) {
	d, err := time.ParseDuration(c.Train.Checkpoint)
	if err != nil || d <= 0 {
		return 0, fmt.Errorf("train.checkpoint: wanted a time above 0 such as 30s or 5m (got %q)", c.Train.Checkpoint)
	}
	return d, nil
}
