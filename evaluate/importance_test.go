package evaluate

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/presets"
)

// sizes writes lists of four items that stand by the first of their two features.
func sizes(t *testing.T, lists int, seed uint64) string {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 0))
	var b strings.Builder
	b.WriteString("set,item,rank,size,noise\n")
	for s := range lists {
		for k, r := range rng.Perm(4) {
			fmt.Fprintf(&b, "%d,i%d,%d,%.3f,%.3f\n", s, k, r, float64(r)+rng.Float64(), rng.Float64())
		}
	}
	path := filepath.Join(t.TempDir(), "lists.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// smallRanking is a quick training on a file's lists.
func smallRanking(t *testing.T, keys ...string) config.Config {
	t.Helper()
	data, _ := presets.Get("ranking")
	cfg, err := config.ParseConfig(data, "ranking.toml")
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range append([]string{"model.dim=16", "model.layers=1", "model.heads=2", "model.feed_forward=16", "model.dropout=0", "train.batch=16", "train.steps=150", "train.time=", "train.schedule=constant", "train.lr=0.005", "train.validate=0"}, keys...) {
		if err := cfg.Set(key); err != nil {
			t.Fatal(err)
		}
	}
	return cfg
}

// What the order is by is what matters; the same seed gives the same figures.
func TestImportance(t *testing.T) {
	cfg := smallRanking(t, "task.data="+sizes(t, 200, 1))
	m, _, err := learn.Fit(t.Context(), cfg, filepath.Join(t.TempDir(), "run"), openEngine(t, "go"))
	if err != nil {
		t.Fatal(err)
	}
	file, err := dataset.Read(sizes(t, 60, 2), dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	lists := file.Sets
	before := fmt.Sprint(lists[0].Items)
	steps := 0
	opt := ImportanceOptions{Repeats: 3, Seed: 1, Progress: func(int, int) { steps++ }}
	r, err := MeasureImportance(t.Context(), m, lists, opt)
	if err != nil {
		t.Fatal(err)
	}
	if r.Lists != 60 || steps != 1+2*3 || r.TauB.Mean < 0.8 {
		t.Fatalf("%d lists, %d orderings, tau-b %v", r.Lists, steps, r.TauB)
	}
	size, noise := r.Features[0], r.Features[1]
	if size.Feature != 0 || size.TauB.Low < 0.5 || size.NDCG.Mean <= 0 {
		t.Errorf("first %+v, wanted the feature that orders", size)
	}
	if noise.Feature != 1 || noise.TauB.Mean > 0.1 {
		t.Errorf("second %+v, wanted noise", noise)
	}
	// Shuffled, its orders say nothing of the truth: tau-b is about 0.
	if left := r.TauB.Mean - size.TauB.Mean; left < -0.15 || left > 0.15 {
		t.Errorf("with a size of other items tau-b is %g, wanted about 0", left)
	}
	if fmt.Sprint(lists[0].Items) != before {
		t.Error("the lists were changed")
	}
	again, err := MeasureImportance(t.Context(), m, lists, opt)
	if err != nil || fmt.Sprint(again.Features) != fmt.Sprint(r.Features) {
		t.Errorf("the same seed gives %v, %v, before %v", again, err, r)
	}
	if _, err := MeasureImportance(t.Context(), m, []*dataset.Set{bare(4)}, opt); err == nil {
		t.Error("no order known: no error")
	}
	known := bare(4)
	known.Order = []int{0, 1, 2, 3}
	if _, err := MeasureImportance(t.Context(), m, []*dataset.Set{known}, opt); err == nil || !strings.Contains(err.Error(), "items are bare, wanted features") {
		t.Errorf("bare items: %v", err)
	}
}
