package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/internal/hint"
	"github.com/riffle-ml/riffle/internal/progress"
	"github.com/riffle-ml/riffle/internal/shell"
	"github.com/riffle-ml/riffle/internal/text"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/question"
)

const inputHelp = `INPUT is one of these:
  a folder of images: one set, in the natural order of the file names
  JSONL, one set a line: {"id": "q7", "items": [{"image": "a.png"}, {"image": "b.png"}]};
    {} is a bare item
  a table of features or votes as riffle train ranking takes (CSV, svmlight; ballots in CSV,
    PrefLib, SUSHI: a set for each different vote)
  for cities: a TSPLIB problem (.tsp) or tour text
All orders are 0-based: order[i] is the item at position i. A model of ranked lists recognises
columns by name, and items without features too. Both may come in another order, and some items may
be missing. An unknown name is an error.

INPUT - is the standard input. JSONL is answered set by set as it comes, from a file as well. So is
a table of features from the standard input, where the lines of a set must stand together. Other
input is read to its end first. With --json each answer is an object on a line of its own. A broken
line is an error that names it, after the answers for the sets before it. Ctrl-C keeps what was
answered. --skip-done FILE names the file of the answers so far, and only the other sets are
answered. A set without an id is called by its number, from 1.

A model of votes, or of other orders of the same bare items, needs no INPUT to order or to sample.
The one set is then that of all its items.`

// streamFlags say how sets are read and answers shown.
type streamFlags struct {
	skipDone string
	quiet    bool
	single   string // why INPUT may have only one set, "" where it may have more
}

func (f *streamFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.skipDone, "skip-done", "", "file of answers: leave out the sets whose id it has")
	addQuiet(cmd, &f.quiet)
}

// needsJSON is a usage error where answers have no id at the start of a line, or several lines each.
func (f *streamFlags) needsJSON(cmd *cobra.Command, json bool) error {
	if f.skipDone != "" && !json {
		return usagef("%s: --skip-done goes with --json", name(cmd))
	}
	return nil
}

const standardInput = "standard input"

// openInput opens a file, or the standard input, and warns of what is odd about it.
func (a *app) openInput(path string, o dataset.Options) (in *dataset.Input, err error) {
	if path == "-" {
		in, err = dataset.OpenReader(os.Stdin, standardInput, o)
	} else {
		in, err = dataset.Open(path, o)
	}
	if err == nil {
		a.warnOf(in.Path)(in.Warnings)
	}
	return in, err
}

// open opens INPUT.
func (a *app) open(path string) (in *dataset.Input, err error) {
	if in, err = a.openInput(path, dataset.Options{Empty: true}); err != nil { // the model says whether it takes empty features
		return nil, err
	}
	if in.Format == dataset.FormatPicture {
		return nil, hint.Errorf(fmt.Sprintf("riffle order DIR %s --grid 3x3 puts its tiles in order, riffle sample draws with --grid; a folder of images is a set", path), "%s: one picture is no set", path)
	}
	if err := in.CheckPoints(); err != nil && path != "-" {
		return nil, hint.Errorf(fmt.Sprintf("riffle tsp solve %s needs no points and no model", shell.Quote(path)), "%s: %w", path, err)
	}
	return in, nil
}

// readAll reads all sets of an input, and closes it.
func (a *app) readAll(in *dataset.Input) ([]*dataset.Set, error) {
	defer func() { _ = in.Close() }() // only read from
	late := untold(in)
	f, err := in.ReadAll()
	a.warnOf(in.Path)(late())
	if err != nil {
		return nil, err
	}
	return f.Sets, nil
}

// input is sets to ask about.
type input struct {
	name     string
	sets     iter.Seq2[*dataset.Set, error]
	expected int             // about how many sets there are
	late     func() []string // warnings that are there at the end
	close    func() error
}

// untold returns a function that gives the warnings that came while an input was read.
func untold(in *dataset.Input) func() []string {
	told := len(in.Warnings)
	return func() []string { return in.Warnings[told:] }
}

// setsOf are those of an INPUT. A stream is expected to have many, a file as many as kilobytes.
func setsOf(in *dataset.Input) *input {
	i := &input{name: in.Path, sets: in.All(), expected: manySets, late: untold(in), close: in.Close}
	if in.Size >= 0 {
		i.expected = max(aFewSets, int(in.Size/1024))
	}
	return i
}

// oneSet is an input of one set.
func oneSet(name string, set *dataset.Set) *input {
	return &input{name: name, sets: func(yield func(*dataset.Set, error) bool) { yield(set, nil) }, expected: aFewSets, late: func() []string { return nil }, close: func() error { return nil }}
}

// dirAndInput are the arguments DIR and INPUT. With --grid there must be both. Else INPUT may be
// missing.
func dirAndInput(cmd *cobra.Command, args []string) error {
	if len(args) == 1 && !cmd.Flags().Changed("grid") {
		return exactly("DIR")(cmd, args)
	}
	return exactly("DIR", "INPUT")(cmd, args)
}

