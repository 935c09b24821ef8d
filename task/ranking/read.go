package ranking

import (
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/internal/hint"
)

// readRanked reads a file of ranked lists, once while it is in use: a configuration is completed
// from it, and then it is trained on. With a fill, empty features are NaN.
func readRanked(path, fill string) ([]*dataset.Set, error) {
	readMu.Lock()
	defer readMu.Unlock()
	if sets, ok := inMemory[path]; ok {
		return sets, nil
	}
	if strings.HasPrefix(path, memory) {
		return nil, hint.Errorf("--test FILE judges on those of a file", "%s: these sets were in the memory of the program that trained", path)
	}
	o := dataset.Options{Empty: fill != "", EmptyHint: "--set " + config.TaskFill + "=mean (or 0) fills empty features"}
	if read != nil && path == read.Path && o == read.Options {
		return read.Sets, nil
	}
	f, err := dataset.Read(path, o)
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

// memory is how names of sets in memory begin.
const memory = "in-memory:"

// Provide has sets in memory stand for a file of the name that it returns, which task.data and
// task.test can have, until release is called.
func Provide(sets []*dataset.Set) (name string, release func()) {
	readMu.Lock()
	defer readMu.Unlock()
	provided++
	name = memory + strconv.Itoa(provided)
	inMemory[name] = sets
	return name, func() {
		readMu.Lock()
		defer readMu.Unlock()
		delete(inMemory, name)
	}
}

var (
	readMu   sync.Mutex
	read     *dataset.File // the last
	inMemory = map[string][]*dataset.Set{}
	provided int
)
