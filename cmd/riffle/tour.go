package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/riffle-ml/riffle/cmd/internal/figures"
	"github.com/riffle-ml/riffle/constraint"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/internal/hint"
	"github.com/riffle-ml/riffle/internal/text"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/metric"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/plot"
	"github.com/riffle-ml/riffle/question"
	runs "github.com/riffle-ml/riffle/run"
)

const tourHelp = `For cities (a TSPLIB problem or tour text) order prints the lengths of the tours, by the file's
distances and in its units, and how far above a reference they are. References are the tours of
--reference, else those of the file, else the shortest that our solver finds in --time. The tour of
a TSPLIB problem is written as NAME-ordered.tour, with a picture of it and one of the reverse steps.
The tours of tour text are written where --out says so.

` + endsHelp + `

With --open the model chooses among its last beam's tours by the length of the path. --finish 2opt
shortens what the model found until no exchange of two edges does. Both lengths are printed. Files and
pictures are of the shorter tour. Rules (--pin and so on) call cities by their numbers, and count
positions from 0, where --start stands. A path with rules and without --start begins at the first city
that they let be there. References do not obey them.`

type tourFlags struct {
	question.Tour
	reference string
}

// tourOnly are flags that only cities have.
var tourOnly = []string{"open", "start", "end", "finish"}

func (t *tourFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&t.reference, "reference", "", "of cities: file of tours to compare with")
	cmd.Flags().DurationVar(&t.Limit, "time", question.DefaultTourLimit, "of cities: how long to look for a shortest tour, where no file has one; 0: do not")
	cmd.Flags().StringVar(&t.Finish, "finish", "", "of cities: 2opt, to shorten what the model found")
	addEnds(cmd, &t.Ends, "of cities: ")
}

const endsHelp = `--open asks for the shortest path through all cities, which does not go back to its first. --start
and --end say where it begins and ends, by the cities' numbers in FILE. A closed tour has only a
--start, the city that it is written from.`

func addEnds(cmd *cobra.Command, e *question.Ends, of string) {
	cmd.Flags().BoolVar(&e.Open, "open", false, of+"a path, which does not go back to its first city")
	cmd.Flags().StringVar(&e.Start, "start", "", of+"the city to begin with, by its number in the file")
	cmd.Flags().StringVar(&e.End, "end", "", of+"with --open: the city to end with")
}

// toured is a tour as --json prints it, with its files.
type toured struct {
	*question.Toured
	tourFiles
}

// tours orders the cities of a file.
func (a *app) tours(cmd *cobra.Command, dir string, in *dataset.Input, f *orderFlags) error {
	t := &f.tour.Tour
	t.Order, t.Rules = f.order, f.rules.text
	if err := usage(cmd, t.Check()); err != nil {
		return err
	}
	if f.stream.skipDone != "" {
		return usageHint("give them as JSONL, or as lines of - (riffle order DIR - < FILE)", "order: --skip-done is not for the cities of a file")
	}
	text := in.Format == dataset.FormatTourText
	a.noteTours(in.File)
	files, err := outputs(in.File, f)
	if err != nil {
		return err
	}
	var given *dataset.File
	if f.tour.reference != "" {
		if given, err = a.readCities(f.tour.reference); err != nil {
			return err
		}
	}
	q, err := t.About(in.File, given)
	if err != nil {
		return err
	}
	m, err := a.load(dir, f.engine, max(1, len(in.Sets)))
	if err != nil {
		return err
	}
	answers, warnings, err := q.Ask(cmd.Context(), m, dir)
	if err != nil {
		if _, ok := errors.AsType[*learn.FirstItemError](err); ok { // item 0 is of the model's own numbering
			return hint.With(err, "a tour begins with city 1, unless --start or a --pin to position 0 says otherwise")
		}
		return err
	}
	a.Warn(warnings)
	var written []*dataset.Set
	for answer, err := range answers {
		if err != nil {
			return err
		}
		r := toured{Toured: answer}
		best, _, _ := r.Best()
		written = append(written, &dataset.Set{Kind: r.Set.Kind, Items: r.Set.Items, Order: best})
		if !text {
			r.tourFiles = files
			if err := r.write(m.Process.Steps); err != nil {
				return err
			}
		}
		if !a.json {
			a.printTour(r)
		} else if err := a.printLine(r); err != nil {
			return err
		}
	}
	a.Warn(q.Warnings())
	a.compiled(m)
	if gap, of := q.MeanGap(); of > 1 {
		a.Note("mean gap %.4f %% over %d instances", gap, of)
	}
	if text && f.out != "" {
		return runs.WriteFile(f.out, func(w io.Writer) error { return dataset.WriteTourText(w, written) })
	}
	return nil
}

