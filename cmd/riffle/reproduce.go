package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/riffle-ml/riffle/cmd/internal/figures"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/plot"
	"github.com/riffle-ml/riffle/reproduce"
	runs "github.com/riffle-ml/riffle/run"
	"github.com/riffle-ml/riffle/task"
)

// reproduceFlags are those of riffle reproduce.
type reproduceFlags struct {
	reproduce.Plan
	rows, shard, report string
}

func (a *app) reproduceCommand() *cobra.Command {
	var o reproduceFlags
	var asked []reproduce.Asked
	cmd := &cobra.Command{
		Use:   "reproduce [TABLE…]",
		Short: "the paper's tables, its figures beside ours",
		Long: `reproduce trains the rows of a table of the paper, one after the other, each for --budget. It says
how long that is in all. The report has the paper's figures beside ours with 95 % intervals, and the
training behind them. It lists the rows that were not run and what they need. --report writes it
into a file, with pictures of test sets beside it. Without a TABLE nothing is trained: the report is
written from what is there.

A budget trains a quick configuration of the row (the windowed encoder, one trajectory, the paper's
laws), for a time or for --steps. Steps give the same result however busy the machine is. Rows of
sorting begin with the weights of other rows, such as digits-16, which reads single digits. Those that
are not there yet are run before them, as long. --full trains the paper's own configuration, which
wants a GPU.

Every row keeps a run directory under --runs. A finished one is not trained again. One that was
stopped goes on with the same command. Machines that share --runs take a part of the rows each
(--shard), after one of them has run the rows that all begin with. Without a TABLE any of them
writes the report of all.`,
		Example: `  riffle reproduce                                         the tables as they stand
  riffle reproduce lists --budget 3m
  riffle reproduce transitions --rows '*-9' --budget 10m
  riffle reproduce sort --rows ours-52 --full --engine cuda
  riffle reproduce sort jigsaw --shard $SLURM_ARRAY_TASK_ID/8 --runs /shared/rows`,
		Args: func(_ *cobra.Command, args []string) (err error) {
			if o.Budget <= 0 {
				return usagef("reproduce: --budget must be above 0 (got %s)", o.Budget)
			}
			if o.Steps < 0 {
				return usagef("reproduce: --steps must be above 0 (got %d)", o.Steps)
			}
			if asked, err = reproduce.Select(args, o.rows, o.shard); err != nil {
				return usagef("reproduce: %w", err)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if info, err := os.Stat(o.Runs); err == nil && !info.IsDir() {
				return fmt.Errorf("reproduce: --runs: %s: is a file, wanted a folder", o.Runs)
			}
			host := rowHost{a, cmd}
			if o.shard == "" { // else several machines would train the same rows
				asked = o.First(asked)
			}
			o.Announce(host, asked)
			for _, x := range asked {
				if err = o.Run(cmd.Context(), host, x); err != nil {
					break
				}
			}
			return errors.Join(err, a.report(cmd.Context(), &o))
		},
	}
	f := cmd.Flags()
	f.DurationVar(&o.Budget, "budget", 10*time.Minute, "training of each row, not of all together")
	f.IntVar(&o.Steps, "steps", 0, "training of each row by steps, in place of --budget")
	f.BoolVar(&o.Full, "full", false, "the paper's own training in place of a budget")
	f.StringVar(&o.rows, "rows", "*", "only the rows whose name matches, such as '*-9'")
	f.StringVar(&o.shard, "shard", "", "only part I of N of the rows, I/N, such as 3/8 for the third of eight machines that share --runs")
	f.StringVar(&o.Runs, "runs", "runs/reproduce", "folder of the rows' run directories")
	f.StringVar(&o.report, "report", "", "file for the report (default: print it)")
	addEngine(cmd, &o.Engine)
	cmd.MarkFlagsMutuallyExclusive("budget", "steps", "full")
	return cmd
}

// rowHost runs the rows of tables here.
type rowHost struct {
	*app
	cmd *cobra.Command
}

func (h rowHost) Load(dir, engine string) (*learn.Model, error) { return h.load(dir, engine, manySets) }

func (h rowHost) Train(m *learn.Model, dir *runs.Dir, resume bool) error {
	err := m.Train(h.cmd.Context(), dir, resume, h.trainOptions(m, false))
	if err == nil {
		h.trained(m)
	}
	return err
}

func (h rowHost) Judge(m *learn.Model, dir string) error {
	return h.evaluate(h.cmd, m, dir, task.Test, m.Config.Eval.Examples, learn.DecodeOptions{}, false)
}

func (h rowHost) Words(err error) string { return message(ofSet("reproduce", err), nil) }

// report writes the report on all tables, with pictures where it is a file.
func (a *app) report(ctx context.Context, o *reproduceFlags) error {
	var b bytes.Buffer
	var pictures map[string]string
	if o.report != "" && ctx.Err() == nil {
		var err error
		if pictures, err = reproduce.Pictures(o.Runs, o.report, func(dir, file string, sets int) error {
			m, err := a.load(dir, o.Engine, aFewSets)
			if err != nil {
				return err
			}
			figure, err := figures.Strip(ctx, m, sets)
			if err != nil {
				return err
			}
			return plot.Save(file, figure)
		}); err != nil {
			return err
		}
	}
	if err := reproduce.Write(&b, o.Runs, reproduce.Tables(), pictures); err != nil {
		return err
	}
	if o.report == "" {
		_, err := b.WriteTo(a.out)
		return err
	}
	return runs.WriteFile(o.report, func(w io.Writer) error { _, err := b.WriteTo(w); return err })
}
