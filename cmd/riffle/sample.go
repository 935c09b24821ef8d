package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/riffle-ml/riffle/constraint"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/plot"
)

// sampled is what sample prints of a set.
type sampled struct {
	learn.Sampled
	Consensus *learn.Consensus `json:"consensus,omitempty"`
	Top       []learn.Frequent `json:"top,omitempty"`
	Entropy   *learn.Entropy   `json:"entropy,omitempty"`
}

// sampleFlags say what is asked about the samples.
type sampleFlags struct {
	count, top, draws  int
	seed               uint64
	consensus, entropy bool
	figure             string
}

func (a *app) sampleCommand() *cobra.Command {
	var engineSpec string
	var flags sampleFlags
	var rules constraintFlags
	var grid gridFlags
	var stream streamFlags
	cmd := &cobra.Command{
		Use:   "sample DIR [INPUT] --count K",
		Short: "draw orders, and what they say: marginals, consensus, the most frequent, entropy",
		Long: "sample draws orders of new sets from the model of the run DIR.\n\n" + inputHelp + "\n\n" + constrainHelp + `

With --grid ROWSxCOLUMNS, INPUT is a puzzle for a model of the task jigsaw: a picture, which
is cut into so many tiles, or a folder of tiles, all of one size. ` + tilesHelp + `

--consensus gives the order with the least mean Kendall distance to the samples, exactly where
their majorities contradict each other among at most 16 items. --top gives the most frequent orders with their shares. --entropy estimates
the entropy of the model's orders, and log p of those of --top, in nats, by --draws
trajectories for each different sample; it is an upper bound but for the sampling error.`,
		Example: `  riffle sample runs/sort9 numbers/ --count 100
  riffle sample runs/sort9 numbers/ --count 100 --consensus --figure marginals.png
  riffle sample runs/votes --count 1000 --top 5
  riffle sample runs/sort9 sets.jsonl --count 500 --top 5 --entropy --first 3:a,b
  riffle sample runs/jigsaw photo.png --grid 3x3 --crop --count 100 --pin 0=0`,
		Args: dirAndInput,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case learn.CheckDraws("count", flags.count) != nil:
				return usagef("sample: --count must be 1 to %d (got %d)", learn.MaxDraws, flags.count)
			case flags.top < 0:
				return usagef("sample: --top must be 0 or more (got %d)", flags.top)
			case flags.draws < 1:
				return usagef("sample: --draws must be 1 or more (got %d)", flags.draws)
			case cmd.Flags().Changed("draws") && !flags.entropy:
				return usagef("sample: --draws is for --entropy alone")
			case flags.entropy && rules.given(cmd) != "":
				return usagef("sample: --entropy is of the free model (asked for %s)", rules.given(cmd))
			}
			if err := checkPicture(cmd, "figure", flags.figure); err != nil {
				return err
			}
			if err := rules.check(cmd); err != nil {
				return err
			}
			if err := grid.check(cmd); err != nil {
				return err
			}
			if err := stream.needsJSON(cmd, a.json); err != nil {
				return err
			}
			if flags.figure != "" {
				stream.single = "--figure: the picture is of one set"
			}
			read := a.readSets
			if grid.grid != "" {
				read = func(path string) ([]*dataset.Set, error) {
					set, err := grid.read(cmd, path)
					return []*dataset.Set{set}, err
				}
			}
			return ask(a, cmd, &stream, read, args, engineSpec, question[sampled]{least: 1, ask: func(ctx context.Context, m *learn.Model, sets []*dataset.Set) ([]sampled, []string, error) {
				if err := rules.put(sets); err != nil {
					return nil, nil, err
				}
				if grid.grid == "" {
					return flags.ask(ctx, m, sets)
				}
				warning, err := grid.fits(cmd, m, args[0])
				if err != nil {
					return nil, nil, err
				}
				out, warnings, err := flags.ask(ctx, m, sets)
				if err == nil && warning != "" {
					warnings, out[0].Warnings = append(warnings, warning), append(out[0].Warnings, warning)
				}
				return out, warnings, err
			}, print: func(answers []sampled, sets []*dataset.Set) {
				for i, r := range answers {
					a.printSampled(r, constraint.QuoteAll(sets[i].ItemNames()))
				}
			}})
		},
	}
	cmd.Flags().IntVar(&flags.count, "count", learn.DefaultCount, "draws a set")
	cmd.Flags().Uint64Var(&flags.seed, "seed", learn.DefaultSeed, "another seed gives other draws")
	cmd.Flags().BoolVar(&flags.consensus, "consensus", false, "the order nearest to all draws")
	cmd.Flags().IntVar(&flags.top, "top", 0, "how many of the most frequent orders")
	cmd.Flags().BoolVar(&flags.entropy, "entropy", false, "the entropy, nats")
	cmd.Flags().IntVar(&flags.draws, "draws", 64, "trajectories for each log p of --entropy")
	cmd.Flags().StringVar(&flags.figure, "figure", "", "draw the marginals into this file, .png or .svg")
	grid.add(cmd)
	rules.add(cmd)
	stream.add(cmd)
	addEngine(cmd, &engineSpec)
	return cmd
}

