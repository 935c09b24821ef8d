package task

import (
	"fmt"
	"sync"

	"github.com/riffle-ml/riffle/dataset"
)

// readRanked reads a file of ranked lists, once while it is in use: a configuration is completed
// from it, and then it is trained on. With a fill, empty features are NaN.
func readRanked(path, fill string) ([]*dataset.Set, error) {
	readMu.Lock()
	defer readMu.Unlock()
	o := dataset.Options{Empty: fill != ""}
	if read != nil && path == read.Path && o == read.Options {
		return read.Sets, nil
	}
	f, err := dataset.OpenWith(path, o)
	if err != nil {
		return nil, err
	}
	if len(f.Sets) == 0 {
		return nil, fmt.Errorf("%s: has no sets", path)
	}
	read = f
	return read.Sets, nil
}

// fileWarnings is what is odd about the file that was read last.
func fileWarnings(path string) (warnings []string) {
	readMu.Lock()
	defer readMu.Unlock()
	if read != nil && path == read.Path {
		for _, w := range read.Warnings {
			warnings = append(warnings, path+": "+w)
		}
	}
	return warnings
}

var (
	readMu sync.Mutex
	read   *dataset.File // the last
)
