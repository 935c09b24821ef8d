// Command growth measures how time and memory of training steps and decodes grow. It varies the
// number of objects, the batch, the layers and the beam, and fits a power to each:
//
//	go run ./bench/growth [-engine auto] [-only REGEX] [-quick] [-riffle bin/riffle] [-out bench]
//
// It writes growth.md, growth-time.png and growth-memory.png. Every point is a process of its own (`riffle
// bench`), so that the peak of memory is the system's. Nothing else should run meanwhile.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"time"

	"github.com/riffle-ml/riffle/internal/hint"
)

// line is what grows along one axis.
type line struct {
	name   string
	axis   string
	key    string // of the configuration; "" is the width of the beam
	values []int
	set    []string
	args   []string
	why    string // the powers are what they are
}

func small(more ...string) []string {
	return append([]string{"model.dim=32", "model.layers=2", "model.heads=4", "model.feed_forward=64", "process.schedule=[0,10]"}, more...)
}

func wide(more ...string) []string {
	return append([]string{"model.dim=128", "model.layers=7", "model.heads=8", "model.feed_forward=512", "process.schedule=[0,10]"}, more...)
}

var lines = []line{
	{
		"GPL, batch 32", "n", "task.n",
		[]int{3, 9, 20, 52, 100, 200},
		small("train.batch=32"), nil,
		"n objects and n dummies are 2n tokens: attention and the scores grow as n², all else as n",
	},
	{
		"GPL, wide, batch 8", "n", "task.n",
		[]int{9, 20, 52, 100, 200},
		wide("train.batch=8"), nil,
		"the wider the network, the more of its work is matrix products of single tokens, which grow as n",
	},
	{
		"PL, batch 8", "n", "task.n",
		[]int{3, 9, 20, 52, 100, 200, 500, 1000},
		small("train.batch=8", "process.reverse=pl"), nil,
		"n tokens, half of GPL's: a quarter of its attention; that and the suffixes of log p grow as n²",
	},
	{
		"n = 52", "batch", "train.batch",
		[]int{4, 8, 16, 32, 64, 128, 256},
		small("task.n=52"), nil,
		"sets share nothing but the weights: linear, once they outweigh what a step costs in any case",
	},
	{
		"n = 52, batch 32", "layers", "model.layers",
		[]int{1, 2, 4, 8, 12},
		small("task.n=52", "train.batch=32"), nil,
		"layers are alike and follow one another: linear; so is what XLA's compiler needs for them, most of the memory here",
	},
	{
		"n = 20, inner 200, batch 8", "beam", "",
		[]int{1, 2, 5, 10, 20, 40, 80},
		append(small("task.n=20", "eval.batch=8"), "process.schedule=[0,3,6,10]"),
		[]string{"--decode", "beam", "--inner", "200"},
		"from the second reverse step on each order kept goes through the network and has an inner beam of its own: linear",
	},
}

// point is one measurement.
type point struct {
	x, seconds, megabytes float64
}

// curve is a line measured.
type curve struct {
	line
	engine string
	points []point
}

func main() {
	if err := run(os.Stderr, os.Args[1:]); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "growth:", err)
		}
		os.Exit(1)
	}
}

func run(stderr io.Writer, args []string) error {
	f := flag.NewFlagSet("growth", flag.ContinueOnError)
	f.SetOutput(stderr)
	engine := f.String("engine", "auto", "engine of riffle bench")
	only := f.String("only", "", "measure what this expression matches: n, batch, layers or beam")
	quick := f.Bool("quick", false, "one step a point, and every other point")
	riffle := f.String("riffle", "bin/riffle", "the program to measure")
	out := f.String("out", "bench", "folder for the table and the figures")
	if err := f.Parse(args); err != nil {
		return err
	}
	match, err := regexp.Compile(*only)
	if err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	start := time.Now()
	var curves []curve
	for _, l := range lines {
		if !match.MatchString(l.axis) {
			continue
		}
		c := curve{line: l}
		for i, v := range l.values {
			if *quick && i%2 == 1 {
				continue
			}
			var p point
			if p, c.engine, err = l.measure(*riffle, *engine, v, *quick); err != nil {
				return fmt.Errorf("%s %d (%s): %w", l.axis, v, l.name, err)
			}
			c.points = append(c.points, p)
			fmt.Fprintf(stderr, "%4.0f s  %s %d (%s): %.4g s, %.0f MB\n", time.Since(start).Seconds(), l.axis, v, l.name, p.seconds, p.megabytes)
		}
		curves = append(curves, c)
	}
	if len(curves) == 0 {
		return fmt.Errorf("-only: %q matches none of n, batch, layers and beam", *only)
	}
	return report(*out, curves, *quick, time.Since(start))
}

// measure runs riffle bench at one value.
func (l line) measure(riffle, engine string, value int, quick bool) (point, string, error) {
	rounds := "3"
	if quick {
		rounds = "1"
	}
	args := append([]string{"bench", "delta-20", "--engine", engine, "--json", "--warm", "1", "--rounds", rounds, "--size", rounds}, l.args...)
	for _, s := range l.set {
		args = append(args, "--set", s)
	}
	if l.key == "" {
		args = append(args, "--beam", strconv.Itoa(value))
	} else {
		args = append(args, "--set", fmt.Sprintf("%s=%d", l.key, value))
	}
	data, err := exec.Command(riffle, args...).Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return point{}, "", fmt.Errorf("%w: %s", err, exit.Stderr)
	}
	if err != nil {
		return point{}, "", hint.With(err, "make build, or -riffle")
	}
	var r struct {
		Engine string  `json:"engine"`
		Median float64 `json:"median"`
		PeakMB float64 `json:"peak_mb"`
	}
	if err := json.Unmarshal(data, &r); err != nil {
		return point{}, "", fmt.Errorf("riffle bench: %w", err)
	}
	return point{float64(value), r.Median, r.PeakMB}, r.Engine, nil
}
