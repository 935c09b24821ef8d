package learn_test

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/engine"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/perm"
)

// Train on lists with features of one's own, without a file: here four offers each, ranked by their
// price.
func ExampleFitSets() {
	rng := rand.New(rand.NewPCG(1, 2))
	columns := &dataset.Columns{Names: []string{"price", "weight"}}
	var lists []*dataset.Set
	for range 200 {
		price := perm.Random(rng, 4) // price[k] is the rank of offer k
		s := &dataset.Set{Kind: dataset.KindFeatures, Columns: columns, Order: perm.Rank(price).Order(), OrderGiven: "order"}
		for _, p := range price {
			s.Items = append(s.Items, dataset.Item{Features: []float64{10 + 5*float64(p), rng.Float64()}})
		}
		lists = append(lists, s)
	}
	cfg := config.Default()
	cfg.Model = config.Model{Dim: 16, Layers: 1, Heads: 2, FeedForward: 16, Positions: "sinusoid", GPLRows: "dummies"}
	cfg.Train.Steps, cfg.Train.Batch, cfg.Train.LR, cfg.Train.Schedule = 200, 16, 5e-3, "constant"
	e, err := engine.Open("go")
	if err != nil {
		log.Fatal(err)
	}
	steps := 0
	options := learn.TrainOptions{OnStep: func(p learn.Progress) { steps = p.Step }}
	path := filepath.Join(os.TempDir(), fmt.Sprint("riffle-offers-", os.Getpid()))
	defer os.RemoveAll(path)
	m, warnings, err := learn.FitSets(context.Background(), cfg, lists, nil, path, e, options)
	if err != nil {
		log.Fatal(err)
	}
	for _, w := range warnings { // of the engine and of the configuration
		log.Print(w)
	}
	offers := &dataset.Set{Kind: dataset.KindFeatures, Columns: columns, Items: []dataset.Item{
		{ID: "dear", Features: []float64{25, 0.1}}, {ID: "cheap", Features: []float64{10, 0.9}}, {ID: "fair", Features: []float64{15, 0.2}},
	}}
	ordered, _, err := m.Order(context.Background(), []*dataset.Set{offers}, 1, learn.DecodeOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(steps, perm.Act(ordered[0].Orders[0].Order, offers.ItemNames()))
	// Output: 200 [cheap fair dear]
}
