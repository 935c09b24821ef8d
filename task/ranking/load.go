package ranking

import (
	"fmt"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/task"
)

// load reads the data, once, and deals it out. A file of test sets is the test part, else a tenth
// of the data is. Another tenth is for validation. Of a set that many gave, each of them is dealt
// out apart.
func (r *Task) load() error {
	if r.read {
		return nil
	}
	sets, err := readRanked(r.config.Data, r.config.Fill)
	if err != nil {
		return task.ErrData(config.TaskData, r.config.Data, err)
	}
	fresh := r.scale == nil
	if fresh {
		r.scale = named(sets)
		r.scale.Dealt = byContent
		defer func() {
			if !r.read {
				r.scale = nil
			}
		}()
	}
	if names := len(r.scale.Names); names > r.config.N {
		return fmt.Errorf("%s: has %d items of different names, wanted at most %s = %d", r.config.Data, names, config.TaskN, r.config.N)
	}
	data, by, err := r.usable(r.config.Data, sets)
	if err != nil {
		return task.ErrData(config.TaskData, r.config.Data, err)
	}
	if r.config.Test != "" {
		sets, err := readRanked(r.config.Test, r.config.Fill)
		if err == nil {
			sets, _, err = r.usable(r.config.Test, sets)
		}
		if err != nil {
			return task.ErrData(config.TaskTest, r.config.Test, err)
		}
		for _, s := range sets {
			r.parts[task.Test].add(s, max(1, s.Count))
		}
	}
	seen := map[uint64]int{}
	for i, s := range data {
		number := i
		if r.scale.Dealt == byContent {
			k := by[i]
			if r.apart() { // voters of one order on several lines are several
				seen[k]++
				k = spread(k + uint64(seen[k]))
			}
			number = int(k >> 1)
		}
		share := r.share(number, max(1, s.Count))
		for _, split := range []task.Split{task.Train, task.Validation, task.Test} {
			if share[split] > 0 {
				r.parts[split].add(s, share[split])
			}
		}
	}
	// Of few sets each part has one all the same, but for validation.
	for _, x := range []struct{ from, to task.Split }{{task.Validation, task.Train}, {task.Test, task.Train}, {task.Validation, task.Test}, {task.Train, task.Test}} {
		if from := &r.parts[x.from]; r.parts[x.to].total == 0 && (from.several(r.apart()) || x.from == task.Validation && from.total > 0) && (x.from != task.Test && x.to != task.Test || r.config.Test == "") {
			r.parts[x.to].add(from.take(r.apart()))
		}
	}
	for _, x := range []struct {
		split task.Split
		what  string
	}{{task.Train, "train on"}, {task.Test, "test on"}} {
		if r.parts[x.split].total == 0 {
			file := r.config.Data
			if x.split == task.Test && r.config.Test != "" {
				file = r.config.Test
			}
			return fmt.Errorf("%s: no set is left to %s, wanted 2 sets or more whose order is known\n%s", file, x.what, joined(r.Dropped))
		}
	}
	for i := range r.parts {
		r.parts[i].bucket(r.config.N)
	}
	if fresh {
		if err := r.measure(); err != nil {
			return task.ErrData(config.TaskData, r.config.Data, err)
		}
	}
	if r.scale.Dealt != byContent && r.resized && r.config.Test == "" && !r.apart() {
		r.Dropped = append(r.Dropped, r.config.Data+": the run is from before lists were dealt out by their ids: with another task.n it is tested on lists that it was trained on")
	}
	r.read = true
	r.outside(&r.parts[task.Test], r.config.Test)
	return nil
}

func joined(lines []string) string {
	s := ""
	for _, l := range lines {
		s += "hint: " + l + "\n"
	}
	return s
}

// usable leaves out the sets of a file that cannot be used, and brings the others into the
// model's numbering. by is what those are dealt out by.
func (r *Task) usable(path string, sets []*dataset.Set) (keep []*dataset.Set, by []uint64, err error) {
	t := r.config
	r.Dropped = append(r.Dropped, fileWarnings(path)...)
	large, silent, all := 0, 0, 0 // by those who gave a set
	what := "sets"
	ofAll := keys(sets)
	for i, s := range sets {
		n, count := len(s.Items), max(1, s.Count)
		all += count
		if s.Count > 0 {
			what = "voters"
		}
		switch {
		case len(s.Known()) < 2: // one item, or all tied: no order is wrong
			silent += count
			continue
		case n > t.N:
			large += count
			continue
		}
		s, warning, err := r.fitted(s)
		if err == nil && t.Items == "bare" {
			s, err = r.whole(s)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", path, err)
		}
		if warning.Text != "" {
			r.note(path + ": " + warning.Text)
		}
		keep, by = append(keep, s), append(by, ofAll[i])
	}
	if large > 0 {
		r.Dropped = append(r.Dropped, fmt.Sprintf("%s: %d of %d %s left out, they have more than %s = %d items", path, large, all, what, config.TaskN, t.N))
	}
	if silent > 0 {
		r.Dropped = append(r.Dropped, fmt.Sprintf("%s: %d of %d %s left out, they put no item before another", path, silent, all, what))
	}
	return keep, by, nil
}

// fitted checks that a set's items are of the model's kind, and returns it with features as the
// model has them.
func (r *Task) fitted(s *dataset.Set) (out *dataset.Set, warning dataset.Warning, err error) {
	t := r.config
	if s.Kind.Items() != t.Items && len(s.Items) > 0 {
		return nil, warning, fmt.Errorf("set %s: items are %s, wanted %s", s.ID, s.Kind.Items(), t.Items)
	}
	if t.Items != "features" {
		return s, warning, nil
	}
	if out, warning, err = r.arranged(s); err == nil {
		out, err = r.filled(out)
	}
	if err != nil {
		return nil, warning, fmt.Errorf("set %s: %w", s.ID, err)
	}
	return out, warning, nil
}
