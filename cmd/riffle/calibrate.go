package main

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"github.com/riffle-ml/riffle/evaluate"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/plot"
	runs "github.com/riffle-ml/riffle/run"
)

// calibrate holds a model's probabilities against test sets, prints the result and keeps it.
func (a *app) calibrate(cmd *cobra.Command, m *learn.Model, dir string, count, samples int, quiet bool) error {
	bar := a.newProgress("test sets", count, quiet, progressbar.OptionShowCount())
	c, err := evaluate.Calibrate(cmd.Context(), m, count, samples, bar.at)
	bar.clear()
	if err != nil {
		return err
	}
	err = keepJSON(dir, runs.CalibrationFile, c)
	if a.json {
		return errors.Join(a.printJSON(c), err)
	}
	size := fmt.Sprintf("sets of %d", c.N)
	if c.Lists > 0 {
		size = fmt.Sprintf("different lists of up to %d (%s in all)", c.N, thousands(c.Lists))
	}
	fmt.Fprintf(a.out, "%s %s, %s samples each; trained %s steps; seed %d\n", thousands(c.Sets), size, thousands(c.Samples), thousands(c.Step), c.Seed)
	for _, t := range []struct {
		what string
		evaluate.CalibrationTable
	}{{"item a before item b", c.Pairs}, {"item k at position i", c.Places}} {
		if t.Predictions == 0 {
			fmt.Fprintf(a.out, "\n%s: known of no set\n", t.what)
			continue
		}
		fmt.Fprintf(a.out, "\n%s: expected calibration error %.4f\n", t.what, t.Error)
		var rows [][]string
		for _, b := range t.Bins {
			row := []string{fmt.Sprintf("%.1f to %.1f", b.Low, b.High), thousands(b.Count), "", ""}
			if b.Count > 0 {
				row[2], row[3] = fmt.Sprintf("%.4f", b.Mean), fmt.Sprintf("%.4f", b.Frequency)
			}
			rows = append(rows, row)
		}
		table(a.out, []string{"probability", "predictions", "mean", "frequency"}, rows)
	}
	return err
}

// calibrationFigure draws what eval --calibration has kept in the file path; data is its content.
func calibrationFigure(path string, data []byte) (plot.Figure, error) {
	var c evaluate.Calibration
	if err := json.Unmarshal(data, &c); err != nil {
		return nil, fmt.Errorf("%s: is damaged: is not what riffle writes there\nhint: riffle eval DIR --calibration writes it again", path)
	}
	var shares, counts []plot.Series
	for _, t := range []struct {
		name string
		evaluate.CalibrationTable
	}{{"a before b", c.Pairs}, {"k at i", c.Places}} {
		share, count := plot.Series{Name: t.name}, plot.Series{Name: t.name}
		for _, b := range t.Bins {
			if b.Count > 0 {
				share.X, share.Y = append(share.X, b.Mean), append(share.Y, b.Frequency)
				count.X, count.Y = append(count.X, b.Mean), append(count.Y, float64(b.Count))
			}
		}
		if len(share.X) > 0 { // of ranked lists no place may be known
			shares, counts = append(shares, share), append(counts, count)
		}
	}
	if len(shares) == 0 {
		return nil, fmt.Errorf("%s: has no predictions\nhint: riffle eval DIR --calibration writes some", path)
	}
	return plot.Calibration(shares, counts), nil
}
