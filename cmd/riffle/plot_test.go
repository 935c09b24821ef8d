package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	runs "github.com/riffle-ml/riffle/run"
)

// The figure of a training on ranked lists has what counts there.
func TestFigureOfLists(t *testing.T) {
	var steps []runs.StepLine
	for i := range 5 {
		steps = append(steps, runs.StepLine{Step: i + 1, Loss: 8, GradNorm: 1, LR: 1e-3, Items: 4})
	}
	l := newRunLog(steps, []runs.Event{{Event: "validation", Step: 5, Fields: map[string]any{"exact": 1.0, "kendall_tau": 0.5, "ndcg": 0.75}}})
	if l.loss.Y[0] != 2 {
		t.Errorf("a loss of 8 for 4 items is %g an item", l.loss.Y[0])
	}
	p := &plotter{format: "svg"}
	training := filepath.Join(t.TempDir(), "training")
	if err := l.save(p, training, training+"2"); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(training + ".svg")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"loss (nats an item)", "agreement with the lists", "tau-b", "NDCG@10"} {
		if !strings.Contains(string(data), text) {
			t.Errorf("the figure has no %q", text)
		}
	}
}
