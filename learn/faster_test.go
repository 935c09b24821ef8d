package learn

import (
	"testing"

	"github.com/riffle-ml/riffle/config"
)

// chooser is a model of ranked lists of up to n items by PL, with layers of some width.
func chooser(t *testing.T, n, dim, layers, steps int) *Model {
	t.Helper()
	cfg := config.Default()
	cfg.Task = config.Task{Name: "ranking", N: n, Items: "features", Features: 10}
	cfg.Process.Forward, cfg.Process.Reverse, cfg.Process.Schedule = "riffle", "pl", []int{0, 20}
	m := &cfg.Model
	m.Encoder, m.Hidden, m.Channels, m.Dim, m.Layers, m.Heads, m.FeedForward = "features", []int{64}, nil, dim, layers, 4, 2*dim
	cfg.Train.Steps, cfg.Train.Batch = steps, 64
	model, _, err := New(cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	return model
}

// A small network that is asked little is asked on the go engine, where nothing is compiled. A long
// training and many sets are faster on XLA. What is said names both.
func TestFasterEngine(t *testing.T) {
	for _, x := range []struct {
		what string
		got  Choice
		want string
	}{
		{"two steps", chooser(t, 16, 64, 3, 2).FasterToTrain(), "go"},
		{"a long training", chooser(t, 16, 64, 3, 20000).FasterToTrain(), "xla"},
		{"a few sets", chooser(t, 16, 64, 3, 1).FasterToAsk(Query{Kind: KindOrder, Top: 1, Decode: DecodeOptions{Method: "greedy"}}, 20), "go"},
		{"many sets", chooser(t, 16, 64, 3, 1).FasterToAsk(Query{Kind: KindOrder, Top: 1, Decode: DecodeOptions{Method: "greedy"}}, 100_000), "xla"},
		{"a large network", chooser(t, 100, 256, 8, 1).FasterToAsk(Query{Kind: KindOrder, Top: 1, Decode: DecodeOptions{Method: "beam", Beam: 20, Inner: 200}}, 64), "xla"},
	} {
		if x.got.Kind != x.want {
			t.Errorf("%s: %s, wanted %s: %s", x.what, x.got.Kind, x.want, x.got.Why)
		}
		t.Logf("%s: %s", x.what, x.got.Why)
	}
}
