package run

import (
	"errors"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// withConfig is a run in memory that has a configuration.
func withConfig(t *testing.T) (*Dir, *memory) {
	t.Helper()
	d, m := testDir(t, 1)
	text, err := testConfig().TOML()
	if err != nil {
		t.Fatal(err)
	}
	m.names[ConfigFile] = &inode{text, true}
	m.durable[ConfigFile] = m.names[ConfigFile]
	return d, m
}

func saveBest(d *Dir, step int) error {
	g := generation(step)
	return d.SaveBest(g.Model, g.State)
}

// bestStep returns the step of the best model, after it has compared the weights; 0 for none.
func bestStep(t *testing.T, d *Dir) int {
	t.Helper()
	best := &Dir{Path: d.File(BestDir), Config: d.Config, disk: inner{d.disk, BestDir}, most: d.most}
	model, state, warnings, err := best.LoadModel()
	if errors.Is(err, ErrNoCheckpoint) {
		return 0
	}
	if err != nil || warnings != nil {
		t.Fatal(warnings, err)
	}
	if diff := cmp.Diff(generation(state.Step).Model, model); diff != "" {
		t.Fatal(diff)
	}
	return state.Step
}

// The best model is a run of its own, which the checkpoints beside it leave alone.
func TestSaveBest(t *testing.T) {
	path := t.TempDir()
	d, err := Create(path, testConfig())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}()
	save(t, d, 1)
	for _, step := range []int{1, 2} {
		if err := saveBest(d, step); err != nil {
			t.Fatal(err)
		}
		if got := bestStep(t, d); got != step {
			t.Errorf("step %d is the best, wanted %d", got, step)
		}
	}
	save(t, d, 3)
	best, err := Open(d.File(BestDir))
	if err != nil {
		t.Fatal(err)
	}
	if _, state, _, err := best.LoadModel(); err != nil || state.Step != 2 {
		t.Errorf("opened: step %d, %v", state.Step, err)
	}
	if _, _, err := best.LoadCheckpoint(); !errors.Is(err, ErrModelOnly) {
		t.Errorf("resumed: %v", err)
	}
	if err := best.Close(); err != nil {
		t.Error(err)
	}
	if got := files(t, d.File(BestDir)); !slices.Contains(got, ConfigFile) || slices.Contains(got, AdamMFile) {
		t.Errorf("files %q", got)
	}
	if step, _ := load(t, d); step != 3 {
		t.Errorf("the last checkpoint is of step %d", step)
	}
}

// A link in the place of the folder is not followed.
func TestSaveBestFollowsNoLink(t *testing.T) {
	path, elsewhere := t.TempDir(), t.TempDir()
	d, err := Create(path, testConfig())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}()
	if err := os.Symlink(elsewhere, d.File(BestDir)); err != nil {
		t.Skip(err)
	}
	if err := saveBest(d, 1); !errors.Is(err, ErrNotRegular) {
		t.Errorf("error %v", err)
	}
	if got := files(t, elsewhere); len(got) > 0 {
		t.Errorf("%q were written elsewhere", got)
	}
}

// Killed at any operation, the best model is the old one or the new one, whole; and the run's checkpoint
// is what it was.
func TestSaveBestCrash(t *testing.T) {
	for seed := range uint64(3) {
		for failAt := 1; ; failAt++ {
			d, m := withConfig(t)
			if err := saveBest(d, 1); err != nil {
				t.Fatal(err)
			}
			m.lose = rand.New(rand.NewPCG(seed, uint64(failAt)))
			m.arm(failAt, true)
			err := saveBest(d, 2)
			if m.ops < failAt {
				if failAt < 10 {
					t.Errorf("only %d operations", failAt-1)
				}
				break
			}
			if err == nil {
				t.Errorf("crash at %d: no error", failAt)
			}
			m.arm(0, false)
			if step := bestStep(t, d); step != 1 && step != 2 {
				t.Fatalf("crash at %d: found step %d", failAt, step)
			}
			if err := saveBest(d, 3); err != nil || bestStep(t, d) != 3 {
				t.Fatalf("crash at %d: saving again: %v", failAt, err)
			}
			if step, _ := load(t, d); step != 1 {
				t.Fatalf("crash at %d: the run is at step %d", failAt, step)
			}
		}
	}
}
