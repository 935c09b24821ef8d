package figures

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/riffle-ml/riffle/run"
)

// The figure of a training on ranked lists has what counts there.
func TestFigureOfLists(t *testing.T) {
	var steps []run.StepLine
	for i := range 5 {
		steps = append(steps, run.StepLine{Step: i + 1, Loss: 8, GradNorm: 1, LR: 1e-3, Items: 4})
	}
	events := []run.Event{{Event: "validation", Step: 5, Fields: map[string]any{"exact": 1.0, "kendall_tau": 0.5, "ndcg": 0.75}}}
	l := newRunLog(steps, events)
	if l.loss.Y[0] != 2 {
		t.Errorf("a loss of 8 for 4 items is %g an item", l.loss.Y[0])
	}
	w := &Writer{Format: "svg"}
	training := filepath.Join(t.TempDir(), "training")
	if err := w.log("metrics.jsonl", steps, events, training, training+"2"); err != nil {
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
