package figures

import (
	"context"
	"fmt"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/plot"
	"github.com/riffle-ml/riffle/task"
)

// Strip draws the first count test sets as noise, after each reverse step, and ordered.
func Strip(ctx context.Context, m *learn.Model, count int) (plot.Figure, error) {
	ex, paths, err := m.TestPaths(ctx, count, learn.DecodeOptions{})
	if err != nil {
		return nil, err
	}
	if ex.Look.Points != nil {
		ways := make([][]perm.Order, len(paths))
		for i, p := range paths {
			ways[i] = p.States
		}
		return tourStrip(ex.Look.Points, ways, m.Process.Steps, ex.Judge.(task.Pricer).Cost), nil
	}
	all := plot.Strip{}
	for i, p := range paths {
		set := plot.StripSet{Name: fmt.Sprintf("set %d", i), Truth: ex.Judge.Nearest(i, p.Order()), Columns: ex.Look.Columns}
		steps := m.Process.At(len(ex.Clean[i])).Steps
		for k, order := range p.States {
			set.Rows = append(set.Rows, plot.StripRow{T: steps[len(steps)-1-k], Order: order})
		}
		if ex.Look.Pictures != nil {
			for _, p := range ex.Look.Pictures(i) {
				set.Images = append(set.Images, p.Image())
			}
		} else if ex.Look.Names != nil {
			set.Names = ex.Look.Names(i)
		}
		all.Sets = append(all.Sets, set)
	}
	return all, nil
}

// tourStrip draws the states of tours, noise first, of the schedule's steps, with the length of
// each.
func tourStrip(points [][][2]float64, states [][]perm.Order, schedule []int, length func(set int, o perm.Order) float64) plot.Tours {
	f := plot.Tours{}
	for i, way := range states {
		var row []plot.Tour
		for k, order := range way {
			format := "t = %d, length %.4g"
			if length(i, order) >= 1000 {
				format = "t = %d, length %.0f" // without an exponent
			}
			row = append(row, plot.Tour{
				Points: points[i], Order: order,
				Caption: fmt.Sprintf(format, schedule[len(schedule)-1-k], length(i, order)),
			})
		}
		f.Rows = append(f.Rows, row)
	}
	return f
}

const (
	thumbnail   = 224 // longer side of a picture in the strip, pixels
	stripStates = 12  // at most
)

// PuzzleStrip draws the states on the way from noise, some of them where there are many.
func PuzzleStrip(tiles []*dataset.Picture, columns int, states []perm.Order, schedule []int, truth perm.Order) (plot.Strip, error) {
	set := plot.StripSet{Columns: columns, Truth: truth}
	high, wide := tiles[0].Rows*len(tiles)/columns, tiles[0].Cols*columns
	shrink := max(1, float64(max(high, wide))/thumbnail)
	for _, t := range tiles {
		small, _, err := t.Resize(max(1, int(float64(t.Rows)/shrink)), max(1, int(float64(t.Cols)/shrink)))
		if err != nil {
			return plot.Strip{}, err
		}
		set.Images = append(set.Images, small.Image())
	}
	shown := min(len(states), stripStates)
	for i := range shown {
		k := i * (len(states) - 1) / max(1, shown-1)
		set.Rows = append(set.Rows, plot.StripRow{T: schedule[len(schedule)-1-k], Order: states[k]})
	}
	return plot.Strip{Sets: []plot.StripSet{set}}, nil
}
