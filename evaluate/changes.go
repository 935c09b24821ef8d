package evaluate

import (
	"fmt"
	"os"
	"slices"

	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/task"
)

// Changes are what a model is judged on in place of what its configuration says.
type Changes struct {
	Examples int    // test sets, 0: those of Test, or eval.examples
	N        int    // objects of a set, 0: task.n
	Test     string // file of test sets, "": the run's
	Finish   string // 2opt, to tell as well what 2-opt makes of tours; "": eval.finish
}

// Check refuses changes that no model may have.
func (c *Changes) Check() error {
	switch {
	case c.Finish != "" && c.Finish != "2opt":
		return learn.Refuse(learn.Usage, "finish", "must be 2opt (got %q)", c.Finish)
	}
	return nil
}

// Apply changes a model, of the run called name. notes say what of the run is not so any more; the result
// is no longer the run's own where other is true.
func (c *Changes) Apply(m *learn.Model, name string) (notes, warnings []string, other bool, err error) {
	refuse := func(option, format string, args ...any) error {
		return learn.Refuse(learn.Unfit, "model", "%s: %w", learn.Opt(option), fmt.Errorf(format, args...))
	}
	if _, tours := m.Task.(task.Turner); c.Finish != "" && !tours {
		return nil, nil, false, refuse("finish", "is for tours (the model of %s is of the task %s)", name, m.Config.Task.Name)
	}
	if c.Finish != "" {
		m.Config.Eval.Finish = c.Finish
	}
	if _, lists := m.Task.(task.Lister); lists && c.Test != "" && c.N > 0 {
		return nil, nil, false, learn.Refuse(learn.Usage, "test", "has lists of its own sizes (asked for %s %d)", learn.Opt("n"), c.N)
	}
	if c.Test == "" {
		notes = slices.Clone(m.Elsewhere) // whose figures these will be
	}
	if c.N > 0 {
		trained := m.Config
		if warnings, err = m.SetSize(c.N); err != nil {
			return nil, nil, true, refuse("n", "%w", err)
		}
		notes = append(notes, fmt.Sprintf("sets of %d: the model was trained on sets of %s; the result is printed only", c.N, trained.SizesInWords()))
		if c.N != trained.Task.N {
			m.Config.Paper = nil // its figures are for the run's size
		}
	}
	if c.Test != "" {
		if _, err := os.Stat(c.Test); err != nil {
			return nil, nil, true, refuse("test", "%w", err)
		}
		if _, ok := m.Task.(task.Tester); !ok {
			return nil, nil, true, refuse("test", "wanted a model of tours or of ranked lists, that of %s is of the task %s", name, m.Config.Task.Name)
		}
		if err := m.SetTest(c.Test); err != nil {
			return nil, nil, true, err
		}
		if c.Examples == 0 {
			c.Examples = m.Task.(task.Tester).FileSets(task.Test)
		}
	}
	if c.Examples == 0 {
		c.Examples = m.Config.Eval.Examples
	}
	return notes, warnings, c.Test != "" || c.N > 0, nil
}
