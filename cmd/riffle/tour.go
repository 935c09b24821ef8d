package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/metric"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/plot"
	runs "github.com/riffle-ml/riffle/run"
	"github.com/riffle-ml/riffle/tsp"
)

const tourHelp = `Of cities, a TSPLIB problem (.tsp) or tour text, order says the tours' lengths, by the
file's distances and in its units, and how far above a reference they are: the tours of
--reference, else those of the file, else the shortest that our solver finds in --time.
The tour of a TSPLIB problem is written as NAME-ordered.tour with its picture and one of
the reverse steps; of tour text, tours are written where --out says so.`

type tourFlags struct {
	reference string
	limit     time.Duration
}

func (t *tourFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&t.reference, "reference", "", "of cities: file of tours to compare with")
	cmd.Flags().DurationVar(&t.limit, "time", 10*time.Second, "of cities: how long to look for a shortest tour, where no file has one; 0: do not")
}

// isTourFile tells whether a file is a TSPLIB problem or tour text.
func isTourFile(path string) (bool, error) {
	if path == "-" { // sets of whatever model
		return false, nil
	}
	info, err := os.Stat(path)
	if err != nil || info.IsDir() {
		return false, err
	}
	if strings.EqualFold(filepath.Ext(path), ".tsp") {
		return true, nil
	}
	if dataset.IsPicture(path) {
		return false, nil
	}
	return dataset.IsTourText(path)
}

// toured is a tour as --json prints it. The costs of its orders are lengths by the file's
// distances.
type toured struct {
	learn.Ordered
	Length      float64  `json:"length"` // of the first order
	Reference   *float64 `json:"reference,omitempty"`
	ReferenceIs string   `json:"reference_is,omitempty"` // whose it is
	Gap         *float64 `json:"gap,omitempty"`          // percent
	Tour        string   `json:"tour,omitempty"`         // file
	Picture     string   `json:"picture,omitempty"`      // file
	Strip       string   `json:"strip,omitempty"`        // file
}

// tours orders the cities of a file.
func (a *app) tours(cmd *cobra.Command, args []string, engineSpec, out string, flags tourFlags, top int, opt learn.DecodeOptions) error {
	dir, input := args[0], args[1]
	f, err := a.readProblems(input)
	if err != nil {
		return err
	}
	sets, err := a.readSets(input)
	if err != nil {
		return err
	}
	picture, strip := "", ""
	if !f.text {
		if n := f.list[0].cities; n < 2 {
			return fmt.Errorf("%s: wanted 2 cities or more (got %d)", input, n)
		}
		if out == "" {
			base := filepath.Base(input)
			out = strings.TrimSuffix(base, filepath.Ext(base)) + "-ordered.tour"
		}
		stem := strings.TrimSuffix(out, filepath.Ext(out))
		picture, strip = stem+".png", stem+"-steps.png"
		if out == picture {
			return usagef("order: --out: wanted a name for the file of the tour, the pictures are beside it (got %q)", out)
		}
	}
	for _, path := range []string{out, picture, strip} {
		for _, given := range []string{input, flags.reference} {
			if path == "" || given == "" {
				continue
			}
			switch same, err := sameFile(path, given); {
			case err != nil:
				return err
			case same:
				return fmt.Errorf("%s: is an input, which stays as it is\nhint: another --out", path)
			}
		}
	}
	var given *problems
	if flags.reference != "" {
		if given, err = a.readProblems(flags.reference); err != nil {
			return err
		}
		if len(given.list) != len(f.list) {
			return fmt.Errorf("%s: has %d tours, wanted %d as %s has instances", given.path, len(given.list), len(f.list), f.path)
		}
		for i := range f.list {
			if err := sameCities(f, given, i); err != nil {
				return err
			}
			if given.list[i].tour == nil {
				return fmt.Errorf("%s: has no tour", given.where(i))
			}
		}
	}
	m, err := a.load(dir, engineSpec)
	if err != nil {
		return err
	}
	if name := m.Config.Task.Name; name != "tsp" {
		return fmt.Errorf("%s: has cities, the model of %s is of the task %s", input, dir, name)
	}
	answers, warnings, err := m.Order(cmd.Context(), sets, top, opt)
	if err != nil {
		return err
	}
	a.warn(warnings)
	gaps, compared := 0.0, false
	for i := range answers {
		r, reference, err := f.toured(cmd.Context(), i, answers[i], given, flags.limit)
		if err != nil {
			return fmt.Errorf("%s: %w", f.where(i), err)
		}
		if r.Gap != nil {
			gaps, compared = gaps+*r.Gap, true
		}
		if !f.text {
			r.Tour, r.Picture, r.Strip = out, picture, strip
			if err := writeTour(r, sets[i], f.list[i].x, reference, m.Process.Steps); err != nil {
				return err
			}
		}
		if !a.json {
			a.printTour(r, sets[i])
		} else if err := a.printLine(r); err != nil {
			return err
		}
	}
	if len(answers) > 1 && compared {
		a.note("mean gap %.4f %% over %d instances", gaps/float64(len(answers)), len(answers))
	}
	if f.text && out != "" {
		ordered := make([]*dataset.Set, len(sets))
		for i, s := range sets {
			ordered[i] = &dataset.Set{Kind: s.Kind, Items: s.Items, Order: answers[i].Orders[0].Order}
		}
		return runs.WriteFile(out, func(w io.Writer) error { return dataset.WriteTourText(w, ordered) })
	}
	return nil
}

