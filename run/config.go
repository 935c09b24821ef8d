// Package run keeps a training on disk: its configuration, its log, its checkpoints, so
// that it can be stopped at any moment and go on as if it had not been.
package run

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/diffusion"
	"github.com/riffle-ml/riffle/reverse"
	"github.com/riffle-ml/riffle/shuffle"
)

// Config is everything that defines a training: two runs with equal configurations, seeds
// and engines are equal. It is written in TOML; the tags name the keys and say what they mean, from which
// docs/configuration.md is made: see [Keys].
type Config struct {
	Title    string   `toml:"title" comment:"one line that says what this is"`
	Seed     uint64   `toml:"seed" comment:"all randomness comes from this number"`
	Method   string   `toml:"method" comment:"diffusion, or what it is compared with: gumbel-sinkhorn, diffsort, error-free-diffsort or sedd"`
	Task     Task     `toml:"task" doc:"What is learned."`
	Process  Process  `toml:"process,omitempty" doc:"The forward shuffle, the reverse law and the denoising schedule."`
	Model    Model    `toml:"model" doc:"The network."`
	Train    Train    `toml:"train" doc:"The objective and the optimiser."`
	Decode   Decode   `toml:"decode,omitempty" doc:"How orders are found."`
	Baseline Baseline `toml:"baseline,omitempty" doc:"What the methods need that diffusion is compared with."`
	Eval     Eval     `toml:"eval" doc:"The final test."`
	Paper    *Paper   `toml:"paper,omitempty" doc:"What the paper reports for this experiment, printed beside what comes out; it changes nothing."`

	set []string // the keys that Set changed, see Resolve; never written to in place, as copies share it
}

// Task says what is learned.
type Task struct {
	Name      string    `toml:"name" comment:"sort, delta, jigsaw, tsp or ranking"`
	N         int       `toml:"n,omitempty" comment:"objects in a set; a jigsaw has rows times columns; ranking: at most, larger sets are left out, 0: those of the data"`
	Source    string    `toml:"source,omitempty" comment:"jigsaw: mnist, cifar10 or photos (any folder of pictures)"`
	Rows      int       `toml:"rows,omitempty" comment:"jigsaw: tiles from top to bottom"`
	Columns   int       `toml:"columns,omitempty" comment:"jigsaw: tiles from left to right"`
	Noise     float64   `toml:"noise,omitempty" comment:"jigsaw: standard deviation of the noise on pixels, which go from 0 to 1"`
	Digits    int       `toml:"digits,omitempty" comment:"sort: digits of each number"`
	Data      string    `toml:"data,omitempty" comment:"sort, jigsaw: folder of the files of MNIST, of CIFAR-10 or of photos; empty looks in the usual places. tsp: file of training instances (tour text); empty draws and solves them. ranking: file of ranked lists"`
	Test      string    `toml:"test,omitempty" comment:"tsp: file of test instances (tour text); empty draws and solves them. ranking: file of test lists; empty takes a tenth of the data"`
	Instances int       `toml:"instances,omitempty" comment:"tsp without data: training instances that are drawn, solved once and kept in the user's cache folder, then turned and mirrored; 0: new ones each step"`
	Items     string    `toml:"items,omitempty" comment:"ranking: bare, features, images or points; empty: what the data has"`
	Features  int       `toml:"features,omitempty" comment:"ranking: numbers of an item; 0: what the data has"`
	Fill      string    `toml:"fill,omitempty" comment:"ranking: what stands for an empty feature of a table, mean (of the training part) or 0; empty: it is an error"`
	Pixels    int       `toml:"pixels,omitempty" comment:"ranking: side that images are brought to, in grey"`
	Augment   Augment   `toml:"augment,omitempty" doc:"Training images are distorted, each by what is drawn uniformly within ± the value."`
	Target    string    `toml:"target,omitempty" comment:"delta: one order, identity or random (drawn from the seed); several, mixture (random ones) or rotations (all of the identity)"`
	Modes     int       `toml:"modes,omitempty" comment:"delta, mixture: how many orders"`
	Weights   []float64 `toml:"weights,omitempty" comment:"delta, mixture: in what proportion the orders are right; empty: all the same"`
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
	Reverse  string `toml:"reverse" comment:"gpl, path, pl, irs, ii or it"`
	Schedule []int  `toml:"schedule" comment:"denoising schedule 0 = t_0 < ... < t_k = T; empty: the rule of the paper for riffles with gpl or pl, 0, T with path, else 0, 1, ..., T"`
}

