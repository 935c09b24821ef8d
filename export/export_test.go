package export

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/riffle-ml/riffle/engine"
	"github.com/riffle-ml/riffle/internal/hint"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/onnx"
	"github.com/riffle-ml/riffle/run"
)

const sorting = "../models/sort"

// fields are what is printed of an export as JSON.
func fields(t *testing.T, w *Written) map[string]any {
	t.Helper()
	data, err := json.Marshal(w)
	if err != nil {
		t.Fatal(err)
	}
	var f map[string]any
	if err := json.Unmarshal(data, &f); err != nil {
		t.Fatal(err)
	}
	return f
}

// The file of weights has every tensor of the model.
func TestTensors(t *testing.T) {
	to := filepath.Join(t.TempDir(), "weights.safetensors")
	w, err := Tensors(sorting, to)
	if err != nil {
		t.Fatal(err)
	}
	m, _, err := learn.Load(sorting, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	own, err := os.Stat(filepath.Join(sorting, run.ModelFile))
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(to); err != nil || info.Size() < own.Size()/2 {
		t.Errorf("%v, %v: wanted about the %d bytes of the run", info, err, own.Size())
	}
	f := fields(t, w)
	if w.Step != m.State.Step || f["file"] != to || f["tensors"] != float64(w.Tensors) || w.Tensors < 10 {
		t.Errorf("%+v, as JSON %v", w, f)
	}
}

// A file of the run itself is never written over.
func TestTensorsOverRun(t *testing.T) {
	from := filepath.Join(t.TempDir(), "run")
	if _, err := Run(sorting, from); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{run.ConfigFile, run.ModelFile} {
		before, err := os.ReadFile(filepath.Join(from, name))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Tensors(from, filepath.Join(from, name)); err == nil || !strings.Contains(hint.Text(err), "is a file of the run") {
			t.Errorf("%s: %v", name, err)
		}
		if after, err := os.ReadFile(filepath.Join(from, name)); err != nil || string(after) != string(before) {
			t.Errorf("%s is not what it was: %v", name, err)
		}
	}
}

// A run to give away is one that can be asked.
func TestRun(t *testing.T) {
	to := filepath.Join(t.TempDir(), "small")
	w, err := Run(sorting, to)
	if err != nil {
		t.Fatal(err)
	}
	e, err := engine.Open("go")
	if err != nil {
		t.Fatal(err)
	}
	m, _, err := learn.Load(to, e)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if f := fields(t, w); m.State.Step != w.Step || f["run"] != to || !strings.Contains(w.What(), "the model of step") {
		t.Errorf("%+v of step %d, as JSON %v", w, m.State.Step, f)
	}
}

// The models for ONNX Runtime are two files of the named opset; a run that is none is told.
func TestONNX(t *testing.T) {
	to := filepath.Join(t.TempDir(), "onnx")
	w, err := ONNX(sorting, to)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{onnx.EncoderFile, onnx.DenoiserFile} {
		if info, err := os.Stat(filepath.Join(to, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if f := fields(t, w); len(w.Files) != 2 || f["opset"] != float64(onnx.Opset) {
		t.Errorf("%+v, as JSON %v", w, f)
	}
	if _, err := ONNX(t.TempDir(), to); err == nil {
		t.Error("an empty folder is written as ONNX")
	}
}
