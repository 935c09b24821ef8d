package ranking

import (
	"fmt"
	"testing"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/task"
)

// A list of features that counts several times is in one part alone: a model is not judged on
// what it was trained on. It is drawn as often as it counts.
func TestWeightedListsStayWhole(t *testing.T) {
	var sets []*dataset.Set
	for i := range 60 {
		s := &dataset.Set{ID: fmt.Sprint(i), Kind: dataset.KindFeatures, Order: []int{1, 0}, OrderGiven: "order", Count: 1 + 9*(i%2)}
		for k := range 2 {
			s.Items = append(s.Items, dataset.Item{Features: []float64{float64(i), float64(k)}})
		}
		sets = append(sets, s)
	}
	for _, few := range []int{60, 3, 2} {
		name, release := Provide(sets[:few])
		cfg := config.Default()
		cfg.Task = config.Task{Name: "ranking", Data: name}
		if err := infer(&cfg); err != nil {
			t.Fatal(err)
		}
		r, err := New(&cfg)
		if err != nil {
			t.Fatal(err)
		}
		in, total := map[string]int{}, 0
		for _, split := range []task.Split{task.Train, task.Validation, task.Test} {
			some, weights, err := r.Sets(split, 0)
			if err != nil && split != task.Validation {
				t.Fatal(err)
			}
			for i, s := range some {
				in[s.ID]++
				total += weights[i]
				if weights[i] != s.Count {
					t.Errorf("set %s counts %d times, wanted %d", s.ID, weights[i], s.Count)
				}
			}
		}
		if len(in) != few {
			t.Errorf("%d of %d sets are in a part", len(in), few)
		}
		for id, parts := range in {
			if parts != 1 {
				t.Errorf("set %s is in %d parts", id, parts)
			}
		}
		release()
	}
	if _, err := readRanked(memory+"1", ""); err == nil {
		t.Error("released: no error")
	}
}
