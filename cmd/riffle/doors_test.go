package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/riffle-ml/riffle/engine"
	"github.com/riffle-ml/riffle/server"
)

// doors are all ways to ask one model of ranked lists about a file.
type doors struct {
	model    string
	training []string // arguments of a small training, which takes the file as its test
	url      string   // of a server of the model
}

// doorNames are the doors, the server's behind the command's.
var doorNames = []string{"order", "sample", "score", "eval", "train", "serve order", "serve sample", "serve score"}

// openDoors serves the model too.
func openDoors(t *testing.T, model string, training ...string) *doors {
	t.Helper()
	e, err := engine.Open("go")
	if err != nil {
		t.Fatal(err)
	}
	s, err := server.New(server.Options{Runs: []string{model}, Engine: e, Limits: server.DefaultLimits()})
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(s)
	t.Cleanup(func() {
		web.Close()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return &doors{model, training, web.URL}
}

// small makes a training of a second.
func small(data string, more ...string) []string {
	return append([]string{
		"train", "ranking", "--steps", "60", "--set", "task.data=" + data,
		"--set", "model.dim=16", "--set", "model.layers=1", "--set", "model.heads=2", "--set", "train.batch=8", "--set", "train.lr=1e-2", "--set", "train.warmup=5", "--set", "train.validate=0",
	}, more...)
}

// asked is what a door says of a file: the part that must not change, all that it said, and whether it answered.
type asked struct {
	answer, said string
	ok           bool
}

// through asks by a door. ok is false where the door does not take files of this kind.
func (d *doors) through(t *testing.T, door, file string) (a asked, ok bool) {
	t.Helper()
	command, serve := strings.CutPrefix(door, "serve ")
	of := map[string]func(string) (string, error){"order": bestOrders, "sample": firstOfDraws, "score": likelier, "eval": agreement, "train": agreement}[command]
	if serve {
		return d.post(t, command, file, of)
	}
	args := []string{command, d.model, file, "--json"}
	switch command {
	case "sample":
		args = append(args, "--count", "40")
	case "score":
		args = append(args, "--draws", "8")
	case "eval":
		args = []string{command, d.model, "--test", file, "--json"}
	case "train":
		args = slices.Concat(d.training, []string{"--out", filepath.Join(t.TempDir(), "run"), "--set", "task.test=" + file, "--quiet", "--json"})
	}
	return askOnce(t, of, args...), true
}

// askOnce runs a command; of makes the answer of what it prints.
func askOnce(t *testing.T, of func(stdout string) (string, error), args ...string) asked {
	t.Helper()
	var out, notes strings.Builder
	code := run(append(args, "--engine", "go"), &out, &notes)
	a := asked{said: notes.String() + unescaped(out.String()), ok: code == 0} // JSON has the warnings
	if a.ok {
		var err error
		if a.answer, err = of(out.String()); err != nil {
			t.Fatalf("%s: %v in %.500s", strings.Join(args, " "), err, out.String())
		}
	}
	return a
}

func unescaped(json string) string { return strings.ReplaceAll(json, `\"`, `"`) }

// post asks the server about a table or lines of JSON.
func (d *doors) post(t *testing.T, command, file string, of func(string) (string, error)) (asked, bool) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	send := func(path, kind, body string) (string, bool) {
		r, err := http.Post(d.url+path, kind, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		text, err := io.ReadAll(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(text), r.StatusCode == http.StatusOK
	}
	said, sets := "", ""
	switch filepath.Ext(file) {
	case ".csv":
		text, ok := send("/v1/sets", "text/csv", string(data))
		if !ok {
			return asked{said: unescaped(text)}, true
		}
		var table struct {
			Sets     json.RawMessage
			Warnings []string
		}
		if err := json.Unmarshal([]byte(text), &table); err != nil {
			t.Fatal(err)
		}
		said, sets = strings.Join(table.Warnings, "\n"), string(table.Sets)
	case ".jsonl":
		sets = "[" + strings.ReplaceAll(strings.TrimSpace(string(data)), "\n", ",") + "]"
	default:
		return asked{}, false
	}
	extra := map[string]string{"order": "", "sample": `, "count": 40`, "score": `, "draws": 8`}[command]
	text, ok := send("/v1/"+command, "application/json", `{"sets": `+sets+extra+`}`)
	a := asked{said: said + unescaped(text), ok: ok}
	if ok {
		var r struct{ Answers []json.RawMessage }
		err := json.Unmarshal([]byte(text), &r)
		lines := ""
		for _, x := range r.Answers {
			lines += string(x) + "\n"
		}
		if err == nil {
			a.answer, err = of(lines)
		}
		if err != nil {
			t.Fatalf("%s: %v in %.500s", command, err, text)
		}
	}
	return a, true
}

// eachLine parses lines of JSON.
func eachLine[T any](text string, do func(T)) error {
	for line := range strings.Lines(text) {
		var v T
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			return err
		}
		do(v)
	}
	return nil
}

// bestOrders are the names of each set's items in the best order.
func bestOrders(text string) (all string, err error) {
	return all, eachLine(text, func(r struct {
		Items  []string
		Orders []struct{ Order []int }
	},
	) {
		for _, k := range r.Orders[0].Order {
			name := fmt.Sprint(k)
			if r.Items != nil {
				name = r.Items[k]
			}
			all += name + " "
		}
		all += "\n"
	})
}

// firstOfDraws is which item is first most often, in all sets together.
func firstOfDraws(text string) (string, error) {
	var shares []float64
	var names []string
	err := eachLine(text, func(r struct {
		Items     []string
		Marginals [][]float64
	},
	) {
		for k := range r.Marginals {
			name := fmt.Sprint(k)
			if r.Items != nil {
				name = r.Items[k]
			}
			at := slices.Index(names, name)
			if at < 0 {
				at, names, shares = len(names), append(names, name), append(shares, 0)
			}
			shares[at] += r.Marginals[k][0]
		}
	})
	if err != nil || len(shares) == 0 {
		return "", err
	}
	return names[slices.Index(shares, slices.Max(shares))], nil
}

// likelier is whether each set's order is likelier than one of chance.
func likelier(text string) (all string, err error) {
	return all, eachLine(text, func(r struct {
		LogProb float64 `json:"log_prob"`
		Uniform float64
	},
	) {
		all += fmt.Sprint(r.LogProb > r.Uniform, " ")
	})
}

// agreement is how far the model's orders and those of the test agree.
func agreement(text string) (string, error) {
	var r struct {
		Ranking struct {
			TauB struct{ Mean float64 } `json:"tau_b"`
		}
	}
	err := json.Unmarshal([]byte(text), &r)
	return fmt.Sprintf("tau-b %.3f", r.Ranking.TauB.Mean), err
}
