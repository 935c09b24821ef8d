package reproduce

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/metric"
	"github.com/riffle-ml/riffle/presets"
	"github.com/riffle-ml/riffle/run"
)

// Every row names presets that are there, and its quick configuration resolves.
func TestRows(t *testing.T) {
	before := map[string]bool{} // by their tables
	for _, table := range Tables() {
		seen := map[string]bool{}
		for _, r := range table.Rows {
			if seen[r.Name] {
				t.Errorf("%s: %s is there twice", table.Name, r.Name)
			}
			if r.From != "" && !seen[r.From] && !before[r.From] {
				t.Errorf("%s %s: begins with the weights of %s, which no row before it has", table.Name, r.Name, r.From)
			}
			seen[r.Name], before[table.Name+"/"+r.Name] = true, true
			if r.Solver != "" {
				continue
			}
			if r.Of != "" {
				if !seen[r.Of] || len(r.Set) == 0 || r.Quick != "" {
					t.Errorf("%s %s: wanted a row before it (got %q), and what it changes", table.Name, r.Name, r.Of)
				}
				continue
			}
			if _, ok := presets.Get(r.Full); !ok && r.Full != "" {
				t.Errorf("%s %s: no preset %s", table.Name, r.Name, r.Full)
			}
			data, ok := presets.Get(r.Quick)
			if !ok {
				t.Errorf("%s %s: no preset %s", table.Name, r.Name, r.Quick)
				continue
			}
			cfg, err := config.ParseConfig(data, r.Quick)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range r.Set {
				if err := cfg.Set(s); err != nil {
					t.Errorf("%s %s: %v", table.Name, r.Name, err)
				}
			}
			if _, err := cfg.Resolve(); err != nil {
				t.Errorf("%s %s: %v", table.Name, r.Name, err)
			}
			if cfg.Task.N != r.N {
				t.Errorf("%s %s: n is %d, the row says %d", table.Name, r.Name, cfg.Task.N, r.N)
			}
		}
	}
}

// A row that was run has its figures beside the paper's; one that was not says how to.
func TestWrite(t *testing.T) {
	runs := t.TempDir()
	table, err := Find("lists")
	if err != nil {
		t.Fatal(err)
	}
	dir := Folder(runs, table, table.Rows[1])
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	write := func(name string, v any) {
		data, err := json.Marshal(v)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), data, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	write(run.EvalFile, map[string]any{"sets": 1000, "seed": 1, "engine": "xla", "train_steps": 500, "train_seconds": 90.0, "exact": map[string]float64{"mean": 99.5, "low": 99, "high": 99.9}})
	write(AboutFile, About{Machine: "2 cores of a test", Preset: "delta-100", Set: []string{"train.batch=64"}}) // 500 steps of 64
	var b bytes.Buffer
	if err := Write(&b, runs, []Table{table}, nil); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| table | rows | run | ahead | level | behind | no figure in the paper | not run |", "| Learning a single permutation | 6 | 1 | 0 | 0 | 1 | 0 | 5 |",
		"| all | 6 | 1 | 0 | 0 | 1 | 0 | 5 |", "Of the rows that were not run 5 had no time of a machine yet.",
		"| Symmetric Diffusers, identity | 100 | exact % | 100.00 | 99.50 (99.00 to 99.90) | behind |", "| 32,000 | 1m30s |",
		"| Symmetric Diffusers, identity | 100 | 100.00 | 99.50 (99.00 to 99.90) |", "quick, 500 steps, 1m30s, xla engine, 2 cores of a test, seed 1, 1000 test sets |",
		"| SEDD, identity | 100 | 95.47 |  | 99.95 |", "not run: `riffle reproduce lists --rows sedd-identity-100`",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in\n%s", want, b.String())
		}
	}
}

