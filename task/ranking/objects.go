package ranking

import (
	"context"
	"fmt"
	"slices"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/task"
)

// Objects implements [task.Task]. Features and bare items are known by their names, where both the
// set and the model have some. It warns where only one has, and of sets of some bare items alone.
func (r *Task) Objects(ctx context.Context, sets []*dataset.Set) (objects *tensors.Tensor, warnings []dataset.Warning, err error) {
	if items := r.config.Items; r.scale == nil && (items == "features" || items == "bare") { // not loaded from a run
		if err := r.load(); err != nil {
			return nil, nil, err
		}
	}
	var fitted []*dataset.Set
	for _, s := range sets {
		out, warning, err := r.fitted(s)
		if err != nil {
			return nil, nil, err
		}
		if warning.Text != "" && !slices.Contains(warnings, warning) {
			warnings = append(warnings, warning)
		}
		fitted = append(fitted, out)
	}
	objects, more, err := r.padded(ctx, fitted, len(fitted[0].Items))
	return objects, append(warnings, more...), err
}

// Doubt implements [task.Doubter]: it warns of features far outside of the training's range.
func (r *Task) Doubt(set *dataset.Set) (w dataset.Warning) {
	if r.scale == nil || set.Kind != dataset.KindFeatures {
		return w
	}
	fitted, _, err := r.fitted(set)
	if err != nil {
		return w // Objects says it
	}
	return r.scale.far(fitted)
}

// padded are the objects of sets of at most n items, whose features stand as the model's, each
// followed by zeros up to n.
func (r *Task) padded(ctx context.Context, sets []*dataset.Set, n int) (*tensors.Tensor, []dataset.Warning, error) {
	switch r.config.Items {
	case "bare":
		flat := make([]int32, len(sets)*n)
		var warnings []dataset.Warning
		for i, s := range sets {
			ids, warning, err := r.identities(s)
			if err != nil {
				return nil, nil, fmt.Errorf("set %s: %w", s.ID, err)
			}
			if warning.Text != "" && !slices.Contains(warnings, warning) {
				warnings = append(warnings, warning)
			}
			for k, id := range ids {
				flat[i*n+k] = int32(id)
			}
		}
		return tensors.FromFlatDataAndDimensions(flat, len(sets), n), warnings, nil
	case "points":
		flat := make([]float32, len(sets)*n*2)
		for i, s := range sets {
			p, _ := task.Cities(s)
			copy(flat[i*n*2:], task.ForNetwork(p, r.points))
		}
		return tensors.FromFlatDataAndDimensions(flat, len(sets), n, 2), nil, nil
	case "images":
		side := r.config.Pixels
		flat := make([]uint8, len(sets)*n*side*side)
		var warnings []dataset.Warning
		for i, s := range sets {
			pictures, w, err := s.Pictures(ctx, side, side, 1)
			if err != nil {
				return nil, nil, fmt.Errorf("set %s: %w", s.ID, err)
			}
			warnings = append(warnings, w...)
			for k, p := range pictures {
				copy(flat[(i*n+k)*side*side:], p.Pix)
			}
		}
		return tensors.FromFlatDataAndDimensions(flat, len(sets), n, side, side), warnings, nil
	}
	width := r.config.Features
	flat := make([]float32, len(sets)*n*width)
	for i, s := range sets {
		for k := range s.Items {
			for j, v := range s.Items[k].Features {
				flat[(i*n+k)*width+j] = r.scale.input(j, v)
			}
		}
	}
	return tensors.FromFlatDataAndDimensions(flat, len(sets), n, width), nil, nil
}