// ask draws and answers what was asked about the draws.
func (f *sampleFlags) ask(ctx context.Context, m *learn.Model, sets []*dataset.Set) ([]sampled, []string, error) {
	if f.entropy {
		for _, s := range sets { // before the work
			if !s.Constraints.IsZero() {
				return nil, nil, fmt.Errorf("set %s: --entropy is of the free model, the set has constraints", s.ID)
			}
		}
	}
	drawn, warnings, err := m.Sample(ctx, sets, f.count, f.seed)
	if err != nil {
		return nil, nil, err
	}
	out := make([]sampled, len(drawn))
	for i, s := range drawn {
		out[i] = sampled{Sampled: s, Top: learn.MostFrequent(s.Samples, f.top)}
		if f.consensus {
			if out[i].Consensus, err = learn.ConsensusOf(s.Samples); err != nil {
				return nil, nil, fmt.Errorf("set %s: %w", s.ID, err)
			}
		}
		if f.entropy {
			if out[i].Entropy, err = m.Entropy(ctx, sets[i], s.Samples, f.draws, f.seed, out[i].Top); err != nil {
				return nil, nil, fmt.Errorf("set %s: %w", s.ID, err)
			}
		}
		if f.figure != "" {
			if err := plot.Save(f.figure, heatMap(s.Marginals, sets[i].ItemNames())); err != nil {
				return nil, nil, err
			}
		}
	}
	return out, warnings, nil
}

// heatMap draws marginals with the items by their mean position.
func heatMap(marginals [][]float64, names []string) plot.HeatMap {
	o := learn.ByMeanPosition(marginals)
	return plot.HeatMap{Values: perm.Act(o, marginals), Items: perm.Act(o, names), ItemLabel: "item, by its mean position"}
}

func (a *app) printSampled(r sampled, names []string) {
	for _, o := range r.Samples {
		fmt.Fprintf(a.out, "%s\t%s\n", r.ID, strings.Join(perm.Act(o, names), " "))
	}
	a.printMarginals(r.Sampled, names)
	if c := r.Consensus; c != nil {
		best := ""
		if !c.Exact {
			best = ", a local optimum"
		}
		fmt.Fprintf(a.out, "\nconsensus  %s  (mean Kendall distance %.3f%s)\n", strings.Join(perm.Act(c.Order, names), " "), c.Distance, best)
	}
	if len(r.Top) > 0 {
		fmt.Fprintln(a.out)
		for _, f := range r.Top {
			fmt.Fprintf(a.out, "%6.2f %%  %s", 100*f.Share, strings.Join(perm.Act(f.Order, names), " "))
			if f.LogProb != nil {
				fmt.Fprintf(a.out, "  log p %.3f ± %.3f", *f.LogProb, *f.StdErr)
			}
			fmt.Fprintln(a.out)
		}
	}
	if e := r.Entropy; e != nil {
		fmt.Fprintf(a.out, "\nentropy  %.3f ± %.3f nats (of all orders alike %.3f)\n", e.Mean, e.StdErr, e.Uniform)
	}
}

func (a *app) printMarginals(s learn.Sampled, names []string) {
	fmt.Fprintf(a.out, "\nset %s: share of the samples with the item at the position\n", s.ID)
	header := []string{"item"}
	for i := range names {
		header = append(header, fmt.Sprint(i))
	}
	var rows [][]string
	for k, row := range s.Marginals {
		cells := []string{names[k]}
		for _, p := range row {
			cells = append(cells, fmt.Sprintf("%.2f", p))
		}
		rows = append(rows, cells)
	}
	table(a.out, header, rows)
}
