package training

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/riffle-ml/riffle/engine"
	"github.com/riffle-ml/riffle/internal/hint"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/presets"
	"github.com/riffle-ml/riffle/run"
)

// quiet is a host that keeps what is said.
type quiet struct{ said []string }

func (q *quiet) EngineFor(m *learn.Model, spec string, _ func() learn.Choice) (err error) {
	if spec == "auto" || spec == "" {
		spec = "go"
	}
	m.Engine, err = engine.Open(spec)
	return err
}

func (q *quiet) Note(format string, args ...any) {
	q.said = append(q.said, fmt.Sprintf(format, args...))
}
func (q *quiet) Warn(warnings []string) { q.said = append(q.said, warnings...) }

// A name is a preset, with or without .toml, or a file that is there; what is neither is told as unknown.
func TestReadConfig(t *testing.T) {
	preset, err := ReadConfig("delta-20")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "mine.toml")
	data, err := presets.Find("delta-20")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, append([]byte("# mine\n"), data...), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"delta-20.toml", file} {
		if c, err := ReadConfig(name); err != nil || c.Title != preset.Title {
			t.Errorf("%s: %q, %v, wanted %q", name, c.Title, err, preset.Title)
		}
	}
	if _, err := ReadConfig("delta-21"); err == nil {
		t.Error("delta-21: no error")
	} else if _, unknown := errors.AsType[*presets.UnknownError](err); !unknown {
		t.Errorf("delta-21: %v", err)
	}
	if _, err := ReadConfig("nowhere.toml"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("nowhere.toml: %v", err)
	}
}

// A wrong key is the fault of the change that set it, else of the configuration.
func TestAlter(t *testing.T) {
	for name, c := range map[string]struct {
		set     []string
		changed bool
		want    string
	}{
		"no such key":     {[]string{"train.bath=3"}, true, "train.batch"},
		"a value refused": {[]string{" train.batch = 0"}, true, "train.batch: must be"},
		"of the file":     {nil, false, "delta-20: train.batch: must be"},
	} {
		cfg, err := ReadConfig("delta-20")
		if err != nil {
			t.Fatal(err)
		}
		if !c.changed {
			cfg.Train.Batch = 0
		}
		err = Alter(&cfg, "delta-20", c.set)
		_, changed := errors.AsType[*SetError](err)
		if err == nil || changed != c.changed || !strings.Contains(hint.Text(err), c.want) {
			t.Errorf("%s: %v (a change's: %v), wanted %q", name, err, changed, c.want)
		}
	}
	cfg, err := ReadConfig("delta-20")
	if err != nil {
		t.Fatal(err)
	}
	if err := Alter(&cfg, "delta-20", []string{"train.batch=7"}); err != nil || cfg.Train.Batch != 7 {
		t.Errorf("train.batch is %d, %v", cfg.Train.Batch, err)
	}
}

// What cannot be trained leaves no folder behind; what can is resumed with its own configuration alone.
func TestOpen(t *testing.T) {
	out := filepath.Join(t.TempDir(), "run")
	small := []string{"model.dim=8", "model.layers=1", "model.heads=1", "train.batch=4", "train.steps=3"}
	for name, set := range map[string][]string{
		"wrong key":   {"task.n=1"},
		"wrong parts": append([]string{"train.batch=5"}, small[:3]...),
	} {
		_, _, err := Open(&quiet{}, &Request{Out: out, From: "delta-20", Set: set, Engine: "go", Devices: 2})
		if _, missing := os.Stat(out); err == nil || missing == nil {
			t.Errorf("%s: %v, and the folder is there: %v", name, err, missing == nil)
		}
	}
	m, dir, err := Open(&quiet{}, &Request{Out: out, From: "delta-20", Set: small, Engine: "go", Devices: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(dir.Close()); err != nil || m.Config.Train.Steps != 3 {
		t.Fatalf("%d steps, %v", m.Config.Train.Steps, err)
	}
	again, dir, err := Open(&quiet{}, &Request{Out: out, Resume: true, Engine: "go", Devices: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	if again.Config.Train.Batch != 4 || again.Config.Model.Dim != 8 {
		t.Errorf("resumed with %+v", again.Config.Train)
	}
	if _, err := run.Create(out, &m.Config); err == nil {
		t.Error("a second training takes the same folder")
	}
}

// Lists whose items have features are learned by another preset than votes, unless keys say how.
func TestRankingFeatures(t *testing.T) {
	table := filepath.Join(t.TempDir(), "lists.csv")
	if err := os.WriteFile(table, []byte("set,item,rank,speed\nq,a,1,3\nq,b,2,1\nr,a,1,5\nr,b,2,4\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		set  []string
		says bool
	}{
		"as it is":      {[]string{"task.data=" + table}, true},
		"with a law":    {[]string{"task.data=" + table, `process.reverse="PL"`}, false},
		"another table": {[]string{"task.data=../examples/standings.soc"}, false},
	} {
		h := &quiet{}
		cfg, err := ReadConfig("ranking")
		if err != nil {
			t.Fatal(err)
		}
		r := &Request{From: "ranking", Set: c.set}
		if cfg, err = r.changed(h, cfg); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if says := len(h.said) > 0; says != c.says || cfg.Task.Data == "" {
			t.Errorf("%s: said %q, data %q", name, h.said, cfg.Task.Data)
		}
	}
}

// A profile is two files that are there at its end.
func TestProfile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	stop, err := Profile(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"cpu.pprof", "trace.out"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The paper's figures are for the sets of a preset, and go where a change makes them others.
func TestPaperOfOtherSets(t *testing.T) {
	for _, c := range []struct {
		preset string
		set    []string
		stays  bool
	}{
		{"sort-9", nil, true},
		{"sort-9", []string{"train.batch=8", "model.dim=64", "task.augment.rotate=5"}, true},
		{"sort-9", []string{"task.n=4", "process.schedule=[0,5]"}, false},
		{"sort-9", []string{"task.digits=1"}, false},
		{"sort-9", []string{"task.digits=1", "paper.exact=90"}, true},
		{"tsp-20", []string{"task.instances=100"}, true},
		{"tsp-20", []string{"task.n=7", "process.schedule=[0,9]"}, false},
	} {
		cfg, err := ReadConfig(c.preset)
		if err != nil {
			t.Fatal(err)
		}
		if cfg.Paper == nil {
			t.Fatalf("%s has no figures of the paper", c.preset)
		}
		if err := Alter(&cfg, c.preset, c.set); err != nil {
			t.Fatal(err)
		}
		if (cfg.Paper != nil) != c.stays {
			t.Errorf("%s with %v: figures of the paper %v, wanted them: %v", c.preset, c.set, cfg.Paper, c.stays)
		}
	}
}
