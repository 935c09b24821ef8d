package riffle_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/engine"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/run"
	"github.com/riffle-ml/riffle/shuffle"
)

// Train a model that learns one order of six objects, and ask it for that order.
func Example() {
	cfg := run.Default()
	cfg.Task = run.Task{Name: "delta", N: 6, Target: "identity"}
	cfg.Model = run.Model{Encoder: "table", Dim: 32, Layers: 1, Heads: 2, FeedForward: 64, Positions: "sinusoid", GPLRows: "dummies"}
	cfg.Train.Steps, cfg.Train.Batch, cfg.Train.LR = 150, 16, 3e-3

	e, err := engine.Open("go")
	if err != nil {
		log.Fatal(err)
	}
	m, _, err := learn.New(cfg, e)
	if err != nil {
		log.Fatal(err)
	}
	path, err := os.MkdirTemp("", "riffle")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(path)
	dir, err := run.Create(path, &m.Config)
	if err != nil {
		log.Fatal(err)
	}
	defer dir.Close()
	if err := m.Train(context.Background(), dir, false, learn.TrainOptions{}); err != nil {
		log.Fatal(err)
	}

	set := &dataset.Set{ID: "mine", Kind: dataset.KindBare, Items: make([]dataset.Item, 6)}
	ordered, _, err := m.Order(context.Background(), []*dataset.Set{set}, 1, learn.DecodeOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(ordered[0].Orders[0].Order)
	// Output: [0 1 2 3 4 5]
}

// Card shuffles need no engine: seven riffles of a deck leave it a third of the way from
// random in total variation (Bayer & Diaconis 1992).
func Example_shuffle() {
	fmt.Printf("%.3f\n", shuffle.TVUniform(52, 7))
	s, err := shuffle.NewSchedule(100)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(s.T, s.Steps)
	fmt.Println(perm.Act(perm.Order{2, 0, 1}, []string{"a", "b", "c"}))
	// Output:
	// 0.334
	// 15 [0 8 10 15]
	// [c a b]
}
