package run

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/riffle-ml/riffle/internal/hint"
)

// generation is a checkpoint all of whose files tell its step.
func generation(step int) *Checkpoint {
	x := float32(step)
	return &Checkpoint{
		State: State{Step: step, Elapsed: 1.5 * float64(step), Skipped: step % 3, Finished: step%2 == 0},
		Model: []Tensor{{"w", []int{2, 2}, []float32{x, 1, 2, 3}}, {"b", []int{2}, []float32{x + 0.25, 0}}, {"running_mean", []int{1}, []float32{x}}},
		AdamM: []Tensor{{"w", []int{2, 2}, []float32{x + 0.5, 1, 2, 3}}, {"b", []int{2}, []float32{x, 0}}},
		AdamV: []Tensor{{"w", []int{2, 2}, []float32{x + 0.75, 1, 2, 3}}, {"b", []int{2}, []float32{x, 0}}},
	}
}

// onDisk is a run directory on the disk, held.
func onDisk(t *testing.T, path string) *Dir {
	t.Helper()
	f, err := openFolder(path)
	if err != nil {
		t.Fatal(err)
	}
	d := newDir(path, f)
	d.Config, d.lock = *testConfig(), io.NopCloser(nil)
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// testDir is a run directory in memory.
func testDir(t *testing.T, generations ...int) (*Dir, *memory) {
	t.Helper()
	m := newMemory()
	d := &Dir{Path: "runs/x", Config: *testConfig(), disk: m, lock: os.Stdin, most: mostTensors}
	for _, g := range generations {
		save(t, d, g)
	}
	return d, m
}

func save(t *testing.T, d *Dir, step int) {
	t.Helper()
	if err := d.SaveCheckpoint(generation(step)); err != nil {
		t.Fatal(err)
	}
}

// load returns the step of the checkpoint that is found, after it has compared all of it.
func load(t *testing.T, d *Dir) (step int, warnings []string) {
	t.Helper()
	c, warnings, err := d.LoadCheckpoint()
	if err != nil {
		t.Fatal(err)
	}
	want := generation(c.State.Step)
	want.State.SHA256, want.State.Config = c.State.SHA256, c.State.Config
	if !reflect.DeepEqual(want, c) {
		t.Fatal(cmp.Diff(want, c))
	}
	return c.State.Step, warnings
}

func TestCheckpoint(t *testing.T) {
	d := onDisk(t, t.TempDir())
	if _, _, err := d.LoadCheckpoint(); !errors.Is(err, ErrNoCheckpoint) || !strings.HasPrefix(hint.Text(err), d.Path+": no checkpoint yet\nhint: riffle train --out ") {
		t.Errorf("empty: %v", err)
	}
	for step := range 4 {
		save(t, d, step)
		if got, warnings := load(t, d); got != step || warnings != nil {
			t.Errorf("got step %d and %v, wanted %d", got, warnings, step)
		}
	}
	want := []string{".next", "adam_m.safetensors", "adam_v.safetensors", "model.safetensors", "previous", "state.json"}
	if got := files(t, d.Path); !slices.Equal(got, want) {
		t.Errorf("files: %v", got)
	}
	if got := files(t, d.File(nextDir)); len(got) != 0 {
		t.Errorf("left in .next: %v", got)
	}
	if got := files(t, d.File(previousDir)); len(got) != 4 {
		t.Errorf("previous: %v", got)
	}
	state, err := os.ReadFile(d.File(StateFile))
	if err != nil || !strings.HasPrefix(string(state), "{\n  \"step\": 3,\n  \"elapsed_seconds\": 4.5,\n  \"skipped\": 0,\n  \"finished\": false,\n  \"engine\": \"\",\n  \"sha256\": {\n") {
		t.Errorf("%v\n%s", err, state)
	}
	d.lock = nil
	if err := d.SaveCheckpoint(generation(4)); err == nil || !strings.HasSuffix(hint.Text(err), "open for reading only") {
		t.Errorf("without the lock: %v", err)
	}
}

// A large network's tensors go into several files, in an order and with an index that Hugging
// Face's reader takes. The crash tests hold for them too.
func TestShards(t *testing.T) {
	whole := maxFile
	defer func() { maxFile = whole }()
	maxFile = 24 // bytes: the first array and the second, then the third
	d := onDisk(t, t.TempDir())
	for step := range 3 {
		save(t, d, step)
		if got, warnings := load(t, d); got != step || warnings != nil {
			t.Errorf("got step %d and %v, wanted %d", got, warnings, step)
		}
	}
	want := []string{
		".next", "adam_m.safetensors", "adam_v.safetensors", "model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors",
		"model.safetensors.index.json", "previous", "state.json",
	}
	if got := files(t, d.Path); !slices.Equal(got, want) {
		t.Errorf("files: %v", got)
	}
	index, err := os.ReadFile(d.File(indexName(ModelFile)))
	if err != nil {
		t.Fatal(err)
	}
	const wantIndex = `{
  "metadata": {
    "total_size": 28
  },
  "weight_map": {
    "b": "model-00001-of-00002.safetensors",
    "running_mean": "model-00002-of-00002.safetensors",
    "w": "model-00001-of-00002.safetensors"
  }
}`
	if string(index) != wantIndex {
		t.Errorf("index:\n%s", index)
	}
	maxFile = 1 // every array is larger than a file may be
	save(t, d, 7)
	if got, warnings := load(t, d); got != 7 || warnings != nil {
		t.Errorf("got step %d and %v", got, warnings)
	}
	if err := os.Remove(d.File("model-00002-of-00003.safetensors")); err != nil {
		t.Fatal(err)
	}
	if got, warnings := load(t, d); got != 2 || len(warnings) != 1 || !strings.Contains(warnings[0], "model-00002-of-00003.safetensors: missing") {
		t.Errorf("without a shard: step %d, %v", got, warnings)
	}
	maxFile = 24
	TestCheckpointCrash(t)
}

// TestCheckpointCrash kills the process at every operation of a save, and, after it has
// gone on from what it found, at every operation of the next save.
func TestCheckpointCrash(t *testing.T) {
	times := 0
	for seed := range uint64(4) { // 0: names change at once; else a power cut may lose changes
		rng := rand.New(rand.NewPCG(seed, 0))
		if seed == 0 {
			rng = nil
		}
		first := 1
		for ; ; first++ {
			d, m := testDir(t, 1, 2)
			m.lose = rng
			m.arm(first, true)
			err := d.SaveCheckpoint(generation(3))
			if m.ops < first {
				break
			}
			if err == nil {
				t.Errorf("crash at %d: no error", first)
			}
			after, _ := load(t, d)
			if after != 2 && after != 3 {
				t.Fatalf("crash at %d: found step %d", first, after)
			}
			for second := 1; ; second++ {
				n := m.clone()
				n.lose = rng
				n.arm(second, true)
				d.disk = n
				err := d.SaveCheckpoint(generation(4))
				if n.ops < second {
					if step, warnings := load(t, d); err != nil || step != 4 || warnings != nil {
						t.Fatalf("after a crash at %d: %v, step %d, %v", first, err, step, warnings)
					}
					break
				}
				times++
				if step, _ := load(t, d); step != after && step != 4 {
					t.Fatalf("crashes at %d and %d: found step %d, wanted %d or 4", first, second, step, after)
				}
			}
		}
		if first < 20 {
			t.Errorf("only %d operations", first)
		}
	}
	t.Logf("%d pairs of crashes", times)
}

// TestCheckpointFirstCrash is the same for a run's first save: there is nothing or all.
func TestCheckpointFirstCrash(t *testing.T) {
	for failAt := 1; ; failAt++ {
		d, m := testDir(t)
		m.lose = rand.New(rand.NewPCG(uint64(failAt), 1))
		m.arm(failAt, true)
		d.SaveCheckpoint(generation(1))
		if m.ops < failAt {
			break
		}
		if _, _, err := d.LoadCheckpoint(); err == nil {
			load(t, d)
		} else if !errors.Is(err, ErrNoCheckpoint) {
			t.Errorf("crash at %d: %v", failAt, err)
		}
	}
}

// TestCheckpointFails lets one operation fail and the process live on.
func TestCheckpointFails(t *testing.T) {
	for failAt := 1; ; failAt++ {
		d, m := testDir(t, 1, 2)
		m.arm(failAt, false)
		err := d.SaveCheckpoint(generation(3))
		if m.ops < failAt {
			t.Logf("%d operations failed", failAt-1)
			break
		}
		if step, warnings := load(t, d); warnings != nil || step != 3 && (err == nil || step != 2) {
			t.Errorf("failure at %d: %v, then step %d, %v", failAt, err, step, warnings)
		}
		if err != nil && !strings.HasPrefix(hint.Text(err), d.Path) {
			t.Errorf("failure at %d: no path: %v", failAt, err)
		}
		save(t, d, 4)
		if step, warnings := load(t, d); step != 4 || warnings != nil {
			t.Errorf("failure at %d: saved 4, found %d, %v", failAt, step, warnings)
		}
	}
}

func TestCheckpointDamage(t *testing.T) {
	times := 0
	damages := map[string]func(m *memory, path string){
		"missing": func(m *memory, path string) { delete(m.names, path) },
		"cut":     func(m *memory, path string) { m.names[path].data = m.names[path].data[:30] },
		"empty":   func(m *memory, path string) { m.names[path].data = nil },
		"a bit":   func(m *memory, path string) { m.names[path].data[50] ^= 1 },
	}
	for how, damage := range damages {
		for _, name := range []string{ModelFile, AdamMFile, AdamVFile, StateFile} {
			times++
			d, m := testDir(t, 1, 2)
			damage(m, name)
			step, warnings := load(t, d)
			if step != 1 {
				t.Fatalf("%s: %s: found step %d", name, how, step)
			}
			if missing := name == StateFile && how == "missing"; !missing &&
				(len(warnings) != 1 || !strings.Contains(warnings[0], name) || !strings.HasSuffix(warnings[0], "; the checkpoint of step 1 is used instead")) {
				t.Errorf("%s: %s: %q", name, how, warnings)
			}
			_, state, modelWarnings, err := d.LoadModel()
			if fine := name != ModelFile && name != StateFile; err != nil || fine && (state.Step != 2 || modelWarnings != nil) || !fine && state.Step != 1 {
				t.Errorf("%s: %s: the model alone: step %d, %v, %v", name, how, state.Step, modelWarnings, err)
			}
			save(t, d, 3) // the good one is still there until this one is
			if step, warnings := load(t, d); step != 3 || warnings != nil {
				t.Errorf("%s: %s: saved 3, found %d, %v", name, how, step, warnings)
			}
		}
	}
	t.Logf("%d damages", times)
	d, m := testDir(t, 1, 2)
	for _, place := range []string{"", previousDir} {
		damages["missing"](m, filepath.Join(place, AdamVFile))
	}
	want := fmt.Sprintf("%s: no checkpoint is whole: the checkpoint of step 2: adam_v.safetensors: missing; "+
		"the checkpoint of step 1: adam_v.safetensors: missing\nhint: train again, in another folder", d.Path)
	if _, _, err := d.LoadCheckpoint(); err == nil || hint.Text(err) != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}
