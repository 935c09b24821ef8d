package figures

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/riffle-ml/riffle/internal/hint"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/plot"
	"github.com/riffle-ml/riffle/run"
)

// mostPlotted is the largest file of results that is drawn, in bytes.
const mostPlotted = 256 << 20

// File draws what a file of results holds, beside it and under its name. The file is a run's log or
// calibration, or what riffle sample --json prints.
func (w *Writer) File(path string) (warnings []string, err error) {
	data, err := readResults(path)
	if err != nil {
		return nil, err
	}
	base := strings.TrimSuffix(path, filepath.Ext(path))
	var head struct {
		Loss      json.RawMessage `json:"loss"`
		Event     *string         `json:"event"`
		Pairs     json.RawMessage `json:"pairs"`
		Marginals json.RawMessage `json:"marginals"`
	}
	// The first value tells; a log may be torn further down.
	err = json.NewDecoder(bytes.NewReader(data)).Decode(&head)
	switch {
	case errors.Is(err, io.EOF):
		return nil, fmt.Errorf("%s: is empty, wanted %s", path, plottable)
	case err != nil:
		return nil, fmt.Errorf("%s: has nothing that is known to draw, wanted %s (begins with %.20q)", path, plottable, bytes.TrimSpace(data))
	case head.Pairs != nil:
		figure, err := calibration(path, data)
		if err != nil {
			return nil, err
		}
		return nil, w.save(base, figure)
	case head.Marginals != nil:
		figures, err := marginalFigures(path, data)
		if err != nil {
			return nil, err
		}
		for i, f := range figures {
			name := base
			if len(figures) > 1 { // by number: ids may be anything
				name += "-" + strconv.Itoa(i+1)
			}
			if err := w.save(name, f); err != nil {
				return nil, err
			}
		}
		return nil, nil
	case head.Loss != nil || head.Event != nil:
		steps, events, warnings, err := run.ReadMetrics(path)
		if err != nil {
			return nil, err
		}
		return warnings, w.log(path, steps, events, base+"-training", base)
	}
	return nil, fmt.Errorf("%s: has nothing that is known to draw, wanted %s", path, plottable)
}

const plottable = "a run's metrics.jsonl or calibration.json, or what riffle sample --json prints"

// readResults reads a file that is not absurdly large. What is no regular file, such as a
// device, has no size to trust.
func readResults(path string) ([]byte, error) {
	if info, err := os.Stat(path); err == nil && info.Mode()&os.ModeNamedPipe != 0 {
		return nil, fmt.Errorf("%s: is a pipe, wanted a file: the picture gets its name", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read from
	data, err := io.ReadAll(io.LimitReader(f, mostPlotted+1))
	if err != nil {
		return nil, err
	}
	if len(data) > mostPlotted {
		return nil, fmt.Errorf("%s: is larger than %d bytes", path, mostPlotted)
	}
	return data, nil
}

// marginalFigures draws the marginals of each set that riffle sample --json printed.
func marginalFigures(path string, data []byte) (figures []plot.Figure, err error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	for n := 1; ; n++ {
		var s learn.Sampled
		err := dec.Decode(&s)
		if errors.Is(err, io.EOF) {
			return figures, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: set %d: is not what riffle sample --json prints", path, n)
		}
		for _, row := range s.Marginals {
			if len(row) != len(s.Marginals) {
				return nil, fmt.Errorf("%s: set %d: marginals: wanted %d numbers in each row, one a position (got %d)", path, n, len(s.Marginals), len(row))
			}
		}
		if len(s.Marginals) == 0 {
			return nil, fmt.Errorf("%s: set %d: marginals: is empty", path, n)
		}
		if n > mostFigures {
			return nil, hint.Errorf(fmt.Sprintf("head -n %d", mostFigures), "%s: has more than %d sets, each a picture", path, mostFigures)
		}
		names := make([]string, len(s.Marginals))
		for k := range names {
			names[k] = strconv.Itoa(k)
		}
		figures = append(figures, Marginals(s.Marginals, names))
	}
}

// mostFigures is how many pictures one file may become.
const mostFigures = 100

// Marginals draws marginals with the items by their mean position.
func Marginals(marginals [][]float64, names []string) plot.HeatMap {
	o := learn.ByMeanPosition(marginals)
	return plot.HeatMap{Values: perm.Act(o, marginals), Items: perm.Act(o, names), ItemLabel: "item, by its mean position"}
}
