package config

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/riffle-ml/riffle/internal/field"
	"github.com/riffle-ml/riffle/internal/hint"
)

// KeyError is a wrong value of a key, or a key that there is not or that has no effect.
type KeyError struct {
	Key     string // dotted, such as "train.batch"
	Problem string // such as "must be 1 or more (got 0)"
	Hint    string // "" for none
	Where   string // "FILE:LINE" where that is known
	cause   error  // what the problem comes from, if it is another error
}

func (e *KeyError) Error() string {
	text := e.Key + ": " + e.Problem
	if e.Where != "" {
		text = e.Where + ": " + text
	}
	return text
}

// Help returns the hint.
func (e *KeyError) Help() string { return e.Hint }

// Unwrap returns what the problem comes from.
func (e *KeyError) Unwrap() error { return e.cause }

// Errorf returns a [KeyError].
func Errorf(key, format string, args ...any) error {
	return &KeyError{Key: key, Problem: fmt.Sprintf(format, args...)}
}

// Wrap returns a [KeyError] of what err says, of the error of a field its problem alone; nil stays nil.
func Wrap(key string, err error) error {
	if err == nil {
		return nil
	}
	problem := err.Error()
	if f, ok := errors.AsType[*field.Error](err); ok {
		problem = f.Problem
	}
	return &KeyError{Key: key, Problem: problem, Hint: strings.Join(hint.Of(err), "; "), cause: err}
}

// keyed gives the error of a field the key that the field was filled from.
func keyed(err error, keys map[string]string) error {
	f, ok := errors.AsType[*field.Error](err)
	if !ok {
		return err
	}
	key, ok := keys[f.Field]
	if !ok {
		return err
	}
	return &KeyError{Key: key, Problem: f.Problem, cause: err}
}

// Within gives the error of a field the key of the same name in a table: Within("task", of
// "Augment.Shift") is of task.augment.shift.
func Within(table string, err error) error {
	if _, has := errors.AsType[*KeyError](err); has {
		return err
	}
	f, ok := errors.AsType[*field.Error](err)
	if !ok {
		return err
	}
	key := []rune(table)
	for part := range strings.SplitSeq(f.Field, ".") {
		for i, r := range part {
			switch {
			case i == 0:
				key = append(key, '.')
			case unicode.IsUpper(r):
				key = append(key, '_')
			}
			key = append(key, unicode.ToLower(r))
		}
	}
	return &KeyError{Key: string(key), Problem: f.Problem, cause: err}
}

// Check checks the values of the keys of a table, each by itself, as [Config.Resolve] does of all.
func (c *Config) Check(table string) error {
	for _, e := range entriesOf(table) {
		if err := e.check(c); err != nil {
			return err
		}
	}
	return nil
}

// Keys that other packages find wrong or name in hints.
const (
	TaskData        = "task.data"
	TaskTest        = "task.test"
	TaskN           = "task.n"
	TaskNMin        = "task.n_min"
	TaskFeatures    = "task.features"
	TaskFill        = "task.fill"
	TaskScale       = "task.scale"
	ProcessReverse  = "process.reverse"
	ProcessSchedule = "process.schedule"
	TrainBatch      = "train.batch"
	TrainObjective  = "train.objective"
	TrainSteps      = "train.steps"
	TrainTime       = "train.time"
	TrainTop        = "train.top"
	TrainLapse      = "train.lapse"
	TrainLR         = "train.lr"
	TrainClip       = "train.clip"
	TrainFrozen     = "train.frozen"
)
