package learn

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/run"
	"github.com/riffle-ml/riffle/task"
)

// The sort task's sets are a function of seed, split and number, and different from each other.
func TestSortSetsAreAFunctionOfTheSeed(t *testing.T) {
	if _, err := dataset.FindMNIST(); err != nil {
		t.Skip(err)
	}
	cfg := tiny()
	cfg.Task = config.Task{Name: "sort", N: 4, Digits: 1, Augment: config.Augment{Rotate: 10, Scale: 0.1, Shift: 2}}
	cfg.Model.Encoder, cfg.Model.Hidden = "window", []int{8}
	m := newModel(t, cfg, openEngine(t, "go"))
	for _, split := range []task.Split{task.Train, task.Validation, task.Test} {
		all, err := m.Task.Examples(split, 0, 30)
		if err != nil {
			t.Fatal(err)
		}
		part, err := m.Task.Examples(split, 20, 10)
		if err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(all.Clean[20:], all.Judge.(task.ByValue).Values[20:]) != fmt.Sprint(part.Clean, part.Judge.(task.ByValue).Values) {
			t.Errorf("split %d: sets 20 to 29 depend on those before", split)
		}
		ties := map[string]bool{}
		for i := range all.Clean {
			for k := range 4 {
				if i >= 20 && string(all.Look.Pictures(i)[k].Pix) != string(part.Look.Pictures(i - 20)[k].Pix) {
					t.Fatalf("split %d: set %d has other pictures", split, i)
				}
			}
			sorted := perm.Act(all.Clean[i], all.Judge.(task.ByValue).Values[i])
			for k := 1; k < 4; k++ {
				if sorted[k] < sorted[k-1] {
					t.Errorf("split %d, set %d: %v is not ascending", split, i, sorted)
				}
				if sorted[k] == sorted[k-1] { // equals: broken at random in training
					ties[fmt.Sprint(all.Clean[i][k] < all.Clean[i][k-1])] = true
				}
			}
		}
		if len(ties) != 2 {
			t.Errorf("split %d: equal numbers are always in the same order", split)
		}
	}
	a, err := m.Task.Examples(task.Validation, 0, 5)
	if err != nil {
		t.Fatal(err)
	}
	b, err := m.Task.Examples(task.Test, 0, 5)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Seed = 2
	c, err := newModel(t, cfg, m.Engine).Task.Examples(task.Test, 0, 5)
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(a.Judge.(task.ByValue).Values) == fmt.Sprint(b.Judge.(task.ByValue).Values) || fmt.Sprint(b.Judge.(task.ByValue).Values) == fmt.Sprint(c.Judge.(task.ByValue).Values) {
		t.Error("another split or seed gave the same sets")
	}
	// A training of it is resumable too, as its batches are.
	x, err := m.batch(3, share{0, 1})
	if err != nil {
		t.Fatal(err)
	}
	y, err := m.batch(3, share{0, 1})
	if err != nil {
		t.Fatal(err)
	}
	if !x.Objects.Equal(y.Objects) || fmt.Sprint(x.States) != fmt.Sprint(y.States) {
		t.Error("the same step gave two batches")
	}
}

// saved makes a run with two checkpoints, the last of step 40.
func saved(t *testing.T) string {
	t.Helper()
	cfg := tiny()
	cfg.Train.Checkpoint = "1ms"
	_, dir := train(t, cfg, openEngine(t, "go"))
	return dir
}

func copied(t *testing.T, dir string) string {
	t.Helper()
	to := t.TempDir()
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return to
}

func rewrite(t *testing.T, path string, change func([]byte) []byte) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, change(data), 0o666); err != nil {
		t.Fatal(err)
	}
}

