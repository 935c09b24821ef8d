package config

import (
	stdcmp "cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/riffle-ml/riffle/internal/hint"
)

// noSet compares configurations without the memory of which keys were given to Set.
var noSet = cmpopts.IgnoreUnexported(Config{})

func TestParseConfig(t *testing.T) {
	got, err := ParseConfig([]byte(`
title = "a test"
[task]
name = "sort"
augment = { rotate = 3, shift = 0.5 }
[process]
schedule = [0, 9, # two steps
  12]
[train]
lr = 1
`), "x.toml")
	if err != nil {
		t.Fatal(err)
	}
	want := Default()
	want.Title, want.Task.Name, want.Task.Augment = "a test", "sort", Augment{Rotate: 3, Shift: 0.5}
	want.Process.Schedule, want.Train.LR = []int{0, 9, 12}, 1
	if d := cmp.Diff(want, got, noSet); d != "" {
		t.Error(d)
	}
	if _, err := LoadConfig(filepath.Join(t.TempDir(), "none.toml")); !os.IsNotExist(err) {
		t.Errorf("missing file: %v", err)
	}
}

func TestParseConfigErrors(t *testing.T) {
	for doc, want := range map[string]string{
		"\n[train]\nbacth = 3":                  "x.toml:3: train.bacth: unknown key (nearest known: train.batch)",
		"train.bacth = 3":                       "x.toml:1: train.bacth: unknown key (nearest known: train.batch)",
		"train = { steps = 1, bacth = 3 }":      "x.toml:1: train.bacth: unknown key (nearest known: train.batch)",
		"[trian]\nbatch = 1\nsteps = 2":         "x.toml:1: trian: unknown key (nearest known: train)",
		"heads = 3":                             "x.toml:1: heads: unknown key (nearest known: model.heads)",
		"[train]\nBatch = 3":                    "x.toml:2: train.Batch: unknown key (nearest known: train.batch)",
		"[task]\nm = 9\nnn = 3":                 "x.toml:2: task.m: unknown key (nearest known: task.n)\nx.toml:3: task.nn: unknown key (nearest known: task.n)",
		"[train]\nbatch = \"8\"":                `x.toml:2: train.batch: wanted a whole number (got "8")`,
		"[train]\nbatch = 8.5":                  "x.toml:2: train.batch: wanted a whole number (got 8.5)",
		"[train]\nbatch = [8]":                  "x.toml:2: train.batch: wanted a whole number (got a list)",
		"[train.batch]\nx = 1":                  "x.toml:1: train.batch: wanted a whole number (got a table)",
		"[train]\nbatch.x = 1":                  "x.toml:2: train.batch: wanted a whole number (got a table)",
		"[[train]]\nbatch = 1":                  "x.toml:1: train: wanted a table (got a list of tables)",
		"train = 1":                             "x.toml:1: train: wanted a table (got 1)",
		"title = 1":                             "x.toml:1: title: wanted a text in quotes (got 1)",
		"title = true":                          "x.toml:1: title: wanted a text in quotes (got true)",
		"[train]\nlr = \"1\"":                   `x.toml:2: train.lr: wanted a number (got "1")`,
		"[process]\nschedule = 9":               "x.toml:2: process.schedule: wanted a list of whole numbers (got 9)",
		"[process]\nschedule = [\n0,\n\"9\"]":   `x.toml:2: process.schedule: wanted a list of whole numbers (got "9" in it)`,
		"seed = -1":                             "x.toml:1: seed: ",
		"[train]\nbatch = 1\nbatch = 2":         "x.toml:3: batch: ",
		"[train]\nbatch = 99999999999999999999": "x.toml:2: train.batch: ",
		"\n[train\n":                            "x.toml:2: ",
		"title = \"a":                           "x.toml:1: ",
		"title = '\xff'":                        "x.toml:1: ",
	} {
		_, err := ParseConfig([]byte(doc), "x.toml")
		if err == nil {
			t.Errorf("%q: no error, wanted %s", doc, want)
			continue
		}
		if got := hint.Text(err); got != want && (!strings.HasSuffix(want, " ") || !strings.HasPrefix(got, want)) {
			t.Errorf("%q:\n got %s\nwant %s", doc, got, want)
		}
	}
}

