package diffusion

import (
	"fmt"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/riffle-ml/riffle/denoiser"
)

// Swap exchanges the weights that are trained and their average: the average is what is judged
// and used, the others are what training goes on with. It does nothing without an average.
func (t *Trainer) Swap() error {
	if t.AdamW.Average == 0 {
		return nil
	}
	for _, p := range t.Denoiser.Params() {
		if !p.Trainable {
			continue
		}
		weights, err := values(t.Store, p.Name)
		if err != nil {
			return err
		}
		average, err := values(t.Store, AverageName(p.Name))
		if err != nil {
			return err
		}
		for name, flat := range map[string][]float32{p.Name: average, AverageName(p.Name): weights} {
			if err := denoiser.SetParam(t.Store, name, p.Shape, flat); err != nil {
				return err
			}
		}
	}
	return nil
}

// values are those of a variable of the store.
func values(store *model.Store, name string) ([]float32, error) {
	v := denoiser.Variable(store, name)
	if v == nil {
		return nil, fmt.Errorf("%s: has no value in the store", name)
	}
	value, err := v.Value()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return tensors.CopyFlatData[float32](value)
}
