package run

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"slices"
)

// memory is a disk that stops at its operation number failAt, counted from 1. Where it
// crashes, every later operation fails too, as for a process that is no more, and it loses
// what a power cut can lose: files that were never synced their second half and, where
// lose is set, any of the changes of names whose folders were not synced since.
type memory struct {
	names   map[string]*inode
	durable map[string]*inode
	pending []*change
	failAt  int
	crash   bool
	crashed bool
	lose    *rand.Rand
	ops     int
}

type inode struct {
	data   []byte
	synced bool
}

// change is a change of names that is on the disk once the folders it touches are synced.
type change struct {
	dirs  []string
	apply func(names map[string]*inode)
}

var errCrash = errors.New("crash")

func newMemory() *memory {
	return &memory{names: map[string]*inode{}, durable: map[string]*inode{}}
}

// arm lets operation failAt from now on fail, or crash.
func (d *memory) arm(failAt int, crash bool) { d.failAt, d.crash, d.ops = failAt, crash, 0 }

// clone is the disk after a restart, all that it holds being safe.
func (d *memory) clone() *memory {
	c, inodes := newMemory(), map[*inode]*inode{}
	for name, f := range d.names {
		if inodes[f] == nil {
			inodes[f] = &inode{slices.Clone(f.data), true}
		}
		c.names[name], c.durable[name] = inodes[f], inodes[f]
	}
	return c
}

func (d *memory) op() error {
	d.ops++
	if d.failAt == 0 || d.ops < d.failAt || d.ops > d.failAt && !d.crash {
		return nil
	}
	if d.crash && !d.crashed {
		d.crashed = true
		if d.lose != nil {
			for _, c := range d.pending {
				if d.lose.IntN(2) == 0 {
					c.apply(d.durable)
				}
			}
			d.names = d.durable
		}
		for _, f := range d.names {
			if !f.synced {
				f.data, f.synced = f.data[:len(f.data)/2], true
			}
		}
	}
	return errCrash
}

func (d *memory) change(apply func(map[string]*inode), paths ...string) error {
	if err := d.op(); err != nil {
		return err
	}
	c := &change{apply: apply}
	for _, p := range paths {
		c.dirs = append(c.dirs, filepath.Dir(p))
	}
	d.pending = append(d.pending, c)
	apply(d.names)
	return nil
}

func (d *memory) mkdir(string) error { return d.op() }

func (d *memory) create(path string) (syncFile, error) {
	if f := d.names[path]; f != nil {
		if err := d.op(); err != nil {
			return nil, err
		}
		f.data, f.synced = nil, false
		return &memoryFile{d, f}, nil
	}
	f := &inode{}
	return &memoryFile{d, f}, d.change(func(names map[string]*inode) { names[path] = f }, path)
}

func (d *memory) rename(from, to string) error {
	f := d.names[from]
	if f == nil {
		return fs.ErrNotExist
	}
	return d.change(func(names map[string]*inode) {
		names[to] = f
		delete(names, from)
	}, from, to)
}

func (d *memory) link(from, to string) error {
	f := d.names[from]
	if f == nil || d.names[to] != nil {
		return fs.ErrExist
	}
	return d.change(func(names map[string]*inode) { names[to] = f }, to)
}

func (d *memory) remove(path string) error {
	return d.change(func(names map[string]*inode) { delete(names, path) }, path)
}

func (d *memory) syncDir(path string) error {
	if err := d.op(); err != nil {
		return err
	}
	rest := d.pending[:0]
	for _, c := range d.pending {
		c.dirs = slices.DeleteFunc(c.dirs, func(dir string) bool { return dir == filepath.Clean(path) })
		if len(c.dirs) == 0 {
			c.apply(d.durable)
		} else {
			rest = append(rest, c)
		}
	}
	d.pending = rest
	return nil
}

func (d *memory) readFile(path string, _ int64) ([]byte, error) {
	if f := d.names[path]; f != nil {
		return slices.Clone(f.data), nil
	}
	return nil, fs.ErrNotExist
}

func (d *memory) exists(path string) bool { return d.names[path] != nil }

type memoryFile struct {
	d *memory
	f *inode
}

func (f *memoryFile) Write(p []byte) (int, error) {
	if err := f.d.op(); err != nil {
		return 0, err
	}
	f.f.data, f.f.synced = append(f.f.data, p...), false
	return len(p), nil
}

func (f *memoryFile) Sync() error {
	if err := f.d.op(); err != nil {
		return err
	}
	f.f.synced = true
	return nil
}

func (f *memoryFile) Close() error { return nil }
