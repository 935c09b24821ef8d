package ranking

import (
	"fmt"
	"slices"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/task"
)

// part returns the sets of a split.
func (r *Task) part(split task.Split) (*part, error) {
	if split != task.Test || !r.known || r.config.Test == "" {
		return &r.parts[split], r.load()
	}
	if r.own != nil {
		return r.own, nil
	}
	sets, err := readRanked(r.config.Test, r.config.Fill)
	if err == nil {
		sets, _, err = r.usable(r.config.Test, sets)
	}
	if err == nil && len(sets) == 0 {
		err = fmt.Errorf("%s: no set is left to test on, wanted one whose order is known\n%s", r.config.Test, joined(r.Dropped))
	}
	if err != nil {
		return nil, task.ErrData(config.TaskTest, r.config.Test, err)
	}
	r.own = &part{}
	for _, s := range sets {
		r.own.add(s, max(1, s.Count))
	}
	r.own.bucket(r.config.N)
	r.outside(r.own, r.config.Test)
	return r.own, nil
}

// Lists implements [task.Lister].
func (r *Task) Lists(split task.Split) (int, error) {
	p, err := r.part(split)
	if err != nil {
		return 0, err
	}
	return p.total, nil
}

// Sets implements [task.Lister].
func (r *Task) Sets(split task.Split, count int) (sets []*dataset.Set, weights []int, err error) {
	p, err := r.part(split)
	if err != nil {
		return nil, nil, err
	}
	if p.total == 0 {
		return nil, nil, task.ErrNoSets
	}
	by := make([]int, len(p.sets))
	for i := range by {
		by[i] = i
	}
	slices.SortStableFunc(by, func(a, b int) int { return p.weights[b] - p.weights[a] })
	if count > 0 && count < len(by) {
		by = by[:count]
	}
	for _, i := range by {
		sets, weights = append(sets, p.sets[i]), append(weights, p.weights[i])
	}
	return sets, weights, nil
}

// Doubts implements [task.DataDoubter].
func (r *Task) Doubts(task.Split) []string { return r.Dropped }

// FileSets implements [task.Tester]: lists are counted by [Task.Lists].
func (r *Task) FileSets(task.Split) int { return 0 }

// OnTest implements [task.Tester]: what the model knows of the items stays.
func (r *Task) OnTest(c *config.Config) (task.Task, error) {
	t, err := New(c)
	if err != nil {
		return nil, err
	}
	t.scale, t.known, t.resized = r.scale, r.scale != nil, r.resized || t.config.N != r.config.N
	return t, nil
}
