package main

import (
	"cmp"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/internal/text"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/question"
)

func (a *app) scoreCommand() *cobra.Command {
	var engineSpec string
	var q question.Score
	var stream streamFlags
	cmd := &cobra.Command{
		Use:   "score DIR INPUT",
		Short: "log p of given orders, and a lower bound on it, in nats",
		Long: `score estimates log p, the log-probability that the model of DIR gives to the sets' orders, and
bounds it from below. All figures are in nats. bound is the variational bound, the mean over random
forward trajectories. stderr is the standard error of that mean. uniform is −log n!, what knowing
nothing scores. stderr and ± are – for one draw, which has no spread.

Of at most five objects log p is the sum over all ways, ± 0. Of more it is the importance estimate
by the same trajectories. In expectation it lies between the bound and the true log p, and more
--draws bring it nearer. It misses ways that the shuffles cannot make. A
step of few riffles does not make all orders, but a model that was hardly trained gives all of them
some probability. effective is how many trajectories count. Near 1, one outweighs all others, and
log p ± says little. All orders together are certain: they score 0 ± 0. An estimate above 0 is made
0, with a warning.

Every set needs an order. One with ties, or with items that have no place ("levels" in JSONL),
stands for all orders consistent with it. log p is then the log of their summed probability, and
uniform the log of their share. Trajectories begin at orders drawn among them.

log p is that of the model without rules. A set that has constraints is scored so too, with a
warning.

` + inputHelp,
		Example: `  riffle score runs/sort9 sets.jsonl --draws 64
  riffle score runs/votes votes.toc --draws 256
  riffle score runs/sort9 - --json < sets.jsonl > scores.jsonl`,
		Args: exactly("DIR", "INPUT"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := cmp.Or(usage(cmd, q.Check()), stream.needsJSON(cmd, a.json)); err != nil {
				return err
			}
			in, err := a.open(args[1])
			if err != nil {
				return err
			}
			lines := text.Rows{Header: []string{"set", "bound", "stderr", "log p", "±", "effective", "uniform"}}
			return ask(a, cmd, &stream, args, engineSpec, setsOf(in), asker[learn.Scored]{ask: q.Ask, print: func(answers []learn.Scored, _ []*dataset.Set) {
				var rows [][]string
				for _, r := range answers {
					row := []string{r.ID}
					for _, v := range []learn.Nats{r.Bound, r.StdErr, r.LogProb, r.LogProbStdErr} {
						row = append(row, orDash("%.4f", v))
					}
					rows = append(rows, append(row, fmt.Sprintf("%.1f", r.Effective), fmt.Sprintf("%.4f", r.Uniform)))
				}
				lines.Print(a.out, rows)
			}})
		},
	}
	cmd.Flags().IntVar(&q.Draws, "draws", question.DefaultDraws, "forward trajectories a set")
	addSeed(cmd, &q.Seed, "trajectories")
	stream.add(cmd)
	addEngine(cmd, &engineSpec)
	return cmd
}

// orDash is a figure in a format, – where it is not known, as the standard error of one draw.
func orDash(format string, v learn.Nats) string {
	if math.IsNaN(float64(v)) {
		return "–"
	}
	return fmt.Sprintf(format, v)
}