// Model is the network.
type Model struct {
	Encoder        string  `toml:"encoder" comment:"table, cnn, window, points or features"`
	Channels       []int   `toml:"channels,omitempty" comment:"cnn, window: channels of the convolutions"`
	Kernel         int     `toml:"kernel,omitempty" comment:"cnn: size of the convolutions, pixels"`
	Hidden         []int   `toml:"hidden,omitempty" comment:"window, features, cnn: sizes of the layers between the convolutions, if any, and dim"`
	EncoderDropout float64 `toml:"encoder_dropout,omitempty" comment:"window: probability of dropping a hidden unit in training"`
	Dim            int     `toml:"dim" comment:"numbers of an embedding and a token, even and a multiple of heads"`
	Layers         int     `toml:"layers" comment:"of the transformer"`
	Heads          int     `toml:"heads" comment:"of attention"`
	FeedForward    int     `toml:"feed_forward" comment:"hidden units of a layer"`
	Dropout        float64 `toml:"dropout" comment:"probability of dropping a unit in training"`
	Positions      string  `toml:"positions" comment:"sinusoid, learned, first (a mark on the item at position 0 alone) or none"`
	Norm           string  `toml:"norm,omitempty" comment:"layer norms of the transformer: post (after each sum, the paper's) or pre (before attention and network)"`
	Precision      string  `toml:"precision,omitempty" comment:"float32 or bfloat16: the factors of dense layers after the encoder, on XLA"`
	Points         string  `toml:"points,omitempty" comment:"points: spread (brought to one centre and spread, whatever their unit) or unit (as they are in the unit square, else scaled into it: runs from before there was a choice)"`
	Edges          bool    `toml:"edges,omitempty" comment:"points: every other layer attends to the edges between them"`
	GPLRows        string  `toml:"gpl_rows,omitempty" comment:"gpl: dummies or items"`
}

// Train is the objective and the optimiser.
type Train struct {
	Steps        int     `toml:"steps" comment:"batches to train on"`
	Time         string  `toml:"time,omitempty" comment:"train for this long, such as 30m, and for a step at least, instead of for steps; the learning rate follows the clock"`
	Batch        int     `toml:"batch" comment:"sets a step"`
	Objective    string  `toml:"objective,omitempty" comment:"bound (all steps of a trajectory), random-step (one) or latent (all, judged by pixels alone)"`
	Trajectories int     `toml:"trajectories,omitempty" comment:"forward trajectories a set"`
	Samples      int     `toml:"samples,omitempty" comment:"latent: reverse steps drawn a state; 0 here and below: the paper's"`
	Entropy      float64 `toml:"entropy,omitempty" comment:"latent: weight of the entropy"`
	EMARate      float64 `toml:"ema_rate,omitempty" comment:"latent: of the moving average that is the control variate"`
	Schedule     string  `toml:"schedule" comment:"noam, cosine or constant"`
	LR           float64 `toml:"lr" comment:"highest rate; noam: a factor, 1 in the paper"`
	Warmup       int     `toml:"warmup" comment:"steps"`
	WeightDecay  float64 `toml:"weight_decay" comment:"of AdamW, as are beta1, beta2 and epsilon"`
	Beta1        float64 `toml:"beta1" comment:"of the mean of gradients"`
	Beta2        float64 `toml:"beta2" comment:"of the mean of their squares"`
	Epsilon      float64 `toml:"epsilon" comment:"added to the root of that mean"`
	Clip         float64 `toml:"clip" comment:"bound on the gradient's norm; 0: none"`
	Checkpoint   string  `toml:"checkpoint" comment:"time between checkpoints"`
	Validate     int     `toml:"validate" comment:"sets in the short check at every checkpoint; 0: none"`
}

