package learn

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/internal/hint"
	"github.com/riffle-ml/riffle/task"
)

// pictured is a task whose objects are pictures of two pixels that show their number.
type pictured struct{ scalars }

func (p pictured) Examples(split task.Split, first, count int) (*task.Examples, error) {
	e, err := p.scalars.Examples(split, first, count)
	if err != nil {
		return nil, err
	}
	e.PixelSize = 2
	for _, values := range e.Judge.(task.ByValue).Values {
		for _, v := range values {
			e.Pixels = append(e.Pixels, float32(10*v), float32(10*v))
		}
	}
	return e, nil
}

// What a method to compare with cannot do is said.
func TestBaselineErrors(t *testing.T) {
	cfg := tiny()
	cfg.Method = "sedd"
	m := newModel(t, cfg, openEngine(t, "go"))
	sets := []*dataset.Set{bare(5)}
	_, _, orderErr := m.Order(t.Context(), sets, 1, DecodeOptions{})
	_, _, sampleErr := m.Sample(t.Context(), sets, 1, 1)
	_, _, beamErr := m.Finder(DecodeOptions{Method: "beam"})
	_, sizeErr := m.SetSize(4)
	for what, err := range map[string]error{"order": orderErr, "sample": sampleErr, "beam": beamErr} {
		if err == nil || !strings.HasPrefix(hint.Text(err), "method sedd: has no ") || !strings.Contains(hint.Text(err), "\nhint: ") {
			t.Errorf("%s: %v", what, err)
		}
	}
	if sizeErr == nil {
		t.Error("another size was taken")
	}
}

// A training by the latent objective learns, and, stopped and resumed, makes the same steps
// as an unbroken one: its moving average goes on.
func TestLatentResumes(t *testing.T) {
	model := func() *Model {
		m := newScalars(t, scalars{N: 4}, func(c *config.Config) {
			c.Train.Objective, c.Train.Steps, c.Train.Batch, c.Process.Schedule = "latent", 30, 8, []int{0, 2, 7}
		})
		m.Task = pictured{m.Task.(scalars)}
		return m
	}
	whole, broken := t.TempDir()+"/whole", t.TempDir()+"/broken"
	m := model()
	if err := trainIn(t.Context(), m, whole, false, TrainOptions{}); err != nil {
		t.Fatal(err)
	}
	if v := m.State.ControlVariate; !(v > 0 && v < 1) || math.IsNaN(v) {
		t.Errorf("moving average %g", v)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err := trainIn(ctx, model(), broken, false, TrainOptions{OnStep: func(p Progress) {
		if p.Step == 13 {
			cancel()
		}
	}})
	if !errors.Is(err, ErrStopped) {
		t.Fatal(err)
	}
	if err := trainIn(t.Context(), model(), broken, true, TrainOptions{}); err != nil {
		t.Fatal(err)
	}
	sameRun(t, whole, broken)
}

// The latent objective compares pictures.
func TestLatentNeedsPictures(t *testing.T) {
	m := newScalars(t, scalars{N: 4}, func(c *config.Config) { c.Train.Objective = "latent" })
	err := trainIn(t.Context(), m, t.TempDir()+"/x", false, TrainOptions{})
	if err == nil || !strings.Contains(hint.Text(err), "train.objective: latent compares pictures") {
		t.Errorf("got %v", err)
	}
}
