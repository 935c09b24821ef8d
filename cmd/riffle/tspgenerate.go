package main

import (
	"cmp"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/learn"
	runs "github.com/riffle-ml/riffle/run"
)

const mostGenerated = 200 // cities of an instance: of more, a label takes too long

func (a *app) tspGenerateCommand() *cobra.Command {
	r := generated{N: 20, Count: 1000, Seed: 1}
	cmd := &cobra.Command{
		Use:   "generate --n N --count COUNT --out FILE",
		Short: "draw instances and write them with their tours",
		Long: `generate draws cities uniformly from the unit square, finds a tour of each instance, and writes tour
text. Up to about 50 cities the tour is nearly always the shortest. A tour begins with the first
city, and goes on to that of its two neighbours which comes first in the line. The same seed gives
the same file.`,
		Example: `  riffle tsp generate --n 20 --count 1000 --seed 1 --out tsp20.txt
  riffle tsp solve tsp20.txt --method 2opt --starts 5`,
		Args: func(cmd *cobra.Command, args []string) error {
			if r.File == "" {
				return usageHint(cmd.UseLine(), "tsp generate: --out is missing")
			}
			return cmp.Or(usage(cmd, learn.InRange("n", r.N, mostGenerated)), atLeast(cmd, "count", r.Count, 1), exactly()(cmd, args))
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			start := time.Now()
			if err := runs.WriteFile(r.File, func(w io.Writer) (err error) {
				r.Length, err = dataset.GenerateTours(cmd.Context(), w, r.N, r.Count, r.Seed)
				return err
			}); err != nil {
				return err
			}
			r.Seconds = time.Since(start).Seconds()
			return a.print(r, func() {
				fmt.Fprintf(a.out, "wrote %s: %d instances of %d cities, mean length %.6f, %.1f s, %.0f a second\n",
					r.File, r.Count, r.N, r.Length, r.Seconds, float64(r.Count)/r.Seconds)
			})
		},
	}
	f := cmd.Flags()
	f.IntVar(&r.N, "n", r.N, "cities of an instance")
	f.IntVar(&r.Count, "count", r.Count, "instances")
	f.Uint64Var(&r.Seed, "seed", r.Seed, "seed of the instances")
	f.StringVar(&r.File, "out", "", "file to write, tour text")
	return cmd
}

// generated is what was drawn.
type generated struct {
	File    string  `json:"file"`
	N       int     `json:"n"`
	Count   int     `json:"count"`
	Seed    uint64  `json:"seed"`
	Length  float64 `json:"length"` // mean
	Seconds float64 `json:"seconds"`
}
