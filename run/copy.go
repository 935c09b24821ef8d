package run

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// ErrModelOnly is returned by [Dir.LoadCheckpoint] of a run that has the weights, but not what
// the optimiser knew of them.
var ErrModelOnly = errors.New("holds a model without the optimiser's state, which a training cannot be resumed from")

// CopyModel writes to the directory to, made where it is missing, what using the model of d
// takes: a third of a run's bytes. That is its newest checkpoint that is whole, as [Dir.LoadModel]
// finds it, without the optimiser's moments; the configuration; and of the files of d those
// named beside, where they are there. The copy is a run for everything but to resume its
// training ([ErrModelOnly]). A directory that holds a run already is an error and stays as it is.
func (d *Dir) CopyModel(to string, beside ...string) (state State, warnings []string, err error) {
	weights, state, warnings, err := d.LoadModel()
	if err != nil {
		return State{}, nil, err
	}
	config, err := d.disk.readFile(d.File(ConfigFile))
	if err != nil {
		return State{}, nil, err
	}
	if err := os.MkdirAll(to, 0o777); err != nil {
		return State{}, nil, err
	}
	out := &Dir{Path: to, Config: d.Config, disk: disk{}}
	if there, err := out.taken(); err != nil {
		return State{}, nil, err
	} else if there {
		return State{}, nil, fmt.Errorf("%s: holds a run already\nhint: another directory", to)
	}
	if _, err := out.write("", &Checkpoint{State: state, Model: weights}, tensorFiles[:1]); err != nil {
		return State{}, nil, err
	}
	put := func(name string, data []byte) error {
		return WriteFile(out.File(name), func(w io.Writer) error { _, err := w.Write(data); return err })
	}
	for _, name := range beside {
		data, err := d.disk.readFile(d.File(name))
		if err == nil {
			err = put(name, data)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return State{}, nil, err
		}
	}
	return state, warnings, put(ConfigFile, config) // last: without it a directory is no run
}

// modelOnly reports whether the checkpoint was written by [Dir.CopyModel].
func (s State) modelOnly() bool { return !s.has(AdamMFile) }

// has tells whether the checkpoint has the tensors of a name.
func (s State) has(name string) bool {
	for _, file := range s.tensorFilesOf(name) {
		if _, there := s.SHA256[file]; there {
			return true
		}
	}
	return false
}