// Baseline is what the methods need that diffusion is compared with.
type Baseline struct {
	Network    string  `toml:"network,omitempty" comment:"diffsort, error-free-diffsort: sorting network, odd-even or bitonic"`
	Steepness  float64 `toml:"steepness,omitempty" comment:"diffsort, error-free-diffsort: of the relaxed swap"`
	Tau        float64 `toml:"tau,omitempty" comment:"gumbel-sinkhorn: temperature"`
	Iterations int     `toml:"iterations,omitempty" comment:"gumbel-sinkhorn: normalisations of rows and columns"`
	Samples    int     `toml:"samples,omitempty" comment:"gumbel-sinkhorn: draws of the noise a set"`
	Graph      string  `toml:"graph,omitempty" comment:"sedd: uniform or absorb"`
	Sampler    string  `toml:"sampler,omitempty" comment:"sedd: euler or analytic"`
	Steps      int     `toml:"steps,omitempty" comment:"sedd: steps of the sampler"`
}

// Decode is how orders are found.
type Decode struct {
	Method string `toml:"method" comment:"greedy or beam"`
	Beam   int    `toml:"beam" comment:"states kept after each reverse step"`
	Inner  int    `toml:"inner" comment:"prefixes kept inside a reverse step (gpl, path, pl)"`
}

// Eval is the final test.
type Eval struct {
	Examples int `toml:"examples" comment:"test sets"`
	Batch    int `toml:"batch" comment:"sets decoded at a time"`
}

// Paper is what the paper reports for this experiment, printed beside ours. A figure that it
// does not give is nil: some are 0.
type Paper struct {
	Table      string   `toml:"table" json:"table" comment:"the table and the row"`
	KendallTau *float64 `toml:"kendall_tau,omitempty" json:"kendall_tau,omitempty" comment:"-1 to 1"`
	Exact      *float64 `toml:"exact,omitempty" json:"exact,omitempty" comment:"percent"`
	Correct    *float64 `toml:"correct,omitempty" json:"correct,omitempty" comment:"percent"`
	RMSE       *float64 `toml:"rmse,omitempty" json:"rmse,omitempty" comment:"of the pixels, in a unit that the paper does not give"`
	MAE        *float64 `toml:"mae,omitempty" json:"mae,omitempty" comment:"of the pixels, as rmse"`
	Length     *float64 `toml:"length,omitempty" json:"length,omitempty" comment:"of tours"`
	Gap        *float64 `toml:"gap,omitempty" json:"gap,omitempty" comment:"percent above the shortest"`
}