// toured measures the answer for the i-th problem and returns the tour it is compared with,
// nil for none.
func (f *problems) toured(ctx context.Context, i int, answer learn.Ordered, given *problems, limit time.Duration) (*toured, perm.Order, error) {
	p := &f.list[i]
	x, err := p.instance()
	if err != nil {
		return nil, nil, err
	}
	r := &toured{Ordered: answer}
	for k := range r.Orders {
		length := x.Length(r.Orders[k].Order)
		r.Orders[k].Cost = &length
	}
	r.Length = *r.Orders[0].Cost
	var reference perm.Order
	switch {
	case given != nil:
		reference, r.ReferenceIs = given.list[i].tour, given.path
	case p.tour != nil:
		reference, r.ReferenceIs = p.tour, f.path
	case limit > 0:
		ctx, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		var proven bool
		reference, _, proven = tsp.Exact(ctx, x)
		r.ReferenceIs = "solver, shortest"
		if !proven {
			r.ReferenceIs = "solver, not proven to be the shortest"
		}
	default:
		return r, nil, nil
	}
	length := x.Length(reference)
	gap, err := metric.Gap(r.Length, length)
	r.Reference, r.Gap = &length, &gap
	return r, reference, err
}

// writeTour writes the tour of a TSPLIB problem, and draws it.
func writeTour(r *toured, set *dataset.Set, x *tsp.Instance, reference perm.Order, schedule []int) error {
	best := tsp.Canonical(r.Orders[0].Order)
	if err := runs.WriteFile(r.Tour, func(w io.Writer) error {
		return dataset.WriteTour(w, r.ID, "length "+lengthText(r.Length), best)
	}); err != nil {
		return err
	}
	panel := plot.Tour{Order: best, Reference: reference, Caption: "length " + lengthText(r.Length)}
	if r.Gap != nil {
		panel.Caption += fmt.Sprintf(", %.2f %% above the reference (dashed; thick: not in it)", *r.Gap)
	}
	for _, it := range set.Items {
		panel.Points = append(panel.Points, it.Point)
	}
	if err := plot.Save(r.Picture, plot.Tours{Rows: [][]plot.Tour{{panel}}, Side: 360}); err != nil {
		return err
	}
	length := func(_ int, o perm.Order) float64 { return x.Length(o) }
	return plot.Save(r.Strip, learn.TourStrip([][][2]float64{panel.Points}, [][]perm.Order{r.Steps}, schedule, length))
}

func (a *app) printTour(r *toured, set *dataset.Set) {
	for _, o := range r.Orders {
		fmt.Fprintf(a.out, "%s\t%s\tlength %s", r.ID, strings.Join(perm.Act(o.Order, set.ItemNames()), " "), lengthText(*o.Cost))
		if len(r.Orders) > 1 {
			fmt.Fprintf(a.out, "\tlog p %.3f", o.LogProb)
		}
		if r.Tour == "" && r.Gap != nil {
			gap, _ := metric.Gap(*o.Cost, *r.Reference) // as before
			fmt.Fprintf(a.out, "\tgap %.2f %%", gap)
		}
		fmt.Fprintln(a.out)
	}
	if r.Tour == "" {
		return
	}
	if r.Gap != nil {
		fmt.Fprintf(a.out, "gap\t%.2f %% above %s (%s)\n", *r.Gap, lengthText(*r.Reference), r.ReferenceIs)
	}
	fmt.Fprintf(a.out, "tour\t%s\npicture\t%s\nsteps\t%s\n", r.Tour, r.Picture, r.Strip)
}
