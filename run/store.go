package run

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/diffusion"
)

// ErrOtherConfig is returned by [IntoStore] for tensors that are not this network's.
var ErrOtherConfig = errors.New("checkpoint from another configuration")

// FromStore copies what a checkpoint keeps out of a store. That is the network's arrays, and the
// optimiser's first and second moments of the trained ones, in the order of
// [denoiser.Denoiser.Params]. The moments are nil where the store has none.
func FromStore(store *model.Store, d *denoiser.Denoiser) (weights, m, v []Tensor, err error) {
	first, second := diffusion.Moments(d)
	for _, p := range d.Params() {
		t, err := fromStore(store, p, p.Name)
		if err != nil {
			return nil, nil, nil, err
		}
		weights = append(weights, t)
		if !p.Trainable || m == nil && denoiser.Variable(store, first[p.Name]) == nil {
			continue
		}
		tm, errM := fromStore(store, p, first[p.Name])
		tv, errV := fromStore(store, p, second[p.Name])
		if err := errors.Join(errM, errV); err != nil {
			return nil, nil, nil, err
		}
		m, v = append(m, tm), append(v, tv)
	}
	if m != nil && len(m) != len(first) {
		return nil, nil, nil, fmt.Errorf("the store has moments of %d of the %d trained arrays", len(m), len(first))
	}
	return weights, m, v, nil
}

func fromStore(store *model.Store, p *denoiser.Param, variable string) (Tensor, error) {
	v := denoiser.Variable(store, variable)
	if v == nil {
		return Tensor{}, fmt.Errorf("%s: has no value in the store", variable)
	}
	value, err := v.Value()
	if err != nil {
		return Tensor{}, fmt.Errorf("%s: %w", variable, err)
	}
	data, err := tensors.CopyFlatData[float32](value)
	if err != nil {
		return Tensor{}, fmt.Errorf("%s: %w", variable, err)
	}
	return Tensor{Name: p.Name, Shape: slices.Clone(p.Shape), Data: data}, nil
}

// IntoStore puts a checkpoint's arrays into a store; m and v may both be nil, for a model
// that is only used. A missing tensor, one too many or one of another shape is
// [ErrOtherConfig], names the tensor and both shapes, and leaves the store as it was.
func IntoStore(store *model.Store, d *denoiser.Denoiser, weights, m, v []Tensor) error {
	sets := setsOf(d, [][]Tensor{weights, m, v})
	if m == nil && v == nil {
		sets = sets[:1]
	}
	for _, s := range sets {
		if err := s.check(d); err != nil {
			return err
		}
	}
	for _, s := range sets {
		for _, t := range s.tensors {
			if err := denoiser.SetParam(store, s.variable[t.Name], t.Shape, t.Data); err != nil {
				return err
			}
		}
	}
	return nil
}

// set is what a file of tensors holds of a network.
type set struct {
	file     string
	tensors  []Tensor
	variable map[string]string // in a store, by the name of the parameter
}

// setsOf takes the weights, the first and second moments and, if there, the trained weights of a network.
func setsOf(d *denoiser.Denoiser, tensors [][]Tensor) []set {
	first, second := diffusion.Moments(d)
	weights := map[string]string{}
	for _, p := range d.Params() {
		weights[p.Name] = p.Name
	}
	sets := []set{{ModelFile, tensors[0], weights}, {AdamMFile, tensors[1], first}, {AdamVFile, tensors[2], second}}
	if len(tensors) > 3 {
		sets = append(sets, set{TrainedFile, tensors[3], weights})
	}
	return sets
}

// check holds the tensors against the network.
func (s *set) check(d *denoiser.Denoiser) error {
	byName := map[string]*Tensor{}
	for i, t := range s.tensors {
		byName[t.Name] = &s.tensors[i]
	}
	for _, p := range d.Params() {
		if s.variable[p.Name] == "" {
			continue
		}
		t := byName[p.Name]
		if t == nil {
			return fmt.Errorf("%s: %s: %w: wanted shape %v, it is missing", s.file, p.Name, ErrOtherConfig, p.Shape)
		}
		if !slices.Equal(t.Shape, p.Shape) || len(t.Data) != p.Size() {
			return fmt.Errorf("%s: %s: %w: wanted shape %v (got %v, %d values)", s.file, p.Name, ErrOtherConfig, p.Shape, t.Shape, len(t.Data))
		}
		delete(byName, p.Name)
	}
	if len(byName) > 0 {
		name := slices.Min(slices.Collect(maps.Keys(byName)))
		return fmt.Errorf("%s: %.80s: %w: the network has none of this name (got shape %v)", s.file, name, ErrOtherConfig, byName[name].Shape)
	}
	return nil
}

// AverageIntoStore puts a checkpoint's model into a store as the average of the weights that are
// trained. What does not fit is [ErrOtherConfig].
func AverageIntoStore(store *model.Store, d *denoiser.Denoiser, weights []Tensor) error {
	for _, p := range d.Params() {
		i := slices.IndexFunc(weights, func(t Tensor) bool { return t.Name == p.Name && slices.Equal(t.Shape, p.Shape) })
		switch {
		case !p.Trainable:
		case i < 0:
			return fmt.Errorf("%s: %s: %w: wanted shape %v", ModelFile, p.Name, ErrOtherConfig, p.Shape)
		default:
			if err := denoiser.SetParam(store, diffusion.AverageName(p.Name), p.Shape, weights[i].Data); err != nil {
				return err
			}
		}
	}
	return nil
}
