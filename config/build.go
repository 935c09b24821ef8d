package config

import (
	"errors"
	"sync"
	"time"

	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/diffusion"
	"github.com/riffle-ml/riffle/internal/hint"
	"github.com/riffle-ml/riffle/reverse"
	"github.com/riffle-ml/riffle/shuffle"
)

// fields are the keys that fill the fields of the packages below, whose errors name these.
var fields = map[string]string{
	"Kind": "train.schedule", "Max": "train.lr", "Warmup": "train.warmup",
	"Beta1": "train.beta1", "Beta2": "train.beta2", "Epsilon": "train.epsilon", "WeightDecay": "train.weight_decay", "Clip": "train.clip", "Average": "train.average",
	"Reverse": "process.reverse", "Steps": "process.schedule",
	"Samples": "train.samples", "Entropy": "train.entropy", "Rate": "train.ema_rate", "SD": "train.pixel_sd",
}

// network are those of [denoiser.Config].
var network = map[string]string{
	"Frozen": "train.frozen",
	"N":      "task.n", "Law": "process.reverse", "Dim": "model.dim", "Layers": "model.layers", "Heads": "model.heads", "FeedForward": "model.feed_forward",
	"Dropout": "model.dropout", "Positions": "model.positions", "Norm": "model.norm", "Precision": "model.precision", "Score": "model.score", "Edges": "model.edges", "Pairs": "model.pairs", "GPLRows": "model.gpl_rows",
	"Encoder.Kind": "model.encoder", "Encoder.Kernel": "model.kernel", "Encoder.Channels": "model.channels", "Encoder.Hidden": "model.hidden", "Encoder.Dropout": "model.encoder_dropout", "Encoder.Codes": "model.codes",
}

// Network makes the denoiser of a configuration, for objects as its task says they are, with the head of
// its method.
func (c *Config) Network(objects denoiser.EncoderConfig, head string) (*denoiser.Denoiser, error) {
	cfg, err := c.DenoiserConfig(objects, head)
	if err != nil {
		return nil, err
	}
	d, err := denoiser.New(cfg)
	if err == nil {
		err = d.Freeze(c.Train.Frozen)
	}
	return d, keyed(err, network)
}

// Latent returns the settings of the latent objective.
func (c *Config) Latent() diffusion.Latent {
	return diffusion.Latent{Samples: c.Train.Samples, Entropy: c.Train.Entropy, Rate: c.Train.EMARate, SD: c.Train.PixelSD}
}

// MaxViews is from how many sides a picture is read at most ([Decode] Symmetries): what all of them show is kept at a time.
const MaxViews = 64

// defaultSchedule follows the paper where steps can be merged, and else takes every step
// up to the cut-off time.
func (c *Config) defaultSchedule(n int, forward shuffle.Law, law reverse.Law) ([]int, error) {
	if forward.Name() == "riffle" {
		s, err := shuffle.NewSchedule(n)
		if _, one := law.(reverse.OneStep); one || c.Model.Score == denoiser.ScoreDirect {
			return []int{0, max(1, s.T)}, err
		}
		if err != nil || law.FullSupport() {
			return s.Steps, err
		}
		return diffusion.Every(s.T), nil
	}
	T := max(1, int(forward.CutOff(n)+0.5))
	if T >= maxSchedule {
		return nil, hint.Errorf("fewer objects, process.forward = \"riffle\" or a schedule of yours", "%d objects take %d steps of %s, wanted at most %d", n, T, forward.Name(), maxSchedule-1)
	}
	return diffusion.Every(T), nil
}

// DiffusionProcess returns the process that the configuration of method diffusion describes.
func (c *Config) DiffusionProcess() (*diffusion.Process, error) {
	if err := errors.Join(entries["process.forward"].check(c), entries["process.reverse"].check(c)); err != nil {
		return nil, err
	}
	forward, err := shuffle.ByName(c.Process.Forward)
	if err != nil {
		return nil, Wrap("process.forward", err)
	}
	law, err := reverse.ByName(c.Process.Reverse)
	if err != nil {
		return nil, Wrap("process.reverse", err)
	}
	p := &diffusion.Process{Forward: forward, Reverse: law, Steps: c.Process.Schedule, FixFirst: entries["task.name"].names("first", c)}
	if c.MixedSizes() && len(p.Steps) == 0 {
		p.Sizes = c.schedules(forward, law)
		if c.Task.N > 1 {
			p.Steps = p.Sizes(c.Task.N)
		}
	}
	return p, nil
}

// schedules returns the schedule by the rule for every size, each computed once.
func (c *Config) schedules(forward shuffle.Law, law reverse.Law) func(n int) []int {
	var mu sync.Mutex
	known := map[int][]int{}
	of := *c // as it is now
	return func(n int) []int {
		mu.Lock()
		defer mu.Unlock()
		if known[n] == nil {
			steps, err := of.defaultSchedule(max(2, n), forward, law)
			if err != nil { // of a size beyond the rule's; sizes are checked before
				steps = []int{0, 1}
			}
			known[n] = steps
		}
		return known[n]
	}
}

// DenoiserConfig returns the network; what the objects are is the task's to say, and what it ends in
// the method's.
func (c *Config) DenoiserConfig(objects denoiser.EncoderConfig, head string) (denoiser.Config, error) {
	var law reverse.Law
	if c.used("process.reverse") {
		var err error
		if law, err = reverse.ByName(c.Process.Reverse); err != nil {
			return denoiser.Config{}, Wrap("process.reverse", err)
		}
	}
	m := c.Model
	objects.Kind, objects.Channels, objects.Kernel, objects.Hidden, objects.Codes, objects.Dropout, objects.Points = m.Encoder, m.Channels, m.Kernel, m.Hidden, m.Codes, m.EncoderDropout, m.Points
	return denoiser.Config{
		N: c.Task.N, Law: law, GPLRows: m.GPLRows, Encoder: objects,
		Dim: m.Dim, Layers: m.Layers, Heads: m.Heads, FeedForward: m.FeedForward,
		Dropout: m.Dropout, Positions: m.Positions, Norm: m.Norm, Precision: m.Precision, Score: m.Score, Edges: m.Edges, Pairs: m.Pairs, Head: head,
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
	return diffusion.AdamW{Beta1: t.Beta1, Beta2: t.Beta2, Epsilon: t.Epsilon, WeightDecay: t.WeightDecay, Clip: t.Clip, Average: t.Average}
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
		return 0, Errorf("train.time", "wanted a time above 0 such as 90s or 30m (got %q)", c.Train.Time)
	}
	return d, nil
}

// CheckpointEvery returns the time between checkpoints.
func (c *Config) CheckpointEvery() (time.Duration, error) {
	d, err := time.ParseDuration(c.Train.Checkpoint)
	if err != nil || d <= 0 {
		return 0, Errorf("train.checkpoint", "wanted a time above 0 such as 30s or 5m (got %q)", c.Train.Checkpoint)
	}
	return d, nil
}
