package task

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/internal/parallel"
	"github.com/riffle-ml/riffle/perm"
)

// Sort is the task of sorting numbers written by hand: every object is an image of a
// number whose digits are MNIST digits side by side, drawn uniformly; the right order is
// ascending (paper §4.1). Test digits make the test sets, the last thousand training digits, which
// training never sees, those of the validation.
type Sort struct {
	n, digits int
	seed      uint64
	augment   config.Augment
	data      string // folder of the MNIST files, or ""
}

const digitSize = 28

func newSort(c *config.Config) *Sort {
	t := c.Task
	return &Sort{n: t.N, digits: t.Digits, seed: c.Seed, augment: t.Augment, data: t.Data}
}

type digits struct{ train, test *dataset.Digits }

// namedMNIST is [loadMNIST] with an error that names the key of a folder that was named.
func namedMNIST(dir string) (digits, error) {
	d, err := loadMNIST(dir)
	if err != nil && dir != "" {
		err = errData(config.TaskData, dir, err)
	}
	return d, err
}

var loadMNIST = once(dataset.FindMNIST, func(dir string) (d digits, err error) {
	d.train, d.test, err = dataset.LoadMNIST(dir)
	return d, err
})

// Encoder implements [Task].
func (s *Sort) Encoder() denoiser.EncoderConfig {
	return denoiser.EncoderConfig{Height: digitSize, Width: digitSize * s.digits, Window: digitSize}
}

// Examples implements [Task]. The first call reads MNIST: ordering a user's own images
// needs none.
func (s *Sort) Examples(split Split, first, count int) (*Examples, error) {
	mnist, err := namedMNIST(s.data)
	if err != nil {
		return nil, err
	}
	size := digitSize * digitSize * s.digits // pixels of one number
	flat := make([]uint8, count*s.n*size)
	e := &Examples{Clean: make([]perm.Order, count), Values: make([][]float64, count)}
	if mnist.train.N < 2 || mnist.test.N < 1 {
		return nil, fmt.Errorf("task.data: wanted 2 training digits or more and a test digit (got %d and %d)", mnist.train.N, mnist.test.N)
	}
	digits, from, of := mnist.test, 0, mnist.test.N
	if split != Test {
		digits, of = mnist.train, held(mnist.train.N)
		from = mnist.train.N - of
		if split == Train {
			from, of = 0, mnist.train.N-of
		}
	}
	parallel.For(count, func(i int) {
		rng := source(s.seed, split, first+i)
		values := make([]float64, s.n)
		for k := range values {
			image := flat[(i*s.n+k)*size : (i*s.n+k+1)*size]
			for d := range s.digits {
				pick := from + rng.IntN(of)
				values[k] = values[k]*10 + float64(digits.Labels[pick])
				window := image[d*digitSize:]
				if split == Train && s.augment != (config.Augment{}) {
					warp(window, digitSize*s.digits, digits.At(pick), digitSize, drawAffine(rng, s.augment))
					continue
				}
				for y := range digitSize {
					copy(window[y*digitSize*s.digits:][:digitSize], digits.At(pick)[y*digitSize:])
				}
			}
		}
		// Equal numbers are interchangeable: their order in the target is random.
		clean := perm.Random(rng, s.n)
		slices.SortStableFunc(clean, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
		e.Clean[i], e.Values[i] = clean, values
	})
	e.Objects = tensors.FromFlatDataAndDimensions(flat, count, s.n, digitSize, digitSize*s.digits)
	e.Pictures = func(set int) []*dataset.Picture {
		var out []*dataset.Picture
		for k := range s.n {
			out = append(out, &dataset.Picture{Rows: digitSize, Cols: digitSize * s.digits, Channels: 1, Pix: flat[(set*s.n+k)*size : (set*s.n+k+1)*size]})
		}
		return out
	}
	return e, nil
}

// Objects implements [Task]: images, brought to the size of the model's numbers.
func (s *Sort) Objects(ctx context.Context, sets []*dataset.Set) (*tensors.Tensor, []string, error) {
	n := len(sets[0].Items)
	width := digitSize * s.digits
	flat := make([]uint8, 0, len(sets)*n*digitSize*width)
	var warnings []string
	for _, set := range sets {
		if set.Kind != dataset.KindImage && n > 0 {
			return nil, nil, fmt.Errorf("set %s: items are %s, wanted images", set.ID, set.Kind.Items())
		}
		pictures, w, err := set.Pictures(ctx, digitSize, width, 1)
		if err != nil {
			return nil, nil, fmt.Errorf("set %s: %w", set.ID, err)
		}
		warnings = append(warnings, w...)
		dark := 0
		for _, p := range pictures {
			if ink, onPaper := fromPaper(p); onPaper {
				p = ink
				dark++
			}
			flat = append(flat, p.Pix...)
		}
		if dark > 0 {
			of := ""
			if set.ID != "" {
				of = "set " + set.ID + ": "
			}
			warnings = append(warnings, fmt.Sprintf("%s%d of %d pictures are dark on light, as ink on paper, and were inverted: the model reads light on black", of, dark, len(pictures)))
		}
	}
	return tensors.FromFlatDataAndDimensions(flat, len(sets), n, digitSize, width), warnings, nil
}
