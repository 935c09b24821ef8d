package evaluate

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/task"
)

// Sets in memory are trained on as a file of them is, with callbacks. The model is loaded again
// without them, and judged on a file of one's own.
func TestFitSets(t *testing.T) {
	e := openEngine(t, "go")
	e.Warnings = []string{"this engine is a test's"}
	file, heldOut := sizes(t, 200, 1), sizes(t, 40, 3)
	read, err := dataset.Read(file, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	sets := read.Sets
	path := filepath.Join(t.TempDir(), "run")
	steps := 0
	m, warnings, err := learn.FitSets(t.Context(), smallRanking(t), sets, nil, path, e, learn.TrainOptions{OnStep: func(learn.Progress) { steps++ }})
	if err != nil {
		t.Fatal(err)
	}
	if steps != m.Config.Train.Steps {
		t.Errorf("OnStep was called %d times, wanted %d", steps, m.Config.Train.Steps)
	}
	if len(warnings) == 0 || warnings[0] != e.Warnings[0] {
		t.Errorf("warnings %q have not the engine's", warnings)
	}
	of, _, err := learn.Fit(t.Context(), smallRanking(t, "task.data="+file), filepath.Join(t.TempDir(), "file"), e)
	if err != nil {
		t.Fatal(err)
	}
	a, err1 := Run(t.Context(), m, task.Test, 100, learn.DecodeOptions{}, nil)
	b, err2 := Run(t.Context(), of, task.Test, 100, learn.DecodeOptions{}, nil)
	if err1 != nil || err2 != nil || *a.Figure("ranking.tau_b") != *b.Figure("ranking.tau_b") || *a.Figure("ranking.bound") != *b.Figure("ranking.bound") {
		t.Fatalf("%v, of a file %v (%v, %v)", a, b, err1, err2)
	}
	m, warnings, err = learn.Load(path, e)
	if err != nil || len(warnings) == 0 || warnings[0] != e.Warnings[0] {
		t.Fatalf("loaded: warnings %q, %v", warnings, err)
	}
	if _, err := Run(t.Context(), m, task.Test, 100, learn.DecodeOptions{}, nil); err == nil || !strings.Contains(err.Error(), "were in the memory of the program that trained") {
		t.Errorf("judged on sets that are gone: %v", err)
	}
	if err := m.SetTest(heldOut); err != nil {
		t.Fatal(err)
	}
	r, err := Run(t.Context(), m, task.Test, 100, learn.DecodeOptions{}, nil)
	if err != nil || r.Lists != 40 || r.Mean("ranking.tau_b") < 0.7 {
		t.Errorf("judged on lists of one's own: %+v, %v", r, err)
	}
	if _, _, err := learn.FitSets(t.Context(), smallRanking(t), nil, nil, path+"2", e); err == nil {
		t.Error("no sets: no error")
	}
	if _, _, err := learn.Fit(t.Context(), smallRanking(t), path+"2", e, learn.TrainOptions{}, learn.TrainOptions{}); err == nil {
		t.Error("two options: no error")
	}
}
