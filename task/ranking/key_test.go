package ranking

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/riffle-ml/riffle/task"
)

// dealt is the part of each list, by what its first feature says.
func dealt(t *testing.T, r *Task) map[float64]task.Split {
	t.Helper()
	out := map[float64]task.Split{}
	for _, split := range []task.Split{task.Train, task.Validation, task.Test} {
		sets, _, err := r.Sets(split, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range sets {
			mark := s.Items[0].Features[0]
			if before, there := out[mark]; there && before != split {
				t.Fatalf("the list of %g is in two parts", mark)
			}
			out[mark] = split
		}
	}
	return out
}

// A list stays in its part when lines stand elsewhere, columns are exchanged, lists come or go, and sets of another size
// are asked for. So what was trained on is not tested on. Lists of the same items go together.
func TestListsKeepTheirPart(t *testing.T) {
	lines := func(id string, mark int, swapped bool) (out []string) {
		for k := range 2 + mark%3 {
			a, b := fmt.Sprint(mark), fmt.Sprint((7*mark+3*k)%11)
			if swapped {
				a, b = b, a
			}
			out = append(out, fmt.Sprintf("%s,i%d,%d,%s,%s", id, k, k+1, a, b))
		}
		return out
	}
	file := func(header string, id func(mark int) string, marks []int, swapped bool) string {
		all := []string{header}
		for _, mark := range marks {
			all = append(all, lines(id(mark), mark, swapped)...)
		}
		return write(t, "a.csv", strings.Join(all, "\n")+"\n")
	}
	named := func(mark int) string { return fmt.Sprintf("s%d", mark) }
	var marks, backwards []int
	for mark := range 120 {
		marks = append(marks, mark+1)
	}
	backwards = slices.Clone(marks[20:])
	slices.Reverse(backwards)
	open := func(path string, n int) *Task {
		c := rankingConfig(path)
		c.Task.N = n
		return openRanking(t, c)
	}
	c := rankingConfig(file("set,item,rank,a,b", named, marks, false))
	c.Task.N, c.Task.Features = 4, 2
	was := dealt(t, openRanking(t, c))
	parts := map[task.Split]int{}
	for _, split := range was {
		parts[split]++
	}
	if parts[task.Train] < 80 || parts[task.Test] < 4 || parts[task.Validation] < 4 {
		t.Errorf("lists in parts: %v, wanted about 96, 12 and 12", parts)
	}
	for name, r := range map[string]*Task{
		"fewer, backwards": open(file("set,item,rank,a,b", named, backwards, false), 4),
		"small sets alone": open(file("set,item,rank,a,b", named, marks, false), 3),
	} {
		for mark, split := range dealt(t, r) {
			if was[mark] != split {
				t.Errorf("%s: list %g is in part %v, it was in %v", name, mark, split, was[mark])
			}
		}
	}
	swapped := openRanking(t, rankingConfig(file("set,item,rank,b,a", named, marks, true)))
	for _, split := range []task.Split{task.Train, task.Validation, task.Test} {
		sets, _, err := swapped.Sets(split, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range sets {
			if mark := s.Items[0].Features[1]; was[mark] != split {
				t.Errorf("with columns exchanged: list %g is in part %v, it was in %v", mark, split, was[mark])
			}
		}
	}
	// Twice each, under another id: dealt fails on one in two parts.
	twice := append(slices.Clone(marks), marks...)
	count := 0
	dealt(t, open(file("set,item,rank,a,b", func(mark int) string { count++; return fmt.Sprintf("n%d", count) }, twice, false), 4))
}

// Voters of one order are dealt out one by one, on one line or on several.
func TestVotersAreDealtApart(t *testing.T) {
	line, lines := write(t, "a.csv", "rank1,rank2,count\nA,B,400\nB,A,1\n"), write(t, "b.jsonl", strings.Repeat(`{"items":[{"id":"A"},{"id":"B"}],"order":[0,1]}`+"\n", 400)+`{"items":[{"id":"A"},{"id":"B"}],"order":[1,0]}`+"\n")
	for _, path := range []string{line, lines} {
		c := rankingConfig(path)
		c.Task.Items, c.Task.N, c.Task.Features, c.Model.Encoder, c.Model.Hidden = "bare", 2, 0, "table", nil
		r := openRanking(t, c)
		for split, want := range map[task.Split]int{task.Train: 321, task.Validation: 40, task.Test: 40} {
			got, err := r.Lists(split)
			if err != nil {
				t.Fatal(err)
			}
			if got < want-25 || got > want+25 { // four standard deviations
				t.Errorf("%s: %d voters in part %v, wanted about %d", path, got, split, want)
			}
		}
	}
}

// A run from before has its lists dealt out by line. It is said what that does to a test of another size.
func TestDealtByLine(t *testing.T) {
	c := rankingConfig(write(t, "a.csv", clubs(10, "runs,hits,errors")))
	r, dir := openRanking(t, c), newRun(t)
	if err := r.Keep(dir); err != nil {
		t.Fatal(err)
	}
	said := func(r *Task) bool {
		if _, err := r.Lists(task.Test); err != nil {
			t.Fatal(err)
		}
		return strings.Contains(strings.Join(r.Dropped, "\n"), "from before lists were dealt out")
	}
	again, old := openRanking(t, c), openRanking(t, c)
	if err := again.Restore(dir); err != nil {
		t.Fatal(err)
	}
	if said(again) {
		t.Error("it is said of a run of now")
	}
	if err := old.Restore(dir); err != nil {
		t.Fatal(err)
	}
	if old.scale.Dealt = ""; said(old) {
		t.Error("it is said where the size is the same")
	}
	smaller := c
	if err := infer(&smaller); err != nil {
		t.Fatal(err)
	}
	smaller.Task.N--
	if _, err := smaller.Resolve(); err != nil {
		t.Fatal(err)
	}
	for _, r := range []*Task{again, old} {
		other, err := r.OnTest(&smaller)
		if err != nil {
			t.Fatal(err)
		}
		other.(*Task).config.N++ // all lists of this file have the same size
		if got := said(other.(*Task)); got != (r == old) {
			t.Errorf("it is said: %v, of the run from before: %v", got, r == old)
		}
	}
}
