package tour

import (
	"github.com/riffle-ml/riffle/metric"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/task"
	"github.com/riffle-ml/riffle/tsp"
)

// measures are of tours. Lengths are in the units of the instances. The gap is the mean of (length
// − best)/best.
var measures = []task.Measure{
	{Key: "tour.length", Label: "tour length", Digits: 4, Table: 3},
	{Key: "tour.gap", Label: "gap", Unit: "%", Digits: 3, Table: 2, Log: "gap", Better: -1},
	{Key: "tour.length_2opt", Label: "tour length, with 2-opt", Digits: 4, Table: 3},
	{Key: "tour.gap_2opt", Label: "gap, with 2-opt", Unit: "%", Digits: 3, Table: 2},
	{Key: "tour.best", Label: "shortest length", Digits: 4},
}

// Measures implements [task.Task].
func (t *Task) Measures() []task.Measure { return measures }

// judge knows the shortest tours. A tour is exact if it is as short, whichever way round.
type judge struct {
	task.One
	points [][][2]float64
	best   []float64
}

// Places implements [task.Judge].
func (j *judge) Places(int) (perm.Order, bool, error) { return nil, false, task.ErrNoPlaces }

// Cost implements [task.Pricer].
func (j *judge) Cost(set int, o perm.Order) float64 { return tsp.Length(j.points[set], o) }

// Best implements [task.Pricer].
func (j *judge) Best(set int) float64 { return j.best[set] }

// Figures implements [task.Judge].
func (j *judge) Figures(set int, o perm.Order) (task.Figures, error) {
	length := j.Cost(set, o)
	gap, err := metric.Gap(length, j.best[set])
	return task.Figures{"tour.length": length, "tour.gap": gap, "tour.best": j.best[set]}, err
}

// Finished implements [task.Finisher], by 2-opt.
func (j *judge) Finished(set int, o perm.Order) (task.Figures, error) {
	x, err := tsp.New(j.points[set], tsp.Euclidean)
	if err != nil {
		return nil, err
	}
	length := j.Cost(set, tsp.TwoOpt(x, o))
	gap, err := metric.Gap(length, j.best[set])
	return task.Figures{"tour.length_2opt": length, "tour.gap_2opt": gap}, err
}
