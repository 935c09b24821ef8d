package ranking

import (
	"math"
	"slices"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/internal/hint"
	"github.com/riffle-ml/riffle/task"
)

// filled returns a set, whose features stand as the model's, with its empty features filled. These
// are NaN, and become what task.fill says, 0 or the mean of the training part. A set without any is
// returned as it is, and so is one whose mean is not known yet. It fails, naming the item and the
// column, where task.fill is empty.
func (r *Task) filled(s *dataset.Set) (*dataset.Set, error) {
	out := s
	for k := range s.Items {
		for j, v := range s.Items[k].Features {
			fill := 0.0
			switch how := dataset.Fill(r.config.Fill); {
			case !math.IsNaN(v) || how == dataset.FillMean && r.scale.Mean == nil:
				continue
			case how == dataset.FillMean:
				fill = r.scale.Mean[j]
			case how != dataset.FillZero:
				return nil, hint.Errorf("a training with --set "+config.TaskFill+"=mean (or 0) makes a model that takes empty features", "item %s: %s is empty, wanted a finite number", s.ItemNames()[k], r.scale.column(j))
			}
			if out == s {
				copied := *s
				copied.Items = slices.Clone(s.Items)
				out = &copied
			}
			it := &out.Items[k]
			if &it.Features[0] == &s.Items[k].Features[0] {
				it.Features = slices.Clone(it.Features)
			}
			it.Features[j] = fill
		}
	}
	return out, nil
}

// fillMeans fills the sets of all parts, once the means are known. It fails on a feature that is
// empty in all of the training part.
func (r *Task) fillMeans(count []float64) error {
	for j, c := range count {
		if c == 0 && dataset.Fill(r.config.Fill) == dataset.FillMean && r.empty(j) {
			return hint.Errorf("--set "+config.TaskFill+"=0, or leave the column out", "%s: %s is empty in all sets of the training part: it has no mean", r.config.Data, r.scale.column(j))
		}
	}
	for i := range r.parts {
		for k, s := range r.parts[i].sets {
			var err error
			if r.parts[i].sets[k], err = r.filled(s); err != nil {
				return err
			}
		}
	}
	return nil
}

// empty reports whether a feature of the training part is empty somewhere.
func (r *Task) empty(j int) bool {
	for _, s := range r.parts[task.Train].sets {
		for k := range s.Items {
			if math.IsNaN(s.Items[k].Features[j]) {
				return true
			}
		}
	}
	return false
}
