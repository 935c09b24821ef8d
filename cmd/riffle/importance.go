package main

import (
	"fmt"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/evaluate"
	"github.com/riffle-ml/riffle/internal/progress"
	"github.com/riffle-ml/riffle/question"
	"github.com/riffle-ml/riffle/task"
)

func (a *app) importanceCommand() *cobra.Command {
	var engineSpec string
	var examples int
	var quiet bool
	opt := evaluate.ImportanceOptions{}
	cmd := &cobra.Command{
		Use:   "importance DIR [FILE]",
		Short: "which feature moves the order",
		Long: `importance orders the lists of FILE, or the test lists of the run DIR, as they are and with one
feature shuffled among all items of all lists, and says how much worse the orders are: the
drop of Kendall's tau-b and of NDCG, mean over lists and --repeats shuffles, with 95 %
bootstrap intervals over lists. An interval that holds 0 says that the feature may do nothing.

The model is the same throughout: what it would learn without the feature this does not say.
Of two features that say the same each may look unimportant.`,
		Example: `  riffle importance runs/mine
  riffle importance runs/mine lists.csv --repeats 20 --json`,
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case opt.Repeats < 1:
				return usagef("importance: --repeats must be 1 or more (got %d)", opt.Repeats)
			case examples < 1 && cmd.Flags().Changed("examples"):
				return usagef("importance: --examples must be 1 or more (got %d)", examples)
			}
			if err := checkDecode(cmd, question.Order{Top: 1, Decode: opt.Decode}); err != nil {
				return err
			}
			return exactly([]string{"DIR", "FILE"}[:max(1, min(2, len(args)))]...)(cmd, args)
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
			r, ok := m.Task.(task.Lister)
			if !ok || m.Config.Task.Items != "features" {
				return fmt.Errorf("importance: wanted a model of ranked lists of features, that of %s is of the task %s", args[0], m.Config.Task.Name)
			}
			if examples == 0 {
				examples = m.Config.Eval.Examples
			}
			if lists == nil {
				if lists, _, err = r.Sets(task.Test, examples); err != nil {
					return err
				}
			}
			lists = lists[:min(examples, len(lists))]
			bar := progress.New(a.err, "orderings", -1, quiet, progressbar.OptionShowCount())
			opt.Progress = bar.At
			found, err := evaluate.MeasureImportance(cmd.Context(), m, lists, opt)
			bar.Clear()
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(found)
			}
			a.Warn(found.Warnings)
			a.sections([]evaluate.Section{found.Section()})
			return nil
		},
	}
	f := cmd.Flags()
	f.IntVar(&opt.Repeats, "repeats", 5, "shuffles of each feature")
	f.Uint64Var(&opt.Seed, "seed", 1, "another seed gives other shuffles")
	f.IntVar(&examples, "examples", 0, "lists at most (default: the run's eval.examples)")
	f.BoolVar(&quiet, "quiet", false, "no progress")
	addDecode(cmd, &opt.Decode)
	addEngine(cmd, &engineSpec)
	return cmd
}
