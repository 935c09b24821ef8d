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
	"github.com/riffle-ml/riffle/run"
)

// Matching are the rows whose names match a pattern; none is an error that lists the rows.
func (t Table) Matching(pattern string) (rows []Row, err error) {
	var names []string
	for _, r := range t.Rows {
		names = append(names, r.Name)
		ok, err := path.Match(pattern, r.Name)
		if err != nil {
			return nil, fmt.Errorf("wanted a pattern of names such as '*-9' (got %q)", pattern)
		}
		if ok {
			rows = append(rows, r)
		}
	}
	if len(rows) == 0 {
		return nil, hint.Errorf(fmt.Sprintf("the rows are %s", strings.Join(names, ", ")), "%q matches no row of %s", pattern, t.Name)
	}
	return rows, nil
}

// ParseShard reads I/N, part I of N, 1 ≤ I ≤ N.
func ParseShard(text string) (part, of int, err error) {
	first, second, _ := strings.Cut(text, "/")
	part, err1 := strconv.Atoi(first)
	of, err2 := strconv.Atoi(second)
	if err1 != nil || err2 != nil || part < 1 || part > of {
		return 0, 0, fmt.Errorf("wanted I/N with 1 <= I <= N, such as 3/8 (got %q)", text)
	}
	return part, of, nil
}

// Shard are the rows of part one of so many, where at rows that train were before; it returns how
// many there are then. Rows go to the parts in turn. One that wants another row's model goes with that one.
func Shard(rows []Row, part, of, at int) (mine []Row, next int) {
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

// Trained is the folder of a row of the table whose training has ended, and how many seconds that was.
func (t Table) Trained(runs, name string) (dir string, seconds float64, err error) {
	dir = Folder(runs, t, Row{Name: name})
	o, err := Load(dir)
	if err != nil {
		return "", 0, err
	}
	if o == nil {
		return "", 0, hint.Errorf(fmt.Sprintf("riffle reproduce %s --rows %s", t.Name, name), "it begins with the weights of row %s, which is to be run first", name)
	}
	return dir, o.TrainSeconds + o.About.Before, nil
}

// Keep writes how a row came to be into its folder, with the machine.
func Keep(dir string, about About) error {
	about.Machine = machine.Name()
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	return run.WriteJSONIn(dir, AboutFile, about)
}

// RunSolver runs the row of a solver in its folder.
func RunSolver(ctx context.Context, r Row, dir string, full bool) error {
	solved, err := Solve(ctx, r.Solver, r.N, 1)
	if err != nil {
		return err
	}
	if err := Keep(dir, About{Preset: r.Quick, Full: full}); err != nil {
		return err
	}
	return run.WriteJSONIn(dir, run.EvalFile, solved)
}