func TestParseConfigOfEditors(t *testing.T) {
	c, err := ParseConfig([]byte("\xef\xbb\xbf[task]\r\nname = \"delta\"\r\nn = 5\r\ntarget = \"identity\"\r\n"), "x.toml")
	if err != nil || c.Task.N != 5 {
		t.Errorf("a byte order mark and CR LF: %v, n = %d", err, c.Task.N)
	}
	for text, want := range map[string]string{
		"title =\n":                         "x.toml:1: unexpected end of the line at start of value",
		"title = \"a\n":                     "x.toml:1: texts in quotes cannot have new lines",
		"[task]\nn = 9223372036854775808\n": "x.toml:2: task.n: is too large",
	} {
		if _, err := ParseConfig([]byte(text), "x.toml"); err == nil || hint.Text(err) != want {
			t.Errorf("%q: %v, wanted %s", text, err, want)
		}
	}
	empty := filepath.Join(t.TempDir(), "empty.toml")
	if err := os.WriteFile(empty, []byte(" \n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadConfig(empty); err == nil || hint.Text(err) != empty+": is empty" {
		t.Errorf("an empty file: %v", err)
	}
}

func TestSet(t *testing.T) {
	c := Default()
	c.Paper = &Paper{Table: "1"}
	c.Process.Schedule = []int{0, 1, 2}
	other := c // shares the schedule and the paper
	for _, s := range []string{
		"train.batch=32", "process.schedule=[0,9]", "task.name=sort", ` title = "with = and quotes" `, "train.lr=1e-4", "train.clip=0",
		"task.augment.rotate=5", "paper.exact=91.5", "train.checkpoint=30s", "seed=7", "task.data=", "model.encoder='cnn'",
	} {
		if err := c.Set(s); err != nil {
			t.Errorf("%s: %v", s, err)
		}
	}
	want := Default()
	want.Train.Batch, want.Process.Schedule, want.Task.Name, want.Title = 32, []int{0, 9}, "sort", "with = and quotes"
	want.Train.LR, want.Train.Clip, want.Task.Augment.Rotate, want.Paper = 1e-4, 0, 5, &Paper{Table: "1", Exact: new(91.5)}
	want.Train.Checkpoint, want.Seed, want.Model.Encoder = "30s", 7, "cnn"
	if d := cmp.Diff(want, c, noSet); d != "" {
		t.Error(d)
	}
	if !slices.Equal(other.Process.Schedule, []int{0, 1, 2}) || other.Paper.Exact != nil {
		t.Errorf("another configuration changed: %v, %v", other.Process.Schedule, other.Paper)
	}
	for s, message := range map[string]string{
		"train.bacth=3":                   "train.bacth: unknown key (nearest known: train.batch)",
		"batch=3":                         "batch: unknown key (nearest known: eval.batch)",
		"train.batch":                     `"train.batch": wanted key=value`,
		"train=3":                         "train: is a table, wanted one of its keys such as train.steps",
		"train.batch=abc":                 "train.batch: wanted a whole number (got \"abc\")",
		"train.batch=":                    "train.batch: wanted a whole number (got \"\")",
		"train.batch='8'":                 "train.batch: wanted a whole number (got \"'8'\")",
		"train.lr=fast":                   "train.lr: wanted a number (got \"fast\")",
		"process.schedule=0,9":            "process.schedule: wanted a list of whole numbers (got \"0,9\")",
		"seed=-1":                         "seed: wanted a whole number, 0 or more (got \"-1\")",
		`title="a`:                        `title: wanted a text in quotes (got "\"a")`,
		"train.batch=1\ntrain.steps=10":   `train.batch: wanted a whole number (got "1\ntrain.steps=10")`,
		"train.batch=9999999999999999999": "train.batch: is too large (got 9999999999999999999)",
	} {
		if err := c.Set(s); err == nil || hint.Text(err) != message {
			t.Errorf("%s: got %v, wanted %s", s, err, message)
		}
	}
	if d := cmp.Diff(want, c, noSet); d != "" {
		t.Errorf("changed by an error: %s", d)
	}
}

func TestTOMLRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.Make[Config]().Draw(t, "config")
		c.Seed &= 1<<63 - 1
		// What a method has no use for is empty and left out; here all is in use.
		c.Process.Forward, c.Decode.Method = stdcmp.Or(c.Process.Forward, "riffle"), stdcmp.Or(c.Decode.Method, "greedy")
		c.Train.Objective, c.Train.Trajectories = stdcmp.Or(c.Train.Objective, "latent"), stdcmp.Or(c.Train.Trajectories, 1)
		data, err := c.TOML()
		if err != nil {
			t.Fatal(err)
		}
		got, err := ParseConfig(data, "config.toml")
		if err != nil {
			t.Fatalf("%v\n%s", err, data)
		}
		if d := cmp.Diff(c, got, cmpopts.EquateEmpty(), cmpopts.EquateNaNs(), noSet); d != "" {
			t.Fatalf("%s\n%s", d, data)
		}
	})
}

func TestTOMLIsComplete(t *testing.T) {
	c := Default()
	data, err := c.TOML()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"# sets per step\nbatch = 64\n", "[model]\n", "feed_forward = 512\n", "schedule = []\n", "lr = 0.001\n"} {
		if !strings.Contains(string(data), want) {
			t.Errorf("%q is not in\n%s", want, data)
		}
	}
	c.Seed = 1 << 63
	if _, err := c.TOML(); err == nil || !strings.HasPrefix(hint.Text(err), "seed: must be at most 9223372036854775807") {
		t.Errorf("a seed that TOML cannot hold: %v", err)
	}
}

// A figure of 0 is a figure; one that the paper does not give is none.
func TestPaperFigures(t *testing.T) {
	c, err := ParseConfig([]byte("[paper]\ntable = \"1\"\nkendall_tau = 0.0\nexact = 0"), "x.toml")
	if err != nil {
		t.Fatal(err)
	}
	if p := c.Paper; p.KendallTau == nil || *p.KendallTau != 0 || p.Exact == nil || *p.Exact != 0 || p.Correct != nil {
		t.Errorf("read %+v", p)
	}
	data, err := c.TOML()
	if err != nil {
		t.Fatal(err)
	}
	if s := string(data); !strings.Contains(s, "kendall_tau = 0.0\n") || !strings.Contains(s, "exact = 0.0\n") || strings.Contains(s, "correct") {
		t.Errorf("written as\n%s", s)
	}
	if text, err := json.Marshal(c.Paper); err != nil || string(text) != `{"table":"1","kendall_tau":0,"exact":0}` {
		t.Errorf("in JSON %s, %v", text, err)
	}
}
