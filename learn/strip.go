package learn

import (
	"context"
	"fmt"

	"github.com/riffle-ml/riffle/plot"
	"github.com/riffle-ml/riffle/task"
)

// Strip draws the first count test sets as noise, after each reverse step, and ordered.
func (m *Model) Strip(ctx context.Context, count int, opt DecodeOptions) (plot.Strip, error) {
	opt, err := m.options(opt)
	if err != nil {
		return plot.Strip{}, err
	}
	dec, err := m.Decoder()
	if err != nil {
		return plot.Strip{}, err
	}
	if err := ctx.Err(); err != nil {
		return plot.Strip{}, err
	}
	ex, err := m.Task.Examples(task.Test, 0, count)
	if err != nil {
		return plot.Strip{}, err
	}
	paths, err := m.paths(dec, ex, m.Process.Noise(m.Config.Seed, 0, count, m.Config.Task.N), opt)
	if err != nil {
		return plot.Strip{}, err
	}
	strip := plot.Strip{}
	steps := m.Process.Steps
	for i, p := range paths {
		set := plot.StripSet{Name: fmt.Sprintf("set %d", i), Truth: nearestRight(p.Order(), ex, i), Columns: ex.Columns}
		for k, order := range p.States {
			set.Rows = append(set.Rows, plot.StripRow{T: steps[len(steps)-1-k], Order: order})
		}
		if ex.Pictures != nil {
			for _, p := range ex.Pictures(i) {
				set.Images = append(set.Images, p.Image())
			}
		}
		strip.Sets = append(strip.Sets, set)
	}
	return strip, nil
}
