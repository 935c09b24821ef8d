package learn

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/internal/hint"
	"github.com/riffle-ml/riffle/run"
)

// resume takes up the training at the run's last checkpoint.
func (t *trainer) resume() error {
	if err := sameConfig(t.dir.Config, t.Config); err != nil {
		return fmt.Errorf("%s: %w", t.dir.File(run.ConfigFile), err)
	}
	was := t.dir.Config
	warnings, err := t.restore(t.dir, true)
	switch {
	case errors.Is(err, run.ErrNoCheckpoint):
		t.say("no checkpoint yet, starting from the first step")
	case err != nil:
		return err
	}
	for _, w := range warnings {
		t.say(w)
	}
	t.before = time.Duration(t.State.Elapsed * float64(time.Second))
	if err := t.recall(); err != nil {
		return err
	}
	return t.trainOn(&was)
}

// sameConfig names the keys in which a run's configuration and a model's differ, in the order of
// config.toml. It leaves out the length of the training.
func sameConfig(ofRun, ofModel config.Config) error {
	if _, err := ofRun.Resolve(); err != nil {
		return err
	}
	want, err := ofRun.Values()
	if err != nil {
		return err
	}
	got, err := ofModel.Values()
	if err != nil {
		return err
	}
	var keys, differ []string
	for _, c := range config.Changes(want, got) {
		if c.Key == config.TrainSteps || c.Key == config.TrainTime {
			continue
		}
		keys = append(keys, c.Key)
		differ = append(differ, fmt.Sprintf("wanted %s (got %s)", cmp.Or(c.Was, "none"), cmp.Or(c.Is, "none")))
	}
	switch len(keys) {
	case 0:
		return nil
	case 1:
		return fmt.Errorf("%s: the model to resume with has another value: %s", keys[0], differ[0])
	}
	for i, key := range keys {
		differ[i] = key + ": " + differ[i]
	}
	return fmt.Errorf("%s: the model to resume with has other values: %s", strings.Join(keys, ", "), strings.Join(differ, "; "))
}

// trainOn goes on to another length than the run had, if the model has one.
func (t *trainer) trainOn(was *config.Config) error {
	old, is := was.Train, t.Config.Train
	if s := t.State.Config; s != nil { // what the checkpoint was made with: the file may have been changed by hand
		old.Time = strings.Trim(s[config.TrainTime], `'"`)
		if n, err := strconv.Atoi(s[config.TrainSteps]); err == nil {
			old.Steps = n
		}
	}
	if old.Steps == is.Steps && old.Time == is.Time {
		return nil
	}
	t.best.since, t.renewed = 0, true // who asks for more has patience anew
	if t.ended() {
		if t.limit > 0 {
			return hint.With(config.Errorf(config.TrainTime, "must be above the %s that were trained (got %s)", t.before.Round(time.Second), t.limit), "it counts all sessions")
		}
		return hint.With(config.Errorf(config.TrainSteps, "must be above the %d steps that were made (got %d)", t.State.Step, is.Steps), "it counts all steps")
	}
	if t.writes() {
		if err := t.dir.Reconfigure(&t.Config); err != nil {
			return err
		}
	}
	if t.State.Step == 0 {
		return nil
	}
	before := t.Config
	before.Train.Steps, before.Train.Time = old.Steps, old.Time
	length := func(c config.Train) string {
		if c.Time != "" {
			return c.Time
		}
		return fmt.Sprintf("%d steps", c.Steps)
	}
	s := t.State.Step + 1
	t.say(fmt.Sprintf("trains on from step %d to %s instead of %s; the learning rate (%s) is now that of the whole length: %.3g, it was %.3g",
		t.State.Step, length(is), length(old), is.Schedule, t.Config.LearningRate().At(s, t.share(&t.Config, s)), before.LearningRate().At(s-1, t.share(&before, s-1))))
	return nil
}

// share is how much of a configured length is done when step s is made, with what was trained
// before.
func (t *trainer) share(c *config.Config, s int) float64 {
	if limit, err := c.TimeLimit(); err == nil && limit > 0 {
		return min(1, float64(t.before)/float64(limit))
	}
	return min(1, float64(s)/float64(c.Train.Steps))
}
