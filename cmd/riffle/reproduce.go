package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/figures"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/plot"
	"github.com/riffle-ml/riffle/reproduce"
	runs "github.com/riffle-ml/riffle/run"
	"github.com/riffle-ml/riffle/task"
	"github.com/riffle-ml/riffle/training"
)

func (a *app) reproduceCommand() *cobra.Command {
	var o reproduceOptions
	var asked []asking
	cmd := &cobra.Command{
		Use:   "reproduce [TABLE…]",
		Short: "the paper's tables, its figures beside ours",
		Long: `reproduce trains the rows of a table of the paper, one after the other, each for
--budget, says how long that is in all, and writes the tables with the paper's figures, ours with 95 % intervals, and
the training behind them to --report, with pictures of test sets beside it. Rows that were not run are in it too, with what
they need. Without a TABLE nothing is trained: the report is written from what is there.

A budget trains a quick configuration of the row (the windowed encoder, one trajectory,
the paper's laws), for a time or for --steps, which come out alike however busy the machine is; --full trains the paper's
own, which wants a GPU: one command a row.

Every row keeps a run directory under --runs. One that is finished is not trained again,
one that was stopped half-way goes on: give the same command again. Machines of a cluster that share
--runs take a part of the rows each (--shard); without a TABLE any of them writes the report of all.`,
		Example: `  riffle reproduce                                         the tables as they stand
  riffle reproduce lists --budget 3m
  riffle reproduce transitions --rows '*-9' --budget 10m
  riffle reproduce sort --rows ours-52 --full --engine cuda
  riffle reproduce sort jigsaw --shard $SLURM_ARRAY_TASK_ID/8 --runs /shared/rows`,
		Args: func(_ *cobra.Command, args []string) (err error) {
			asked, err = o.check(args)
			return err
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if info, err := os.Stat(o.runs); err == nil && !info.IsDir() {
				return fmt.Errorf("reproduce: --runs: %s: is a file, wanted a folder", o.runs)
			}
			a.sayBudget(asked, o)
			for _, x := range asked {
				if err := a.reproduceTable(cmd, x, o); err != nil {
					return errors.Join(err, a.report(cmd.Context(), o))
				}
			}
			return a.report(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.DurationVar(&o.budget, "budget", 10*time.Minute, "training of each row, not of all together")
	f.IntVar(&o.steps, "steps", 0, "training of each row by steps, in place of --budget")
	f.BoolVar(&o.full, "full", false, "the paper's own training in place of a budget")
	f.StringVar(&o.rows, "rows", "*", "only the rows whose name matches, such as '*-9'")
	f.StringVar(&o.shard, "shard", "", "only part I of N of the rows, I/N, such as 3/8 for the third of eight machines that share --runs")
	f.StringVar(&o.runs, "runs", "runs/reproduce", "folder of the rows' run directories")
	f.StringVar(&o.report, "report", "", "file for the report (default: print it)")
	addEngine(cmd, &o.engine)
	cmd.MarkFlagsMutuallyExclusive("budget", "steps", "full")
	return cmd
}

type reproduceOptions struct {
	budget             time.Duration
	steps              int
	full               bool
	rows, runs, report string
	shard              string
	engine             string
}

// check finds what is wrong with the flags, and the rows of the tables that are asked for.
func (o *reproduceOptions) check(args []string) (asked []asking, err error) {
	if o.budget <= 0 {
		return nil, usagef("reproduce: --budget must be above 0 (got %s)", o.budget)
	}
	if o.steps < 0 {
		return nil, usagef("reproduce: --steps must be above 0 (got %d)", o.steps)
	}
	if _, err := path.Match(o.rows, ""); err != nil {
		return nil, usagef("reproduce: --rows: wanted a pattern of names such as '*-9' (got %q)", o.rows)
	}
	for _, name := range args {
		t, err := reproduce.Find(name)
		if err != nil {
			return nil, usagef("reproduce: %w", err)
		}
		rows, err := t.Matching(o.rows)
		if err != nil {
			return nil, usagef("reproduce: --rows %w", err)
		}
		asked = append(asked, asking{t, rows})
	}
	if o.shard == "" {
		return asked, nil
	}
	part, of, err := reproduce.ParseShard(o.shard)
	if err != nil {
		return nil, usagef("reproduce: --shard %w", err)
	}
	at := 0
	for i := range asked {
		asked[i].rows, at = reproduce.Shard(asked[i].rows, part, of, at)
	}
	return asked, nil
}

// asking is a table with the rows that are asked for.
type asking struct {
	reproduce.Table
	rows []reproduce.Row
}

// sayBudget says how many rows are going to be trained, and how long.
func (a *app) sayBudget(asked []asking, o reproduceOptions) {
	rows := 0
	for _, x := range asked {
		rows += x.Waiting(o.runs, x.rows)
	}
	if rows == 0 || o.full {
		return
	}
	word := "rows"
	if rows == 1 {
		word = "row"
	}
	if o.steps > 0 {
		a.Note("%d %s to train, %d steps each, and the tests after it", rows, word, o.steps)
		return
	}
	a.Note("%d %s to train, %s each: %s in all, and the tests after it", rows, word, o.budget, time.Duration(rows)*o.budget)
}

// reproduceTable runs the rows of a table that are asked for. A row that cannot be run here
// is said and passed over.
func (a *app) reproduceTable(cmd *cobra.Command, x asking, o reproduceOptions) error {
	there, failed := 0, 0
	for _, r := range x.rows {
		dir := reproduce.Folder(o.runs, x.Table, r)
		if done, err := reproduce.Load(dir); err != nil || done != nil {
			if err != nil {
				return err
			}
			a.Note("%s %s: is there already", x.Name, r.Name)
			there++
			continue
		}
		a.Note("%s %s", x.Name, r.Name)
		var err error
		switch {
		case r.Solver != "":
			err = reproduce.RunSolver(cmd.Context(), r, dir, o.full)
		case r.Of != "" && !o.full:
			err = a.decodeAgain(cmd, x.Table, r, dir, o)
		default:
			err = a.reproduceRow(cmd, x.Table, r, dir, o)
		}
		if err != nil {
			if cmd.Context().Err() != nil || errors.Is(err, learn.ErrStopped) {
				return fmt.Errorf("stopped in row %s of table %s; the same command goes on", r.Name, x.Name)
			}
			a.Note("%s %s: not run: %s", x.Name, r.Name, message(err, nil))
			failed++
			continue
		}
		there++
	}
	if there == 0 && failed > 0 {
		return fmt.Errorf("reproduce: no row of %s could be run", x.Name)
	}
	return nil
}

func (a *app) reproduceRow(cmd *cobra.Command, t reproduce.Table, r reproduce.Row, dir string, o reproduceOptions) (err error) {
	budget := "train.time=" + o.budget.String()
	if o.steps > 0 {
		budget = fmt.Sprintf("train.steps=%d", o.steps)
	}
	about := reproduce.About{Preset: r.Quick, Set: append([]string{budget}, r.Set...), Full: o.full}
	if o.full {
		if r.Full == "" {
			return errors.New("the paper gives no training for it")
		}
		about.Preset, about.Set = r.Full, nil
	}
	initial := ""
	if r.From != "" && !o.full {
		if initial, about.Before, err = t.Trained(o.runs, r.From); err != nil {
			return err
		}
		about.From = r.From
	}
	_, err = os.Stat(filepath.Join(dir, runs.ConfigFile))
	resume := err == nil
	var m *learn.Model
	var d *runs.Dir
	if resume {
		m, d, err = training.Open(a, &training.Request{Out: dir, Resume: true, Devices: 1})
	} else {
		m, d, err = training.Open(a, &training.Request{Out: dir, From: about.Preset, Engine: o.engine, Set: about.Set, Initial: initial, Devices: 1})
	}
	if err != nil {
		return ofSet("train", err)
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	if err := reproduce.Keep(dir, about); err != nil {
		return err
	}
	if err := m.Train(cmd.Context(), d, resume, a.trainOptions(m, false)); err != nil {
		return err
	}
	m.Config.Paper = r.Paper
	return a.finish(cmd, m, d, false)
}

// decodeAgain decodes the model of another row, which must be there, as a row says.
func (a *app) decodeAgain(cmd *cobra.Command, t reproduce.Table, r reproduce.Row, dir string, o reproduceOptions) error {
	of := reproduce.Folder(o.runs, t, reproduce.Row{Name: r.Of})
	m, err := a.load(of, o.engine, manySets)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("it decodes the model of row %s, which is to be run first", r.Of)
	}
	if err != nil {
		return err
	}
	if !m.State.Finished {
		return fmt.Errorf("it decodes the model of row %s, whose training is not finished", r.Of)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	m.Config.Paper = r.Paper
	// Of the model's own configuration, so that the result is kept.
	if err := m.Rejudge(func(c *config.Config) error { return training.Change(c, r.Set) }); err != nil {
		return ofSet("reproduce", err)
	}
	if err := a.evaluate(cmd, m, dir, task.Test, m.Config.Eval.Examples, learn.DecodeOptions{}, false); err != nil {
		return err
	}
	return reproduce.Keep(dir, reproduce.About{Set: append([]string{"of=" + r.Of}, r.Set...)})
}

// report writes the report on all tables, with pictures where it is a file.
func (a *app) report(ctx context.Context, o reproduceOptions) error {
	var b bytes.Buffer
	var pictures map[string]string
	if o.report != "" && ctx.Err() == nil {
		var err error
		if pictures, err = reproduce.Pictures(o.runs, o.report, func(dir, file string, sets int) error {
			m, err := a.load(dir, o.engine, aFewSets)
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
	if err := reproduce.Write(&b, o.runs, reproduce.Tables(), pictures); err != nil {
		return err
	}
	if o.report == "" {
		_, err := a.out.Write(b.Bytes())
		return err
	}
	return runs.WriteFile(o.report, func(w io.Writer) error {
		_, err := w.Write(b.Bytes())
		return err
	})
}
