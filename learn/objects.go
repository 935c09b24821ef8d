package learn

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/run"
)

// ObjectsOf returns sets as the network sees them, one array [1, items, …] a set. Arrays are called by the
// set's number, from 0, and sorted by that name. Pixels are from 0 to 1, features on the scale of the training,
// and numbers of items as they are.
func (m *Model) ObjectsOf(ctx context.Context, sets []*dataset.Set) (arrays []run.Tensor, warnings []string, err error) {
	for i, set := range sets {
		objects, more, err := m.Task.Objects(ctx, []*dataset.Set{set})
		if err != nil {
			return nil, nil, err
		}
		t, err := array(fmt.Sprint(i), objects)
		if err != nil {
			return nil, nil, err
		}
		arrays, warnings = append(arrays, t), append(warnings, dataset.Texts(more)...)
	}
	slices.SortFunc(arrays, func(x, y run.Tensor) int { return strings.Compare(x.Name, y.Name) })
	return arrays, warnings, nil
}

// array copies a tensor. Pixels, which are bytes, become 0 to 1, and numbers of items become
// floats.
func array(name string, x *tensors.Tensor) (run.Tensor, error) {
	t := run.Tensor{Name: name, Shape: x.Shape().Dimensions, Data: make([]float32, x.Size())}
	return t, x.ConstFlatData(func(flat any) {
		switch flat := flat.(type) {
		case []float32:
			copy(t.Data, flat)
		case []uint8:
			for i, v := range flat {
				t.Data[i] = float32(v) / 255
			}
		case []int32:
			for i, v := range flat {
				t.Data[i] = float32(v)
			}
		}
	})
}
