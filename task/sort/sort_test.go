package sort

import (
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/task"
)

// inked are digits whose pixels all have one grey level, the label's among the ten.
func inked(count int, grey uint8) *dataset.Digits {
	d := &dataset.Digits{Images: dataset.Images{N: count, Rows: digitSize, Cols: digitSize, Pix: make([]uint8, count*digitSize*digitSize)}, Labels: make([]uint8, count)}
	for i := range d.Pix {
		d.Pix[i] = grey
	}
	for i := range d.Labels {
		d.Labels[i] = uint8(i % 10)
	}
	return d
}

// task.Test sets are of test digits, as they are in the file: training digits would flatter the model,
// and augmentation would make its task another one. Training sets are of training digits, augmented.
func TestSortSplits(t *testing.T) {
	const trained, validated, tested = 10, 90, 200
	real := loadMNIST
	defer func() { loadMNIST = real }()
	loadMNIST = func(string) (task.MNIST, error) {
		train := inked(4000, trained)
		for i := 3600 * digitSize * digitSize; i < len(train.Pix); i++ { // the last tenth
			train.Pix[i] = validated
		}
		return task.MNIST{Train: train, Test: inked(3000, tested)}, nil
	}

	pixels := func(split task.Split, a config.Augment) []uint8 {
		cfg := config.Default()
		cfg.Task, cfg.Model.Encoder = config.Task{Name: "sort", N: 3, Digits: 4, Augment: a}, "window"
		work, err := made(&cfg)
		if err != nil {
			t.Fatal(err)
		}
		ex, err := work.Examples(split, 0, 20)
		if err != nil {
			t.Fatal(err)
		}
		flat, err := tensors.CopyFlatData[uint8](ex.Objects)
		if err != nil {
			t.Fatal(err)
		}
		return flat
	}
	strong := config.Augment{Rotate: 30, Scale: 0.3, Shift: 4}
	for _, a := range []config.Augment{{}, strong} {
		if flat := pixels(task.Test, a); slices.Min(flat) != tested || slices.Max(flat) != tested {
			t.Errorf("augment %+v: test sets have grey levels %d to %d, wanted %d alone, those of the test digits", a, slices.Min(flat), slices.Max(flat), tested)
		}
		if flat := pixels(task.Validation, a); slices.Min(flat) != validated || slices.Max(flat) != validated {
			t.Errorf("augment %+v: validation sets have grey levels %d to %d, wanted %d alone, those of the last training digits", a, slices.Min(flat), slices.Max(flat), validated)
		}
	}
	if flat := pixels(task.Train, config.Augment{}); slices.Min(flat) != trained || slices.Max(flat) != trained {
		t.Errorf("training sets have grey levels %d to %d, wanted %d alone, those of the training digits", slices.Min(flat), slices.Max(flat), trained)
	}
	// A turned and shifted digit leaves black behind.
	if flat := pixels(task.Train, strong); slices.Min(flat) != 0 || slices.Max(flat) != trained {
		t.Errorf("augmented training sets have grey levels %d to %d, wanted 0 to %d", slices.Min(flat), slices.Max(flat), trained)
	}
}

// Sets of another size are of the same splits and show digits of their own.
func TestSortOfSize(t *testing.T) {
	real := loadMNIST
	defer func() { loadMNIST = real }()
	loadMNIST = func(string) (task.MNIST, error) {
		train := inked(4000, 0)
		for i := range train.Pix {
			train.Pix[i] = uint8(i / (digitSize * digitSize) % 251) // each digit has its grey level
		}
		return task.MNIST{Train: train, Test: inked(3000, 255)}, nil
	}
	cfg := config.Default()
	cfg.Task, cfg.Model.Encoder = config.Task{Name: "sort", N: 5, NMin: 3, Digits: 4}, "window"
	work, err := made(&cfg)
	if err != nil {
		t.Fatal(err)
	}
	var first [][]uint8
	for _, of := range []task.Task{work, work.(*Task).OfSize(3)} {
		ex, err := of.Examples(task.Train, 0, 2)
		if err != nil {
			t.Fatal(err)
		}
		first = append(first, tensors.MustCopyFlatData[uint8](ex.Objects)[:3*4*digitSize*digitSize])
		if n := ex.Objects.Shape().Dim(1); n != len(ex.Clean[0]) || n != map[bool]int{true: 5, false: 3}[of == work] {
			t.Errorf("%d objects, %d in order", n, len(ex.Clean[0]))
		}
	}
	if slices.Equal(first[0], first[1]) {
		t.Error("sets of 3 are the beginnings of those of 5")
	}
}

// made is the task of a configuration, with its keys checked, as package tasks makes it.
func made(c *config.Config) (task.Task, error) {
	if err := c.Check("task"); err != nil {
		return nil, err
	}
	t, err := open(c)
	return t, config.Within("task", err)
}
