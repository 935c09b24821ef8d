package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/tsp"
)

// plantedTours are instances of cities at random, with their shortest tours.
func plantedTours(t *testing.T, count, n int) (points [][][2]float64, tours []perm.Order) {
	t.Helper()
	rng := rand.New(rand.NewPCG(7, 7))
	for range count {
		cities := make([][2]float64, n)
		for k := range cities {
			cities[k] = [2]float64{rng.Float64(), rng.Float64()}
		}
		x, err := tsp.New(cities, tsp.Euclidean)
		if err != nil {
			t.Fatal(err)
		}
		tour, _, proven := tsp.Exact(t.Context(), x)
		if !proven {
			t.Fatal("six cities are too many")
		}
		points, tours = append(points, cities), append(tours, tour)
	}
	return points, tours
}

// tourText writes instances, an instance a line.
func tourText(points [][][2]float64, tours []perm.Order) string {
	text := ""
	for i, cities := range points {
		for _, p := range cities {
			text += fmt.Sprintf("%.17g %.17g ", p[0], p[1])
		}
		text += "output"
		for _, k := range tours[i] {
			text += fmt.Sprint(" ", k+1)
		}
		text += fmt.Sprint(" ", tours[i][0]+1, "\n")
	}
	return text
}

// moved are the instances with each city elsewhere, and city was[k] as city k.
func moved(points [][][2]float64, tours []perm.Order, was perm.Order, to func([2]float64) [2]float64) string {
	points, tours = slices.Clone(points), slices.Clone(tours)
	for i := range points {
		cities := make([][2]float64, len(was))
		for k, before := range was {
			cities[k] = to(points[i][before])
		}
		tour := make(perm.Order, len(was))
		for at, before := range tours[i] {
			tour[at] = slices.Index(was, before)
		}
		points[i], tours[i] = cities, tour
	}
	return tourText(points, tours)
}

// tourDoors are all ways to ask about a file of tours; trained are the arguments of a training that tests on it.
func tourDoors(t *testing.T, model string, trained func(test, out string) []string) map[string]func(file string) asked {
	doors := map[string]func(file string) asked{
		"data check": func(file string) asked { return askHere(t, setsOfCheck, "data", "check", file, "--json") },
		"tsp check":  func(file string) asked { return askHere(t, setsOfCheck, "tsp", "check", file, "--json") },
		"tsp solve":  func(file string) asked { return askHere(t, gaps, "tsp", "solve", file, "--json") },
		"order": func(file string) asked {
			return askOnce(t, gaps, "order", model, file, "--out", filepath.Join(t.TempDir(), "o.txt"), "--json")
		},
		"sample": func(file string) asked {
			return askOnce(t, shares, "sample", model, file, "--count", "200", "--json")
		},
		"score": func(file string) asked { return askOnce(t, bounds, "score", model, file, "--draws", "16", "--json") },
		"eval":  func(file string) asked { return askOnce(t, gapOf, "eval", model, "--test", file, "--json") },
		"train": func(file string) asked { return askOnce(t, gapOf, trained(file, filepath.Join(t.TempDir(), "run"))...) },
	}
	web := openDoors(t, model)
	doors["serve"] = func(file string) asked {
		sets, err := dataset.Read(file, dataset.Options{Cities: true})
		if err != nil {
			t.Fatal(err)
		}
		var lines strings.Builder
		w := dataset.NewJSONLWriter(&lines)
		for _, s := range sets.Sets {
			err = errors.Join(err, w.Write(s))
		}
		if err := errors.Join(err, w.Flush()); err != nil {
			t.Fatal(err)
		}
		a, _ := web.through(t, "serve order", writing(t)("served.jsonl", lines.String()))
		return a
	}
	return doors
}

