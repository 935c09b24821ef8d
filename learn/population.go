package learn

import (
	"fmt"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/task"
)

// Population returns the set of all items that the model knows, where they are the same in every
// set. For orders and draws there is then no other input. It fails where sets have objects of their
// own.
func (m *Model) Population() (*dataset.Set, error) {
	if t, ok := m.Task.(task.Population); ok {
		return t.All()
	}
	return nil, fmt.Errorf("the model is of the task %s, not of one population of items", m.Config.Task.Name)
}
