package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	runs "github.com/riffle-ml/riffle/run"
)

func (a *app) exportCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "export DIR OUT",
		Short: "write a run's weights for other programs",
		Long: `export writes the weights of the run DIR at its last checkpoint to the file OUT, in
safetensors: float32 arrays under the names and in the layout of the PyTorch
module in bench/torch, whose load() reads the file.`,
		Example: `  riffle export runs/sort9 sort9.safetensors`,
		Args:    exactly("DIR", "OUT"),
		RunE: func(_ *cobra.Command, args []string) error {
			if format != "safetensors" {
				return usagef("export: unknown format %q, wanted safetensors", format)
			}
			dir, err := runs.Open(args[0])
			if err != nil {
				return err
			}
			defer func() { _ = dir.Close() }()
			weights, state, warnings, err := dir.LoadModel()
			if err != nil {
				return err
			}
			a.warn(warnings)
			err = runs.WriteFile(args[1], func(w io.Writer) error { return runs.WriteTensors(w, weights, nil) })
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(map[string]any{"file": args[1], "tensors": len(weights), "step": state.Step})
			}
			fmt.Fprintf(a.out, "%s: %d tensors of step %d\n", args[1], len(weights), state.Step)
			return nil
		},
	}
	cmd.Flags().StringVar(&format, "format", "safetensors", "safetensors")
	return cmd
}
