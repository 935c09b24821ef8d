// Package figures draws what runs, files of results and answers hold: training curves, marginals,
// calibration, and sets on their way from noise to order. Package plot does the drawing.
package figures

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/riffle-ml/riffle/evaluate"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/plot"
	"github.com/riffle-ml/riffle/run"
	"github.com/riffle-ml/riffle/task"
)

// Writer writes figures and remembers their files.
type Writer struct {
	Format string   // png or svg
	Run    *run.Dir // whose figures they are, nil where they go beside a file
	Files  []string
}

// save writes a figure to the file path and its format's extension, or to that name among the
// figures of the run.
func (w *Writer) save(path string, f plot.Figure) error {
	path += "." + w.Format
	if w.Run == nil {
		w.Files = append(w.Files, path)
		return plot.Save(path, f)
	}
	name := filepath.Join(run.FiguresDir, path)
	w.Files = append(w.Files, w.Run.File(name))
	return w.Run.WriteFile(name, func(to io.Writer) error { return plot.Encode(to, w.Format, f) })
}

// Whole draws what there is of the run dir: its log, its calibration, and by its model the first test sets.
// m is nil where the run's data are gone; they may also turn out to be, which is a [task.DataError]. notes say
// what the run has not.
func (w *Writer) Whole(ctx context.Context, dir string, m *learn.Model, count, samples int) (notes, warnings []string, err error) {
	if w.Run, err = run.Open(dir); err != nil {
		return nil, nil, err
	}
	defer func() { _ = w.Run.Close() }()
	steps, events, warnings, err := w.Run.ReadMetrics()
	if errors.Is(err, fs.ErrNotExist) { // weights that were passed on
		notes, err = append(notes, fmt.Sprintf("%s: has no %s, so neither training nor metrics are drawn", dir, run.MetricsFile)), nil
	} else if err == nil {
		err = w.log(w.Run.File(run.MetricsFile), steps, events, "training", "metrics")
	}
	if err == nil {
		err = w.calibration()
	}
	switch {
	case err != nil || m == nil:
	case !m.Method.Diffuses():
		notes = append(notes, fmt.Sprintf("method %s: has no marginals and no steps to draw: its network gives one order", m.Method.Name))
	default:
		err = w.testSets(ctx, m, count, samples)
	}
	return notes, warnings, err
}

// calibration draws the calibration that the run keeps, if it does.
func (w *Writer) calibration() error {
	data, err := w.Run.ReadFile(run.CalibrationFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	figure, err := calibration(w.Run.File(run.CalibrationFile), data)
	if err != nil {
		return err
	}
	return w.save("calibration", figure)
}

// testSets draws the way of the first count test sets of a model from noise to order. Where objects have
// places it also draws the marginals of the first test set, by so many samples.
func (w *Writer) testSets(ctx context.Context, m *learn.Model, count, samples int) error {
	switch marginals, err := evaluate.TestMarginals(ctx, m, 0, samples); {
	case errors.Is(err, task.ErrNoPlaces):
	case err != nil:
		return err
	default:
		heat := plot.HeatMap{Values: marginals.Values, Items: marginals.Items, ItemLabel: "item, in the right order"}
		if !marginals.Whole {
			heat.ItemLabel = "item, as far as known in order"
		}
		if err := w.save("marginals", heat); err != nil {
			return err
		}
	}
	strips, err := Strip(ctx, m, count)
	if err != nil {
		return err
	}
	return w.save("strip", strips)
}
