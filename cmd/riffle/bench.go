package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/riffle-ml/riffle/config"
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
		Long: `bench times a configuration with its starting weights, its data and its optimiser. It makes training
steps or, with --decode, decodes a batch of eval.batch test sets. It prints the seconds of a step or
a decode, with their median and spread. It prints the most memory that the process had, by the
operating system. Of a decode it prints the network's share as well. Of a run it times decoding with
the trained weights. Where steps have sets of several sizes, each size is there equally often. make
bench compares presets with PyTorch.`,
		Example: `  riffle bench sort-9 --engine xla
  riffle bench paper/sort-mnist-52 --set train.batch=16 --rounds 3 --size 1
  riffle bench paper/sort-mnist-52 --set eval.batch=16 --decode beam
  riffle bench runs/sort --decode beam --set eval.batch=64`,
		Args: func(cmd *cobra.Command, args []string) error {
			decode = opt != (learn.DecodeOptions{})
			for _, name := range []string{"warm", "size"} {
				if decode && cmd.Flags().Changed(name) {
					return usagef("bench: --%s is for training steps, --decode times whole decodes after one that compiles", name)
				}
			}
			return cmp.Or(atLeast(cmd, "warm", warm, 1), atLeast(cmd, "rounds", rounds, 1), atLeast(cmd, "size", size, 1),
				checkDecode(cmd, question.Order{Top: 1, Decode: opt}), exactly("PRESET, FILE.toml or RUN")(cmd, args))
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := a.benchModel(args[0], engineSpec, set, decode)
			if err != nil {
				return ofSet("bench", err)
			}
			r := benchResult{Preset: args[0], Engine: m.Engine.Kind, Parameters: m.Denoiser.NumParameters(), Network: m.Network()}
			if decode {
				r.Timing, err = m.TimeDecode(cmd.Context(), rounds, opt)
			} else {
				r.Timing, err = m.TimeSteps(cmd.Context(), warm, rounds, size)
			}
			if err != nil {
				return err
			}
			r.PeakMB, r.EstimateMB = int(machine.PeakMemory()/1_000_000), int(m.StepMemory(m.Config.Train.Batch, 1)/1_000_000)
			return a.print(r, func() {
				fmt.Fprintf(a.out, "%s, %s engine: %s, %d MB at most\n", r.Preset, r.Engine, r.Timing, r.PeakMB)
				if r.NetworkShare > 0 {
					fmt.Fprintf(a.out, "the network takes %.0f %% of it, the choice of orders the rest\n", 100*r.NetworkShare)
				}
			})
		},
	}
	f := cmd.Flags()
	addSet(cmd, &set)
	f.IntVar(&warm, "warm", 2, "training steps before the clock starts; not with --decode")
	f.IntVar(&rounds, "rounds", 5, "how often to measure")
	f.IntVar(&size, "size", 5, "training steps a round; not with --decode")
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
		return m, m.Rejudge(func(c *config.Config) error { return training.Alter(c, from, set) })
	}
	cfg, err := training.ReadConfig(from)
	if err != nil {
		return nil, err
	}
	if err := training.Alter(&cfg, from, set); err != nil {
		return nil, err
	}
	m, err := training.NewModel(a, cfg, engineSpec, learn.New)
	return m, training.Blame(from, set, err)
}

// benchResult is what bench prints in JSON. Network has all that the PyTorch reference needs
// to build the same network and batch.
type benchResult struct {
	Preset     string `json:"preset"`
	Engine     string `json:"engine"`
	Parameters int    `json:"parameters"`
	learn.Timing
	PeakMB     int            `json:"peak_mb"`
	EstimateMB int            `json:"estimate_mb"` // of a training step, see learn.Model.StepMemory
	Network    map[string]any `json:"network"`
}
