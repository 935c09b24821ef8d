package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/riffle-ml/riffle/internal/hint"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/onnx"
	runs "github.com/riffle-ml/riffle/run"
)

func (a *app) exportCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "export DIR OUT",
		Short: "write a run's weights for other programs, or a run that is small enough to give away",
		Long: `export writes the weights of the run DIR at its last checkpoint to OUT.

With --format safetensors OUT is a file: float32 arrays under the names and in the layout
of the PyTorch module in the Python package, riffle_ml.torch.

With --format onnx OUT is a folder, made where it is missing, with two models for ONNX
Runtime and other readers of ONNX (opset 17): encoder.onnx turns objects into embeddings,
once a set; denoiser.onnx turns embeddings, an arrangement and a time into the scores of
a reverse step. docs/onnx_greedy.py decodes with them. Of a model of features the scale
that they are brought to is written beside, items.json. The methods that diffusion is
compared with have no such steps and cannot be written.

With --format run OUT is a folder, made where it is missing, that every command takes as a
run: configuration, weights and results, a third of the bytes. It has no log and no state of
the optimiser, so that its training cannot be resumed.`,
		Example: `  riffle export runs/sort9 sort9.safetensors
  riffle export runs/sort9 --format onnx sort9-onnx
  python docs/onnx_greedy.py sort9-onnx images.npy
  riffle export runs/sort9 --format run models/sort9`,
		Args: exactly("DIR", "OUT"),
		RunE: func(_ *cobra.Command, args []string) error {
			switch format {
			case "safetensors":
				return a.exportTensors(args[0], args[1])
			case "onnx":
				return a.exportONNX(args[0], args[1])
			case "run":
				return a.exportRun(args[0], args[1])
			}
			return usagef("export: unknown --format %q, wanted safetensors, onnx or run", format)
		},
	}
	cmd.Flags().StringVar(&format, "format", "safetensors", "safetensors, onnx or run")
	return cmd
}

// openPlan opens a run and the model that it is of, without its weights.
func openPlan(from string) (*runs.Dir, *learn.Model, error) {
	dir, err := runs.Open(from)
	if err != nil {
		return nil, nil, err
	}
	m, _, err := learn.Plan(dir.Config, nil) // nothing is computed
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("%s: %w", dir.File(runs.ConfigFile), err), dir.Close())
	}
	dir.Expect(m.Denoiser)
	return dir, m, nil
}

func (a *app) exportTensors(from, to string) error {
	dir, _, err := openPlan(from)
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }()
	weights, state, warnings, err := dir.LoadModel()
	if err != nil {
		return err
	}
	a.Warn(warnings)
	// The state has the hash of what is there: with another file of that name the run is damaged.
	name := filepath.Base(to)
	own := name == runs.ConfigFile || name == runs.MetricsFile || state.SHA256[name] != ""
	switch same, err := sameFile(filepath.Dir(to), from); {
	case err != nil:
		return err
	case same && own:
		return hint.Errorf("another OUT", "%s: is a file of the run, which stays as it is", to)
	}
	metadata, err := dir.Metadata(state.Step)
	if err == nil {
		err = runs.WriteFile(to, func(w io.Writer) error { return runs.WriteTensors(w, weights, metadata) })
	}
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(map[string]any{"file": to, "tensors": len(weights), "step": state.Step})
	}
	fmt.Fprintf(a.out, "%s: %d tensors of step %d\n", to, len(weights), state.Step)
	return nil
}

func (a *app) exportONNX(from, to string) error {
	dir, m, err := openPlan(from)
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }()
	if !m.Method.Diffuses() {
		return hint.Errorf("--format safetensors", "export: %s: only method diffusion has reverse steps to write as ONNX (got %s)", from, m.Method.Name)
	}
	weights, state, warnings, err := dir.LoadModel()
	if err != nil {
		return err
	}
	a.Warn(warnings)
	encoder, denoiser, err := onnx.Export(m.Denoiser, m.Process, weights)
	if err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	if err := os.MkdirAll(to, 0o777); err != nil {
		return err
	}
	files := []string{filepath.Join(to, onnx.EncoderFile), filepath.Join(to, onnx.DenoiserFile)}
	for i, model := range []*onnx.Model{encoder, denoiser} {
		err := runs.WriteFile(files[i], func(w io.Writer) error { _, err := model.WriteTo(w); return err })
		if err != nil {
			return err
		}
	}
	// What the task needs to make objects of features: the models begin at the objects.
	scale, err := dir.ReadFile(runs.ItemsFile)
	if err == nil {
		err = runs.WriteIn(to, runs.ItemsFile, func(w io.Writer) error { _, err := w.Write(scale); return err })
	} else if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(map[string]any{"files": files, "opset": onnx.Opset, "step": state.Step})
	}
	for _, file := range files {
		fmt.Fprintf(a.out, "%s: opset %d, step %d\n", file, onnx.Opset, state.Step)
	}
	return nil
}

func (a *app) exportRun(from, to string) error {
	dir, _, err := openPlan(from)
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }()
	state, warnings, err := dir.CopyModel(to, runs.EvalFile, runs.ProbeFile, runs.CalibrationFile)
	if err != nil {
		return err
	}
	a.Warn(warnings)
	if a.json {
		return a.printJSON(map[string]any{"run": to, "step": state.Step})
	}
	fmt.Fprintf(a.out, "%s: the model of step %d\n", to, state.Step)
	return nil
}
