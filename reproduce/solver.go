package reproduce

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/metric"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/task"
	"github.com/riffle-ml/riffle/task/tasks"
	"github.com/riffle-ml/riffle/task/tour"
	"github.com/riffle-ml/riffle/tsp"
)

// Instances is how many test instances the tables of tours have (paper appendix, TSP).
const Instances = 1280

// Solved is the eval.json of a solver's row.
type Solved struct {
	Sets   int             `json:"sets"`
	Seed   uint64          `json:"seed"`
	Length metric.Interval `json:"length"`
	Gap    metric.Interval `json:"gap"`
}

// Solve is the row of a solver: "exact", or "2-opt" from five random starts, on the instances
// that a model of n cities is tested on. Gaps are to the instances' labels.
func Solve(ctx context.Context, solver string, n int, seed uint64) (*Solved, error) {
	cfg := config.Default()
	cfg.Task, cfg.Model.Encoder, cfg.Seed = config.Task{Name: tour.Kind.Name, N: n}, "points", seed
	work, err := tasks.New(&cfg)
	if err != nil {
		return nil, err
	}
	ex, err := work.Examples(task.Test, 0, Instances)
	if err != nil {
		return nil, err
	}
	var lengths, gaps []float64
	for i, points := range ex.Look.Points {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		x, err := tsp.New(points, tsp.Euclidean)
		if err != nil {
			return nil, err
		}
		var found perm.Order
		switch solver {
		case "exact":
			limit, cancel := context.WithTimeout(ctx, time.Minute)
			found, _, _ = tsp.Exact(limit, x)
			cancel()
		case "2-opt":
			found = tsp.TwoOptStarts(x, 5, rand.New(rand.NewPCG(seed, uint64(i))))
		default:
			return nil, fmt.Errorf("solver %q: wanted exact or 2-opt", solver)
		}
		gap, err := metric.Gap(x.Length(found), ex.Judge.(task.Pricer).Best(i))
		if err != nil {
			return nil, err
		}
		lengths, gaps = append(lengths, x.Length(found)), append(gaps, gap)
	}
	length, err := metric.Bootstrap(lengths, 0, seed)
	if err != nil {
		return nil, err
	}
	gap, err := metric.Bootstrap(gaps, 0, seed)
	return &Solved{Sets: Instances, Seed: seed, Length: length, Gap: gap}, err
}
