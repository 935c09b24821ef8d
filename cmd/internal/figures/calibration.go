package figures

import (
	"encoding/json"

	"github.com/riffle-ml/riffle/evaluate"
	"github.com/riffle-ml/riffle/internal/hint"
	"github.com/riffle-ml/riffle/plot"
)

// calibration draws what eval --calibration has kept in the file path; data is its content.
func calibration(path string, data []byte) (plot.Figure, error) {
	var c evaluate.Calibration
	if err := json.Unmarshal(data, &c); err != nil {
		return nil, hint.Errorf("riffle eval DIR --calibration writes it again", "%s: is damaged: is not what riffle writes there", path)
	}
	var shares, counts []plot.Series
	for _, t := range []struct {
		name string
		evaluate.CalibrationTable
	}{{"a before b", c.Pairs}, {"k at i", c.Places}} {
		share, count := plot.Series{Name: t.name}, plot.Series{Name: t.name}
		for _, b := range t.Bins {
			if b.Count > 0 {
				share.X, share.Y = append(share.X, b.Mean), append(share.Y, b.Frequency)
				count.X, count.Y = append(count.X, b.Mean), append(count.Y, float64(b.Count))
			}
		}
		if len(share.X) > 0 { // of ranked lists no place may be known
			shares, counts = append(shares, share), append(counts, count)
		}
	}
	if len(shares) == 0 {
		return nil, hint.Errorf("riffle eval DIR --calibration writes some", "%s: has no predictions", path)
	}
	return plot.Calibration(shares, counts), nil
}
