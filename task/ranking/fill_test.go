package ranking

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/google/go-cmp/cmp"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/internal/hint"
	"github.com/riffle-ml/riffle/task"
)

// gaps is a table of sets of two: height is the number of the set, width empty in every third.
func gaps(sets int) string {
	text := "set,item,rank,height,width\n"
	for i := range sets {
		width := fmt.Sprint(10 * i)
		if i%3 == 0 {
			width = ""
		}
		text += fmt.Sprintf("%d,a,1,%d,%d\n%d,b,2,%d,%s\n", i, i, i, i, i, width)
	}
	return text
}

// askedWithGap is a set with an empty width.
func askedWithGap() []*dataset.Set {
	return []*dataset.Set{{
		ID: "q", Kind: dataset.KindFeatures, Columns: &dataset.Columns{Names: []string{"width", "height"}},
		Items: []dataset.Item{{ID: "x", Features: []float64{math.NaN(), 7}}, {ID: "y", Features: []float64{5, 8}}},
	}}
}

// Empty features become what task.fill says: in training, in the test part and in sets that are
// asked about.
func TestFill(t *testing.T) {
	asked := askedWithGap()
	for _, fill := range []string{"mean", "0"} {
		c := rankingConfig(write(t, "a.csv", gaps(30)))
		c.Task.Fill = fill
		r := openRanking(t, c)
		if err := r.load(); err != nil {
			t.Fatal(err)
		}
		sum, count := 0.0, 0.0 // of widths in the training part, as the table is made
		for _, s := range r.parts[task.Train].sets {
			i := 0
			if _, err := fmt.Sscan(s.ID, &i); err != nil {
				t.Fatal(err)
			}
			sum, count = sum+float64(i), count+1
			if i%3 != 0 || fill == "0" {
				count++
			}
			if i%3 != 0 {
				sum += float64(10 * i)
			}
		}
		mean := sum / count
		if got := r.scale.Mean[1]; math.Abs(got-mean) > 1e-9 {
			t.Errorf("%s: mean %v, wanted %v", fill, got, mean)
		}
		want := map[string]float64{"mean": mean, "0": 0}[fill]
		for split, p := range r.parts {
			for _, s := range p.sets {
				i := 0
				fmt.Sscan(s.ID, &i)
				if got := s.Items[1].Features[1]; i%3 == 0 && math.Abs(got-want) > 1e-9 || i%3 != 0 && got != float64(10*i) {
					t.Errorf("%s: part %d, set %s has %v, wanted %v", fill, split, s.ID, got, want)
				}
			}
		}
		whole := *asked[0]
		whole.Items = []dataset.Item{{ID: "x", Features: []float64{r.scale.Mean[1], 7}}, {ID: "y", Features: []float64{5, 8}}}
		if fill == "0" {
			whole.Items[0].Features[0] = 0
		}
		a, _, err := r.Objects(t.Context(), asked)
		if err != nil {
			t.Fatal(err)
		}
		b, _, err := r.Objects(t.Context(), []*dataset.Set{&whole})
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(tensors.MustCopyFlatData[float32](b), tensors.MustCopyFlatData[float32](a)); d != "" {
			t.Errorf("%s: %s", fill, d)
		}
		if !math.IsNaN(asked[0].Items[0].Features[0]) {
			t.Errorf("%s: the set that was asked about is changed", fill)
		}
	}
}

// Without a fill an empty feature is an error, in the data with its line, and in what is asked. So
// is one that is empty everywhere.
func TestFillRefuses(t *testing.T) {
	c := rankingConfig(write(t, "a.csv", gaps(30)))
	if err := infer(&c); err == nil || !strings.Contains(err.Error(), "a.csv:3: width: is empty, wanted a finite number\n") || !strings.Contains(hint.Text(err), "task.fill") {
		t.Errorf("no fill: %v", err)
	}
	r := openRanking(t, rankingConfig(write(t, "b.csv", strings.ReplaceAll(gaps(30), ",\n", ",1\n"))))
	if _, _, err := r.Objects(t.Context(), askedWithGap()); err == nil || !strings.HasPrefix(hint.Text(err), "set q: item x: column \"width\" is empty, wanted a finite number\nhint: ") {
		t.Errorf("no fill: %v", err)
	}
	c = rankingConfig(write(t, "c.csv", gaps(30)))
	c.Task.Fill = "median"
	err := infer(&c)
	if err == nil {
		_, err = made(&c)
	}
	if err == nil || err.Error() != `task.fill: unknown "median", wanted mean or 0` {
		t.Errorf("median: %v", err)
	}
	empty := "set,item,rank,f,g\n"
	for i := range 10 {
		empty += fmt.Sprintf("%d,a,1,%d,\n%d,b,2,1,\n", i, i, i)
	}
	c = rankingConfig(write(t, "d.csv", empty))
	c.Task.Fill = "mean"
	if err := openRanking(t, c).load(); err == nil || !strings.Contains(err.Error(), `d.csv: column "g" is empty in all sets of the training part: it has no mean`) {
		t.Errorf("an empty column: %v", err)
	}
}
