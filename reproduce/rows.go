package reproduce

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/internal/hint"
	"github.com/riffle-ml/riffle/internal/text"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/run"
	"github.com/riffle-ml/riffle/training"
)

// Plan is how rows are run.
type Plan struct {
	Runs   string        // folder of the rows' run directories
	Budget time.Duration // training of each row
	Steps  int           // training of each row by steps, in place of Budget; 0 for none
	Full   bool          // the paper's own training in place of both
	Engine string
}

// Host is where rows are run.
type Host interface {
	training.Host
	// Load loads the model of a run, to judge it.
	Load(dir, engine string) (*learn.Model, error)
	// Train trains a model to its end.
	Train(m *learn.Model, dir *run.Dir, resume bool) error
	// Judge judges a model on its test sets and keeps the result in dir.
	Judge(m *learn.Model, dir string) error
	// Words are those for an error.
	Words(err error) string
}

// Announce says how many rows of some tables are going to be trained, and how long.
func (p *Plan) Announce(h Host, asked []Asked) {
	count := 0
	for _, x := range asked {
		count += x.Waiting(p.Runs, x.Rows)
	}
	rows := text.Count(count, "row")
	switch {
	case count == 0 || p.Full:
	case p.Steps > 0:
		h.Note("%s to train, %d steps each, and the tests after it", rows, p.Steps)
	default:
		h.Note("%s to train, %s each: %s in all, and the tests after it", rows, p.Budget, time.Duration(count)*p.Budget)
	}
}

// Run runs the rows of a table that are asked for. It says of a row that it cannot be run here, and goes on.
func (p *Plan) Run(ctx context.Context, h Host, asked Asked) error {
	there, failed := 0, 0
	for _, r := range asked.Rows {
		dir := Folder(p.Runs, asked.Table, r)
		done, err := Load(dir)
		if err != nil {
			return err
		}
		if done != nil {
			h.Note("%s %s: is there already", asked.Name, r.Name)
			there++
			continue
		}
		h.Note("%s %s", asked.Name, r.Name)
		switch err := p.row(ctx, h, asked.Table, r, dir); {
		case err == nil:
			there++
		case ctx.Err() != nil || errors.Is(err, learn.ErrStopped):
			return fmt.Errorf("stopped in row %s of table %s; the same command goes on", r.Name, asked.Name)
		default:
			h.Note("%s %s: not run: %s", asked.Name, r.Name, h.Words(err))
			failed++
		}
	}
	if there == 0 && failed > 0 {
		return fmt.Errorf("reproduce: no row of %s could be run", asked.Name)
	}
	return nil
}

// row runs a row in its folder.
func (p *Plan) row(ctx context.Context, h Host, t Table, r Row, dir string) error {
	switch {
	case r.Solver != "":
		return runSolver(ctx, r, dir, p.Full)
	case r.Of != "" && !p.Full:
		return p.decode(h, t, r, dir)
	}
	return p.train(h, t, r, dir)
}

// train trains the model of a row, or goes on with it.
func (p *Plan) train(h Host, t Table, r Row, dir string) (err error) {
	budget := "train.time=" + p.Budget.String()
	if p.Steps > 0 {
		budget = fmt.Sprintf("train.steps=%d", p.Steps)
	}
	about := About{Preset: r.Quick, Set: append([]string{budget}, r.Set...), Full: p.Full}
	if p.Full {
		if r.Full == "" {
			return errors.New("the paper gives no training for it")
		}
		about.Preset, about.Set = r.Full, nil
	}
	what := training.Request{Out: dir, From: about.Preset, Engine: p.Engine, Set: about.Set, Devices: 1}
	if r.From != "" && !p.Full {
		if what.Initial, about.Before, err = t.trained(p.Runs, r.From); err != nil {
			return err
		}
		about.From = r.From
	}
	if _, err := os.Stat(filepath.Join(dir, run.ConfigFile)); err == nil {
		if about, err = begun(dir, about); err != nil {
			return err
		}
		what = training.Request{Out: dir, Resume: true, Devices: 1}
		if p.Engine != "auto" { // as for a new training; else the one that the run had
			what.Engine = p.Engine
		}
		if !p.Full {
			what.Set = lengths(budget)
		}
	}
	m, d, err := training.Open(h, &what)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	if err := keep(dir, about); err != nil {
		return err
	}
	if err := h.Train(m, d, what.Resume); err != nil {
		return err
	}
	m.Config.Paper = r.Paper
	return h.Judge(m, dir)
}

// lengths set how long a training is that goes on: a time replaces steps, and steps a time.
func lengths(budget string) []string {
	if strings.HasPrefix(budget, config.TrainSteps+"=") {
		return []string{budget, config.TrainTime + "="}
	}
	return []string{budget}
}

// begun is how a row came to be whose training goes on: as it began, but for how long it is. It fails where the row is
// another one now.
func begun(dir string, now About) (About, error) {
	data, err := run.ReadIn(dir, AboutFile)
	if errors.Is(err, fs.ErrNotExist) {
		return now, nil // it was ended before this was written
	}
	was := About{}
	if err == nil {
		err = json.Unmarshal(data, &was)
	}
	if err != nil {
		return About{}, fmt.Errorf("%s: %w", filepath.Join(dir, AboutFile), err)
	}
	ofLength := func(s string) bool {
		return strings.HasPrefix(s, config.TrainSteps+"=") || strings.HasPrefix(s, config.TrainTime+"=")
	}
	same := func(a, b []string) bool {
		return slices.Equal(slices.DeleteFunc(slices.Clone(a), ofLength), slices.DeleteFunc(slices.Clone(b), ofLength))
	}
	if was.Preset != now.Preset || was.Full != now.Full || was.From != now.From || !same(was.Set, now.Set) {
		return About{}, hint.Errorf("move the folder away, and it is trained anew", "%s: its training began as another row: %s, wanted %s", dir, was.words(), now.words())
	}
	now.Before = was.Before
	return now, nil
}

// words tell what is trained.
func (a About) words() string {
	said := append([]string{"preset " + a.Preset}, a.Set...)
	if a.From != "" {
		said = append(said, "from "+a.From)
	}
	return strings.Join(said, " ")
}

// decode decodes the model of another row, which must be there, as a row says.
func (p *Plan) decode(h Host, t Table, r Row, dir string) error {
	m, err := h.Load(Folder(p.Runs, t, Row{Name: r.Of}), p.Engine)
	if errors.Is(err, run.ErrNoRun) {
		return fmt.Errorf("it decodes the model of row %s, which is to be run first", r.Of)
	}
	if err != nil {
		return err
	}
	if !m.State.Finished {
		return fmt.Errorf("it decodes the model of row %s, whose training is not finished", r.Of)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	m.Config.Paper = r.Paper
	// Of the model's own configuration, so that the result is kept.
	if err := m.Rejudge(func(c *config.Config) error { return training.Change(c, r.Set) }); err != nil {
		return err
	}
	if err := h.Judge(m, dir); err != nil {
		return err
	}
	return keep(dir, About{Set: append([]string{"of=" + r.Of}, r.Set...)})
}