// Nor do faults in a file of tours. No door depends on the unit or the direction. One that is given a
// tour that is not the shortest for a reference says so.
func TestPlantedTours(t *testing.T) {
	const n = 6
	points, tours := plantedTours(t, 4, n)
	write := writing(t)
	training := write("train.txt", tourText(points, tours))
	train := []string{
		"train", "tsp-20", "--steps", "2", "--quiet", "--json", "--set", "task.n=6", "--set", "model.dim=16", "--set", "model.layers=1", "--set", "model.heads=2",
		"--set", "model.feed_forward=16", "--set", "train.batch=4", "--set", "train.validate=0", "--set", "eval.batch=4", "--set", "eval.examples=4", "--set", "process.schedule=[0,6]", "--set", "task.data=" + training,
		"--set", "decode.beam=120", "--set", "decode.inner=120", // all orders of five: the shortest is found
	}
	model := filepath.Join(t.TempDir(), "tours")
	trained := func(test, out string) []string {
		return append(slices.Clone(train), "--set", "task.test="+test, "--out", out)
	}
	if a := askOnce(t, gapOf, trained(training, model)...); !a.ok {
		t.Fatal(a.said)
	}
	doors := tourDoors(t, model, trained)
	unit := func(u float64) func([2]float64) [2]float64 {
		return func(p [2]float64) [2]float64 { return [2]float64{u * p[0], u * p[1]} }
	}
	back := make([]perm.Order, len(tours))
	crossed := make([]perm.Order, len(tours))
	for i, tour := range tours {
		back[i], crossed[i] = slices.Clone(tour), slices.Clone(tour)
		slices.Reverse(back[i][1:]) // the same tour
		crossed[i][2], crossed[i][4] = tour[4], tour[2]
	}
	mirrored := func(p [2]float64) [2]float64 { return [2]float64{p[1], p[0]} }
	const doubt = "cannot be the shortest"
	asWas := perm.Identity(n)
	faults := []struct {
		name, text string
		said       string
		not        []string // doors whose answer is another one with reason
	}{
		{"a unit of 1e-6", moved(points, tours, asWas, unit(1e-6)), "", nil},
		{"a unit of 1e7, elsewhere", moved(points, tours, asWas, func(p [2]float64) [2]float64 { return [2]float64{1e7*p[0] + 3e7, 1e7*p[1] - 2e8} }), "", nil},
		// A network sees a mirrored map as another one: its draws and probabilities are of that.
		{"the columns exchanged", moved(points, tours, asWas, mirrored), "", []string{"sample", "score", "serve"}},
		{"the cities renumbered", moved(points, tours, perm.Order{0, 3, 5, 1, 4, 2}, unit(1)), "", []string{"sample", "score", "serve"}},
		{"the references the other way round", tourText(points, back), "", []string{"score"}},
		{"the references crossed", tourText(points, crossed), doubt, []string{"sample", "score", "serve"}},
	}
	for door, ask := range doors {
		random := door == "sample" || door == "score"
		want := ask(training)
		if !want.ok || strings.Contains(want.said, doubt) {
			t.Fatalf("%s: %+v", door, want)
		}
		for i, f := range faults {
			if slices.Contains(f.not, door) {
				continue
			}
			got := ask(write(fmt.Sprintf("%d.txt", i), f.text))
			if f.said == "" && (!got.ok || got.answer != want.answer && (!random || !sameNumbers(t, got.answer, want.answer))) || !strings.Contains(got.said, f.said) {
				t.Errorf("%s, %s: answered %q (%v), wanted %q and to be told %q\n%.600s", door, f.name, got.answer, got.ok, want.answer, f.said, got.said)
			}
		}
	}
}

// askHere is [askOnce] of a command that asks no model.
func askHere(t *testing.T, of func(string) (string, error), args ...string) asked {
	t.Helper()
	var out, notes strings.Builder
	a := asked{ok: run(args, &out, &notes) == 0}
	a.said = notes.String() + out.String()
	var err error
	if a.answer, err = of(out.String()); err != nil {
		t.Fatalf("%s: %v in %.500s", strings.Join(args, " "), err, out.String())
	}
	return a
}

// setsOfCheck is how many instances and tours there are.
func setsOfCheck(text string) (string, error) {
	var r struct {
		Sets, Instances int
		Complete        int `json:"orders_complete"`
		Tours           int
	}
	err := json.Unmarshal([]byte(text), &r)
	return fmt.Sprint(r), err
}

// gaps are those of each instance's tour, in percent.
func gaps(text string) (all string, err error) {
	return all, eachLine(text, func(r struct{ Gap *float64 }) { all += fmt.Sprintf("%.4f ", max(0, *r.Gap)) })
}

// gapOf is the mean of them.
func gapOf(text string) (string, error) {
	var r struct {
		Tour struct{ Gap struct{ Mean float64 } }
	}
	err := json.Unmarshal([]byte(text), &r)
	return fmt.Sprintf("%.4f", max(0, r.Tour.Gap.Mean)), err
}

// shares are those of the draws in which each item is at each position.
func shares(text string) (all string, err error) {
	return all, eachLine(text, func(r struct{ Marginals [][]float64 }) {
		for _, x := range slices.Concat(r.Marginals...) {
			all += fmt.Sprint(x, " ")
		}
	})
}

// bounds are those on log p.
func bounds(text string) (all string, err error) {
	return all, eachLine(text, func(r struct{ Bound float64 }) { all += fmt.Sprint(r.Bound, " ") })
}

// sameNumbers compares lists of numbers. Draws and what is estimated by them are random, by a seed that
// is of the set. Shares of 200 draws have a standard error of 0.035 at most.
func sameNumbers(t *testing.T, a, b string) bool {
	t.Helper()
	x, y := strings.Fields(a), strings.Fields(b)
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		var u, v float64
		if _, err := fmt.Sscan(x[i]+" "+y[i], &u, &v); err != nil {
			t.Fatal(err)
		}
		if math.Abs(u-v) > 0.2 {
			return false
		}
	}
	return true
}
