package ranking

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/run"
	"github.com/riffle-ml/riffle/task"
)

// Scale is how features are brought to the network: (x − Mean)/Deviation, cut off at ±[cutOff],
// or, where there are Knots, by linear interpolation of their Scores. A feature that is constant
// in the training part has deviation 0 and becomes 0.
type Scale struct {
	Mean      []float64 `json:"mean"`
	Deviation []float64 `json:"deviation"`
	// Knots are values of each feature in the training part, ascending, and Scores their normal
	// scores: with task.scale "quantile", else nil.
	Knots  [][]float64 `json:"knots,omitempty"`
	Scores [][]float64 `json:"scores,omitempty"`
	// Low and High are the range of each feature in the training part, nil in runs from before
	// it was kept.
	Low  []float64 `json:"low,omitempty"`
	High []float64 `json:"high,omitempty"`
	// Features are the names of features, where the data has some; Sparse is whether they have
	// numbers instead, from First on.
	Features []string `json:"features,omitempty"`
	Sparse   bool     `json:"sparse,omitempty"`
	First    int      `json:"first,omitempty"`
	// Names are those of bare items, where the data has some.
	Names []string `json:"names,omitempty"`
	// Dealt is "content" where lists were dealt out by what they hold, "" in runs from before.
	Dealt string `json:"dealt,omitempty"`
}

// cutOff bounds standardised features: one value of 1e30 must not be all that a network sees.
const cutOff = 10

// measure finds the scale of the training part's features, in one pass by Welford's method.
// Values beyond ±1e30, which stand for what is missing or are slips, are left out.
func (r *Task) measure() error {
	if r.config.Items != "features" {
		return nil
	}
	width := r.config.Features
	mean, square, count := make([]float64, width), make([]float64, width), make([]float64, width)
	low, high := slices.Repeat([]float64{math.Inf(1)}, width), slices.Repeat([]float64{math.Inf(-1)}, width)
	for _, s := range r.parts[task.Train].sets {
		for k := range s.Items {
			for j, v := range s.Items[k].Features {
				if math.IsNaN(v) { // empty
					continue
				}
				low[j], high[j] = min(low[j], bounded(v)), max(high[j], bounded(v))
				if v != bounded(v) {
					continue
				}
				count[j]++
				d := v - mean[j]
				mean[j] += d / count[j]
				square[j] += d * (v - mean[j])
			}
		}
	}
	r.scale.Mean, r.scale.Deviation, r.scale.Low, r.scale.High = mean, make([]float64, width), low, high
	for j := range width {
		d := math.Sqrt(square[j] / max(1, count[j]))
		if d > 1e-12*math.Abs(mean[j]) { // else constant but for rounding
			r.scale.Deviation[j] = d
		}
	}
	if r.config.Scale == "quantile" {
		r.quantiles()
	}
	return r.fillMeans(count)
}

func bounded(v float64) float64 { return min(1e30, max(-1e30, v)) }

// input is a feature as the network sees it.
func (s *Scale) input(j int, v float64) float32 {
	if s.Knots != nil {
		return s.quantile(j, v)
	}
	if s.Deviation[j] == 0 {
		return 0
	}
	return float32(min(cutOff, max(-cutOff, (bounded(v)-s.Mean[j])/s.Deviation[j])))
}

// Keep writes what a model needs of the data besides its weights into a run's directory.
func (r *Task) Keep(dir *run.Dir) error {
	if err := r.load(); err != nil {
		return err
	}
	return dir.WriteFile(run.ItemsFile, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", " ")
		return e.Encode(r.scale)
	})
}

// Restore reads what [Task.Keep] wrote, if it is there.
func (r *Task) Restore(dir *run.Dir) error {
	data, err := dir.ReadFile(run.ItemsFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // a run that made no step
	}
	if err != nil {
		return err
	}
	return r.parseScale(data, dir.File(run.ItemsFile))
}

// readScale reads what [Task.Keep] wrote to the file path.
func readScale(data []byte, path string) (*Scale, error) {
	s := &Scale{}
	if err := json.Unmarshal(data, s); err != nil {
		return nil, fmt.Errorf("%s: is damaged: is not what riffle writes there", path)
	}
	return s, nil
}

// parseScale takes what [Task.Keep] wrote to the file path.
func (r *Task) parseScale(data []byte, path string) error {
	s, err := readScale(data, path)
	if err != nil {
		return err
	}
	for j, d := range s.Deviation {
		if d < 0 {
			return fmt.Errorf("%s: deviation %d is %g, wanted 0 or more", path, j, d)
		}
	}
	if r.config.Items == "features" && (len(s.Low) != len(s.High) || s.Low != nil && len(s.Low) != r.config.Features || s.Features != nil && len(s.Features) != r.config.Features) {
		return fmt.Errorf("%s: has %d and %d ends of ranges and %d names, wanted %s = %d of each", path, len(s.Low), len(s.High), len(s.Features), config.TaskFeatures, r.config.Features)
	}
	if r.config.Items == "features" && (len(s.Mean) != r.config.Features || len(s.Deviation) != r.config.Features) {
		return fmt.Errorf("%s: has %d means and %d deviations, wanted %s = %d of both", path, len(s.Mean), len(s.Deviation), config.TaskFeatures, r.config.Features)
	}
	if r.config.Items == "features" {
		if err := s.checkKnots(r.config.Features, r.config.Scale == "quantile"); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	r.scale = s
	return nil
}
