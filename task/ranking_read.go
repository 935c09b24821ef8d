package task

import (
	"fmt"
	"sync"

	"github.com/riffle-ml/riffle/dataset"
)

// readRanked reads a file of ranked lists, once while it is in use: a configuration is completed
// from it, and then it is trained on.
func readRanked(path string) ([]*dataset.Set, error) {
	readMu.Lock()
	defer readMu.Unlock()
	if path == readPath {
		return readSets, nil
	}
	f, err := dataset.Open(path)
	if err != nil {
		return nil, err
	}
	if len(f.Sets) == 0 {
		return nil, fmt.Errorf("%s: has no sets", path)
	}
	readPath, readSets = path, f.Sets
	return readSets, nil
}

var (
	readMu   sync.Mutex
	readPath string
	readSets []*dataset.Set
)
