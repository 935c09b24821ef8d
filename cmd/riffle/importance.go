package main

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/evaluate"
	"github.com/riffle-ml/riffle/internal/progress"
	"github.com/riffle-ml/riffle/question"
)

func (a *app) importanceCommand() *cobra.Command {
	var engineSpec string
	var quiet bool
	opt := evaluate.ImportanceOptions{}
	cmd := &cobra.Command{
		Use:   "importance DIR [FILE]",
		Short: "which feature moves the order",
		Long: `importance orders the lists of FILE, or the test lists of the run DIR, as they are. Then it orders
them with one feature after the other shuffled among all items of all lists. It says how much worse
the orders are by the drop of Kendall's tau-b and of NDCG. These are means over lists and --repeats
shuffles, with 95 % bootstrap intervals over lists. An interval that holds 0 says that the feature
may do nothing.

The model stays the same. So this does not say what it would learn without the feature. Two features
that say the same may each look unimportant.`,
		Example: `  riffle importance runs/mine
  riffle importance runs/mine lists.csv --repeats 20 --json`,
		Args: func(cmd *cobra.Command, args []string) error {
			return cmp.Or(atLeast(cmd, "repeats", opt.Repeats, 1), atLeast(cmd, "examples", opt.Examples, 1),
				checkDecode(cmd, question.Order{Top: 1, Decode: opt.Decode}), exactly([]string{"DIR", "FILE"}[:max(1, min(2, len(args)))]...)(cmd, args))
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			var lists []*dataset.Set
			if len(args) == 2 {
				f, err := dataset.Read(args[1], dataset.Options{Empty: true})
				if err != nil {
					return err
				}
				a.Warn(f.Warnings)
				lists = f.Sets
			}
			m, err := a.load(args[0], engineSpec, manySets)
			if err != nil {
				return err
			}
			bar := progress.New(a.err, "orderings", -1, quiet, progressbar.OptionShowCount())
			opt.Progress = bar.At
			found, err := evaluate.MeasureImportance(cmd.Context(), m, lists, opt)
			bar.Clear()
			if errors.Is(err, evaluate.ErrNoFeatures) {
				return fmt.Errorf("importance: %w, that of %s is of the task %s", err, args[0], m.Config.Task.Name)
			}
			if err != nil {
				return err
			}
			return a.print(found, func() {
				a.Warn(found.Warnings)
				a.sections([]evaluate.Section{found.Section()})
			})
		},
	}
	f := cmd.Flags()
	f.IntVar(&opt.Repeats, "repeats", 5, "shuffles of each feature")
	addSeed(cmd, &opt.Seed, "shuffles")
	f.IntVar(&opt.Examples, "examples", 0, "lists at most (default: the run's eval.examples)")
	addQuiet(cmd, &quiet)
	addDecode(cmd, &opt.Decode)
	addEngine(cmd, &engineSpec)
	return cmd
}
