package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/riffle-ml/riffle/constraint"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/metric"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/plot"
	runs "github.com/riffle-ml/riffle/run"
	"github.com/riffle-ml/riffle/tsp"
)

// best is the shortest that there is of an answer: the finished tour, else the model's.
func (r *toured) best() perm.Order {
	if r.Finish != nil {
		return r.Finish.Order
	}
	return r.Orders[0].Order
}

// writeTour writes the tour or path of a TSPLIB problem, and draws it.
func writeTour(r *toured, set *dataset.Set, x *tsp.Instance, reference perm.Order, schedule []int) error {
	best, length, gap, what := r.best(), r.Length, r.Gap, "length "
	if r.Finish != nil {
		length, gap = r.Finish.After, r.Finish.Gap
	}
	if r.Open {
		what = "a path, which does not go back to its first city, of length "
	}
	if err := runs.WriteFile(r.Tour, func(w io.Writer) error {
		return dataset.WriteTour(w, r.ID, what+lengthText(length), best)
	}); err != nil {
		return err
	}
	panel := plot.Tour{Order: best, Reference: reference, Open: r.Open, Caption: "length " + lengthText(length)}
	if gap != nil {
		panel.Caption += fmt.Sprintf(", %.2f %% above the reference (dashed; thick: not in it)", *gap)
	}
	for k, it := range set.Items {
		panel.Points, panel.Names = append(panel.Points, it.Point), append(panel.Names, strconv.Itoa(k+1))
	}
	if err := plot.Save(r.Picture, plot.Tours{Rows: [][]plot.Tour{{panel}}, Side: 360}); err != nil {
		return err
	}
	measure := func(_ int, o perm.Order) float64 {
		if r.Open {
			return x.PathLength(o)
		}
		return x.Length(o)
	}
	strip := tourStrip([][][2]float64{panel.Points}, [][]perm.Order{r.Steps}, schedule, measure)
	for i := range strip.Rows[0] {
		strip.Rows[0][i].Open = r.Open
	}
	return plot.Save(r.Strip, strip)
}

func (a *app) printTour(r *toured, set *dataset.Set) {
	names := constraint.QuoteAll(set.ItemNames())
	for _, o := range r.Orders {
		fmt.Fprintf(a.out, "%s\t%s\tlength %s", r.ID, strings.Join(perm.Act(o.Order, names), " "), lengthText(*o.Cost))
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
		fmt.Fprintf(a.out, "2-opt\t%s\tlength %s, the model's %s", strings.Join(perm.Act(f.Order, names), " "), lengthText(f.After), lengthText(f.Before))
		if f.Gap != nil {
			fmt.Fprintf(a.out, "\tgap %.2f %%", *f.Gap)
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
