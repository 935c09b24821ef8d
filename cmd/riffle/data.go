package main

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/dataset/check"
	"github.com/riffle-ml/riffle/internal/shell"
)

func (a *app) dataCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "data",
		Short: "look at files of sets and orders",
		Example: `  riffle data check votes.soc
  riffle data check train.txt --json`,
		Args: known,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.dataCheckCommand())
	return cmd
}

// checked is a report with the command that trains on the file, "" for none.
type checked struct {
	*check.Report
	Train string `json:"train,omitempty"`
}

// trainLine is the command that trains on a file, "" where nothing does.
func trainLine(r *check.Report) string {
	t := r.Train
	if t == nil {
		return ""
	}
	words := []string{"riffle", "train", t.Preset}
	set := func(key, value string) { words = append(words, "--set", shell.Quote(key+"="+value)) }
	if t.N > 0 {
		set(config.TaskN, strconv.Itoa(t.N))
	}
	if t.OwnSchedule {
		set(config.ProcessSchedule, "[]")
	}
	if t.Fill != dataset.FillNone {
		set(config.TaskFill, string(t.Fill))
	}
	set(config.TaskData, r.File)
	return strings.Join(append(words, "--out", shell.Quote("runs/"+r.Name())), " ")
}

func (a *app) dataCheckCommand() *cobra.Command {
	var fill string
	cmd := &cobra.Command{
		Use:   "check FILE",
		Short: "say what a file holds, what is suspicious, and how to train on it",
		Long: `check reads FILE and finds its format from what it holds, then from its name. It says how many
sets there are, of which sizes, what is known of their orders, and what looks wrong. Suspicious
things are warnings, not failures. What cannot be read is told place by place: the first ten, and how
many there are.

FILE may be JSONL, CSV, svmlight, PrefLib (soc, soi, toc, toi), SUSHI, TSPLIB or tour text, each
gzipped or not, or a folder of pictures. A CSV table has the columns set,item,rank and features. One
of ballots has rank1,rank2,…,count, or names without a header. svmlight is that of LETOR and MSLR,
or LightGBM's, with the sizes of the sets in FILE.query. Commas, semicolons or tabs separate a
table's values. It is in UTF-8, or in UTF-16 with a byte order mark. Decimal commas may stand where
semicolons or tabs separate.

Items and features go by their names, or by the file's own numbers. PrefLib, TSPLIB and tour text
count from 1, SUSHI from 0, and svmlight from where the file does. Without names and numbers they
are counted from 0. Places are always counted from 0, and lines from 1.`,
		Example: `  riffle data check votes.soc
  riffle data check train.txt --json
  riffle data check lists.csv --fill mean
  riffle data check photos/`,
		Args: exactly("FILE"),
		RunE: func(_ *cobra.Command, args []string) error {
			how, err := dataset.ParseFill(fill)
			if err != nil {
				return usagef("data check: --fill: %w", err)
			}
			r, err := check.File(args[0], how, "--fill mean or --fill 0 fills empty features; --set "+config.TaskFill+"=mean (or 0) when training")
			if err != nil {
				return err
			}
			out := checked{Report: r, Train: trainLine(r)}
			return a.print(out, func() {
				lines := r.Lines()
				if out.Train != "" {
					lines = append(lines, [2]string{"train", out.Train})
				}
				a.lines(lines)
			})
		},
	}
	cmd.Flags().StringVar(&fill, "fill", "", "what stands for an empty feature of a table: mean or 0 ("+config.TaskFill+" when training)")
	return cmd
}
