package reproduce

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/metric"
	"github.com/riffle-ml/riffle/run"
	"github.com/riffle-ml/riffle/task"
	"github.com/riffle-ml/riffle/task/tasks"
)

// Outcome is what a row's folder holds: eval.json and row.json.
type Outcome struct {
	Sets         int     `json:"sets"`
	Seed         uint64  `json:"seed"`
	Engine       string  `json:"engine"`
	TrainSteps   int     `json:"train_steps"`
	TrainSeconds float64 `json:"train_seconds"`
	// Figures are by the keys of measures.
	Figures map[string]metric.Interval `json:"-"`
	About   About                      `json:"-"`
}

// About is row.json: how a row came to be.
type About struct {
	Machine string   `json:"machine"`
	Preset  string   `json:"preset"`
	Set     []string `json:"set"`
	Full    bool     `json:"full"`
	// From is the row whose weights the training began with, Before how long that was trained, in seconds.
	From   string  `json:"from,omitempty"`
	Before float64 `json:"before,omitempty"`
}

// AboutFile is the file in a row's folder that holds its [About].
const AboutFile = "row.json"

// Folder is where a row is kept under the folder of all runs.
func Folder(runs string, t Table, r Row) string { return filepath.Join(runs, t.Name, r.Name) }

// Load reads a row's outcome, nil where the row has not been run to its end.
func Load(dir string) (*Outcome, error) {
	o := Outcome{Figures: map[string]metric.Interval{}}
	for _, f := range []struct {
		name string
		to   func(data []byte) error
	}{
		{run.EvalFile, func(data []byte) error { return errors.Join(json.Unmarshal(data, &o), o.read("", data)) }},
		{AboutFile, func(data []byte) error { return json.Unmarshal(data, &o.About) }},
	} {
		data, err := run.ReadIn(dir, f.name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		if err := f.to(data); err != nil {
			return nil, fmt.Errorf("%s: is damaged: is not what riffle writes there", filepath.Join(dir, f.name))
		}
	}
	return &o, nil
}

// read takes the intervals of an object in eval.json, whose keys begin with prefix.
func (o *Outcome) read(prefix string, data []byte) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return err
	}
	for key, value := range fields {
		var inner map[string]json.RawMessage
		if json.Unmarshal(value, &inner) != nil || inner == nil {
			continue // no object
		}
		if _, is := inner["mean"]; !is {
			if prefix == "" { // keys have two parts at most
				if err := o.read(key+".", value); err != nil {
					return err
				}
			}
			continue
		}
		var interval metric.Interval
		if err := json.Unmarshal(value, &interval); err != nil {
			return err
		}
		switch key = prefix + key; key {
		case "length", "gap": // of a solver's row
			key = "tour." + key
		}
		o.Figures[key] = interval
	}
	return nil
}

// Write writes the report on tables as Markdown. It begins with a summary. Each row has the paper's
// figures, those measured under the folder runs with their 95 % intervals, and the training behind them.
// Of a row that was not run it says what that needs. pictures are the Markdown below a table, by its
// name.
func Write(w io.Writer, runs string, tables []Table, pictures map[string]string) error {
	fmt.Fprint(w, "# The paper's tables\n\nWritten by `riffle reproduce --runs DIR --report FILE`. Figures of ours have 95 % bootstrap intervals over test sets.\n\n")
	all := make([][]*Outcome, len(tables))
	for i, t := range tables {
		for _, r := range t.Rows {
			o, err := Load(Folder(runs, t, r))
			if err != nil {
				return err
			}
			all[i] = append(all[i], o)
		}
	}
	summary(w, tables, all)
	for i, t := range tables {
		outcomes := all[i]
		fmt.Fprintf(w, "## %s (paper, %s)\n\n", t.Title, t.Source)
		used := t.columns(outcomes)
		header, rule := "| row | n |", "|---|--:|"
		for _, m := range used {
			if config.InPaper(m.Key) {
				header, rule = header+fmt.Sprintf(" %s, paper |", m.Title()), rule+"--:|"
			}
			header, rule = header+fmt.Sprintf(" %s, ours |", m.Title()), rule+"--:|"
		}
		fmt.Fprintf(w, "%s training |\n%s---|\n", header, rule)
		for i, r := range t.Rows {
			fmt.Fprintf(w, "| %s | %d |", r.Label, r.N)
			for _, m := range used {
				format := fmt.Sprintf("%%.%df", m.Table)
				if config.InPaper(m.Key) {
					figure := ""
					if p := r.Paper.Figure(m.Key); p != nil {
						figure = fmt.Sprintf(format, *p)
					}
					fmt.Fprintf(w, " %s |", figure)
				}
				figure := ""
				if o := outcomes[i]; o != nil {
					if v, ok := o.Figures[m.Key]; ok {
						figure = withInterval(format, v)
					}
				}
				fmt.Fprintf(w, " %s |", figure)
			}
			fmt.Fprintf(w, " %s |\n", trainedHow(t, r, outcomes[i]))
		}
		fmt.Fprintln(w)
		spread(w, t, outcomes)
		fmt.Fprint(w, pictures[t.Name])
	}
	return nil
}

// columns are the measures that a table has. They are those that the paper reports of some row, and
// those that only our rows have.
func (t Table) columns(outcomes []*Outcome) (used []task.Measure) {
	for _, m := range append(tasks.Measures(), task.Permutations) {
		for i, r := range t.Rows {
			has := r.Paper.Figure(m.Key) != nil
			if o := outcomes[i]; o != nil && !config.InPaper(m.Key) {
				_, has = o.Figures[m.Key]
			}
			if has && m.Table > 0 {
				used = append(used, m)
				break
			}
		}
	}
	return used
}

func trainedHow(t Table, r Row, o *Outcome) string {
	if o == nil {
		need := ""
		if r.Needs != "" {
			need = "needs " + r.Needs + "; "
		}
		return fmt.Sprintf("not run: %s`riffle reproduce %s --rows %s`", need, t.Name, r.Name)
	}
	if r.Solver != "" {
		return fmt.Sprintf("none; %d instances, seed %d, %s", o.Sets, o.Seed, o.About.Machine)
	}
	if r.Of != "" && !o.About.Full {
		return fmt.Sprintf("the model of %s, %s; %d test sets", r.Of, strings.Join(r.Set, ", "), o.Sets)
	}
	what := "quick"
	if o.About.Full {
		what = "the paper's"
	}
	if o.About.From != "" {
		what += fmt.Sprintf(", from %s after %s", o.About.From, minutes(o.About.Before))
	}
	return fmt.Sprintf("%s, %d steps, %s, %s engine, %s, seed %d, %d test sets", what, o.TrainSteps, minutes(o.TrainSeconds), o.Engine, o.About.Machine, o.Seed, o.Sets)
}

func minutes(seconds float64) string {
	return time.Duration(seconds * float64(time.Second)).Round(time.Second).String()
}
