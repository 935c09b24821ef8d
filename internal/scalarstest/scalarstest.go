// Package scalarstest is a small task for the tests of what needs a model: numbers to sort.
package scalarstest

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/task"
)

// Task is like sorting, without pictures: N numbers from 0 to 1, as features, in ascending order. From set
// Poison on, and before set Healed, a number is what Bad says.
type Task struct {
	N              int
	Poison, Healed int
	Bad            float32
}

// Measures has none.
func (s Task) Measures() []task.Measure { return nil }

// Encoder is that of one feature.
func (s Task) Encoder() denoiser.EncoderConfig { return denoiser.EncoderConfig{Features: 1} }

// Examples draws sets by their split and number.
func (s Task) Examples(split task.Split, first, count int) (*task.Examples, error) {
	e, all := &task.Examples{}, [][]float64{}
	var flat []float32
	for i := first; i < first+count; i++ {
		rng := rand.New(rand.NewPCG(uint64(split), uint64(i)))
		values, clean := make([]float64, s.N), perm.Identity(s.N)
		for k := range values {
			values[k] = rng.Float64()
			flat = append(flat, float32(values[k]))
		}
		if i >= s.Poison && i < s.Healed {
			flat[len(flat)-1] = s.Bad
		}
		slices.SortFunc(clean, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
		e.Clean, all = append(e.Clean, clean), append(all, values)
	}
	e.Objects = tensors.FromFlatDataAndDimensions(flat, count, s.N, 1)
	e.Judge = task.ByValue{One: task.One{Clean: e.Clean}, Values: all}
	return e, nil
}

// Objects are the features.
func (s Task) Objects(_ context.Context, sets []*dataset.Set) (*tensors.Tensor, []dataset.Warning, error) {
	var flat []float32
	for _, set := range sets {
		for _, it := range set.Items {
			flat = append(flat, float32(it.Features[0]))
		}
	}
	return tensors.FromFlatDataAndDimensions(flat, len(sets), len(sets[0].Items), 1), nil, nil
}

// Bare makes a set of n bare items.
func Bare(n int) *dataset.Set { return &dataset.Set{Items: make([]dataset.Item, n)} }

// Sets draws sets of n numbers.
func Sets(count, n int) []*dataset.Set {
	rng := rand.New(rand.NewPCG(3, 3))
	sets := make([]*dataset.Set, count)
	for i := range sets {
		values := make([]float64, n)
		for k := range values {
			values[k] = rng.Float64()
		}
		sets[i] = Numbers(values...)
		sets[i].ID = fmt.Sprintf("s%d", i)
	}
	return sets
}

// Numbers makes a set of features of one number.
func Numbers(values ...float64) *dataset.Set {
	s := &dataset.Set{Kind: dataset.KindFeatures}
	for _, v := range values {
		s.Items = append(s.Items, dataset.Item{Features: []float64{v}})
	}
	return s
}
