package reproduce

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/internal/text"
	"github.com/riffle-ml/riffle/metric"
	"github.com/riffle-ml/riffle/presets"
	"github.com/riffle-ml/riffle/task"
	"github.com/riffle-ml/riffle/task/tasks"
)

// How a row stands beside the paper.
const (
	ahead   = "ahead"
	level   = "level"
	behind  = "behind"
	unknown = "no figure in the paper"
	missing = "not run"
)

var standings = []string{ahead, level, behind, unknown, missing}

// Standing is how a row compares with the paper by one measure. It is ahead where the whole 95 % interval is better
// than the paper's figure, behind where all of it is worse, else level. The measure is the gap of tours, else exact
// %, else correct %, which also stands in where no order is exact in either.
type Standing struct {
	Measure task.Measure
	Paper   float64
	Ours    metric.Interval
	Is      string
}

// Stand compares a row's outcome, nil where it was not run, with the paper.
func (r Row) Stand(o *Outcome) Standing {
	if o == nil {
		return Standing{Is: missing}
	}
	for _, key := range []string{"tour.gap", "exact", "correct"} {
		paper := r.Paper.Figure(key)
		ours, has := o.Figures[key]
		if paper == nil || !has || key == "exact" && *paper == 0 && ours.High == 0 {
			continue
		}
		s := Standing{Measure: measure(key), Paper: *paper, Ours: ours, Is: level}
		above, below := ours.Low > *paper, ours.High < *paper
		if s.Measure.Better < 0 {
			above, below = below, above
		}
		switch {
		case above:
			s.Is = ahead
		case below:
			s.Is = behind
		}
		return s
	}
	return Standing{Is: unknown}
}

// summary writes how many rows of each table stand where, and why rows were not run. It lists each row
// that has a figure of the paper beside it, with the training behind both.
func summary(w io.Writer, tables []Table, outcomes [][]*Outcome) {
	fmt.Fprint(w, "## Summary\n\nA row is ahead of the paper where its whole interval is better than the paper's figure, behind where all of it is worse, else level.\n\n")
	fmt.Fprintf(w, "| table | rows | run | %s |\n|---|--:|--:|%s\n", strings.Join(standings, " | "), strings.Repeat("--:|", len(standings)))
	all := map[string]int{}
	total, needs := 0, map[string]int{}
	for i, t := range tables {
		counts, rows := map[string]int{}, 0
		for k, r := range t.Rows {
			if r.Repeats != "" {
				continue
			}
			rows++
			is := r.Stand(outcomes[i][k]).Is
			counts[is]++
			all[is]++
			if is == missing {
				needs[r.Needs]++
			}
		}
		total += rows
		countLine(w, t.Title, rows, counts)
	}
	countLine(w, "all", total, all)
	if all[missing] > 0 {
		var why []string
		for _, need := range slices.Sorted(maps.Keys(needs)) {
			if need != "" {
				why = append(why, fmt.Sprintf("%d need %s", needs[need], need))
			}
		}
		if needs[""] > 0 {
			why = append(why, fmt.Sprintf("%d had no time of a machine yet", needs[""]))
		}
		fmt.Fprintf(w, "\nOf the rows that were not run %s.\n", strings.Join(why, ", "))
	}
	fmt.Fprint(w, "\nSets seen are steps times sets a step; the paper's are those of its presets here (`presets/paper`), where there is one.\n\n")
	fmt.Fprint(w, "| row | n | measure | paper | ours | stands | sets seen, paper | sets seen, ours | trained |\n|---|--:|---|--:|--:|---|--:|--:|--:|\n")
	for i, t := range tables {
		for k, r := range t.Rows {
			if s := r.Stand(outcomes[i][k]); r.Repeats == "" && s.Is != missing && s.Is != unknown {
				trained := outcomes[i][k]
				if of := slices.IndexFunc(t.Rows, func(x Row) bool { return x.Name == r.Of }); of >= 0 && outcomes[i][of] != nil {
					trained = outcomes[i][of] // whose model it is
				}
				standingLine(w, r, s, trained)
			}
		}
	}
	fmt.Fprintln(w)
}

func countLine(w io.Writer, name string, rows int, counts map[string]int) {
	fmt.Fprintf(w, "| %s | %d | %d |", name, rows, rows-counts[missing])
	for _, s := range standings {
		fmt.Fprintf(w, " %d |", counts[s])
	}
	fmt.Fprintln(w)
}

// standingLine writes a row of which o has the training.
func standingLine(w io.Writer, r Row, s Standing, o *Outcome) {
	format := fmt.Sprintf("%%.%df", s.Measure.Table)
	papers, trained := "", ""
	if batch, steps := lengthOf(r.Full, nil); batch > 0 {
		papers = text.Thousands(batch * steps)
	}
	seen := ""
	if r.Solver == "" {
		trained = minutes(o.TrainSeconds + o.About.Before)
		if batch, _ := lengthOf(o.About.Preset, o.About.Set); batch > 0 {
			seen = text.Thousands(batch * o.TrainSteps)
		}
	}
	fmt.Fprintf(w, "| %s | %d | %s | "+format+" | %s | %s | %s | %s | %s |\n", r.Label, r.N, s.Measure.Title(), s.Paper, withInterval(format, s.Ours), s.Is, papers, seen, trained)
}

func withInterval(format string, v metric.Interval) string {
	return text.Rounded(format, v.Mean) + " (" + text.Rounded(format, v.Low) + " to " + text.Rounded(format, v.High) + ")"
}

// lengthOf is the batch and the steps of a preset with changes; 0 where there is none that can be read.
func lengthOf(preset string, set []string) (batch, steps int) {
	data, ok := presets.Get(preset)
	if !ok {
		return 0, 0
	}
	cfg, err := config.ParseConfig(data, preset)
	if err != nil {
		return 0, 0
	}
	for _, s := range set {
		if err := cfg.Set(s); err != nil { // a row of before a key was called otherwise
			return 0, 0
		}
	}
	return cfg.Train.Batch, cfg.Train.Steps
}

// spread writes of each row that was trained with several seeds what they gave, their mean and standard
// deviation: by the gap of tours, else by exact %.
func spread(w io.Writer, t Table, outcomes []*Outcome) {
	for k, r := range t.Rows {
		seeds := []*Outcome{outcomes[k]}
		for i, again := range t.Rows {
			if again.Repeats == r.Name && outcomes[i] != nil {
				seeds = append(seeds, outcomes[i])
			}
		}
		if len(seeds) == 1 || seeds[0] == nil {
			continue
		}
		key := "exact"
		if _, tour := seeds[0].Figures["tour.gap"]; tour {
			key = "tour.gap"
		}
		m := measure(key)
		format := fmt.Sprintf("%%.%df", m.Table)
		var values []float64
		var each []string
		for _, o := range seeds {
			values = append(values, o.Figures[key].Mean)
			each = append(each, text.Rounded(format, o.Figures[key].Mean))
		}
		mean, deviation := stat.MeanStdDev(values, nil)
		fmt.Fprintf(w, "%s, n = %d, %d seeds: %s %s; mean %s, standard deviation %s.\n\n", r.Label, r.N, len(seeds), m.Title(), strings.Join(each, ", "),
			text.Rounded(format, mean), text.Rounded(format, deviation))
	}
}

// measure is the one of a key, which some task has.
func measure(key string) task.Measure {
	all := tasks.Measures()
	return all[slices.IndexFunc(all, func(m task.Measure) bool { return m.Key == key })]
}
