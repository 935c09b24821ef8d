package ranking

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/run"
	"github.com/riffle-ml/riffle/task"
)

// clubs is a table of sets of four whose columns are in the given order. runs and errors go up by
// club and set, hits go down.
func clubs(sets int, header string) string {
	text := "set,item,rank," + header + "\n"
	for s := range sets {
		for k := range 4 {
			value := map[string]float64{"runs": float64(10*k + s), "hits": float64(100 - 10*k + s), "errors": float64(k*k) + 0.1*float64(s)}
			text += fmt.Sprintf("%d,%c,%d", s, 'A'+k, k+1)
			for c := range strings.SplitSeq(header, ",") {
				text += fmt.Sprintf(",%g", value[c])
			}
			text += "\n"
		}
	}
	return text
}

func readText(t *testing.T, name, text string) []*dataset.Set {
	t.Helper()
	f, err := dataset.Read(write(t, name, text), dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return f.Sets
}

// seen is what the network gets of sets.
func seen[T float32 | int32](t *testing.T, r *Task, sets []*dataset.Set) ([]T, []dataset.Warning) {
	t.Helper()
	x, warnings, err := r.Objects(t.Context(), sets)
	if err != nil {
		t.Fatal(err)
	}
	return tensors.MustCopyFlatData[T](x), warnings
}

// Columns go by their names: in another order they are the same, and what is missing or unknown
// is named.
func TestColumnsByName(t *testing.T) {
	r := openRanking(t, rankingConfig(write(t, "a.csv", clubs(10, "runs,hits,errors"))))
	want, _ := seen[float32](t, r, readText(t, "b.csv", clubs(2, "runs,hits,errors")))
	if want[0] == want[1] {
		t.Fatal("two columns are alike: nothing is tested")
	}
	for name, text := range map[string]string{
		"c.csv":   clubs(2, "errors,runs,hits"),
		"d.jsonl": `{"items": [{"features": {"hits": 100, "errors": 0, "runs": 0}}, {"features": {"errors": 1, "runs": 10, "hits": 90}}, {"features": {"errors": 4, "runs": 20, "hits": 80}}, {"features": {"errors": 9, "runs": 30, "hits": 70}}]}` + "\n" + `{"items": [{"features": [1, 101, 0.1]}, {"features": [11, 91, 1.1]}, {"features": [21, 81, 4.1]}, {"features": [31, 71, 9.1]}]}`,
	} {
		var sets []*dataset.Set
		if name == "d.jsonl" { // two kinds of lines, which no file may mix
			for line := range strings.Lines(text) {
				sets = append(sets, readText(t, name, line)...)
			}
		} else {
			sets = readText(t, name, text)
		}
		if got, warnings := seen[float32](t, r, sets); !slices.Equal(got, want) || (len(warnings) > 0) != (name == "d.jsonl") { // of the list, whose columns have no names
			t.Errorf("%s: %v, wanted %v; warnings %q", name, got, want, warnings)
		}
	}
	for text, wanted := range map[string]string{
		clubs(1, "runs,hits,erors"):       `set 0: unknown column "erors", the nearest is "errors"`,
		clubs(1, "runs,hits,seats"):       `set 0: unknown column "seats", and column "errors" is missing`,
		clubs(1, "runs,hits"):             `set 0: column "errors" is missing, has runs, hits`,
		clubs(1, "runs,hits,errors,more"): `set 0: unknown column "more", wanted runs, hits, errors`,
	} {
		if _, _, err := r.Objects(t.Context(), readText(t, "b.csv", text)); err == nil || err.Error() != wanted {
			t.Errorf("error %v, wanted %q", err, wanted)
		}
	}
	if _, warnings := seen[float32](t, r, readText(t, "b.svm", "1 qid:1 1:3 2:90\n0 qid:1 1:5 2:80 3:1\n")); !slices.Equal(warnings, []dataset.Warning{columnsByPlace}) {
		t.Errorf("numbers for names: warnings %q", warnings)
	}
}

// A test file, and the data themselves when a run is judged, go by the names that were trained on.
func TestTestFileByName(t *testing.T) {
	for name, header := range map[string]string{"the same": "runs,hits,errors", "exchanged": "hits,errors,runs"} {
		c := rankingConfig(write(t, "a.csv", clubs(10, "runs,hits,errors")))
		c.Task.Test = write(t, "b.csv", clubs(3, header))
		sets, _, err := openRanking(t, c).Sets(task.Test, 0)
		if err != nil {
			t.Fatal(err)
		}
		if f := sets[2].Items[1].Features; !slices.Equal(f, []float64{12, 92, 1.2}) {
			t.Errorf("%s: club B of set 2 has %v, wanted 12, 92 and 1.2", name, f)
		}
	}
	c := rankingConfig(write(t, "a.csv", clubs(10, "runs,hits,errors")))
	c.Task.Test = write(t, "b.csv", clubs(3, "runs,hits,seats"))
	if _, _, err := openRanking(t, c).Sets(task.Test, 0); err == nil || !strings.Contains(err.Error(), `b.csv: set 0: unknown column "seats"`) {
		t.Errorf("a renamed column of the test file: %v", err)
	}
}

// What a run keeps is enough to know the columns again; a run from before they were kept goes by
// place and says so.
func TestKeptNames(t *testing.T) {
	config := rankingConfig(write(t, "a.csv", clubs(10, "runs,hits,errors")))
	r, dir := openRanking(t, config), newRun(t)
	if err := r.Keep(dir); err != nil {
		t.Fatal(err)
	}
	want, _ := seen[float32](t, r, readText(t, "b.csv", clubs(1, "runs,hits,errors")))
	again := openRanking(t, config)
	if err := again.Restore(dir); err != nil {
		t.Fatal(err)
	}
	if got, warnings := seen[float32](t, again, readText(t, "b.csv", clubs(1, "hits,errors,runs"))); !slices.Equal(got, want) || len(warnings) > 0 {
		t.Errorf("after Keep and Restore: %v, wanted %v; %q", got, want, warnings)
	}
	before := `{"mean": [0, 0, 0], "deviation": [1, 1, 1]}`
	if err := dir.WriteFile(run.ItemsFile, func(w io.Writer) error { _, err := io.WriteString(w, before); return err }); err != nil {
		t.Fatal(err)
	}
	old := openRanking(t, config)
	if err := old.Restore(dir); err != nil {
		t.Fatal(err)
	}
	if _, warnings := seen[float32](t, old, readText(t, "b.csv", clubs(2, "runs,hits,errors"))); !slices.Equal(warnings, []dataset.Warning{columnsByPlace}) {
		t.Errorf("a run from before: warnings %q, wanted one", warnings)
	}
}

// A sparse file needs no line with the last feature, and has none that the model does not know.
func TestSparseWidth(t *testing.T) {
	data := "1 qid:1 1:1 2:5\n0 qid:1 1:2 5:3\n1 qid:2 1:3 2:4\n0 qid:2 1:2 3:4\n"
	r := openRanking(t, rankingConfig(write(t, "a.svm", data)))
	want, _ := seen[float32](t, r, readText(t, "b.svm", "1 qid:1 1:1 2:5 5:0\n0 qid:1 1:2 2:4 5:0\n"))
	for name, text := range map[string]string{
		"without the last": "1 qid:1 1:1 2:5\n0 qid:1 1:2 2:4\n",
		"with a 0 more":    "1 qid:1 0:0 1:1 2:5 7:0\n0 qid:1 1:2 2:4\n",
	} {
		if got, warnings := seen[float32](t, r, readText(t, "b.svm", text)); !slices.Equal(got, want) || len(warnings) > 0 {
			t.Errorf("%s: %v, wanted %v; %q", name, got, want, warnings)
		}
	}
	if _, _, err := r.Objects(t.Context(), readText(t, "b.svm", "1 qid:1 1:1 7:5 # doc\n0 qid:1 1:2\n")); err == nil || err.Error() != "set 1: item doc has feature 7, the model knows 1 to 5" {
		t.Errorf("a feature more: %v", err)
	}
	if _, _, err := r.Objects(t.Context(), readText(t, "b.svm", "1 qid:1 0:1 1:5 # doc\n0 qid:1 1:2\n")); err == nil || err.Error() != "set 1: item doc has feature 0, the model knows 1 to 5" {
		t.Errorf("numbered from 0: %v", err)
	}
}

// Totals where means were learned are told, by column and item, also those of a test file.
func TestFarFeatures(t *testing.T) {
	c := rankingConfig(write(t, "a.csv", clubs(10, "runs,hits,errors"))) // runs from 0 to 39
	far := strings.Replace(clubs(3, "hits,runs,errors"), "0,C,3,80,20,", "0,C,3,80,3200,", 1)
	c.Task.Test = write(t, "b.csv", far)
	r := openRanking(t, c)
	if _, _, err := r.Sets(task.Test, 0); err != nil {
		t.Fatal(err)
	}
	const wanted = `column "runs" of item C is 3200, in training it was 0 to 39`
	if len(r.Dropped) != 1 || r.Dropped[0] != c.Task.Test+": 1 of 3 sets have values far outside of the training's range: set 0: "+wanted {
		t.Errorf("notes %q", r.Dropped)
	}
	for i, s := range readText(t, "b.csv", far) {
		if got := r.Doubt(s).Text; (got == wanted) != (i == 0) || i > 0 && got != "" {
			t.Errorf("set %d: warning %q", i, got)
		}
	}
}

// A column whose sign was turned is told, where the training's values are of one sign.
func TestNegatedColumn(t *testing.T) {
	r := openRanking(t, rankingConfig(write(t, "a.csv", clubs(10, "runs,hits,errors"))))
	if _, err := r.Lists(task.Train); err != nil {
		t.Fatal(err)
	}
	for _, s := range readText(t, "b.csv", clubs(1, "runs,hits,errors")) {
		if w := r.Doubt(s).Text; w != "" {
			t.Errorf("warning %q of a set as in training", w)
		}
		for k := range s.Items {
			s.Items[k].Features[1] *= -1
		}
		if w := r.Doubt(s); w.Kind != `far: column "hits"` || !strings.HasPrefix(w.Text, `column "hits" of item A is -100, in training it was 70 to 10`) {
			t.Errorf("warning %q of negated hits", w)
		}
	}
}

// Items that are nothing but names: the numbers of a file are its own.
func TestItemsByName(t *testing.T) {
	c := rankingConfig(write(t, "a.soc", "# NUMBER ALTERNATIVES: 4\n# ALTERNATIVE NAME 1: Ada\n# ALTERNATIVE NAME 2: Ben\n# ALTERNATIVE NAME 3: Cy\n# ALTERNATIVE NAME 4: Dot\n60: 1,2,3,4\n6: 1,2,4,3\n"))
	for name, text := range map[string]string{
		"numbered.soc": "# NUMBER ALTERNATIVES: 4\n# ALTERNATIVE NAME 1: Dot\n# ALTERNATIVE NAME 2: Cy\n# ALTERNATIVE NAME 3: Ben\n# ALTERNATIVE NAME 4: Ada\n20: 4,3,2,1\n",
		"a.csv":        "set,item,rank\nx,Dot,4\nx,Ben,2\nx,Cy,3\nx,Ada,1\n",
		"a.jsonl":      `{"items": [{"id": "Ben"}, {"id": "Dot"}, {"id": "Ada"}, {"id": "Cy"}], "order": [2, 0, 3, 1]}`,
	} {
		c.Task.Test = write(t, name, text)
		r := openRanking(t, c)
		sets, _, err := r.Sets(task.Test, 0)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if o := sets[0].Order; !slices.Equal(o, []int{0, 1, 2, 3}) || strings.Join(sets[0].ItemNames(), " ") != "Ada Ben Cy Dot" {
			t.Errorf("%s: order %v of %q, wanted 0 1 2 3 as the training numbers them", name, o, sets[0].ItemNames())
		}
		for _, s := range readText(t, name, text) {
			ids, warnings := seen[int32](t, r, []*dataset.Set{s})
			for k, id := range ids {
				if want := strings.Index("Ada Ben Cy  Dot", s.Items[k].ID) / 4; int(id) != want || len(warnings) > 0 {
					t.Errorf("%s: %s is the model's item %d, wanted %d; %q", name, s.Items[k].ID, id, want, warnings)
				}
			}
		}
	}
	// Some of the items: of the others the test file says nothing, and a set of them is warned of.
	c.Task.Test = write(t, "some.csv", "set,item,rank\nx,Dot,2\nx,Ben,1\n")
	r := openRanking(t, c)
	sets, _, err := r.Sets(task.Test, 0)
	if err != nil || len(sets[0].Items) != 4 || fmt.Sprint(sets[0].Levels) != "[[1] [3]]" {
		t.Errorf("two of four: %+v, %v", sets[0], err)
	}
	if ids, warnings := seen[int32](t, r, readText(t, "some.csv", "set,item\nx,Dot\nx,Ben\n")); !slices.Equal(ids, []int32{3, 1}) || len(warnings) != 1 || !strings.Contains(warnings[0].Text, "2 of the 4 items") {
		t.Errorf("a set of two: %v, %q", ids, warnings)
	}
	// Bare ones without a name are so by their place.
	if ids, _ := seen[int32](t, r, readText(t, "x.jsonl", `{"items": [{}, {}, {}, {}]}`)); !slices.Equal(ids, []int32{0, 1, 2, 3}) {
		t.Errorf("without names: %v", ids)
	}
	for text, wanted := range map[string]string{
		"set,item,rank\nx,Ada,1\nx,Benn,2\n":  `set x: the model knows no item "Benn", the nearest is "Ben"`,
		"set,item,rank\nx,Eve,1\nx,Zoroa,2\n": `set x: the model knows no item "Eve", its items are "Ada", "Ben", "Cy", "Dot"`,
	} {
		if _, _, err := r.Objects(t.Context(), readText(t, "x.csv", text)); err == nil || err.Error() != wanted {
			t.Errorf("error %v, wanted %q", err, wanted)
		}
		c.Task.Test = write(t, "x.csv", text)
		if _, _, err := openRanking(t, c).Sets(task.Test, 0); err == nil || !strings.Contains(err.Error(), "x.csv: "+wanted) {
			t.Errorf("test file: error %v, wanted %q", err, wanted)
		}
	}
}

// Lines of JSONL may have the items in any order and not all of them.
func TestJSONLItemsByName(t *testing.T) {
	r := openRanking(t, rankingConfig(write(t, "a.jsonl", `{"items": [{"id": "b"}, {"id": "a"}], "order": [1, 0]}
{"items": [{"id": "a"}, {"id": "c"}, {"id": "b"}], "order": [0, 2, 1]}
{"items": [{"id": "d"}, {"id": "a"}], "order": [1, 0]}
`)))
	if r.config.N != 4 {
		t.Errorf("%d items, wanted 4: b, a, c, d", r.config.N)
	}
	for _, split := range []task.Split{task.Train, task.Test} {
		sets, _, err := r.Sets(split, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range sets {
			if names := strings.Join(s.ItemNames(), ""); names != "bacd" || s.Known()[0][0] != 1 {
				t.Errorf("items %s, levels %v: wanted bacd, a first", names, s.Known())
			}
		}
	}
}

// A test file that puts no item before another is an error: training sets do not stand in.
func TestSilentTestFile(t *testing.T) {
	c := rankingConfig(write(t, "a.csv", clubs(10, "runs,hits,errors")))
	c.Task.Test = write(t, "b.csv", "set,item,rank,runs,hits,errors\nx,A,1,1,2,3\nx,B,1,1,2,3\n")
	if _, _, err := openRanking(t, c).Sets(task.Test, 0); err == nil || !strings.Contains(err.Error(), "b.csv: no set is left to test on") {
		t.Errorf("error %v", err)
	}
}
