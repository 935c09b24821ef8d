package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/presets"
)

func (a *app) presetsCommand() *cobra.Command {
	var paper bool
	cmd := &cobra.Command{
		Use:   "presets [NAME]",
		Short: "list the presets, or print one",
		Long: `presets lists the quick configurations that come with riffle. With --paper it lists the
paper's experiments with its hyperparameters, paper/…, which want a GPU.
With a NAME it prints that one; save it to a file, change it and train the file.`,
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
				if a.json {
					return a.printJSON(map[string]string{"name": strings.TrimSuffix(args[0], ".toml"), "toml": string(data)})
				}
				_, err = a.out.Write(data)
				return err
			}
			return a.listPresets(paper)
		},
	}
	cmd.Flags().BoolVar(&paper, "paper", false, "list the paper's experiments")
	return cmd
}

// listPresets lists the paper's presets, or the others.
func (a *app) listPresets(paper bool) error {
	type entry struct {
		Name  string        `json:"name"`
		Title string        `json:"title"`
		N     int           `json:"n"`
		Paper *config.Paper `json:"paper,omitempty"`
	}
	var entries []entry
	var rows [][]string
	for _, name := range presets.Names() {
		if strings.HasPrefix(name, "paper/") != paper {
			continue
		}
		data, _ := presets.Get(name)
		cfg, err := config.ParseConfig(data, name+".toml")
		if err != nil {
			return err
		}
		entries = append(entries, entry{name, cfg.Title, cfg.Task.N, cfg.Paper})
		exact := ""
		if cfg.Paper != nil && cfg.Paper.Exact != nil {
			exact = fmt.Sprintf("%.1f", *cfg.Paper.Exact)
		}
		rows = append(rows, []string{name, exact, cfg.Title})
	}
	if a.json {
		return a.printJSON(entries)
	}
	// The title is a sentence: left-aligned after the two columns.
	width := 0
	for _, r := range rows {
		width = max(width, len(r[0]))
	}
	fmt.Fprintf(a.out, "%-*s  %13s  %s\n", width, "preset", "paper exact %", "what it is")
	for _, r := range rows {
		fmt.Fprintf(a.out, "%-*s  %13s  %s\n", width, r[0], r[1], r[2])
	}
	return nil
}
