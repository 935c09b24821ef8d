package ranking

import (
	"fmt"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/internal/hint"
	"github.com/riffle-ml/riffle/task"
)

// MaxItems is how many items the largest set of a ranking may have where task.n does not
// say: the network's work grows with their square.
const MaxItems = 200

// infer fills in what the data says: the kind of items, how many features they have, the largest
// set, and with them the encoder.
func infer(c *config.Config) error {
	if c.Task.N > 0 && c.Task.Items != "" {
		return nil
	}
	if c.Task.Data == "" {
		return &config.KeyError{Key: config.TaskData, Problem: "missing", Hint: "a file of ranked lists; riffle data check looks at it"}
	}
	sets, err := readRanked(c.Task.Data, c.Task.Fill)
	if err != nil {
		return task.ErrData(config.TaskData, c.Task.Data, err)
	}
	t := &c.Task
	kind, largest, silent := sets[0].Kind, 0, t.N == 0
	for _, s := range sets {
		if s.Kind != kind && len(s.Items) > 0 {
			return fmt.Errorf("%s: set %s: items are %s, wanted %s as in the first set", t.Data, s.ID, s.Kind.Items(), kind.Items())
		}
		if n := len(s.Items); len(s.Known()) > 1 && (t.N == 0 && n <= MaxItems || n <= t.N) {
			largest = max(largest, n)
		}
	}
	if largest < 2 {
		return fmt.Errorf("%s: no set of 2 to %d items has an order", t.Data, max(t.N, MaxItems))
	}
	if t.N = largest; silent && kind == dataset.KindBare {
		if t.N = max(largest, len(bareNames(sets))); t.N > MaxItems {
			return hint.Errorf(fmt.Sprintf("--set %s=%d, if that is meant: work grows with its square", config.TaskN, t.N), "%s: has %d different items, wanted at most %d", t.Data, t.N, MaxItems)
		}
	}
	if t.Items == "" {
		t.Items = kind.Items()
	}
	m := &c.Model
	switch t.Items {
	case "bare":
		m.Encoder, m.Hidden = "table", nil
	case "points":
		m.Encoder, m.Hidden = "points", nil
	case "features":
		m.Encoder = "features"
		if len(m.Hidden) == 0 {
			m.Hidden = []int{m.Dim}
		}
		if t.Features == 0 {
			for _, s := range sets {
				if len(s.Items) > 0 {
					t.Features = len(s.Items[0].Features)
				}
			}
		}
	case "images":
		m.Hidden = nil
		if m.Encoder == "" {
			m.Encoder, m.Channels, m.Kernel = "cnn", []int{32, 64}, 5
		}
		if t.Pixels == 0 {
			t.Pixels = 28
		}
	}
	return nil
}
