package run

import (
	"errors"
	"io"
	"io/fs"
	"path/filepath"
)

// BestDir is a folder of a run that is a run itself: the model that was the best by validation, without
// the optimiser's moments ([ErrModelOnly]). It is there once a validation has been made.
const BestDir = "best"

// SaveBest replaces the model in [BestDir] by one with the state of its checkpoint. Where it fails or the process
// is killed, at any moment, the old one or the new one is there, whole.
func (d *Dir) SaveBest(model []Tensor, state State) error {
	if err := d.disk.mkdir(BestDir); err != nil {
		return diskError(d.File(BestDir), err)
	}
	best := &Dir{Path: d.File(BestDir), Config: d.Config, disk: inner{d.disk, BestDir}, lock: d.lock, most: d.most}
	for _, name := range []string{ConfigFile, ItemsFile} {
		data, err := d.disk.readFile(name, maxBeside)
		if errors.Is(err, fs.ErrNotExist) && name == ItemsFile {
			continue
		}
		if err != nil {
			return err
		}
		if err := best.writeFile(name, func(w io.Writer) error { _, err := w.Write(data); return err }); err != nil {
			return err
		}
		if name == ItemsFile {
			best.items = hashOf(data)
		}
	}
	return best.save(&Checkpoint{State: state, Model: model}, tensorFiles[:1])
}

// inner is a folder of a disk.
type inner struct {
	disker
	name string
}

func (i inner) in(name string) string { return filepath.Join(i.name, name) }

func (i inner) mkdir(name string) error              { return i.disker.mkdir(i.in(name)) }
func (i inner) create(name string) (syncFile, error) { return i.disker.create(i.in(name)) }
func (i inner) rename(from, to string) error         { return i.disker.rename(i.in(from), i.in(to)) }
func (i inner) link(from, to string) error           { return i.disker.link(i.in(from), i.in(to)) }
func (i inner) remove(name string) error             { return i.disker.remove(i.in(name)) }
func (i inner) syncDir(name string) error            { return i.disker.syncDir(i.in(name)) }
func (i inner) exists(name string) bool              { return i.disker.exists(i.in(name)) }
func (i inner) readFile(name string, most int64) ([]byte, error) {
	return i.disker.readFile(i.in(name), most)
}
