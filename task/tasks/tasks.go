// Package tasks lists the tasks that there are.
package tasks

import (
	"slices"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/task"
	"github.com/riffle-ml/riffle/task/delta"
	"github.com/riffle-ml/riffle/task/jigsaw"
	"github.com/riffle-ml/riffle/task/ranking"
	"github.com/riffle-ml/riffle/task/sort"
	"github.com/riffle-ml/riffle/task/tour"
)

// all are the tasks; a new one has a line here, and its name and keys in package config.
var all = []task.Kind{sort.Kind, jigsaw.Kind, tour.Kind, delta.Kind, ranking.Kind}

// New returns the task that a configuration names.
func New(c *config.Config) (task.Task, error) {
	if err := c.Check("task"); err != nil {
		return nil, err
	}
	t, err := kind(c).New(c)
	if err != nil {
		return nil, config.Within("task", err)
	}
	return t, nil
}

// InferFromData fills in what the data of a task says, such as the kind of items and how many there
// are, and with them the encoder. Some tasks have nothing to fill in.
func InferFromData(c *config.Config) error {
	if k := kind(c); k.Infer != nil {
		return k.Infer(c)
	}
	return nil
}

// kind is that of a configuration, the zero one where it names none.
func kind(c *config.Config) task.Kind {
	for _, k := range all {
		if k.Name == c.Task.Name {
			return k
		}
	}
	return task.Kind{}
}

// Measures are those of all tasks, each once.
func Measures() (out []task.Measure) {
	for _, k := range all {
		for _, m := range k.Measures {
			if !slices.ContainsFunc(out, func(x task.Measure) bool { return x.Key == m.Key }) {
				out = append(out, m)
			}
		}
	}
	return out
}
