package training

import (
	"fmt"
	"slices"

	"github.com/riffle-ml/riffle/internal/text"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/task"
)

// Describe says what is about to be trained, and warns of what is odd about the data.
func Describe(h Host, m *learn.Model) {
	what := m.Config.Method
	if p := m.Process; p != nil {
		what = fmt.Sprintf("%s with %s, schedule %v", p.Forward.Name(), p.Reverse.LongName(), p.Steps)
	}
	h.Note("model: %s parameters, %s", text.Thousands(m.Denoiser.NumParameters()), what)
	if t, ok := m.Task.(task.Lister); ok {
		var lists [task.Test + 1]int
		for split := range lists {
			lists[split], _ = t.Lists(task.Split(split)) // the model was made: its data can be read
		}
		h.Note("data: %s lists to train on, %s for validation, %s for the test", text.Thousands(lists[task.Train]), text.Thousands(lists[task.Validation]), text.Thousands(lists[task.Test]))
	}
	if t, ok := m.Task.(task.DataDoubter); ok {
		doubts := t.Doubts(task.Train)
		for _, d := range t.Doubts(task.Test) {
			if !slices.Contains(doubts, d) {
				doubts = append(slices.Clip(doubts), d)
			}
		}
		h.Warn(doubts)
	}
}
