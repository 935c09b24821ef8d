package question

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/engine"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/task/ranking"
)

// BenchmarkOrderLists times 20,000 lists of 8 to 16 documents of 12 features that come as a stream.
// They are asked as riffle order asks, greedily. The network is that of the preset
// ranking-features, untrained.
func BenchmarkOrderLists(b *testing.B) {
	rng := rand.New(rand.NewPCG(3, 1))
	var all []*dataset.Set
	for range 20_000 {
		s := &dataset.Set{Kind: dataset.KindFeatures}
		s.Order = perm.Identity(8 + rng.IntN(9))
		for range s.Order {
			features := make([]float64, 12)
			for j := range features {
				features[j] = rng.NormFloat64()
			}
			s.Items = append(s.Items, dataset.Item{Features: features})
		}
		all = append(all, s)
	}
	name, release := ranking.Provide(all[:1000])
	defer release()
	cfg := config.Default()
	cfg.Task = config.Task{Name: "ranking", Data: name, Scale: "quantile"}
	cfg.Process = config.Process{Forward: "riffle", Reverse: "pl", Schedule: []int{0, 20}}
	cfg.Model = config.Model{Dim: 64, Layers: 3, Heads: 4, FeedForward: 128, Positions: "none"}
	e, err := engine.Open("go")
	if err != nil {
		b.Fatal(err)
	}
	m, _, err := learn.New(cfg, e)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		answered := 0
		for part, err := range Stream(b.Context(), from(all), m.Config.Eval.Batch, func(ctx context.Context, sets []*dataset.Set) ([]learn.Ordered, []dataset.Warning, error) {
			return m.Order(ctx, sets, 1, learn.DecodeOptions{Method: "greedy"})
		}) {
			if err != nil {
				b.Fatal(err)
			}
			answered += len(part.Answers)
		}
		if answered != len(all) {
			b.Fatalf("%d answers", answered)
		}
	}
}
