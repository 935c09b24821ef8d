package ranking

import (
	"fmt"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/task"
)

// All implements [task.Population]: the bare items that a model knows, with their names where the
// data had some. It fails where items are not bare.
func (r *Task) All() (*dataset.Set, error) {
	if r.config.Items != "bare" {
		return nil, fmt.Errorf("the model is of lists of %s, not of one population of items", r.config.Items)
	}
	if r.scale == nil { // not loaded from a run
		if err := r.load(); err != nil {
			return nil, err
		}
	}
	n := r.config.N
	if names := r.scale.Names; names != nil { // of which there may be fewer
		n = len(names)
	}
	s := &dataset.Set{Kind: dataset.KindBare, Items: make([]dataset.Item, n)}
	for k, name := range r.scale.Names {
		s.Items[k].ID = name
	}
	return s, nil
}

// ItemNames implements [task.Knower].
func (r *Task) ItemNames() []string {
	if r.scale == nil {
		return nil
	}
	return r.scale.Names
}

// Features implements [task.Knower].
func (r *Task) Features() []task.Feature {
	if r.scale == nil || r.scale.Low == nil {
		return nil
	}
	out := make([]task.Feature, len(r.scale.Low))
	for j, name := range r.scale.FeatureNames() {
		out[j] = task.Feature{Name: name, Low: r.scale.Low[j], High: r.scale.High[j]}
	}
	return out
}
