package evaluate

import (
	"math"
	"slices"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/metric"
	"github.com/riffle-ml/riffle/task"
)

// columns gathers the figures of sets by the keys of their measures.
type columns map[string][]float64

// add adds the figures of a set that counts so often.
func (c columns) add(figures task.Figures, count int) {
	for key, v := range figures {
		c[key] = append(c[key], slices.Repeat([]float64{v}, count)...)
	}
}

// figures sums up by measures; those that no set has are left out.
func (c columns) figures(measures []task.Measure, seed uint64, paper *config.Paper) ([]Figure, error) {
	var out []Figure
	for _, m := range measures {
		values := c[m.Key]
		if len(values) == 0 {
			continue
		}
		f := Figure{Measure: m, Paper: paper.Figure(m.Key)}
		if m.Plain {
			sum := 0.0
			for _, v := range values {
				sum += v
			}
			f.Value = number(sum / float64(len(values)))
		} else {
			mean, err := metric.Bootstrap(values, 0, seed)
			if err != nil {
				return nil, err
			}
			if m.Root { // all sets have as much behind a square: their mean is that of all
				mean.Mean, mean.Low, mean.High = math.Sqrt(mean.Mean), math.Sqrt(mean.Low), math.Sqrt(mean.High)
			}
			f.Interval = &mean
		}
		out = append(out, f)
	}
	return out, nil
}

func number(v float64) *learn.Nats {
	n := learn.Nats(v)
	return &n
}
