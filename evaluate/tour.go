package evaluate

import "github.com/riffle-ml/riffle/metric"

// Tour is how long tours are, beside what [Result] says of all sets: there a tour is exact that
// is as short as the reference, whichever way round.
type Tour struct {
	Length metric.Interval `json:"length"` // mean, in the units of the instances
	Best   metric.Interval `json:"best"`   // that of the references
	Gap    metric.Interval `json:"gap"`    // mean of (length − best)/best, percent
}

// tours gathers what [Tour] sums up.
type tours struct{ length, best, gap []float64 }

func (t *tours) add(length, best float64) error {
	gap, err := metric.Gap(length, best)
	t.length, t.best, t.gap = append(t.length, length), append(t.best, best), append(t.gap, gap)
	return err
}

func (t *tours) result(seed uint64) (*Tour, error) {
	if t.length == nil {
		return nil, nil
	}
	r := &Tour{}
	for _, x := range []struct {
		to   *metric.Interval
		from []float64
	}{{&r.Length, t.length}, {&r.Best, t.best}, {&r.Gap, t.gap}} {
		var err error
		if *x.to, err = metric.Bootstrap(x.from, 0, seed); err != nil {
			return nil, err
		}
	}
	return r, nil
}
