package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/riffle-ml/riffle/internal/machine"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/question"
	runs "github.com/riffle-ml/riffle/run"
	"github.com/riffle-ml/riffle/training"
)

func (a *app) benchCommand() *cobra.Command {
	var (
		engineSpec         string
		set                []string
		warm, rounds, size int
		decode             bool
		opt                learn.DecodeOptions
	)
	cmd := &cobra.Command{
		Use:   "bench PRESET|FILE.toml|RUN",
		Short: "time training steps or decoding of a configuration",
		Long: `bench makes training steps of a configuration from its starting weights, data and
optimiser with them, or, with --decode, decodes a batch of eval.batch test sets, and prints
the seconds of a step or a decode, their median and spread, the most memory that the
process had (from the operating system), and the network's share of a decode. Of a run it
times decoding with the trained weights. make bench compares presets with PyTorch.`,
		Example: `  riffle bench sort-9 --engine xla
  riffle bench paper/sort-mnist-52 --set train.batch=16 --rounds 3 --size 1
  riffle bench paper/sort-mnist-52 --set eval.batch=16 --decode beam
  riffle bench runs/sort --decode beam --set eval.batch=64`,
		Args: func(cmd *cobra.Command, args []string) error {
			if warm < 1 || rounds < 1 || size < 1 {
				return usagef("bench: --warm, --rounds and --size must be 1 or more (got %d, %d, %d)", warm, rounds, size)
			}
			if err := checkDecode(cmd, question.Order{Top: 1, Decode: opt}); err != nil {
				return err
			}
			decode = opt != (learn.DecodeOptions{})
			return exactly("PRESET, FILE.toml or RUN")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := a.benchModel(args[0], engineSpec, set, decode)
			if err != nil {
				return ofSet("bench", err)
			}
			r := benchResult{Preset: args[0], Engine: m.Engine.Kind, What: "step", Sets: m.Config.Train.Batch, Parameters: m.Denoiser.NumParameters(), Network: m.Network()}
			if decode {
				r.What, r.Sets = "decode", m.Config.Eval.Batch
				r.Seconds, r.NetworkShare, err = m.TimeDecode(cmd.Context(), rounds, opt)
			} else {
				r.Seconds, err = m.TimeSteps(cmd.Context(), warm, rounds, size)
			}
			if err != nil {
				return err
			}
			r.Median, r.Low, r.High = middle(r.Seconds)
			r.PeakMB, r.EstimateMB = int(machine.PeakMemory()/1_000_000), int(m.StepMemory(m.Config.Train.Batch, 1)/1_000_000)
			if a.json {
				return a.printJSON(r)
			}
			fmt.Fprintf(a.out, "%s, %s engine: %.4f s a %s of %d sets (%.4f to %.4f, %d rounds), %.1f sets/s, %d MB at most\n",
				r.Preset, r.Engine, r.Median, r.What, r.Sets, r.Low, r.High, len(r.Seconds), float64(r.Sets)/r.Median, r.PeakMB)
			if r.NetworkShare > 0 {
				fmt.Fprintf(a.out, "the network takes %.0f %% of it, the choice of orders the rest\n", 100*r.NetworkShare)
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&set, "set", nil, "change a key of the configuration: key=value (again for more)")
	f.IntVar(&warm, "warm", 2, "training steps before the clock starts")
	f.IntVar(&rounds, "rounds", 5, "how often to measure")
	f.IntVar(&size, "size", 5, "training steps a round")
	addDecode(cmd, &opt)
	f.Lookup("decode").Usage = "time decoding instead: greedy or beam"
	addEngine(cmd, &engineSpec)
	return cmd
}

// benchModel is a model with starting weights, or that of a run.
func (a *app) benchModel(from, engineSpec string, set []string, decode bool) (*learn.Model, error) {
	if _, err := os.Stat(filepath.Join(from, runs.ConfigFile)); err == nil {
		if !decode {
			return nil, usageHint(fmt.Sprintf("riffle bench %s times its training steps", filepath.Join(from, runs.ConfigFile)), "bench: %s is a run: wanted --decode greedy or beam", from)
		}
		for _, s := range set {
			if key, _, _ := strings.Cut(s, "="); strings.TrimSpace(key) != "eval.batch" {
				return nil, usagef("bench: --set: of a run only eval.batch can change (got %q)", s)
			}
		}
		m, err := a.load(from, engineSpec, manySets)
		if err != nil {
			return nil, err
		}
		if err := training.Change(&m.Config, set); err != nil {
			return nil, err
		}
		if _, err := m.Config.Resolve(); err != nil {
			return nil, training.Blame(from, set, err)
		}
		return m, nil
	}
	cfg, err := training.ReadConfig(from)
	if err != nil {
		return nil, err
	}
	if err := training.Change(&cfg, set); err != nil {
		return nil, err
	}
	if _, err := cfg.Resolve(); err != nil {
		return nil, training.Blame(from, set, err)
	}
	m, err := training.NewModel(a, cfg, engineSpec, learn.New)
	if err != nil {
		return nil, training.Blame(from, set, err)
	}
	return m, nil
}

// benchResult is what bench prints in JSON. Network has all that the PyTorch reference needs
// to build the same network and batch.
type benchResult struct {
	Preset     string    `json:"preset"`
	Engine     string    `json:"engine"`
	What       string    `json:"what"`
	Sets       int       `json:"sets"`
	Parameters int       `json:"parameters"`
	Seconds    []float64 `json:"seconds"`
	Median     float64   `json:"median"`
	Low        float64   `json:"low"`
	High       float64   `json:"high"`
	PeakMB     int       `json:"peak_mb"`
	EstimateMB int       `json:"estimate_mb"` // of a training step, see learn.Model.StepMemory
	// NetworkShare is what part of a decode the network takes; the rest chooses orders. Of a step
	// there is none.
	NetworkShare float64        `json:"network_share,omitempty"`
	Network      map[string]any `json:"network"`
}

// middle returns the median, the least and the greatest.
func middle(x []float64) (median, low, high float64) {
	s := slices.Sorted(slices.Values(x))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2, s[0], s[len(s)-1]
}