// A damaged checkpoint is noticed, and the one before is used, for asking and for resuming.
func TestDamagedCheckpoint(t *testing.T) {
	e, whole := openEngine(t, "go"), saved(t)
	for name, change := range map[string]func([]byte) []byte{
		"bit flipped":  func(b []byte) []byte { b[len(b)/2] ^= 1; return b },
		"half written": func(b []byte) []byte { return b[:len(b)/2] },
		"empty":        func([]byte) []byte { return nil },
	} {
		for _, file := range []string{run.ModelFile, run.StateFile} {
			dir := copied(t, whole)
			rewrite(t, filepath.Join(dir, file), change)
			m, warnings, err := Load(dir, e)
			if err != nil {
				t.Fatalf("%s %s: %v", file, name, err)
			}
			if len(warnings) != 1 || !strings.Contains(warnings[0], file) || !strings.Contains(warnings[0], fmt.Sprintf("the checkpoint of step %d is used instead", m.State.Step)) {
				t.Errorf("%s %s: warnings %q", file, name, warnings)
			}
			if m.State.Step >= 40 || m.State.Step < 1 {
				t.Errorf("%s %s: step %d", file, name, m.State.Step)
			}
		}
	}
	// Resumed from the one before, the training comes to the same end.
	dir := copied(t, whole)
	rewrite(t, filepath.Join(dir, run.AdamVFile), func(b []byte) []byte { b[len(b)-1] ^= 1; return b })
	var said []string
	opt := TrainOptions{OnMessage: func(s string) { said = append(said, s) }}
	cfg := tiny()
	cfg.Train.Checkpoint = "1ms"
	if err := trainIn(t.Context(), newModel(t, cfg, e), dir, true, opt); err != nil {
		t.Fatal(err)
	}
	if len(said) != 1 || !strings.Contains(said[0], run.AdamVFile) {
		t.Errorf("said %q", said)
	}
	sameRun(t, whole, dir)
	// A checkpoint that was being written when the process was killed does not count.
	if err := os.WriteFile(filepath.Join(dir, ".next", run.ModelFile), []byte("half"), 0o666); err != nil {
		t.Fatal(err)
	}
	if m, warnings, err := Load(dir, e); err != nil || len(warnings) > 0 || m.State.Step != 40 {
		t.Errorf("half a checkpoint beside a whole one: %v %v", warnings, err)
	}
}

// Nothing whole is an error that names the files.
func TestNoCheckpoint(t *testing.T) {
	e := openEngine(t, "go")
	dir := saved(t)
	for _, place := range []string{"", "previous"} {
		rewrite(t, filepath.Join(dir, place, run.ModelFile), func(b []byte) []byte { b[len(b)-1] ^= 1; return b })
	}
	if _, _, err := Load(dir, e); err == nil || strings.Count(err.Error(), run.ModelFile+": damaged") != 2 || !strings.Contains(err.Error(), dir) {
		t.Errorf("error %v", err)
	}
	if _, _, err := Load(t.TempDir(), e); !errors.Is(err, run.ErrNoRun) {
		t.Errorf("an empty directory: %v", err)
	}
}

// asBefore makes a run one that an earlier version wrote, whose state says nothing of the configuration.
func asBefore(t *testing.T, dir string) {
	t.Helper()
	for _, place := range []string{"", "previous"} {
		path := filepath.Join(dir, place, run.StateFile)
		if _, err := os.Stat(path); err != nil {
			continue
		}
		rewrite(t, path, func(b []byte) []byte {
			var state map[string]any
			if err := json.Unmarshal(b, &state); err != nil {
				t.Fatal(err)
			}
			delete(state, "config")
			hashes := state["sha256"].(map[string]any)
			delete(hashes, run.ItemsFile)
			own := strings.Repeat("0", 64)
			hashes[run.StateFile] = own
			text, err := json.Marshal(state)
			if err != nil {
				t.Fatal(err)
			}
			return bytes.Replace(text, []byte(own), fmt.Appendf(nil, "%x", sha256.Sum256(text)), 1)
		})
	}
}

// A run of an earlier version loads, answers and resumes as one of now.
func TestRunOfBefore(t *testing.T) {
	e := openEngine(t, "go")
	_, now := train(t, tiny(), e)
	cfg := tiny()
	m, dir := newModel(t, cfg, e), filepath.Join(t.TempDir(), "run")
	ctx, cancel := context.WithCancel(t.Context())
	err := trainIn(ctx, m, dir, false, TrainOptions{OnStep: func(p Progress) {
		if p.Step == 20 {
			cancel()
		}
	}})
	if !errors.Is(err, ErrStopped) {
		t.Fatal(err)
	}
	asBefore(t, dir)
	if m, warnings, err := Load(dir, e); err != nil || warnings != nil || m.State.Step != 20 || m.State.Config != nil {
		t.Fatalf("%v, %v", warnings, err)
	} else {
		checkPermutations(t, m)
	}
	if err := trainIn(t.Context(), newModel(t, cfg, e), dir, true, TrainOptions{}); err != nil {
		t.Fatal(err)
	}
	sameRun(t, now, dir)
}