// asker is what is asked about sets, and how answers are printed where they are no JSON.
type asker[R any] struct {
	least int // sets that are asked together, 0 for a batch of the model's
	ask   func(context.Context, *learn.Model, []*dataset.Set) ([]R, []dataset.Warning, error)
	print func([]R, []*dataset.Set)
}

// begin reads the first set of an input and then loads the model of DIR. Without an INPUT it takes the
// one set that a model of one population has. The model is nil where no set is left to ask about.
func (f *streamFlags) begin(a *app, cmd *cobra.Command, args []string, engineSpec string, in *input) (src *question.Source, m *learn.Model, err error) {
	if in == nil {
		if m, err = a.load(args[0], engineSpec, 1); err != nil {
			return nil, nil, err
		}
		set, err := m.Population()
		if err != nil {
			return nil, nil, usageHint(cmd.UseLine(), "%s: INPUT is missing: %w", name(cmd), err)
		}
		src, err = f.source(cmd, oneSet("", set))
		return src, m, err
	}
	if src, err = f.source(cmd, in); err != nil {
		return nil, nil, err
	}
	if src.First == nil {
		a.Note("all %s sets of %s are in %s", text.Thousands(src.Count), src.Name, f.skipDone)
		return src, nil, nil
	}
	if m, err = a.load(args[0], engineSpec, in.expected); err != nil {
		src.Stop()
		return nil, nil, err
	}
	return src, m, nil
}

// source finds the first set.
func (f *streamFlags) source(cmd *cobra.Command, in *input) (*question.Source, error) {
	var done map[string]bool
	if f.skipDone != "" {
		var err error
		if done, err = question.ReadDone(f.skipDone); err != nil {
			return nil, fmt.Errorf("%s: --skip-done: %w", name(cmd), err)
		}
	}
	src, err := question.NewSource(in.name, in.sets, done)
	if err != nil || f.single == "" {
		return src, err
	}
	switch single, err := src.Single(); {
	case err != nil:
		src.Stop()
		return nil, err
	case !single:
		src.Stop()
		return nil, fmt.Errorf("%s: %s, INPUT has more", name(cmd), f.single)
	}
	return src, nil
}

// ask puts a question about the sets of an input to the model of DIR, and prints the answers part by part.
// Where the input is nil, the one set is the model's population.
func ask[R any](a *app, cmd *cobra.Command, stream *streamFlags, args []string, engineSpec string, in *input, q asker[R]) error {
	if in != nil {
		defer func() { _ = in.close() }() // only read from
	}
	src, m, err := stream.begin(a, cmd, args, engineSpec, in)
	if err != nil || m == nil {
		return err
	}
	if q.least == 0 {
		q.least = m.Config.Eval.Batch
	}
	lines := src.First.Line > 0 // and not a folder, whose name the set has
	bar := progress.New(a.err, "sets", -1, stream.quiet)
	results, out := a.out, bufio.NewWriter(a.out)
	a.out = out
	defer func() { a.out = results }()
	start, answered := time.Now(), 0
	for part, err := range question.Stream(cmd.Context(), src.All, q.least, func(ctx context.Context, sets []*dataset.Set) ([]R, []dataset.Warning, error) {
		return q.ask(ctx, m, sets)
	}) {
		bar.Clear()
		if err != nil {
			return unanswered(err, src.Name, lines, answered)
		}
		a.Warn(part.Warnings)
		if !a.json {
			q.print(part.Answers, part.Sets)
		} else {
			for _, answer := range part.Answers {
				if err := a.printLine(answer); err != nil {
					return err
				}
			}
		}
		if err := out.Flush(); err != nil {
			return err
		}
		answered += len(part.Answers)
		bar.At(answered, 0)
	}
	bar.Clear()
	if in != nil {
		a.warnOf(in.name)(in.late())
	}
	a.compiled(m)
	a.summary(src, answered, time.Since(start), stream.quiet)
	return nil
}

// unanswered is why sets have no answer.
func unanswered(err error, name string, lines bool, answered int) error {
	if errors.Is(err, context.Canceled) {
		return hint.Errorf("--skip-done with the file of these answers goes on", "interrupted, %s sets are answered", text.Thousands(answered))
	}
	if _, ofSet := errors.AsType[*learn.SetError](err); ofSet && lines {
		return fmt.Errorf("%s: %w", name, err)
	}
	return err
}

// summary says how sets gave their orders and, of a long stream, how fast it was.
func (a *app) summary(src *question.Source, answered int, took time.Duration, quiet bool) {
	switch src.Ranks {
	case 0:
	case 1:
		a.Note(`1 set gives "rank"; it was read as the inverse of "order"`)
	default:
		a.Note(`%d sets give "rank"; it was read as the inverse of "order"`, src.Ranks)
	}
	if took > progress.LineEvery && !quiet {
		a.Note("%s sets, %.0f a second", text.Thousands(answered), float64(answered)/took.Seconds())
	}
}
