package evaluate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/internal/text"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/metric"
	"github.com/riffle-ml/riffle/task"
)

// Result is how well a model orders sets: a list of figures, in the order in which they are told.
type Result struct {
	Sets   int
	Lists  int // of ranked lists: those who gave the sets; else 0
	N      int
	Step   int
	Seed   uint64
	Decode learn.DecodeOptions
	// Figures are in percent where they are shares; the intervals are 95 % bootstrap intervals over
	// sets.
	Figures []Figure
	Details []task.Detail // what is kept beside them
	Below   []Section     // what is told below them
	Notes   []string      // what is told beside them
	Method  string
	Engine  string
	Seconds float64
	// Warnings are those of the model, see [learn.Model.Warnings], and then those of the test.
	Warnings []string
	// TrainSeconds is how long the model was trained, and Paper what the paper reports of it.
	TrainSeconds float64
	Paper        *config.Paper
}

// Figure is a measure with its value: an interval or, where there is none, a number. Neither is
// there where it has none.
type Figure struct {
	task.Measure
	Interval *metric.Interval
	Value    *learn.Nats
	Paper    *float64 // what the paper reports, nil for nothing
}

// Section is a text, and a table where it has rows.
type Section struct {
	Text   string
	Header []string
	Rows   [][]string
}

// Figure returns the interval of a key, nil where the result has none.
func (r *Result) Figure(key string) *metric.Interval {
	for _, f := range r.Figures {
		if f.Key == key {
			return f.Interval
		}
	}
	return nil
}

// Mean is the mean of a key, NaN where the result has none.
func (r *Result) Mean(key string) float64 {
	if v := r.Figure(key); v != nil {
		return v.Mean
	}
	return math.NaN()
}

// logged are the figures that the log of a training keeps.
func (r *Result) logged() map[string]any {
	fields := map[string]any{}
	for _, f := range r.Figures {
		if f.Log != "" && f.Interval != nil {
			fields[f.Log] = f.Interval.Mean
		}
	}
	return fields
}

// MarshalJSON implements json.Marshaler: figures and details stand at the paths of their keys.
func (r *Result) MarshalJSON() ([]byte, error) {
	o := &object{}
	o.put("sets", r.Sets)
	o.put("n", r.N)
	o.put("step", r.Step)
	o.put("seed", r.Seed)
	o.put("decode", r.Decode)
	for _, f := range r.Figures {
		switch {
		case f.Key == "":
		case f.Interval != nil:
			o.put(f.Key, f.Interval)
		case f.Value != nil:
			o.put(f.Key, f.Value)
		}
	}
	for _, d := range r.Details {
		o.put(d.Key, d.Value)
	}
	o.put("method", r.Method)
	o.put("engine", r.Engine)
	o.put("seconds", r.Seconds)
	o.put("sets_per_second", r.Rate())
	if len(r.Warnings) > 0 {
		o.put("warnings", r.Warnings)
	}
	o.put("train_steps", r.Step)
	o.put("train_seconds", r.TrainSeconds)
	if r.Paper != nil {
		o.put("paper", r.Paper)
	}
	return o.MarshalJSON()
}

// Rate is how many sets were ordered a second.
func (r *Result) Rate() float64 { return float64(r.Sets) / r.Seconds }

// object is a JSON object that keeps the order of its keys.
type object struct {
	keys   []string
	values map[string]any
}

// put sets the value at a path.
func (o *object) put(path string, v any) {
	key, rest, deeper := strings.Cut(path, ".")
	if o.values == nil {
		o.values = map[string]any{}
	}
	if _, there := o.values[key]; !there {
		o.keys = append(o.keys, key)
		if deeper {
			o.values[key] = &object{}
		}
	}
	if deeper {
		o.values[key].(*object).put(rest, v)
		return
	}
	o.values[key] = v
}

// MarshalJSON implements json.Marshaler.
func (o *object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, key := range o.keys {
		value, err := json.Marshal(o.values[key])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%q:%s", key, value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// Table are the figures as a table: the measure, its mean and interval and, where the paper has
// figures of the experiment, its own.
func (r *Result) Table() (header []string, rows [][]string) {
	header = []string{"metric", "ours", "95 % interval"}
	if r.Paper != nil {
		header = append(header, "paper")
	}
	for _, f := range r.Figures {
		if f.Label == "" {
			continue
		}
		row := make([]string, len(header))
		row[0] = f.Title()
		format := fmt.Sprintf("%%.%df", f.Digits)
		switch {
		case f.Interval != nil:
			row[1], row[2] = text.Rounded(format, f.Interval.Mean), text.Rounded(format, f.Interval.Low)+" to "+text.Rounded(format, f.Interval.High)
		case f.Value == nil:
			row[1] = "none"
		case f.Unit == task.Share:
			row[1] = fmt.Sprintf(format, 100*float64(*f.Value))
		default:
			row[1] = fmt.Sprintf(format, *f.Value)
		}
		if f.Paper != nil {
			row[3] = fmt.Sprintf(format, *f.Paper)
		}
		rows = append(rows, row)
	}
	return header, rows
}

// Headline says of what sets the figures are, how orders were found, and how the model was trained.
func (r *Result) Headline() string {
	size := fmt.Sprintf("sets of %d", r.N)
	if r.Lists > 0 {
		size = fmt.Sprintf("different lists of up to %d, %s in all", r.N, text.Thousands(r.Lists))
	}
	trained := text.Clock(time.Duration(r.TrainSeconds * float64(time.Second)))
	return fmt.Sprintf("%s %s, %s; %s engine, %.0f sets/s; trained %s steps, %s; seed %d", text.Thousands(r.Sets), size, r.Decoding(), r.Engine, r.Rate(), text.Thousands(r.Step), trained, r.Seed)
}

// Short says in a line what a check in training found.
func (r *Result) Short() string {
	correct := ""
	if c := r.Figure("correct"); c != nil {
		correct = fmt.Sprintf("  correct %5.1f %%", c.Mean)
	}
	return fmt.Sprintf("exact %5.1f %%%s  tau %.3f  (%d sets)", r.Mean("exact"), correct, r.Mean("kendall_tau"), r.Sets)
}

// Decoding says how the orders were found.
func (r *Result) Decoding() string {
	how := r.Decode.Method
	if how == "beam" {
		how = fmt.Sprintf("beam %d, inner %d", r.Decode.Beam, r.Decode.Inner)
	}
	if r.Decode.Symmetries > 1 {
		how += fmt.Sprintf(", %d copies", r.Decode.Symmetries)
	}
	if r.Method != "diffusion" {
		how = r.Method
	}
	return how
}
