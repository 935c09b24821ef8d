package task

import (
	"fmt"

	"github.com/riffle-ml/riffle/dataset"
)

// Population returns the bare items that a model knows, with their names where the data had some:
// the one set that it orders. It fails where items are not bare.
func (r *Ranking) Population() (*dataset.Set, error) {
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
