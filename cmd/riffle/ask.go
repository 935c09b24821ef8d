package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/internal/shell"
	"github.com/riffle-ml/riffle/learn"
)

// readTourSets reads a TSPLIB problem or tour text, nil where a file is neither.
func readTourSets(path string) ([]*dataset.Set, error) {
	if isTSPLIB(path) {
		f, err := dataset.ReadTSPLIB(path)
		if err != nil {
			return nil, err
		}
		s, err := f.Set()
		if err != nil {
			return nil, fmt.Errorf("%s: %w\nhint: riffle tsp solve %s needs no points and no model", path, err, shell.Quote(path))
		}
		return []*dataset.Set{s}, nil
	}
	if text, err := dataset.IsTourText(path); err != nil || !text {
		return nil, err
	}
	return dataset.ReadTourText(path)
}

// isTSPLIB tells whether a file is one of TSPLIB, by its name or what it holds.
func isTSPLIB(path string) bool {
	if extension := strings.ToLower(filepath.Ext(path)); extension == ".tsp" || extension == ".atsp" {
		return true
	}
	format, err := dataset.Sniff(path)
	return err == nil && format == dataset.FormatTSPLIB
}

// readTable reads a table, CSV or svmlight, or votes, PrefLib or SUSHI; nil where a file is none
// of these.
func (a *app) readTable(path string) ([]*dataset.Set, error) {
	format, err := dataset.Sniff(path)
	votes := format == dataset.FormatPrefLib || format == dataset.FormatSushi || format == dataset.FormatBallots
	if err != nil || !votes && format != dataset.FormatCSV && format != dataset.FormatSVMLight {
		return nil, nil //nolint:nilerr // the reader of JSONL says what is wrong
	}
	f, err := dataset.OpenWith(path, dataset.Options{Empty: true}) // the model says whether it takes empty features
	if err != nil {
		return nil, err
	}
	a.warnOf(path)(f.Warnings)
	return f.Sets, nil
}

const inputHelp = `INPUT is a folder of images (one set, in natural order of the file names) or a JSONL
file, one set a line: {"id": "q7", "items": [{"image": "a.png"}, {"image": "b.png"}]}
({} for a bare item), or a table of features or votes as riffle train ranking takes (CSV,
svmlight; ballots in CSV, PrefLib, SUSHI: a set for each different vote), or, of cities, a TSPLIB problem (.tsp) or tour text. All orders are 0-based: order[i] is the item at position i.
A model of ranked lists knows columns, and items without features, by their names: they may stand
in another order, or some of the items alone, and an unknown one is an error.

INPUT - is the standard input. Sets of JSONL are answered as they come, from a file as well,
in memory that does not grow with their number; other formats are read to their end first.
With --json each set's answer is an object on a line of its own. A broken line is an error
that names it, after the answers for the sets before it. Ctrl-C keeps what was answered;
--skip-done FILE, the file that has the answers so far, then goes on with the others. Sets
without an id are called by their number, from 1.

A model of one population's orders (votes; bare items) needs no INPUT to order or to sample:
it has one set, that of all its items.`

// streamFlags say how sets are read and answers shown.
type streamFlags struct {
	skipDone string
	quiet    bool
	stdin    io.Reader
	warn     func([]string) // of what the standard input is odd in
	single   string         // why INPUT may have one set alone, "" where it may have more
}

func (f *streamFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.skipDone, "skip-done", "", "file of answers: leave out the sets whose id it has")
	cmd.Flags().BoolVar(&f.quiet, "quiet", false, "no progress")
	f.stdin = os.Stdin
}

// needsJSON is a usage error where answers have no id at the start of a line.
func (f *streamFlags) needsJSON(cmd *cobra.Command, json bool) error {
	if f.skipDone != "" && !json {
		return usagef("%s: --skip-done goes with --json", name(cmd))
	}
	return nil
}

// source are sets that are read one after the other, the first when the source is made.
type source struct {
	name  string
	next  func() (*dataset.Set, error, bool)
	stop  func()
	first *dataset.Set
	count int // of sets so far
	ranks int // of sets that give "rank"
	skip  map[string]bool
}

