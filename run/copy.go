package run

import (
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/internal/hint"
)

// ErrModelOnly is returned by [Dir.LoadCheckpoint] of a run that has the weights, but not what
// the optimiser knew of them.
var ErrModelOnly = errors.New("holds a model without the optimiser's state, which a training cannot be resumed from")

// CopyModel writes to the directory to, made where it is missing, what using the model of d takes:
// a third of a run's bytes. That is its newest checkpoint that is whole, as [Dir.LoadModel] finds
// it, without the optimiser's moments. With it go the configuration, items.json, and those files of
// d that are named beside, where they are there. The copy is a run for everything but to resume its
// training ([ErrModelOnly]). A directory that holds a run already is an error and stays as it is.
func (d *Dir) CopyModel(to string, beside ...string) (state State, warnings []string, err error) {
	weights, state, warnings, err := d.LoadModel()
	if err != nil {
		return State{}, nil, err
	}
	config, err := d.disk.readFile(ConfigFile, config.MaxFile)
	if err != nil {
		return State{}, nil, err
	}
	files := map[string][]byte{}
	for _, name := range append(beside, ItemsFile) {
		if files[name], err = d.ReadFile(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return State{}, nil, err
		}
	}
	if err := os.MkdirAll(to, 0o777); err != nil {
		return State{}, nil, err
	}
	f, err := openFolder(to)
	if err != nil {
		return State{}, nil, err
	}
	out := newDir(to, f)
	out.Config = d.Config
	defer func() { err = errors.Join(err, out.Close()) }()
	if err := f.check(); err != nil {
		return State{}, nil, err
	}
	if out.taken() {
		return State{}, nil, hint.Errorf("another directory", "%s: holds a run already", to)
	}
	put := func(name string) error {
		if files[name] == nil {
			return nil
		}
		return out.WriteFile(name, func(w io.Writer) error { _, err := w.Write(files[name]); return err })
	}
	for _, name := range append(beside, ItemsFile) {
		if err := put(name); err != nil {
			return State{}, nil, err
		}
	}
	if _, err := out.write("", &Checkpoint{State: state, Model: weights}, tensorFiles[:1]); err != nil {
		return State{}, nil, err
	}
	return state, warnings, out.writeFile(ConfigFile, func(w io.Writer) error { _, err := w.Write(config); return err }) // last: without it a directory is no run
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