// Default is what a configuration leaves unsaid.
func Default() Config {
	return Config{
		Seed:    1,
		Method:  "diffusion",
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
	if !slices.Contains(choices["method"], c.Method) {
		return nil, fmt.Errorf("method: unknown %q, wanted %s", c.Method, strings.Join(choices["method"], ", "))
	}
	nowhere := func(int) string { return "" }
	if err := errors.Join(c.checkUsed(c.set, nowhere), c.checkFilled(c.set, nowhere)); err != nil {
		return nil, err
	}
	c.dropUnused()
	c.fillUsed()
	if t := c.Task; t.Name == "jigsaw" {
		switch { // so that their product does not overflow
		case t.Rows < 1 || t.Rows > maxSize:
			return nil, fmt.Errorf("task.rows: must be 1 to %d (got %d)", maxSize, t.Rows)
		case t.Columns < 1 || t.Columns > maxSize:
			return nil, fmt.Errorf("task.columns: must be 1 to %d (got %d)", maxSize, t.Columns)
		case t.Rows*t.Columns < 2:
			return nil, errors.New("task.rows, task.columns: wanted 2 tiles or more together (got 1)")
		}
	}
	if t := c.Task; t.Name == "ranking" {
		switch {
		case t.N == 0 || t.Items == "":
			return nil, c.resolveRest() // the data says the rest, see task.Complete
		case t.Features < 0 || t.Features > maxFeatures:
			return nil, fmt.Errorf("task.features: must be 0 to %d (got %d)", maxFeatures, t.Features)
		case t.Pixels < 0 || t.Pixels > maxSide:
			return nil, fmt.Errorf("task.pixels: must be 1 to %d (got %d)", maxSide, t.Pixels)
		}
	}
	if c.Task.N < 2 && c.Task.Name == "" {
		return nil, fmt.Errorf("task.name: is missing, wanted %s", strings.Join(choices["task.name"], ", "))
	}
	if c.Task.N < 2 { // smaller sets have one order: there is nothing to learn
		return nil, fmt.Errorf("task.n: must be 2 or more (got %d)", c.Task.N)
	}
	if c.Task.N > maxSize { // before a schedule is computed
		return nil, fmt.Errorf("task.n: must be at most %d (got %d)", maxSize, c.Task.N)
	}
	if c.Method == "diffusion" {
		warnings, err = c.resolveProcess()
	} else {
		err = c.Baseline.validate(c.Method)
	}
	if err != nil {
		return nil, err
	}
	return warnings, c.resolveRest()
}

// resolveRest checks what has nothing to do with the process.
func (c *Config) resolveRest() (err error) {
	t := &c.Train
	switch {
	case t.Steps < 1:
		err = fmt.Errorf("train.steps: must be 1 or more (got %d)", t.Steps)
	case t.Steps > maxSteps:
		err = fmt.Errorf("train.steps: must be at most %d (got %d)", maxSteps, t.Steps)
	case t.Warmup > maxSteps:
		err = fmt.Errorf("train.warmup: must be at most %d (got %d)", maxSteps, t.Warmup)
	case t.Samples > maxBatch:
		err = fmt.Errorf("train.samples: must be at most %d (got %d)", maxBatch, t.Samples)
	case t.Validate > maxSets:
		err = fmt.Errorf("train.validate: must be at most %d (got %d)", maxSets, t.Validate)
	case c.Eval.Examples > maxSets:
		err = fmt.Errorf("eval.examples: must be at most %d (got %d)", maxSets, c.Eval.Examples)
	case c.Task.Modes > maxModes:
		err = fmt.Errorf("task.modes: must be at most %d (got %d)", maxModes, c.Task.Modes)
	case t.Batch < 1:
		err = fmt.Errorf("train.batch: must be 1 or more (got %d)", t.Batch)
	case t.Batch > maxBatch:
		err = fmt.Errorf("train.batch: must be at most %d (got %d)", maxBatch, t.Batch)
	case !slices.Contains([]string{"", "spread", "unit"}, c.Model.Points):
		err = fmt.Errorf("model.points: unknown %q, wanted spread or unit", c.Model.Points)
	case t.Validate < 0:
		err = fmt.Errorf("train.validate: must be 0 or more (got %d)", t.Validate)
	case c.Eval.Examples < 1:
		err = fmt.Errorf("eval.examples: must be 1 or more (got %d)", c.Eval.Examples)
	case c.Eval.Batch < 1:
		err = fmt.Errorf("eval.batch: must be 1 or more (got %d)", c.Eval.Batch)
	case c.Eval.Batch > maxBatch:
		err = fmt.Errorf("eval.batch: must be at most %d (got %d)", maxBatch, c.Eval.Batch)
	}
	if err != nil {
		return err
	}
	if p := c.Paper; p != nil {
		for key, figure := range map[string]*float64{"kendall_tau": p.KendallTau, "exact": p.Exact, "correct": p.Correct, "rmse": p.RMSE, "mae": p.MAE, "length": p.Length, "gap": p.Gap} {
			if figure != nil && (math.IsNaN(*figure) || math.IsInf(*figure, 0)) { // JSON has neither
				return fmt.Errorf("paper.%s: must be finite (got %g)", key, *figure)
			}
		}
	}
	if _, err := c.CheckpointEvery(); err != nil {
		return err
	}
	if _, err := c.TimeLimit(); err != nil {
		return err
	}
	return errors.Join(c.LearningRate().Validate(), c.AdamW().Validate())
}

// resolveProcess completes and checks what diffusion needs.
func (c *Config) resolveProcess() (warnings []string, err error) {
	p, err := c.DiffusionProcess()
	if err != nil {
		return nil, err
	}
	forward, law := p.Forward, p.Reverse
	n := p.Free(c.Task.N)
	if s := c.Process.Schedule; len(s) > maxSchedule {
		return nil, fmt.Errorf("process.schedule: must have at most %d steps (got %d)", maxSchedule, len(s))
	} else if len(s) > 0 && slices.Max(s) > maxShuffles {
		return nil, fmt.Errorf("process.schedule: must have at most %d shuffles (got %d)", maxShuffles, slices.Max(s))
	}
	if p.Sizes != nil { // each size has its own
		c.Process.Schedule = []int{}
		if _, err = defaultSchedule(n, forward, law); err != nil {
			return nil, keyError("process.schedule", err)
		}
		p.Steps = p.Sizes(c.Task.N)
	} else if len(c.Process.Schedule) == 0 {
		if c.Process.Schedule, err = defaultSchedule(n, forward, law); err != nil {
			return nil, keyError("process.schedule", err)
		}
		p.Steps = c.Process.Schedule
	}
	if forward.Name() == "riffle" && p.Sizes == nil {
		w, err := shuffle.Check(n, c.Process.Schedule)
		if err != nil {
			return nil, keyError("process.schedule", err)
		}
		for _, x := range w {
			warnings = append(warnings, x.Message)
		}
	}
	if err := p.Validate(); err != nil {
		return nil, err
	}
	t := &c.Train
	switch {
	case t.Trajectories < 1:
		err = fmt.Errorf("train.trajectories: must be 1 or more (got %d)", t.Trajectories)
	case t.Trajectories > maxBatch:
		err = fmt.Errorf("train.trajectories: must be at most %d (got %d)", maxBatch, t.Trajectories)
	case !slices.Contains(choices["train.objective"], t.Objective):
		err = fmt.Errorf("train.objective: unknown %q, wanted %s", t.Objective, strings.Join(choices["train.objective"], ", "))
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
	case t.Objective == "latent":
		err = c.Latent().Validate()
	}
	return warnings, err
}

// validate checks the keys of a method.
func (b *Baseline) validate(method string) error {
	sorts := method == "diffsort" || method == "error-free-diffsort"
	switch {
	case sorts && b.Network != "odd-even" && b.Network != "bitonic":
		return fmt.Errorf("baseline.network: unknown %q, wanted odd-even or bitonic", b.Network)
	case sorts && !(b.Steepness > 0 && b.Steepness <= math.MaxFloat32): // NaN too
		return fmt.Errorf("baseline.steepness: must be above 0 and finite (got %g)", b.Steepness)
	case method == "gumbel-sinkhorn" && !(b.Tau > 0 && b.Tau <= math.MaxFloat32):
		return fmt.Errorf("baseline.tau: must be above 0 and finite (got %g)", b.Tau)
	case method == "gumbel-sinkhorn" && (b.Iterations < 1 || b.Iterations > 1000):
		return fmt.Errorf("baseline.iterations: must be 1 to 1000 (got %d)", b.Iterations)
	case method == "gumbel-sinkhorn" && (b.Samples < 1 || b.Samples > maxBatch):
		return fmt.Errorf("baseline.samples: must be 1 to %d (got %d)", maxBatch, b.Samples)
	case method == "sedd" && b.Graph != "uniform" && b.Graph != "absorb":
		return fmt.Errorf("baseline.graph: unknown %q, wanted uniform or absorb", b.Graph)
	case method == "sedd" && b.Sampler != "euler" && b.Sampler != "analytic":
		return fmt.Errorf("baseline.sampler: unknown %q, wanted euler or analytic", b.Sampler)
	case method == "sedd" && (b.Steps < 1 || b.Steps > 1<<16):
		return fmt.Errorf("baseline.steps: must be 1 to %d (got %d)", 1<<16, b.Steps)
	}
	return nil
}

// Latent returns the settings of the latent objective.
func (c *Config) Latent() diffusion.Latent {
	return diffusion.Latent{Samples: c.Train.Samples, Entropy: c.Train.Entropy, Rate: c.Train.EMARate}
}

// Sizes above these are slips of the keyboard, which would end a process for want of memory.
const (
	maxSize     = 10_000  // objects in a set: a network's work grows with the square, that of a schedule too
	maxSide     = 1 << 12 // pixels of an image
	maxFeatures = 1 << 20 // numbers of an item
	maxBatch    = 1 << 20 // sets at a time, trajectories of a set, states of a beam
	maxSets     = 1 << 24 // sets of a test
	maxSteps    = 1 << 40 // of a training
	maxModes    = 1 << 16 // orders of a mixture
	maxShuffles = 1 << 20 // of a schedule
	maxSchedule = 1 << 13 // steps of a schedule, which are written to config.toml
)

func keyError(key string, err error) error {
	return fmt.Errorf("%s: %s", key, strings.TrimPrefix(err.Error(), "schedule: ")) // the key says it
}

// defaultSchedule follows the paper where steps can be merged, and else takes every step
// up to the cut-off time.
func defaultSchedule(n int, forward shuffle.Law, law reverse.Law) ([]int, error) {
	if forward.Name() == "riffle" {
		s, err := shuffle.NewSchedule(n)
		if law.Name() == "path" { // reads off the objects who comes after whom: of tours one step was best
			return []int{0, max(1, s.T)}, err
		}
		if err != nil || law.FullSupport() {
			return s.Steps, err
		}
		return diffusion.Every(s.T), nil
	}
	T := max(1, int(forward.CutOff(n)+0.5))
	if T >= maxSchedule {
		return nil, fmt.Errorf("%d objects take %d steps of %s, wanted at most %d\nhint: fewer objects, process.forward = \"riffle\" or a schedule of yours", n, T, forward.Name(), maxSchedule-1)
	}
	return diffusion.Every(T), nil
}

// DiffusionProcess returns the process that the configuration of method diffusion describes.
func (c *Config) DiffusionProcess() (*diffusion.Process, error) {
	for _, x := range []struct{ key, value string }{{"process.forward", c.Process.Forward}, {"process.reverse", c.Process.Reverse}} {
		if names := choices[x.key]; !slices.Contains(names, x.value) {
			return nil, fmt.Errorf("%s: unknown %q, wanted %s", x.key, x.value, strings.Join(names, ", "))
		}
	}
	forward, err := shuffle.ByName(c.Process.Forward)
	if err != nil {
		return nil, keyError("process.forward", err)
	}
	law, err := reverse.ByName(c.Process.Reverse)
	if err != nil {
		return nil, keyError("process.reverse", err)
	}
	p := &diffusion.Process{Forward: forward, Reverse: law, Steps: c.Process.Schedule, FixFirst: c.Task.Name == "tsp"}
	if c.Task.Name == "ranking" && len(p.Steps) == 0 {
		p.Sizes = schedules(forward, law)
		if c.Task.N > 1 {
			p.Steps = p.Sizes(c.Task.N)
		}
	}
	return p, nil
}

// schedules returns the schedule by the rule for every size, each computed once.
func schedules(forward shuffle.Law, law reverse.Law) func(n int) []int {
	var mu sync.Mutex
	known := map[int][]int{}
	return func(n int) []int {
		mu.Lock()
		defer mu.Unlock()
		if known[n] == nil {
			steps, err := defaultSchedule(max(2, n), forward, law)
			if err != nil { // of a size beyond the rule's; sizes are checked before
				steps = []int{0, 1}
			}
			known[n] = steps
		}
		return known[n]
	}
}

// DenoiserConfig returns the network; what the objects are is the task's to say.
func (c *Config) DenoiserConfig(objects denoiser.EncoderConfig) (denoiser.Config, error) {
	var law reverse.Law
	if c.Method == "diffusion" {
		var err error
		if law, err = reverse.ByName(c.Process.Reverse); err != nil {
			return denoiser.Config{}, keyError("process.reverse", err)
		}
	}
	m := c.Model
	objects.Kind, objects.Channels, objects.Kernel, objects.Hidden, objects.Dropout, objects.Points = m.Encoder, m.Channels, m.Kernel, m.Hidden, m.EncoderDropout, m.Points
	return denoiser.Config{
		N: c.Task.N, Law: law, GPLRows: m.GPLRows, Encoder: objects,
		Dim: m.Dim, Layers: m.Layers, Heads: m.Heads, FeedForward: m.FeedForward,
		Dropout: m.Dropout, Positions: m.Positions, Norm: m.Norm, Precision: m.Precision, Edges: m.Edges, Head: heads[c.Method],
	}, nil
}

// heads are what the networks of the methods end in.
var heads = map[string]string{
	"diffusion": "", "gumbel-sinkhorn": "assign", "diffsort": "score", "error-free-diffsort": "score", "sedd": "pointer",
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