// tourFiles are the files that are written of a TSPLIB problem. Of tour text only the first may be
// written.
type tourFiles struct {
	Tour    string `json:"tour,omitempty"`
	Picture string `json:"picture,omitempty"`
	Strip   string `json:"strip,omitempty"`
}

// outputs names the files, none of which is an input.
func outputs(in *dataset.File, f *orderFlags) (files tourFiles, err error) {
	files.Tour = f.out
	switch text := in.Format == dataset.FormatTourText; {
	case text && f.out != "" && f.tour.Open:
		return files, usagef("order: --out: tour text has closed tours alone, not paths")
	case !text:
		if n := len(in.Sets[0].Items); n < 2 {
			return files, fmt.Errorf("%s: wanted 2 cities or more (got %d)", in.Path, n)
		}
		if f.out == "" {
			base := filepath.Base(in.Path)
			if in.Path == standardInput { // the problem's name, where it has one
				base = filepath.Base(cmp.Or(in.Title, "cities"))
			}
			files.Tour = strings.TrimSuffix(base, filepath.Ext(base)) + "-ordered.tour"
		}
		stem := strings.TrimSuffix(files.Tour, filepath.Ext(files.Tour))
		files.Picture, files.Strip = stem+".png", stem+"-steps.png"
		if files.Tour == files.Picture {
			return files, usagef("order: --out: wanted a name for the file of the tour, the pictures are beside it (got %q)", f.out)
		}
	}
	inputs := []string{f.tour.reference}
	if in.Path != standardInput {
		inputs = append(inputs, in.Path)
	}
	return files, runs.CheckOutputs(inputs, files.Tour, files.Picture, files.Strip)
}

// write writes the tour or path of a TSPLIB problem, and draws it.
func (r *toured) write(schedule []int) error {
	best, length, _ := r.Best()
	if err := runs.WriteFile(r.Tour, func(w io.Writer) error { return dataset.WriteTour(w, r.ID, question.TourComment(length, r.Open), best) }); err != nil {
		return err
	}
	picture, strip := figures.Tour(r.Toured, schedule)
	if err := plot.Save(r.Picture, picture); err != nil {
		return err
	}
	return plot.Save(r.Strip, strip)
}

func (a *app) printTour(r toured) {
	names := constraint.QuoteAll(r.Set.ItemNames())
	for _, o := range r.Orders {
		fmt.Fprintf(a.out, "%s\t%s\tlength %s", question.TextID(r.ID), strings.Join(perm.Act(o.Order, names), " "), text.Length(*o.Cost))
		if len(r.Orders) > 1 {
			fmt.Fprintf(a.out, "\tlog path %.3f", o.LogPath)
		}
		if r.Tour == "" && r.Gap != nil {
			gap, _ := metric.Gap(*o.Cost, *r.Reference) // as before
			fmt.Fprintf(a.out, "\tgap %.2f %%", gap)
		}
		fmt.Fprintln(a.out)
	}
	if f := r.Finish; f != nil {
		fmt.Fprintf(a.out, "2-opt\t%s\tlength %s, the model's %s", strings.Join(perm.Act(f.Order, names), " "), text.Length(f.After), text.Length(f.Before))
		if f.Gap != nil {
			fmt.Fprintf(a.out, "\tgap %.2f %%", *f.Gap)
		}
		fmt.Fprintln(a.out)
	}
	if r.Tour == "" {
		return
	}
	if r.Gap != nil {
		fmt.Fprintf(a.out, "gap\t%.2f %% above %s (%s)\n", *r.Gap, text.Length(*r.Reference), r.ReferenceIs)
	}
	fmt.Fprintf(a.out, "tour\t%s\npicture\t%s\nsteps\t%s\n", r.Tour, r.Picture, r.Strip)
}
