package run

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/internal/hint"
)

// A copy has the model of the newest checkpoint and what stands beside it, and nothing of the
// optimiser. To resume from it is refused with what to do.
func TestCopyModel(t *testing.T) {
	from := filepath.Join(t.TempDir(), "from")
	d, err := Create(from, testConfig())
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []int{1, 2} {
		save(t, d, step)
	}
	if err := os.WriteFile(d.File(EvalFile), []byte("{}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(t.TempDir(), "models", "to")
	state, warnings, err := d.CopyModel(to, EvalFile, ProbeFile)
	if err != nil || warnings != nil || state.Step != 2 {
		t.Fatalf("step %d, warnings %q, error %v", state.Step, warnings, err)
	}
	if diff := cmp.Diff([]string{ConfigFile, EvalFile, ModelFile, StateFile}, files(t, to)); diff != "" {
		t.Error(diff)
	}
	c, err := Resume(to)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(*testConfig(), c.Config, cmpopts.IgnoreUnexported(config.Config{})); diff != "" {
		t.Error(diff)
	}
	model, state, warnings, err := c.LoadModel()
	if err != nil || warnings != nil {
		t.Fatal(warnings, err)
	}
	if diff := cmp.Diff(generation(2).Model, model); diff != "" {
		t.Error(diff)
	}
	if want := generation(2).State; state.Step != want.Step || state.Elapsed != want.Elapsed || state.Finished != want.Finished {
		t.Errorf("state %+v, wanted %+v", state, want)
	}
	if _, _, err := c.LoadCheckpoint(); !errors.Is(err, ErrModelOnly) || !strings.Contains(hint.Text(err), "\nhint: riffle train "+c.File(ConfigFile)+" --out DIR") {
		t.Errorf("resuming: %v", err)
	}
	// A copy of a copy is one; the original, and what is there already, stay as they are.
	if _, _, err := c.CopyModel(filepath.Join(t.TempDir(), "again")); err != nil {
		t.Error(err)
	}
	before := files(t, to)
	if _, _, err := d.CopyModel(to, EvalFile); err == nil || hint.Text(err) != to+": holds a run already\nhint: another directory" {
		t.Errorf("over a run: %v", err)
	}
	if diff := cmp.Diff(before, files(t, to)); diff != "" {
		t.Error(diff)
	}
	if step, _ := load(t, d); step != 2 {
		t.Errorf("the original is at step %d", step)
	}
}

// A model in several files is copied in several.
func TestCopyModelShards(t *testing.T) {
	defer func(bytes int) { maxFile = bytes }(maxFile)
	maxFile = 20
	d, memory := testDir(t, 1)
	text, err := testConfig().TOML()
	if err != nil {
		t.Fatal(err)
	}
	memory.names[ConfigFile] = &inode{text, true}
	to := filepath.Join(t.TempDir(), "to")
	if _, _, err := d.CopyModel(to); err != nil {
		t.Fatal(err)
	}
	c, err := Open(to)
	if err != nil {
		t.Fatal(err)
	}
	model, _, _, err := c.LoadModel()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(generation(1).Model, model); diff != "" {
		t.Error(diff)
	}
	if parts, _ := filepath.Glob(filepath.Join(to, "model-*.safetensors")); len(parts) < 2 {
		t.Errorf("files %q", parts)
	}
}
