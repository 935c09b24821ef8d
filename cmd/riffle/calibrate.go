package main

import (
	"errors"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"github.com/riffle-ml/riffle/evaluate"
	"github.com/riffle-ml/riffle/internal/progress"
	"github.com/riffle-ml/riffle/learn"
	runs "github.com/riffle-ml/riffle/run"
)

// calibrate holds a model's probabilities against test sets, prints the result and keeps it.
func (a *app) calibrate(cmd *cobra.Command, m *learn.Model, dir string, count, samples int, quiet bool) error {
	bar := progress.New(a.err, "test sets", count, quiet, progressbar.OptionShowCount())
	c, err := evaluate.Calibrate(cmd.Context(), m, count, samples, bar.At)
	bar.Clear()
	if err != nil {
		return err
	}
	err = runs.WriteJSONIn(dir, runs.CalibrationFile, c)
	if a.json {
		return errors.Join(a.printJSON(c), err)
	}
	a.sections(c.Sections())
	return err
}
