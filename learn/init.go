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
	"github.com/riffle-ml/riffle/task"
)

// InitFrom puts those weights of a run into the model whose name and shape the model has. Notes say
// which of the model's weights start anew and which of the run's are left out. Items and features go by their names,
// where both have some. It is an error if none fits, or
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
	places, err := m.naming(dir)
	if err != nil {
		return nil, err
	}
	if places != nil && places.At == nil {
		notes, places = append(notes, fmt.Sprintf("%s go by their places: only one of this run and %s has names of them", places.What, path)), nil
	}
	taken, absent, unused := 0, &named{}, &named{}
	var random []string // and frozen
	used := make([]bool, len(weights))
	for _, p := range m.Denoiser.Params() {
		i := slices.IndexFunc(weights, func(t run.Tensor) bool { return t.Name == p.Name })
		if i >= 0 && places != nil && p.Name == places.Weight {
			note, err := m.byName(p, &weights[i], places, path)
			if err != nil {
				return nil, err
			}
			if note != "" {
				notes = append(notes, note)
			}
		}
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

// naming is where the run of dir has what the model's items or features are called, nil where names do not tell.
func (m *Model) naming(dir *run.Dir) (*task.Naming, error) {
	t, ok := m.Task.(task.Namer)
	if !ok {
		return nil, nil
	}
	return t.Naming(dir)
}

// byName brings the rows or columns of a run's weight into the places that the model has for them. Those of names that the
// run does not have are the model's own, which start anew. A weight whose other side has another length is left as it is.
func (m *Model) byName(p *denoiser.Param, w *run.Tensor, places *task.Naming, path string) (note string, err error) {
	other := 1 - places.Axis
	if len(w.Shape) != 2 || len(p.Shape) != 2 || w.Shape[other] != p.Shape[other] {
		return "", nil
	}
	own, _, _, err := run.FromStore(m.Store, m.Denoiser)
	if err != nil {
		return "", err
	}
	i := slices.IndexFunc(own, func(t run.Tensor) bool { return t.Name == p.Name })
	if i < 0 {
		return "", nil
	}
	out := slices.Clone(own[i].Data)
	strides := func(shape []int) [2]int { return [2]int{shape[1], 1} }
	to, from, anew := strides(p.Shape), strides(w.Shape), 0
	for j, at := range places.At {
		if at < 0 {
			anew++
			continue
		}
		for k := range p.Shape[other] {
			out[j*to[places.Axis]+k*to[other]] = w.Data[at*from[places.Axis]+k*from[other]]
		}
	}
	w.Shape, w.Data = p.Shape, out
	if anew > 0 {
		note = fmt.Sprintf("%s: %d of %d %s start anew, %s has none of their names", p.Name, anew, len(places.At), places.What, path)
	}
	return note, nil
}