// Rows that were run before keep their figures: those of a test, of puzzles and tours under their
// own names, and of a solver.
func TestLoadRowsOfBefore(t *testing.T) {
	interval := func(mean float64) map[string]float64 {
		return map[string]float64{"mean": mean, "low": mean - 1, "high": mean + 1}
	}
	for name, c := range map[string]struct {
		eval map[string]any
		want map[string]float64
	}{
		"puzzles": {
			map[string]any{"sets": 9, "decode": map[string]any{"method": "beam", "beam": 3}, "exact": interval(5), "puzzle": map[string]any{"rmse": interval(2), "exact_alike": interval(7), "limit_exact": 99}},
			map[string]float64{"exact": 5, "puzzle.rmse": 2, "puzzle.exact_alike": 7},
		},
		"tours":    {map[string]any{"sets": 9, "tour": map[string]any{"length": interval(4), "gap": interval(3)}}, map[string]float64{"tour.length": 4, "tour.gap": 3}},
		"a solver": {map[string]any{"sets": 9, "length": interval(4), "gap": interval(3), "permutations": nil, "tour": nil}, map[string]float64{"tour.length": 4, "tour.gap": 3}},
	} {
		dir := t.TempDir()
		for file, v := range map[string]any{run.EvalFile: c.eval, AboutFile: About{}} {
			data, err := json.Marshal(v)
			if err == nil {
				err = os.WriteFile(filepath.Join(dir, file), data, 0o666)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		o, err := Load(dir)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]float64{}
		for key, v := range o.Figures {
			got[key] = v.Mean
		}
		if !reflect.DeepEqual(got, c.want) || o.Sets != 9 {
			t.Errorf("%s: %v of %d sets, wanted %v of 9", name, got, o.Sets, c.want)
		}
	}
}

// The parts of the rows are all of them, each once, and a row that decodes a model is where that is trained.
func TestShard(t *testing.T) {
	const of = 5
	where := map[string]int{}
	sizes := map[int]int{}
	for part := 1; part <= of; part++ {
		at := 0
		for _, table := range Tables() {
			var rows []Row
			rows, at = share(table.Rows, part, of, at)
			for _, r := range rows {
				if where[table.Name+r.Name] != 0 {
					t.Errorf("%s %s is in two parts", table.Name, r.Name)
				}
				where[table.Name+r.Name] = part
				sizes[part]++
				for _, other := range []string{r.Of, r.From} {
					if other != "" && !strings.Contains(other, "/") && where[table.Name+other] != part {
						t.Errorf("%s %s is in part %d, the model of %s in %d", table.Name, r.Name, part, other, where[table.Name+other])
					}
				}
			}
		}
	}
	all := 0
	for _, table := range Tables() {
		all += len(table.Rows)
	}
	if len(where) != all {
		t.Errorf("%d rows are in parts, of %d", len(where), all)
	}
	for part, size := range sizes {
		if size < all/of-17 || size > all/of+17 { // the model for all n has 27 rows more, on one machine
			t.Errorf("part %d has %d rows of %d", part, size, all)
		}
	}
	for _, text := range []string{"", "3", "0/2", "3/2", "a/b", "1/2/3", "-1/2"} {
		if part, of, err := parseShard(text); err == nil {
			t.Errorf("%q is part %d of %d", text, part, of)
		}
	}
	if part, of, err := parseShard("3/8"); part != 3 || of != 8 || err != nil {
		t.Errorf("3/8: %d, %d, %v", part, of, err)
	}
}

// What rows begin with, or decode, is run before them unless it is there: of other tables too, and each once.
func TestFirst(t *testing.T) {
	asked, err := Select([]string{"transitions", "sort"}, "*", "")
	if err != nil {
		t.Fatal(err)
	}
	only := func(asked []Asked, names ...string) (some []Asked) {
		for _, x := range asked {
			rows := slices.DeleteFunc(slices.Clone(x.Rows), func(r Row) bool { return !slices.Contains(names, r.Name) })
			if len(rows) > 0 {
				some = append(some, Asked{x.Table, rows})
			}
		}
		return some
	}
	names := func(asked []Asked) (all []string) {
		for _, x := range asked {
			for _, r := range x.Rows {
				all = append(all, x.Name+"/"+r.Name)
			}
		}
		return all
	}
	p := &Plan{Runs: t.TempDir()}
	some := only(asked, "it-9", "pl-beam-9", "ours-15", "looks-3")
	want := []string{"sort/digits-16", "transitions/pl-9", "transitions/pl-beam-9", "sort/ours-9", "transitions/it-9", "sort/ours-15", "sort/any-16", "sort/looks-3"}
	if got := names(p.First(some)); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	for _, row := range []string{"digits-16", "ours-9"} { // what is there is not run again
		dir := Folder(p.Runs, Table{Name: "sort"}, Row{Name: row})
		if err := keep(dir, About{}); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "eval.json"), []byte(`{"sets":1}`), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want = []string{"transitions/it-9", "sort/ours-15"}
	if got := names(p.First(only(asked, "it-9", "ours-15"))); !slices.Equal(got, want) {
		t.Errorf("got %q, wanted %q", got, want)
	}
	p.Full = true
	if got := names(p.First(only(asked, "gpl-9"))); !slices.Equal(got, []string{"transitions/gpl-9"}) {
		t.Errorf("the paper's own training: %q", got)
	}
}

// A chain of trainings counts from its first step, and one that was not run is said with its command.
func TestTrainedBefore(t *testing.T) {
	table, err := Find("sort")
	if err != nil {
		t.Fatal(err)
	}
	runs := t.TempDir()
	if _, _, err := table.trained(runs, "any-16"); err == nil || err.Error() != "it begins with the weights of row any-16 of table sort, which is to be run first" {
		t.Errorf("a row that was not run: %v", err)
	}
	dir := Folder(runs, table, Row{Name: "any-16"})
	if err := keep(dir, About{From: "other", Before: 60}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "eval.json"), []byte(`{"sets":1,"train_seconds":90}`), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, from := range []struct{ table, name string }{{"sort", "any-16"}, {"transitions", "sort/any-16"}} {
		table.Name = from.table
		got, seconds, err := table.trained(runs, from.name)
		if got != dir || seconds != 150 || err != nil {
			t.Errorf("%s of %s: got %s, %g seconds, %v, wanted %s and 150", from.name, from.table, got, seconds, err, dir)
		}
	}
}

// A row is ahead or behind where its whole interval is. Of tours less is better, and where no order is exact
// in either what stands in its right place counts.
func TestStand(t *testing.T) {
	exact, none, correct, gap := 50.0, 0.0, 40.0, 1.0
	interval := func(low, high float64) metric.Interval {
		return metric.Interval{Mean: (low + high) / 2, Low: low, High: high}
	}
	for name, c := range map[string]struct {
		paper   *config.Paper
		figures map[string]metric.Interval
		want    string
		by      string
	}{
		"not run":            {&config.Paper{Exact: &exact}, nil, "not run", ""},
		"no figure":          {nil, map[string]metric.Interval{"exact": interval(1, 2)}, "no figure in the paper", ""},
		"ahead":              {&config.Paper{Exact: &exact}, map[string]metric.Interval{"exact": interval(50.1, 52)}, "ahead", "exact"},
		"level":              {&config.Paper{Exact: &exact}, map[string]metric.Interval{"exact": interval(49, 52)}, "level", "exact"},
		"behind":             {&config.Paper{Exact: &exact}, map[string]metric.Interval{"exact": interval(48, 49.9)}, "behind", "exact"},
		"shorter tours":      {&config.Paper{Gap: &gap}, map[string]metric.Interval{"tour.gap": interval(0.5, 0.9), "exact": interval(0, 0)}, "ahead", "tour.gap"},
		"longer tours":       {&config.Paper{Gap: &gap}, map[string]metric.Interval{"tour.gap": interval(1.1, 2)}, "behind", "tour.gap"},
		"none exact in both": {&config.Paper{Exact: &none, Correct: &correct}, map[string]metric.Interval{"exact": interval(0, 0), "correct": interval(41, 42)}, "ahead", "correct"},
		"some exact":         {&config.Paper{Exact: &none, Correct: &correct}, map[string]metric.Interval{"exact": interval(0.1, 0.2), "correct": interval(1, 2)}, "ahead", "exact"},
	} {
		var o *Outcome
		if c.figures != nil {
			o = &Outcome{Figures: c.figures}
		}
		if s := (Row{Paper: c.paper}).Stand(o); s.Is != c.want || s.Measure.Key != c.by {
			t.Errorf("%s: %s by %q, wanted %s by %q", name, s.Is, s.Measure.Key, c.want, c.by)
		}
	}
}

// Rows with several seeds have their mean and spread below the table, and count once.
func TestSpread(t *testing.T) {
	exact, gap := 50.0, 1.0
	sorts := Row{Name: "a", Label: "A", N: 9, Paper: &config.Paper{Exact: &exact}}
	tour := Row{Name: "b", Label: "B", N: 20, Paper: &config.Paper{Gap: &gap}}
	table := Table{Title: "T", Rows: append(append([]Row{sorts, tour}, repeats(sorts)...), repeats(tour)...)}
	of := func(key string, mean float64) *Outcome {
		return &Outcome{Figures: map[string]metric.Interval{"exact": {Mean: 3}, key: {Mean: mean, Low: mean, High: mean}}}
	}
	outcomes := []*Outcome{of("exact", 50), of("tour.gap", 0.5), of("exact", 52), nil, of("tour.gap", 0.25), of("tour.gap", 0.75)}
	var b strings.Builder
	spread(&b, table, outcomes)
	want := "A, n = 9, 2 seeds: exact % 50.00, 52.00; mean 51.00, standard deviation 1.41.\n\n" +
		"B, n = 20, 3 seeds: gap % 0.50, 0.25, 0.75; mean 0.50, standard deviation 0.25.\n\n"
	if b.String() != want {
		t.Errorf("got\n%s, wanted\n%s", b.String(), want)
	}
	b.Reset()
	summary(&b, []Table{table}, [][]*Outcome{outcomes})
	if !strings.Contains(b.String(), "| T | 2 | 2 | 1 | 1 | 0 | 0 | 0 |") || strings.Contains(b.String(), "seed 2") {
		t.Errorf("the summary counts trainings with other seeds:\n%s", b.String())
	}
}
