package task

import (
	"fmt"
	"path/filepath"
	"strings"
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
	sets, err := readRankedFile(path)
	if err == nil && len(sets) == 0 {
		err = fmt.Errorf("%s: has no sets", path)
	}
	if err == nil {
		readPath, readSets = path, sets
	}
	return sets, err
}

var (
	readMu   sync.Mutex
	readPath string
	readSets []*dataset.Set
)

func readRankedFile(path string) ([]*dataset.Set, error) {
	switch ext := strings.ToLower(filepath.Ext(strings.TrimSuffix(path, ".gz"))); ext {
	case ".soc", ".soi", ".toc", ".toi":
		f, err := dataset.ReadPrefLib(path)
		if err != nil {
			return nil, err
		}
		return f.Orders, nil
	case ".order":
		return dataset.ReadSushi(path)
	case ".csv", ".tsv":
		return dataset.ReadCSV(path)
	case ".jsonl", ".json":
		return dataset.ReadJSONL(path)
	default:
		return dataset.ReadSVMLight(path)
	}
}
