package riffle_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/engine"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/shuffle"
)

// Train a model that learns one order of six objects. Load it, ask it for the order of such a set,
// draw orders, and have the order's probability.
func Example() {
	cfg := config.Default()
	cfg.Task = config.Task{Name: "delta", N: 6, Target: "identity"}
	cfg.Model = config.Model{Encoder: "table", Dim: 32, Layers: 1, Heads: 2, FeedForward: 64, Positions: "sinusoid", GPLRows: "dummies"}
	cfg.Train.Steps, cfg.Train.Batch, cfg.Train.LR = 150, 16, 3e-3
	e, err := engine.Open("go")
	check(err)
	ctx, path := context.Background(), filepath.Join(os.TempDir(), fmt.Sprint("riffle-", os.Getpid()))
	defer os.RemoveAll(path)
	_, _, err = learn.Fit(ctx, cfg, path, e)
	check(err)
	m, _, err := learn.Load(path, e)
	check(err)
	set := &dataset.Set{ID: "mine", Kind: dataset.KindBare, Items: make([]dataset.Item, 6), Order: perm.Order{0, 1, 2, 3, 4, 5}}
	ordered, _, err1 := m.Order(ctx, []*dataset.Set{set}, 1, learn.DecodeOptions{})
	sampled, _, err2 := m.Sample(ctx, []*dataset.Set{set}, 10, 1)
	scored, _, err3 := m.Score(ctx, []*dataset.Set{set}, 16, 1)
	check(errors.Join(err1, err2, err3))
	fmt.Println(ordered[0].Orders[0].Order, len(sampled[0].Samples), scored[0].Bound > scored[0].Uniform)
	// Output: [0 1 2 3 4 5] 10 true
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
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
