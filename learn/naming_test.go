package learn

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/run"
	"github.com/riffle-ml/riffle/task"
)

// rankings trains a step on a file of its text, and returns the run.
func rankings(t *testing.T, name, text string) (*Model, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	c := config.Default()
	c.Task = config.Task{Name: "ranking", Data: path}
	c.Process.Reverse, c.Process.Schedule, c.Model = "pl", []int{0, 4}, config.Model{Dim: 8, Layers: 1, Heads: 2, FeedForward: 8, Positions: "none"}
	c.Train.Steps, c.Train.Batch, c.Train.Validate = 1, 4, 0
	dir := filepath.Join(t.TempDir(), "run")
	m, _, err := Fit(t.Context(), c, dir, openEngine(t, "go"))
	if err != nil {
		t.Fatal(err)
	}
	return m, dir
}

// weight is one of a model's.
func weight(t *testing.T, m *Model, name string) run.Tensor {
	t.Helper()
	all, _, _, err := run.FromStore(m.Store, m.Denoiser)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(all, func(w run.Tensor) bool { return w.Name == name })
	if i < 0 {
		t.Fatalf("no weight %s", name)
	}
	return all[i]
}

// Items and features of another run are taken over by their names, wherever they stand, and those of other names start anew.
func TestInitByNames(t *testing.T) {
	ballots := func(names ...string) string {
		text := "rank1,rank2,rank3,rank4\n"
		for i := range 20 {
			turned := slices.Concat(names[i%2:], names[:i%2])
			text += strings.Join(turned, ",") + "\n"
		}
		return text
	}
	features := func(header string) string {
		text := "set,item,rank," + header + "\n"
		for s := range 20 {
			for k := range 3 {
				text += fmt.Sprintf("s%d,i%d,%d,%d,%d\n", s, k, k+1, s+k, 2*s-k)
			}
		}
		return text
	}
	first, run1 := rankings(t, "a.csv", ballots("Ann", "Bob", "Cy", "Dee"))
	second, _ := rankings(t, "b.csv", ballots("Dee", "Eve", "Ann", "Bob"))
	own := weight(t, second, "encoder.weight")
	notes, err := second.InitFrom(run1)
	if err != nil || len(notes) != 1 || !strings.Contains(notes[0], "1 of 4 items start anew") {
		t.Fatalf("%q, %v", notes, err)
	}
	had, got := weight(t, first, "encoder.weight"), weight(t, second, "encoder.weight")
	row := func(w run.Tensor, k int) []float32 { return w.Data[8*k : 8*k+8] }
	at := func(m *Model, name string) int {
		return slices.Index(m.Task.(interface{ ItemNames() []string }).ItemNames(), name)
	}
	for _, name := range []string{"Ann", "Bob", "Dee"} {
		if !slices.Equal(row(got, at(second, name)), row(had, at(first, name))) {
			t.Errorf("the weights of %s are not those that it had", name)
		}
	}
	if k := at(second, "Eve"); !slices.Equal(row(got, k), row(own, k)) {
		t.Error("the weights of Eve are another's")
	}

	named, run2 := rankings(t, "c.csv", features("price,rating"))
	turned, _ := rankings(t, "d.csv", features("rating,price"))
	if notes, err := turned.InitFrom(run2); err != nil || len(notes) != 0 {
		t.Fatalf("%q, %v", notes, err)
	}
	had, got = weight(t, named, "encoder.fc1.weight"), weight(t, turned, "encoder.fc1.weight")
	for h := range had.Shape[0] {
		if had.Data[2*h] != got.Data[2*h+1] || had.Data[2*h+1] != got.Data[2*h] {
			t.Fatalf("row %d: %v of price and rating became %v of rating and price", h, had.Data[2*h:2*h+2], got.Data[2*h:2*h+2])
		}
	}
	wider, _ := rankings(t, "e.csv", features("price,stars"))
	own = weight(t, wider, "encoder.fc1.weight")
	if notes, err := wider.InitFrom(run2); err != nil || len(notes) != 1 || !strings.Contains(notes[0], "1 of 2 features start anew") {
		t.Fatalf("%q, %v", notes, err)
	}
	if got = weight(t, wider, "encoder.fc1.weight"); got.Data[0] != had.Data[0] || got.Data[1] != own.Data[1] {
		t.Errorf("%v: wanted that of price from the run and that of stars as it was", got.Data[:2])
	}
	plain, _ := rankings(t, "f.jsonl", strings.Repeat(`{"items":[{"features":[1,2]},{"features":[3,1]}],"order":[0,1]}`+"\n"+`{"items":[{"features":[1,5]},{"features":[3,2]}],"order":[1,0]}`+"\n", 10))
	if notes, err := plain.InitFrom(run2); err != nil || !strings.Contains(strings.Join(notes, "\n"), "features go by their places: only one") {
		t.Fatalf("%q, %v", notes, err)
	}
}

// The columns of a file go by the names that the run knows, whatever size is asked for and when a finished training is
// called again, which judges the weights of the run, their average too.
func TestNamesStay(t *testing.T) {
	text := func(header string, swapped bool) string {
		text := "set,item,rank," + header + "\n"
		for s := range 40 {
			for k := range 3 {
				price, noise := s%7-k, (5*s+3*k)%11
				if swapped {
					price, noise = noise, price
				}
				text += fmt.Sprintf("s%d,i%d,%d,%d,%d\n", s, k, k+1, price, noise)
			}
		}
		return text
	}
	path := filepath.Join(t.TempDir(), "a.csv")
	write := func(header string, swapped bool) {
		if err := os.WriteFile(path, []byte(text(header, swapped)), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("price,noise", false)
	c := config.Default()
	c.Task = config.Task{Name: "ranking", Data: path}
	c.Process.Reverse, c.Process.Schedule, c.Model = "pl", []int{0, 4}, config.Model{Dim: 8, Layers: 1, Heads: 2, FeedForward: 8, Positions: "none"}
	c.Train.Steps, c.Train.Batch, c.Train.Validate, c.Train.Average, c.Train.LR, c.Train.Warmup = 8, 4, 0, 0.9, 1e-2, 1
	dir := filepath.Join(t.TempDir(), "run")
	e := openEngine(t, "go")
	trained, _, err := Fit(t.Context(), c, dir, e)
	if err != nil {
		t.Fatal(err)
	}
	write("noise,price", true) // the same lists
	first := func(m *Model) []float64 {
		sets, _, err := m.Task.(task.Lister).Sets(task.Test, 1)
		if err != nil {
			t.Fatal(err)
		}
		return sets[0].Items[0].Features
	}
	want := first(trained)
	loaded, _, err := Load(dir, e)
	if err != nil {
		t.Fatal(err)
	}
	if got := first(loaded); !slices.Equal(got, want) {
		t.Fatalf("loaded: %v, wanted %v", got, want)
	}
	if _, err := loaded.SetSize(4); err != nil {
		t.Fatal(err)
	}
	if got := first(loaded); !slices.Equal(got, want) {
		t.Errorf("of another size: %v, wanted %v", got, want)
	}
	again := newModel(t, trained.Config, e)
	if err := trainIn(t.Context(), again, dir, true, TrainOptions{}); err != nil {
		t.Fatal(err)
	}
	if got := first(again); !slices.Equal(got, want) {
		t.Errorf("called again: %v, wanted %v", got, want)
	}
	judged, trainedOn := weight(t, again, "head.0.weight"), weight(t, trained, "head.0.weight")
	if !slices.Equal(judged.Data, trainedOn.Data) {
		t.Error("called again: the weights are not those that the training ended with")
	}
}
