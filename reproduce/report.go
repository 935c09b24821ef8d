package reproduce

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/metric"
	"github.com/riffle-ml/riffle/run"
)

// Outcome is what a row's folder holds: eval.json and row.json.
type Outcome struct {
	Sets         int             `json:"sets"`
	Seed         uint64          `json:"seed"`
	Engine       string          `json:"engine"`
	TrainSteps   int             `json:"train_steps"`
	TrainSeconds float64         `json:"train_seconds"`
	Exact        metric.Interval `json:"exact"`
	Correct      metric.Interval `json:"correct"`
	KendallTau   metric.Interval `json:"kendall_tau_lists"`
	// Those of puzzles, of samplers that may give no permutation, and of tours.
	UpToTwins    *metric.Interval `json:"-"`
	RMSE         *metric.Interval `json:"-"`
	MAE          *metric.Interval `json:"-"`
	Permutations *metric.Interval `json:"permutations"`
	Length       *metric.Interval `json:"length"`
	Gap          *metric.Interval `json:"gap"`
	Tour         *struct {
		Length metric.Interval `json:"length"`
		Gap    metric.Interval `json:"gap"`
	} `json:"tour"`
	Puzzle *struct {
		ExactAlike metric.Interval `json:"exact_alike"`
		RMSE       metric.Interval `json:"rmse"`
		MAE        metric.Interval `json:"mae"`
	} `json:"puzzle"`
	About About `json:"-"`
}

// About is row.json: how a row came to be.
type About struct {
	Machine string   `json:"machine"`
	Preset  string   `json:"preset"`
	Set     []string `json:"set"`
	Full    bool     `json:"full"`
}

// AboutFile is the file in a row's folder that holds its [About].
const AboutFile = "row.json"

// Folder is where a row is kept under the folder of all runs.
func Folder(runs string, t Table, r Row) string { return filepath.Join(runs, t.Name, r.Name) }

// Load reads a row's outcome, nil where the row has not been run to its end.
func Load(dir string) (*Outcome, error) {
	var o Outcome
	for _, f := range []struct {
		name string
		to   any
	}{{run.EvalFile, &o}, {AboutFile, &o.About}} {
		data, err := run.ReadIn(dir, f.name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(data, f.to); err != nil {
			return nil, fmt.Errorf("%s: is damaged: is not what riffle writes there", filepath.Join(dir, f.name))
		}
	}
	if t := o.Tour; t != nil {
		o.Length, o.Gap = &t.Length, &t.Gap
	}
	if p := o.Puzzle; p != nil {
		o.UpToTwins, o.RMSE, o.MAE = &p.ExactAlike, &p.RMSE, &p.MAE
	}
	return &o, nil
}

// column is a metric: how it is printed, and where the paper's figure and ours are.
type column struct {
	title, format string
	paper         func(*config.Paper) *float64
	ours          func(*Outcome) *metric.Interval
}

var columns = []column{
	{"exact %", "%.2f", func(p *config.Paper) *float64 { return p.Exact }, func(o *Outcome) *metric.Interval { return unlessTour(o, &o.Exact) }},
	{"exact % up to indistinguishable", "%.2f", nil, func(o *Outcome) *metric.Interval { return o.UpToTwins }},
	{"correct %", "%.2f", func(p *config.Paper) *float64 { return p.Correct }, func(o *Outcome) *metric.Interval { return unlessTour(o, &o.Correct) }},
	{"Kendall tau (lists)", "%.3f", func(p *config.Paper) *float64 { return p.KendallTau }, func(o *Outcome) *metric.Interval { return unlessTour(o, &o.KendallTau) }},
	{"RMSE", "%.4f", func(p *config.Paper) *float64 { return p.RMSE }, func(o *Outcome) *metric.Interval { return o.RMSE }},
	{"MAE", "%.4f", func(p *config.Paper) *float64 { return p.MAE }, func(o *Outcome) *metric.Interval { return o.MAE }},
	{"permutations %", "%.2f", nil, func(o *Outcome) *metric.Interval { return o.Permutations }},
	{"length", "%.3f", func(p *config.Paper) *float64 { return p.Length }, func(o *Outcome) *metric.Interval { return o.Length }},
	{"gap %", "%.2f", func(p *config.Paper) *float64 { return p.Gap }, func(o *Outcome) *metric.Interval { return o.Gap }},
}

// Write writes the report on tables as Markdown: for each row the paper's figures, those
// measured under the folder runs with their 95 % intervals, and the training behind them; of
// a row that was not run, what it needs. pictures are the Markdown below a table, by its name.
func Write(w io.Writer, runs string, tables []Table, pictures map[string]string) error {
	for _, t := range tables {
		outcomes := make([]*Outcome, len(t.Rows))
		for i, r := range t.Rows {
			var err error
			if outcomes[i], err = Load(Folder(runs, t, r)); err != nil {
				return err
			}
		}
		fmt.Fprintf(w, "## %s (paper, %s)\n\n", t.Title, t.Source)
		var used []column
		for _, c := range columns {
			if t.has(c, outcomes) {
				used = append(used, c)
			}
		}
		header, rule := "| row | n |", "|---|--:|"
		for _, c := range used {
			if c.paper != nil {
				header, rule = header+fmt.Sprintf(" %s, paper |", c.title), rule+"--:|"
			}
			header, rule = header+fmt.Sprintf(" %s, ours |", c.title), rule+"--:|"
		}
		fmt.Fprintf(w, "%s training |\n%s---|\n", header, rule)
		for i, r := range t.Rows {
			fmt.Fprintf(w, "| %s | %d |", r.Label, r.N)
			for _, c := range used {
				if c.paper != nil {
					figure := ""
					if r.Paper != nil {
						if p := c.paper(r.Paper); p != nil {
							figure = fmt.Sprintf(c.format, *p)
						}
					}
					fmt.Fprintf(w, " %s |", figure)
				}
				figure := ""
				if o := outcomes[i]; o != nil {
					if v := c.ours(o); v != nil {
						figure = fmt.Sprintf(c.format+" ("+c.format+" to "+c.format+")", v.Mean, v.Low, v.High)
					}
				}
				fmt.Fprintf(w, " %s |", figure)
			}
			fmt.Fprintf(w, " %s |\n", training(t, r, outcomes[i]))
		}
		fmt.Fprintf(w, "\n%s", pictures[t.Name])
	}
	return nil
}

// unlessTour is nil for tours, which are judged by their length.
func unlessTour(o *Outcome, v *metric.Interval) *metric.Interval {
	if o.Length != nil {
		return nil
	}
	return v
}

// has reports whether a column has a figure in the table.
func (t Table) has(c column, outcomes []*Outcome) bool {
	for i, r := range t.Rows {
		if r.Paper != nil && c.paper != nil && c.paper(r.Paper) != nil {
			return true
		}
		if c.paper == nil && outcomes[i] != nil && c.ours(outcomes[i]) != nil {
			return true
		}
	}
	return false
}

func training(t Table, r Row, o *Outcome) string {
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
		return fmt.Sprintf("the model of %s, beam %d, inner %d; %d test sets", r.Of, r.Beam, r.Inner, o.Sets)
	}
	what := "quick"
	if o.About.Full {
		what = "the paper's"
	}
	return fmt.Sprintf("%s, %d steps, %s, %s engine, %s, seed %d, %d test sets", what, o.TrainSteps, minutes(o.TrainSeconds), o.Engine, o.About.Machine, o.Seed, o.Sets)
}

func minutes(seconds float64) string {
	return time.Duration(seconds * float64(time.Second)).Round(time.Second).String()
}
