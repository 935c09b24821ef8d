// Package export writes the weights of runs for other programs, and runs that are small enough to give away.
package export

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/riffle-ml/riffle/internal/hint"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/onnx"
	"github.com/riffle-ml/riffle/run"
)

// Written is what was exported.
type Written struct {
	Format   string // safetensors, onnx or run
	Files    []string
	Step     int // of the checkpoint
	Tensors  int // of safetensors
	Warnings []string
}

// What says what the files hold.
func (w *Written) What() string {
	switch w.Format {
	case "safetensors":
		return fmt.Sprintf("%d tensors of step %d", w.Tensors, w.Step)
	case "onnx":
		return fmt.Sprintf("opset %d, step %d", onnx.Opset, w.Step)
	}
	return fmt.Sprintf("the model of step %d", w.Step)
}

// MarshalJSON has the fields of the format.
func (w *Written) MarshalJSON() ([]byte, error) {
	fields := map[string]any{"step": w.Step}
	switch w.Format {
	case "safetensors":
		fields["file"], fields["tensors"] = w.Files[0], w.Tensors
	case "onnx":
		fields["files"], fields["opset"] = w.Files, onnx.Opset
	default:
		fields["run"] = w.Files[0]
	}
	return json.Marshal(fields)
}

// open opens a run and the model that it is of, without its weights.
func open(from string) (*run.Dir, *learn.Model, error) {
	dir, err := run.Open(from)
	if err != nil {
		return nil, nil, err
	}
	m, _, err := learn.Plan(dir.Config, nil) // nothing is computed
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("%s: %w", dir.File(run.ConfigFile), err), dir.Close())
	}
	dir.Expect(m.Denoiser)
	return dir, m, nil
}

// Tensors writes the weights of the run from to the file to, as safetensors.
func Tensors(from, to string) (*Written, error) {
	dir, _, err := open(from)
	if err != nil {
		return nil, err
	}
	defer func() { _ = dir.Close() }()
	weights, state, warnings, err := dir.LoadModel()
	if err != nil {
		return nil, err
	}
	// The state has the hash of what is there: with another file of that name the run is damaged.
	name := filepath.Base(to)
	own := name == run.ConfigFile || name == run.MetricsFile || state.SHA256[name] != ""
	switch same, err := run.SameFile(filepath.Dir(to), from); {
	case err != nil:
		return nil, err
	case same && own:
		return nil, hint.Errorf("another OUT", "%s: is a file of the run, which stays as it is", to)
	}
	metadata, err := dir.Metadata(state.Step)
	if err != nil {
		return nil, err
	}
	err = run.WriteFile(to, func(w io.Writer) error { return run.WriteTensors(w, weights, metadata) })
	return &Written{"safetensors", []string{to}, state.Step, len(weights), warnings}, err
}

// ONNX writes the network of the run from into the folder to. It writes two models, and for a model of
// features the scale that they are brought to.
func ONNX(from, to string) (*Written, error) {
	dir, m, err := open(from)
	if err != nil {
		return nil, err
	}
	defer func() { _ = dir.Close() }()
	if !m.Method.Diffuses() {
		return nil, hint.Errorf("--format safetensors", "export: %s: only method diffusion has reverse steps to write as ONNX (got %s)", from, m.Method.Name)
	}
	weights, state, warnings, err := dir.LoadModel()
	if err != nil {
		return nil, err
	}
	if there, err := os.Stat(filepath.Join(to, run.ConfigFile)); err == nil {
		if own, err := os.Stat(filepath.Join(from, run.ConfigFile)); err != nil || !os.SameFile(there, own) {
			return nil, hint.Errorf("choose another folder", "%s: holds a run, whose items.json would be lost", to)
		}
	}
	encoder, denoiser, err := onnx.Export(m.Denoiser, m.Process, weights)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", from, err)
	}
	if err := os.MkdirAll(to, 0o777); err != nil {
		return nil, err
	}
	w := &Written{"onnx", []string{filepath.Join(to, onnx.EncoderFile), filepath.Join(to, onnx.DenoiserFile)}, state.Step, len(weights), warnings}
	for i, model := range []*onnx.Model{encoder, denoiser} {
		if err := run.WriteFile(w.Files[i], func(out io.Writer) error { _, err := model.WriteTo(out); return err }); err != nil {
			return nil, err
		}
	}
	// What the task needs to make objects of features: the models begin at the objects.
	scale, err := dir.ReadFile(run.ItemsFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := os.Remove(filepath.Join(to, run.ItemsFile)); err != nil && !errors.Is(err, fs.ErrNotExist) { // another model's
			return nil, err
		}
		return w, nil
	case err != nil:
		return nil, err
	}
	return w, run.WriteIn(to, run.ItemsFile, func(out io.Writer) error { _, err := out.Write(scale); return err })
}

// Run copies what the run from needs to be asked, and its results, into the folder to.
func Run(from, to string) (*Written, error) {
	dir, _, err := open(from)
	if err != nil {
		return nil, err
	}
	defer func() { _ = dir.Close() }()
	state, warnings, err := dir.CopyModel(to, run.EvalFile, run.ProbeFile, run.CalibrationFile)
	return &Written{"run", []string{to}, state.Step, 0, warnings}, err
}
