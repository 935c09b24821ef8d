package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/riffle-ml/riffle/learn"
	runs "github.com/riffle-ml/riffle/run"
)

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