// A checkpoint of another configuration: the tensor and both shapes are named.
func TestCheckpointOfAnotherConfiguration(t *testing.T) {
	e := openEngine(t, "go")
	dir := saved(t)
	asBefore(t, dir)
	for _, c := range []struct{ old, new, want string }{
		{"dim = 8", "dim = 16", "model.safetensors: encoder.weight: checkpoint from another configuration: wanted shape [5 16] (got [5 8], 40 values)"},
		{"n = 5", "n = 6", "model.safetensors: encoder.weight: checkpoint from another configuration: wanted shape [6 8] (got [5 8], 40 values)"},
		{"layers = 1", "layers = 2", "checkpoint from another configuration: wanted shape [24 8], it is missing"},
	} {
		rewrite(t, filepath.Join(dir, run.ConfigFile), func(b []byte) []byte {
			if !strings.Contains(string(b), "\n"+c.old+"\n") {
				t.Fatalf("no %q in %s", c.old, b)
			}
			return []byte(strings.Replace(string(b), "\n"+c.old+"\n", "\n"+c.new+"\n", 1))
		})
		_, _, err := Load(dir, e)
		if !errors.Is(err, run.ErrOtherConfig) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, wanted %s", c.new, err, c.want)
		}
		d, err := run.Resume(dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := newModel(t, d.Config, e).Train(t.Context(), d, true, TrainOptions{}); !errors.Is(err, run.ErrOtherConfig) {
			t.Errorf("%s: resumed: %v", c.new, err)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
		rewrite(t, filepath.Join(dir, run.ConfigFile), func(b []byte) []byte {
			return []byte(strings.Replace(string(b), "\n"+c.new+"\n", "\n"+c.old+"\n", 1))
		})
	}
}

// model.safetensors holds the network's arrays under their names, in their order.
func TestWeightsAreNamed(t *testing.T) {
	m, path := train(t, tiny(), openEngine(t, "go"))
	dir, err := run.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	weights, state, _, err := dir.LoadModel()
	if err != nil {
		t.Fatal(err)
	}
	if state.Step != 40 {
		t.Errorf("step %d", state.Step)
	}
	var got, want []string
	for _, w := range weights {
		got = append(got, fmt.Sprint(w.Name, w.Shape))
	}
	for _, p := range m.Denoiser.Params() {
		want = append(want, fmt.Sprint(p.Name, p.Shape))
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v\nwanted %v", got, want)
	}
}

// A set of another size is taken where the network can, with a warning that says so.
func TestOtherSizes(t *testing.T) {
	e := openEngine(t, "go")
	table := newModel(t, tiny(), e)
	cfg := tiny()
	cfg.Model.Positions = "learned"
	learned := newModel(t, cfg, e)
	features := newScalars(t, scalars{N: 5}, nil)
	for name, c := range map[string]struct {
		m    *Model
		set  *dataset.Set
		want string // "" is a warning
	}{
		"fewer than the table":         {table, bare(4), ""},
		"more than the table":          {table, bare(6), "set 1: the network cannot take sets of this size: got 6 objects, its table of identities ends at 5"},
		"more than learned positions":  {learned, bare(6), "set 1: the network cannot take sets of this size: got 6 objects, its learned positions end at 5"},
		"fewer than learned positions": {learned, bare(2), ""},
		"more with sinusoids":          {features, randomSets(1, 30)[0], ""},
	} {
		c.set.ID = ""
		out, warnings, err := c.m.Order(t.Context(), sets(c.set), 1, DecodeOptions{})
		if c.want != "" {
			if err == nil || err.Error() != c.want {
				t.Errorf("%s: error %v", name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		n := len(c.set.Items)
		if w := fmt.Sprintf("1 set has %d objects, the model was trained on sets of 5: the answers may be worse", n); len(warnings) != 1 || warnings[0].Text != w {
			t.Errorf("%s: warnings %q", name, warnings)
		}
		if o := out[0].Orders[0].Order; len(o) != n || o.Validate() != nil {
			t.Errorf("%s: %v", name, o)
		}
	}
}
