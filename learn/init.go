package learn

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/internal/hint"
	"github.com/riffle-ml/riffle/run"
)

// InitFrom puts those weights of a run into the model whose name and shape the model has. Notes say
// which of the model's weights start anew and which of the run's are left out. It is an error if none fits, or
// not all that train.frozen keeps. Training then begins at its first step: the optimiser's moments are not taken over.
func (m *Model) InitFrom(path string) (notes []string, err error) {
	dir, err := run.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = dir.Close() }() // only read
	weights, state, notes, err := dir.LoadModel()
	if err != nil {
		return nil, err
	}
	taken, absent, unused := 0, &named{}, &named{}
	var random []string // and frozen
	used := make([]bool, len(weights))
	for _, p := range m.Denoiser.Params() {
		i := slices.IndexFunc(weights, func(t run.Tensor) bool { return t.Name == p.Name })
		fits := i >= 0 && slices.Equal(weights[i].Shape, p.Shape)
		if i < 0 {
			absent.add(p.Name, p.Shape)
		} else {
			used[i] = true
			absent.end()
		}
		switch {
		case fits:
			if err := denoiser.SetParam(m.Store, p.Name, p.Shape, weights[i].Data); err != nil {
				return nil, err
			}
			taken++
		case i >= 0:
			notes = append(notes, fmt.Sprintf("%s %v: starts anew, %s has the shape %v", p.Name, p.Shape, path, weights[i].Shape))
		}
		if p.Frozen && !fits {
			random = append(random, p.Name)
		}
	}
	if taken == 0 {
		return nil, fmt.Errorf("%s: has no weight whose name and shape fit this model", path)
	}
	if len(random) > 0 {
		return nil, hint.Errorf("freeze what that run has, or begin with a run of this encoder", "%s: has no weight such as %s, which %s keeps: it would stay random", path, random[0], config.TrainFrozen)
	}
	whole, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	m.began = &run.Start{Run: whole, SHA256: state.SHA256[run.ModelFile]}
	for i, t := range weights {
		if used[i] {
			unused.end()
		} else {
			unused.add(t.Name, t.Shape)
		}
	}
	for _, part := range absent.parts {
		notes = append(notes, fmt.Sprintf("%s: starts anew, %s has none of this name", part, path))
	}
	for _, part := range unused.parts {
		notes = append(notes, fmt.Sprintf("%s: of %s, left out: the model has none of this name", part, path))
	}
	return notes, nil
}

// Start is the run whose weights the model began with, by [Model.InitFrom], or nil.
func (m *Model) Start() *run.Start { return m.began }

// part are weights of a network, with their shapes, that follow each other and have the same name up to the first dot.
type part []string

func (p part) String() string {
	if len(p) == 1 {
		return p[0]
	}
	return fmt.Sprintf("%s to %s, each of these %d", p[0], p[len(p)-1], len(p))
}

// named gathers weights, in the order of a network, into parts.
type named struct {
	parts []part
	ended bool // the last part, by a weight that is not among these
}

func (n *named) add(name string, shape []int) {
	weight := fmt.Sprintf("%s %v", name, shape)
	of, _, _ := strings.Cut(name, ".")
	if last := len(n.parts) - 1; last >= 0 && !n.ended && strings.HasPrefix(n.parts[last][0], of+".") {
		n.parts[last] = append(n.parts[last], weight)
		return
	}
	n.parts, n.ended = append(n.parts, part{weight}), false
}

func (n *named) end() { n.ended = true }