// open finds the first set of INPUT; the source must be closed.
func (f *streamFlags) open(cmd *cobra.Command, path string, read func(path string) ([]*dataset.Set, error)) (src *source, err error) {
	src = &source{name: path}
	if f.skipDone != "" {
		if src.skip, err = readDone(f.skipDone); err != nil {
			return nil, fmt.Errorf("%s: --skip-done: %w", name(cmd), err)
		}
	}
	sets, err := f.sets(path, read)
	if err != nil {
		return nil, err
	}
	if path == "-" {
		src.name = standardInput
	}
	src.next, src.stop = iter.Pull2(sets)
	if src.first, err = src.read(); errors.Is(err, io.EOF) {
		err = nil
		if src.count == 0 {
			err = fmt.Errorf("%s: has no sets", src.name)
		}
	}
	if err == nil && f.single != "" {
		if _, err = src.read(); err == nil {
			err = fmt.Errorf("%s: %s, INPUT has more", name(cmd), f.single)
		} else if errors.Is(err, io.EOF) {
			err = nil
		}
	}
	if err != nil {
		src.stop()
		return nil, err
	}
	return src, nil
}

const standardInput = "standard input"

// sets are those of a path: of JSONL and of the standard input one by one, else all that read
// gives.
func (f *streamFlags) sets(path string, read func(path string) ([]*dataset.Set, error)) (iter.Seq2[*dataset.Set, error], error) {
	if path == "-" {
		return dataset.ScanWith(f.stdin, standardInput, dataset.Options{Empty: true}, f.warn), nil
	}
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && !dataset.IsPicture(path) {
		if format, err := dataset.Sniff(path); err == nil && format == dataset.FormatJSONL {
			r, err := dataset.OpenJSONL(path)
			if err != nil {
				return nil, err
			}
			r.AllowEmpty() // the model says whether it takes them, as of a table
			return func(yield func(*dataset.Set, error) bool) {
				defer func() { _ = r.Close() }() // only read from
				r.All()(yield)
			}, nil
		}
	}
	sets, err := read(path)
	if err != nil {
		return nil, err
	}
	return func(yield func(*dataset.Set, error) bool) {
		for _, s := range sets {
			if !yield(s, nil) {
				return
			}
		}
	}, nil
}

// read returns the next set that is not done, and io.EOF after the last.
func (s *source) read() (*dataset.Set, error) {
	for {
		set, err, ok := s.next()
		if !ok {
			return nil, io.EOF
		}
		if err != nil {
			return nil, err
		}
		if s.count++; set.ID == "" {
			called := *set
			called.ID = strconv.Itoa(s.count)
			set = &called
		}
		if s.skip[set.ID] {
			continue
		}
		if set.OrderGiven == "rank" {
			s.ranks++
		}
		return set, nil
	}
}

// all yields the sets, the first as well.
func (s *source) all(yield func(*dataset.Set, error) bool) {
	defer s.stop()
	for set, err := s.first, error(nil); set != nil || err != nil; set, err = s.read() {
		if errors.Is(err, io.EOF) || !yield(set, err) || err != nil {
			return
		}
	}
}

// dirAndInput are the arguments DIR and INPUT; with --grid there must be both, and else INPUT may
// be missing.
func dirAndInput(cmd *cobra.Command, args []string) error {
	if len(args) == 1 && !cmd.Flags().Changed("grid") {
		return exactly("DIR")(cmd, args)
	}
	return exactly("DIR", "INPUT")(cmd, args)
}

// question is what is asked about sets, and how answers are printed where they are no JSON.
type question[R any] struct {
	least int // sets that are asked together, 0 for a batch of the model's
	ask   func(context.Context, *learn.Model, []*dataset.Set) ([]R, []string, error)
	print func([]R, []*dataset.Set)
}

