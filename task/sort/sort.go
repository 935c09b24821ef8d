package sort

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/internal/parallel"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/task"
)

// Task is the task of sorting numbers written by hand. Every object is an image of a number whose
// digits are MNIST digits side by side, drawn uniformly. The right order is ascending (paper §4.1).
// Test digits make the test sets. The last thousand training digits make the validation sets;
// training never sees them.
type Task struct {
	n, digits int
	seed      uint64
	augment   config.Augment
	data      string // folder of the MNIST files, or ""
}

// Kind is this task's entry in the list of tasks.
var Kind = task.Kind{Name: "sort", New: open, Measures: task.PlaceMeasures}

func open(c *config.Config) (task.Task, error) {
	if err := task.Reads(c, "images", denoiser.Images); err != nil {
		return nil, err
	}
	t := c.Task
	return &Task{n: t.N, digits: t.Digits, seed: c.Seed, augment: t.Augment, data: t.Data}, nil
}

const digitSize = task.DigitSize

var loadMNIST = task.LoadMNIST // tests replace it

// Encoder implements [task.Task].
func (s *Task) Encoder() denoiser.EncoderConfig {
	return denoiser.EncoderConfig{Height: digitSize, Width: digitSize * s.digits, Window: digitSize}
}

// Examples implements [task.Task]. The first call reads MNIST. Ordering a user's own images does
// not need it.
func (s *Task) Examples(split task.Split, first, count int) (*task.Examples, error) {
	mnist, err := loadMNIST(s.data)
	if err != nil {
		return nil, err
	}
	size := digitSize * digitSize * s.digits // pixels of one number
	flat := make([]uint8, count*s.n*size)
	e, values := &task.Examples{Clean: make([]perm.Order, count)}, make([][]float64, count)
	if mnist.Train.N < 2 || mnist.Test.N < 1 {
		return nil, config.Errorf(config.TaskData, "wanted 2 or more training digits and 1 or more test digits (got %d and %d)", mnist.Train.N, mnist.Test.N)
	}
	digits, from, of := mnist.Test, 0, mnist.Test.N
	if split != task.Test {
		digits, of = mnist.Train, task.Held(mnist.Train.N)
		from = mnist.Train.N - of
		if split == task.Train {
			from, of = 0, mnist.Train.N-of
		}
	}
	parallel.For(count, func(i int) {
		rng := task.Source(s.seed, split, first+i)
		own := make([]float64, s.n)
		for k := range own {
			image := flat[(i*s.n+k)*size : (i*s.n+k+1)*size]
			for d := range s.digits {
				pick := from + rng.IntN(of)
				own[k] = own[k]*10 + float64(digits.Labels[pick])
				window := image[d*digitSize:]
				if split == task.Train && s.augment != (config.Augment{}) {
					warp(window, digitSize*s.digits, digits.At(pick), drawDistortion(rng, s.augment))
					continue
				}
				for y := range digitSize {
					copy(window[y*digitSize*s.digits:][:digitSize], digits.At(pick)[y*digitSize:])
				}
			}
		}
		// Equal numbers are interchangeable: their order in the target is random.
		clean := perm.Random(rng, s.n)
		slices.SortStableFunc(clean, func(a, b int) int { return cmp.Compare(own[a], own[b]) })
		e.Clean[i], values[i] = clean, own
	})
	e.Objects = tensors.FromFlatDataAndDimensions(flat, count, s.n, digitSize, digitSize*s.digits)
	e.Judge = task.ByValue{One: task.One{Clean: e.Clean}, Values: values}
	e.Look.Names = func(set int) (names []string) {
		for _, v := range values[set] {
			names = append(names, strconv.FormatFloat(v, 'g', -1, 64))
		}
		return names
	}
	e.Look.Pictures = func(set int) []*dataset.Picture {
		var out []*dataset.Picture
		for k := range s.n {
			out = append(out, &dataset.Picture{Rows: digitSize, Cols: digitSize * s.digits, Channels: 1, Pix: flat[(set*s.n+k)*size : (set*s.n+k+1)*size]})
		}
		return out
	}
	return e, nil
}

// Objects implements [task.Task]: images, brought to the size of the model's numbers.
func (s *Task) Objects(ctx context.Context, sets []*dataset.Set) (*tensors.Tensor, []dataset.Warning, error) {
	n := len(sets[0].Items)
	width := digitSize * s.digits
	flat := make([]uint8, 0, len(sets)*n*digitSize*width)
	var warnings []dataset.Warning
	for _, set := range sets {
		if set.Kind != dataset.KindImage && n > 0 {
			return nil, nil, fmt.Errorf("set %s: items are %s, wanted images", set.ID, set.Kind.Items())
		}
		pictures, w, err := set.Pictures(ctx, digitSize, width, 1)
		if err != nil {
			return nil, nil, fmt.Errorf("set %s: %w", set.ID, err)
		}
		warnings = append(warnings, w...)
		dark, blank := 0, 0
		for _, p := range pictures {
			if oneColour(p.Pix) {
				blank++
			} else if ink, onPaper := fromPaper(p); onPaper {
				p = ink
				dark++
			}
			flat = append(flat, p.Pix...)
		}
		of := ""
		if set.ID != "" {
			of = "set " + set.ID + ": "
		}
		if blank > 0 {
			warnings = append(warnings, dataset.Warning{
				Kind: "blank",
				Text: fmt.Sprintf("%s%d of %d pictures have one colour alone: there is nothing to read in them", of, blank, len(pictures)),
			})
		}
		if dark > 0 {
			warnings = append(warnings, dataset.Warning{
				Kind: "dark on light",
				Text: fmt.Sprintf("%s%d of %d pictures are dark on light, as ink on paper, and were inverted: the model reads light on black", of, dark, len(pictures)),
			})
		}
	}
	return tensors.FromFlatDataAndDimensions(flat, len(sets), n, digitSize, width), warnings, nil
}

// oneColour tells whether all pixels are the same.
func oneColour(pix []uint8) bool {
	for _, p := range pix {
		if p != pix[0] {
			return false
		}
	}
	return true
}

// OfSize implements [task.Resizer]. Each size draws its own digits.
func (s *Task) OfSize(n int) task.Task {
	of := *s
	of.n, of.seed = n, s.seed^uint64(n)<<48
	return &of
}

// Measures implements [task.Task].
func (s *Task) Measures() []task.Measure { return nil }

// Digits implements [task.Reader].
func (s *Task) Digits(ex *task.Examples, set int) (digits []int) {
	for _, v := range ex.Judge.(task.ByValue).Values[set] {
		for d := s.digits - 1; d >= 0; d-- {
			digits = append(digits, int(v/math.Pow10(d))%10)
		}
	}
	return digits
}
