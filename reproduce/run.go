package reproduce

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path"
	"strconv"
	"strings"

	"github.com/riffle-ml/riffle/internal/hint"
	"github.com/riffle-ml/riffle/internal/machine"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/run"
)

// Asked is a table with the rows that are asked for.
type Asked struct {
	Table
	Rows []Row
}

// Select finds the rows of the tables called names whose own names match a pattern. Of these it takes the
// part I/N that shard says, "" for all.
func Select(names []string, pattern, shard string) (all []Asked, err error) {
	if _, err := path.Match(pattern, ""); err != nil {
		return nil, learn.Refuse(learn.Usage, "rows", "%s: wanted a pattern of names such as '*-9' (got %q)", learn.Opt("rows"), pattern)
	}
	part, of, at := 1, 1, 0
	if shard != "" {
		if part, of, err = parseShard(shard); err != nil {
			return nil, err
		}
	}
	for _, name := range names {
		t, err := Find(name)
		if err != nil {
			return nil, err
		}
		rows, err := t.matching(pattern)
		if err != nil {
			return nil, err
		}
		rows, at = share(rows, part, of, at)
		all = append(all, Asked{t, rows})
	}
	return all, nil
}

// matching are the rows whose names match a pattern; none is an error that lists the rows.
func (t Table) matching(pattern string) (rows []Row, err error) {
	var names []string
	for _, r := range t.Rows {
		names = append(names, r.Name)
		if ok, _ := path.Match(pattern, r.Name); ok { // Select has looked at the pattern
			rows = append(rows, r)
		}
	}
	if len(rows) == 0 {
		return nil, learn.Refuse(learn.Usage, "rows", "%q matches no row of %s", pattern, t.Name).WithHint("the rows are " + strings.Join(names, ", "))
	}
	return rows, nil
}

// parseShard reads I/N, part I of N, 1 ≤ I ≤ N.
func parseShard(text string) (part, of int, err error) {
	first, second, _ := strings.Cut(text, "/")
	part, err1 := strconv.Atoi(first)
	of, err2 := strconv.Atoi(second)
	if err1 != nil || err2 != nil || part < 1 || part > of {
		return 0, 0, learn.Refuse(learn.Usage, "shard", "wanted I/N with 1 <= I <= N, such as 3/8 (got %q)", text)
	}
	return part, of, nil
}

// share are the rows of part one of so many, where at rows that train were before; it returns how
// many there are then. Rows go to the parts in turn. One that wants the model of another row of its table goes with that one. What
// rows of several tables begin with (TABLE/ROW) is nobody's own: it is there before.
func share(rows []Row, part, of, at int) (mine []Row, next int) {
	whose := map[string]int{}
	for _, r := range rows {
		turn, follows := whose[cmp.Or(r.Of, r.From)]
		if !follows {
			turn = at%of + 1
			at++
		}
		if whose[r.Name] = turn; turn == part {
			mine = append(mine, r)
		}
	}
	return mine, at
}

// Waiting is how many of some rows have a training of their own that has not been run under runs.
func (t Table) Waiting(runs string, rows []Row) (count int) {
	for _, r := range rows {
		if r.Solver != "" || r.Of != "" {
			continue
		}
		if done, err := Load(Folder(runs, t, r)); err == nil && done == nil {
			count++
		}
	}
	return count
}

// trained is the folder of a row whose training has ended, as Row.From names it, and how many seconds that was.
func (t Table) trained(runs, from string) (dir string, seconds float64, err error) {
	of, row, found := t.row(from)
	if !found {
		return "", 0, fmt.Errorf("it begins with the weights of row %s, which no table has", from)
	}
	dir = Folder(runs, of, row)
	o, err := Load(dir)
	if err != nil {
		return "", 0, err
	}
	if o == nil {
		return "", 0, hint.Errorf(fmt.Sprintf("riffle reproduce %s --rows %s", of.Name, row.Name), "it begins with the weights of row %s of table %s, which is to be run first", row.Name, of.Name)
	}
	return dir, o.TrainSeconds + o.About.Before, nil
}

// keep writes how a row came to be into its folder, with the machine.
func keep(dir string, about About) error {
	about.Machine = machine.Name()
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	return run.WriteJSONIn(dir, AboutFile, about)
}

// runSolver runs the row of a solver in its folder.
func runSolver(ctx context.Context, r Row, dir string, full bool) error {
	solved, err := Solve(ctx, r.Solver, r.N, 1)
	if err != nil {
		return err
	}
	if err := keep(dir, About{Preset: r.Quick, Full: full}); err != nil {
		return err
	}
	return run.WriteJSONIn(dir, run.EvalFile, solved)
}
