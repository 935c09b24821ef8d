package learn

import (
	"context"
	"errors"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/ml/model"
	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/engine"
	"github.com/riffle-ml/riffle/run"
)

// Weights of a run that fit are taken, what does not is said; a run that fits nowhere is an error.
func TestInitFrom(t *testing.T) {
	e := openEngine(t, "go")
	trained, path := train(t, tiny(), e)
	weights, _, _, err := run.FromStore(trained.Store, trained.Denoiser)
	if err != nil {
		t.Fatal(err)
	}
	same := newModel(t, tiny(), e)
	notes, err := same.InitFrom(path)
	if err != nil || len(notes) != 0 {
		t.Fatal(notes, err)
	}
	if got, _, _, err := run.FromStore(same.Store, same.Denoiser); err != nil || !reflect.DeepEqual(got, weights) {
		t.Errorf("the weights are not the run's: %v", err)
	}

	cfg := tiny() // PL: a head more; ten objects: a longer table
	cfg.Process.Reverse, cfg.Task.N = "pl", 10
	other := newModel(t, cfg, e)
	before, _, _, err := run.FromStore(other.Store, other.Denoiser)
	if err != nil {
		t.Fatal(err)
	}
	if notes, err = other.InitFrom(path); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"encoder.weight [10 8]: starts anew, " + path + " has the shape [5 8]",
		"head.0.weight [8 8] to head.2.bias [1], each of these 4: starts anew, " + path + " has none of this name",
	}
	if !slices.Equal(notes, want) {
		t.Errorf("said\n%s\nwanted\n%s", strings.Join(notes, "\n"), strings.Join(want, "\n"))
	}
	after, _, _, err := run.FromStore(other.Store, other.Denoiser)
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range after {
		anew := strings.HasPrefix(w.Name, "head.") || w.Name == "encoder.weight"
		from := slices.IndexFunc(weights, func(t run.Tensor) bool { return t.Name == w.Name })
		if anew && !reflect.DeepEqual(w, before[i]) || !anew && !reflect.DeepEqual(w, weights[from]) {
			t.Errorf("%s: is not what was said", w.Name)
		}
	}
	cfg.Train.Frozen = []string{"encoder."} // whose table is longer here
	if _, err := newModel(t, cfg, e).InitFrom(path); err == nil || !strings.Contains(err.Error(), "has no weight such as encoder.weight, which train.frozen keeps") {
		t.Errorf("frozen at random: %v", err)
	}
	cfg.Train.Frozen = nil
	cfg.Model.Dim, cfg.Model.FeedForward, cfg.Process.Reverse = 12, 20, "gpl"
	if _, err := newModel(t, cfg, e).InitFrom(path); err == nil || !strings.Contains(err.Error(), "no weight whose name and shape fit") {
		t.Errorf("nothing fits: %v", err)
	}
	// The start is kept at once: a training that is killed before its first checkpoint resumes from it.
	dir := filepath.Join(t.TempDir(), "run")
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	if err := trainIn(stopped, same, dir, false, TrainOptions{}); !errors.Is(err, ErrStopped) {
		t.Fatal(err)
	}
	again, _, err := Load(dir, e)
	if err != nil {
		t.Fatal(err)
	}
	if got, _, _, err := run.FromStore(again.Store, again.Denoiser); err != nil || !reflect.DeepEqual(got, weights) {
		t.Errorf("the weights are not kept: %v", err)
	}
	if _, err := same.InitFrom(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a run that is not there: no error")
	}
}

// What is frozen stays bit for bit as it was brought, the rest learns, and a run that was stopped goes on as it would
// have gone, with an average of the weights too.
func TestFrozen(t *testing.T) {
	e := openEngine(t, "go")
	_, path := train(t, tiny(), e)
	brought, _, _, err := run.FromStore(newModelFrom(t, tiny(), path, e))
	if err != nil {
		t.Fatal(err)
	}
	cfg := tiny()
	cfg.Train.Frozen, cfg.Train.Average, cfg.Train.Steps = []string{"encoder.", "transformer.layers.0.linear1"}, 0.9, 8
	frozen := func(name string) bool {
		return strings.HasPrefix(name, "encoder.") || strings.HasPrefix(name, "transformer.layers.0.linear1")
	}
	ends := func(stop bool) []run.Tensor {
		m, dir := newModel(t, cfg, e), filepath.Join(t.TempDir(), "run")
		if _, err := m.InitFrom(path); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		opt := TrainOptions{}
		if stop {
			opt.OnStep = func(p Progress) {
				if p.Step == 3 {
					cancel()
				}
			}
		}
		err := trainIn(ctx, m, dir, false, opt)
		if stop {
			if !errors.Is(err, ErrStopped) {
				t.Fatalf("stopped: %v", err)
			}
			if m, _, err = Load(dir, e); err == nil {
				err = trainIn(t.Context(), m, dir, true, TrainOptions{})
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		weights, first, _, err := run.FromStore(m.Store, m.Denoiser)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range first {
			if frozen(w.Name) {
				t.Errorf("%s has a moment of the optimiser", w.Name)
			}
		}
		return weights
	}
	straight, resumed := ends(false), ends(true)
	if !reflect.DeepEqual(straight, resumed) {
		t.Error("the run that was stopped ends elsewhere")
	}
	kept := 0
	for i, w := range straight {
		if same := reflect.DeepEqual(w, brought[i]); same != frozen(w.Name) {
			t.Errorf("%s: the same as before: %t", w.Name, same)
		}
		if frozen(w.Name) {
			kept++
		}
	}
	if kept < 3 {
		t.Errorf("%d arrays are frozen", kept)
	}
	for want, frozen := range map[string][]string{
		`train.frozen: no weight has a name that begins with "decoder."`: {"encoder.", "decoder."},
		`train.frozen: leaves no weight to train`:                        {""},
	} {
		cfg.Train.Frozen = frozen
		if _, _, err := New(cfg, e); err == nil || err.Error() != want {
			t.Errorf("got %v, wanted %s", err, want)
		}
	}
}

// newModelFrom is the network with the weights of a run.
func newModelFrom(t *testing.T, cfg config.Config, path string, e *engine.Engine) (*model.Store, *denoiser.Denoiser) {
	t.Helper()
	m := newModel(t, cfg, e)
	if _, err := m.InitFrom(path); err != nil {
		t.Fatal(err)
	}
	return m.Store, m.Denoiser
}

// A part of a network is told by its first weight and its last where all between them are among them.
func TestNamed(t *testing.T) {
	n := &named{}
	n.add("a.x", []int{1})
	n.add("a.y", []int{2})
	n.end() // a.z, which is not
	n.add("a.u", []int{3})
	n.add("b.x", []int{4, 4})
	n.add("b.y", nil)
	var got []string
	for _, p := range n.parts {
		got = append(got, p.String())
	}
	if want := []string{"a.x [1] to a.y [2], each of these 2", "a.u [3]", "b.x [4 4] to b.y [], each of these 2"}; !slices.Equal(got, want) {
		t.Errorf("%q, wanted %q", got, want)
	}
}
