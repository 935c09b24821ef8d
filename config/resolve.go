package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/shuffle"
)

// Sizes above these are slips of the keyboard, which would end a process for want of memory.
const (
	minSize     = 2       // objects in a set: smaller ones have one order, there is nothing to learn
	maxSize     = 10_000  // objects in a set: a network's work grows with the square, that of a schedule too
	maxShuffles = 1 << 20 // of a schedule
	maxSchedule = 1 << 13 // steps of a schedule, which are written to config.toml
)

// Resolve fills in what follows from other keys (the schedule, the GPL rows) and checks
// everything but what only a task or a network can. Errors are of [KeyError]. Warnings are things
// that work but that a user may not want.
//
// A key that has no effect with the chosen task, encoder or reverse law is an error where it was
// given. [ParseConfig] checks a key of a file against what the file says. A key of [Config.Set] is
// checked here against the whole configuration. A key of a file may be useless after a later Set,
// such as model.gpl_rows of a preset after process.reverse=pl. It is dropped silently, and so are
// fields that a program sets.
func (c *Config) Resolve() (warnings []string, err error) {
	if err := entries["method"].check(c); err != nil {
		return nil, err
	}
	nowhere := func(int) string { return "" }
	if err := errors.Join(c.checkUsed(c.set, nowhere), c.checkFilled(c.set, nowhere)); err != nil {
		return nil, err
	}
	c.dropUnused()
	c.fillUsed()
	if err := entries["task.name"].check(c); err != nil {
		return nil, err
	}
	unknown, err := c.checkSize()
	if err != nil {
		return nil, err
	}
	if !unknown && c.used("process.reverse") { // the rest says the data, see task.InferFromData
		if warnings, err = c.resolveProcess(); err != nil {
			return nil, err
		}
	}
	return warnings, c.checkValues()
}

// MixedSizes tells whether the sets of the task have several sizes, up to task.n.
func (c *Config) MixedSizes() bool { return entries["task.name"].names("mixed", c) }

// FromData are the keys that only the data of the task can tell.
func (c *Config) FromData() (keys []string) {
	for _, e := range table {
		if e.names("data", c) && c.field(e.name).IsZero() {
			keys = append(keys, e.name)
		}
	}
	return keys
}

// checkSize checks how many objects a set has, before anything is computed of it; unknown is
// whether only the data of a task can tell.
func (c *Config) checkSize() (unknown bool, err error) {
	n := c.Task.N
	if product, ok := entries["task.n"].field.Tag.Lookup("product"); ok && !c.used("task.n") {
		keys := strings.Split(product, "*")
		for _, key := range keys { // so that their product does not overflow
			err = errors.Join(err, entries[key].check(c))
		}
		if err == nil && n < minSize {
			err = Errorf(strings.Join(keys, ", "), "wanted %d tiles or more together (got %d)", minSize, n)
		}
		if err != nil {
			return false, err
		}
	}
	switch {
	case len(c.FromData()) > 0:
		return true, nil
	case n < minSize:
		return false, Errorf("task.n", "must be %d or more (got %d)", minSize, n)
	case n > maxSize:
		return false, Errorf("task.n", "must be at most %d (got %d)", maxSize, n)
	}
	if low := c.Task.NMin; low != 0 && (low < minSize || low > n) {
		return false, Errorf("task.n_min", "must be %d to task.n = %d (got %d)", minSize, n, low)
	}
	return false, nil
}

// checkValues checks each value by itself, and the few that depend on each other.
func (c *Config) checkValues() error {
	for _, e := range table {
		if err := e.check(c); err != nil {
			return err
		}
	}
	if _, err := c.CheckpointEvery(); err != nil {
		return err
	}
	if _, err := c.TimeLimit(); err != nil {
		return err
	}
	if c.Train.Patience > 0 && c.Train.Validate == 0 {
		return Errorf("train.patience", "counts validations, of which there are none: wanted train.validate above 0 (got 0)")
	}
	return keyed(errors.Join(c.LearningRate().Validate(), c.AdamW().Validate()), fields)
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
		return nil, Errorf("process.schedule", "must have at most %d steps (got %d)", maxSchedule, len(s))
	} else if len(s) > 0 && slices.Max(s) > maxShuffles {
		return nil, Errorf("process.schedule", "must have at most %d shuffles (got %d)", maxShuffles, slices.Max(s))
	}
	if p.Sizes != nil { // each size has its own
		c.Process.Schedule = []int{}
		if _, err = c.defaultSchedule(n, forward, law); err != nil {
			return nil, Wrap("process.schedule", err)
		}
		p.Steps = p.Sizes(c.Task.N)
	} else if len(c.Process.Schedule) == 0 {
		if c.Process.Schedule, err = c.defaultSchedule(n, forward, law); err != nil {
			return nil, Wrap("process.schedule", err)
		}
		p.Steps = c.Process.Schedule
	}
	if forward.Name() == "riffle" && p.Sizes == nil {
		w, err := shuffle.Check(n, c.Process.Schedule)
		if err != nil {
			return nil, Wrap("process.schedule", err)
		}
		for _, x := range w {
			warnings = append(warnings, x.Message)
		}
	}
	if c.Model.Score == denoiser.ScoreDirect && len(p.Steps) > 2 {
		return nil, &KeyError{
			Key: "model.score", Problem: fmt.Sprintf("direct scores do not know the time, wanted a schedule of one denoising step (got %v)", p.Steps),
			Hint: fmt.Sprintf("process.schedule = [0, %d], or model.score = \"sum\"", p.Steps[len(p.Steps)-1]),
		}
	}
	if s := c.Decode.Symmetries; c.Task.Name == "sort" && s > 1 {
		switch {
		case c.Model.Score != denoiser.ScoreDirect:
			return nil, &KeyError{
				Key: "decode.symmetries", Problem: fmt.Sprintf("wanted 0 or 1, or direct scores, whose median can be taken (got %d)", s),
				Hint: "model.score = \"direct\"",
			}
		case s > MaxViews:
			return nil, &KeyError{Key: "decode.symmetries", Problem: fmt.Sprintf("pictures are read from at most %d sides (got %d)", MaxViews, s)}
		}
	}
	return warnings, keyed(p.Validate(), fields)
}
