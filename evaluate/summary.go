package evaluate

import (
	"math"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/metric"
	"github.com/riffle-ml/riffle/task"
)

// columns gathers the figures of sets by the keys of their measures.
type columns map[string]*column

// column are the values of a measure, and how often each counts.
type column struct {
	values []float64
	counts []int
}

// add adds the figures of a set that counts so often.
func (c columns) add(figures task.Figures, count int) {
	for key, v := range figures {
		if c[key] == nil {
			c[key] = &column{}
		}
		c[key].values, c[key].counts = append(c[key].values, v), append(c[key].counts, count)
	}
}

// interval is the mean of those who gave the sets.
func (c *column) interval(seed uint64) (metric.Interval, error) {
	return metric.BootstrapCounts(c.values, c.counts, 0, seed)
}

// mean is that of [column.interval] alone.
func (c *column) mean() float64 {
	sum, all := 0.0, 0
	for i, v := range c.values {
		sum, all = sum+float64(c.counts[i])*v, all+c.counts[i]
	}
	return sum / float64(all)
}

// figures sums up by measures; those that no set has are left out.
func (c columns) figures(measures []task.Measure, seed uint64, paper *config.Paper) ([]Figure, error) {
	var out []Figure
	for _, m := range measures {
		values := c[m.Key]
		if values == nil {
			continue
		}
		f := Figure{Measure: m, Paper: paper.Figure(m.Key)}
		if m.Plain {
			f.Value = number(values.mean())
		} else {
			mean, err := values.interval(seed)
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