// begin opens INPUT and then the model of DIR. Without an INPUT there is the one set that a model
// of one population has. The model is nil where no set is left to ask about.
func (f *streamFlags) begin(a *app, cmd *cobra.Command, args []string, engineSpec string, read func(path string) ([]*dataset.Set, error)) (src *source, m *learn.Model, err error) {
	f.warn = a.warnOf(standardInput)
	if len(args) == 1 {
		if m, err = a.load(args[0], engineSpec, 1); err != nil {
			return nil, nil, err
		}
		set, err := m.Population()
		if err != nil {
			return nil, nil, usagef("%s: INPUT is missing: %w\nhint: %s", name(cmd), err, cmd.UseLine())
		}
		src, err = f.open(cmd, "", func(string) ([]*dataset.Set, error) { return []*dataset.Set{set}, nil })
		return src, m, err
	}
	if src, err = f.open(cmd, args[1], read); err != nil {
		return nil, nil, err
	}
	if src.first == nil {
		a.note("all %s sets of %s are in %s", thousands(src.count), src.name, f.skipDone)
		return src, nil, nil
	}
	if m, err = a.load(args[0], engineSpec, setsIn(args[1])); err != nil {
		src.stop()
		return nil, nil, err
	}
	return src, m, nil
}

// ask reads the sets of INPUT, puts a question about them to the model of DIR, and prints the
// answers for some sets after the other.
func ask[R any](a *app, cmd *cobra.Command, stream *streamFlags, read func(path string) ([]*dataset.Set, error), args []string, engineSpec string, q question[R]) error {
	src, m, err := stream.begin(a, cmd, args, engineSpec, read)
	if err != nil || m == nil {
		return err
	}
	if q.least == 0 {
		q.least = m.Config.Eval.Batch
	}
	line := src.first.Line
	bar := a.newProgress("sets", -1, stream.quiet)
	results, out := a.out, bufio.NewWriter(a.out)
	a.out = out
	defer func() { a.out = results }()
	start, answered := time.Now(), 0
	for part, err := range learn.Stream(cmd.Context(), src.all, q.least, func(ctx context.Context, sets []*dataset.Set) ([]R, []string, error) {
		return q.ask(ctx, m, sets)
	}) {
		bar.clear()
		switch {
		case errors.Is(err, context.Canceled):
			return fmt.Errorf("interrupted, %s sets are answered\nhint: --skip-done with the file of these answers goes on", thousands(answered))
		case err != nil && line > 0 && strings.HasPrefix(err.Error(), "set "):
			return fmt.Errorf("%s: %w", src.name, err) // of a folder the set has the name
		case err != nil:
			return err
		}
		a.warn(part.Warnings)
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
		bar.at(answered, 0)
	}
	bar.clear()
	a.summary(src, answered, time.Since(start), stream.quiet)
	return nil
}

// summary says how sets gave their orders and, of a long stream, how fast it was.
func (a *app) summary(src *source, answered int, took time.Duration, quiet bool) {
	switch src.ranks {
	case 0:
	case 1:
		a.note(`1 set gives "rank"; it was read as the inverse of "order"`)
	default:
		a.note(`%d sets give "rank"; it was read as the inverse of "order"`, src.ranks)
	}
	if took > lineEvery && !quiet {
		a.note("%s sets, %.0f a second", thousands(answered), float64(answered)/took.Seconds())
	}
}

// readSets reads a user's sets.
func (a *app) readSets(path string) ([]*dataset.Set, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		s, err := dataset.ReadFolder(path)
		if err != nil {
			return nil, err
		}
		return []*dataset.Set{s}, nil
	}
	if dataset.IsPicture(path) {
		return nil, fmt.Errorf("%s: one picture is no set\nhint: riffle order DIR %[1]s --grid 3x3 puts its tiles in order, riffle sample draws with --grid; a folder of images is a set", path)
	}
	sets, err := a.readTable(path)
	if sets == nil && err == nil {
		sets, err = readTourSets(path)
	}
	if sets == nil && err == nil {
		if sets, err = dataset.ReadJSONL(path); err != nil {
			if format, _ := dataset.Sniff(path); format != "" && format != dataset.FormatJSONL {
				err = fmt.Errorf("%s: is %s, wanted JSONL, cities or a folder of images\nhint: riffle data check %s says what is in it; riffle train ranking learns from it", path, format, shell.Quote(path))
			}
		}
	}
	if err != nil {
		return nil, err
	}
	if len(sets) == 0 {
		return nil, fmt.Errorf("%s: has no sets", path)
	}
	return sets, nil
}
