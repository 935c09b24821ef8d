package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/riffle-ml/riffle/export"
	"github.com/riffle-ml/riffle/learn"
	runs "github.com/riffle-ml/riffle/run"
)

func (a *app) exportCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "export DIR OUT",
		Short: "write a run's weights for other programs, or a run that is small enough to give away",
		Long: `export writes the weights of the run DIR at its last checkpoint to OUT.

With --format safetensors OUT is a file of float32 arrays. Names and layout are those of the PyTorch
module in the Python package, riffle_ml.torch.

With --format onnx OUT is a folder, made where it is missing. It gets two models for ONNX Runtime
and other readers of ONNX (opset 17). encoder.onnx turns objects into embeddings, once a set.
denoiser.onnx turns embeddings, an arrangement and a time into the scores of a reverse step.
docs/onnx_greedy.py decodes with them. For a model of features, items.json has the scale that they
are brought to. The methods that diffusion is compared with have no such steps and cannot be
written.

With --format run OUT is a folder, made where it is missing, that every command takes as a run. It
has the configuration, the weights and the results, a third of the bytes. It has no log and no state
of the optimiser, so its training cannot be resumed.`,
		Example: `  riffle export runs/sort9 sort9.safetensors
  riffle export runs/sort9 --format onnx sort9-onnx
  python docs/onnx_greedy.py sort9-onnx images.npy
  riffle export runs/sort9 --format run models/sort9`,
		Args: exactly("DIR", "OUT"),
		RunE: func(_ *cobra.Command, args []string) error {
			write, known := map[string]func(from, to string) (*export.Written, error){"safetensors": export.Tensors, "onnx": export.ONNX, "run": export.Run}[format]
			if !known {
				return usagef("export: unknown --format %q, wanted safetensors, onnx or run", format)
			}
			w, err := write(args[0], args[1])
			if err != nil {
				return err
			}
			a.Warn(w.Warnings)
			return a.print(w, func() {
				for _, file := range w.Files {
					fmt.Fprintf(a.out, "%s: %s\n", file, w.What())
				}
			})
		},
	}
	cmd.Flags().StringVar(&format, "format", "safetensors", "safetensors, onnx or run")
	return cmd
}

// objectsCommand writes what the network sees, for those who go on with it in another program.
func (a *app) objectsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "objects DIR INPUT OUT",
		Short: "write sets as the network of a run sees them, for other programs",
		Long: `objects writes the sets of INPUT, a file or folder as riffle order takes it, to the file OUT
(safetensors). Features are on the scale of the training, pictures in its size, and points brought
to one place and spread. The array of set i is called "i", from 0. It has the shape [1, items, …],
which the encoder of the network in PyTorch or ONNX takes.`,
		Example: `  riffle objects runs/sort9 sets.jsonl objects.safetensors`,
		Args:    exactly("DIR", "INPUT", "OUT"),
		RunE: func(cmd *cobra.Command, args []string) error {
			m, warnings, err := learn.Load(args[0], nil)
			if err != nil {
				return err
			}
			defer m.Close()
			a.Warn(warnings)
			in, err := a.open(args[1])
			if err != nil {
				return err
			}
			sets, err := a.readAll(in)
			if err == nil && len(sets) == 0 {
				err = fmt.Errorf("%s: has no sets", in.Path)
			}
			if err != nil {
				return err
			}
			arrays, warnings, err := m.ObjectsOf(cmd.Context(), sets)
			if err != nil {
				return err
			}
			a.Warn(warnings)
			if err := runs.WriteFile(args[2], func(w io.Writer) error { return runs.WriteTensors(w, arrays, nil) }); err != nil {
				return err
			}
			return a.print(map[string]any{"file": args[2], "sets": len(sets)}, func() { fmt.Fprintf(a.out, "%s: %d sets\n", args[2], len(sets)) })
		},
	}
}
