package figures

import (
	"github.com/riffle-ml/riffle/plot"
	"github.com/riffle-ml/riffle/shuffle"
)

// TV computes what the paper's figure of distances shows.
func TV(s shuffle.Schedule) plot.TVFigure {
	last := s.T + 3
	f := plot.TVFigure{N: s.N, T: s.T, Steps: s.Steps, TVUniform: make([]float64, last+1), TVBetween: make([][]float64, s.T+1)}
	for t := range f.TVUniform {
		f.TVUniform[t] = shuffle.TVUniform(s.N, t)
	}
	for t := range f.TVBetween {
		f.TVBetween[t] = make([]float64, s.T+1)
		for u := range f.TVBetween[t] {
			f.TVBetween[t][u] = shuffle.TVBetween(s.N, t, u)
		}
	}
	return f
}
