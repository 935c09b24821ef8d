package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/riffle-ml/riffle/presets"
	"github.com/riffle-ml/riffle/training"
)

func (a *app) presetsCommand() *cobra.Command {
	var paper bool
	cmd := &cobra.Command{
		Use:   "presets [NAME]",
		Short: "list the presets, or print one",
		Long: `presets lists the quick configurations that come with riffle. With --paper it lists the paper's
experiments, paper/…, which have the paper's hyperparameters and want a GPU. With a NAME it prints
that preset. Save it to a file, change it, and train the file.`,
		Example: `  riffle presets
  riffle presets --paper
  riffle presets paper/sort-mnist-9 > mine.toml`,
		Args: func(cmd *cobra.Command, args []string) error {
			if paper && len(args) > 0 {
				return usagef("presets: --paper is for the list, not for NAME")
			}
			return exactly([]string{"NAME"}[:min(1, len(args))]...)(cmd, args)
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 {
				data, err := presets.Find(args[0])
				if err != nil {
					return err
				}
				return a.print(map[string]string{"name": strings.TrimSuffix(args[0], ".toml"), "toml": string(data)}, func() { fmt.Fprintf(a.out, "%s", data) })
			}
			return a.listPresets(paper)
		},
	}
	cmd.Flags().BoolVar(&paper, "paper", false, "list the paper's experiments")
	return cmd
}

// listPresets lists the paper's presets, or the others.
func (a *app) listPresets(paper bool) error {
	entries, err := training.Presets(paper)
	if err != nil {
		return err
	}
	return a.print(entries, func() {
		// The title is a sentence: left-aligned after the two columns.
		width := 0
		for _, e := range entries {
			width = max(width, len(e.Name))
		}
		fmt.Fprintf(a.out, "%-*s  %13s  %s\n", width, "preset", "paper exact %", "what it is")
		for _, e := range entries {
			exact := ""
			if e.Paper != nil && e.Paper.Exact != nil {
				exact = fmt.Sprintf("%.1f", *e.Paper.Exact)
			}
			fmt.Fprintf(a.out, "%-*s  %13s  %s\n", width, e.Name, exact, e.Title)
		}
	})
}
