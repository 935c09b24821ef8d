package run

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"runtime"
	"syscall"
)

// disker is what checkpoints and [WriteFile] do to a disk, so that tests can stop it at
// any operation.
type disker interface {
	mkdir(path string) error              // no error where it exists
	create(path string) (syncFile, error) // for writing, emptied where it exists
	rename(from, to string) error         // replaces
	link(from, to string) error           // a second name for a file
	remove(path string) error             // no error where there is none
	syncDir(path string) error            // the names in it are on the disk
	readFile(path string) ([]byte, error) // fs.ErrNotExist where there is none
	exists(path string) bool
}

type syncFile interface {
	io.WriteCloser
	Sync() error
}

// disk is the real one.
type disk struct{}

func (disk) mkdir(path string) error              { return os.MkdirAll(path, 0o777) }
func (disk) create(path string) (syncFile, error) { return os.Create(path) }
func (disk) rename(from, to string) error         { return os.Rename(from, to) }
func (disk) link(from, to string) error           { return os.Link(from, to) }
func (disk) readFile(path string) ([]byte, error) { return os.ReadFile(path) }

func (disk) exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

func (disk) remove(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func (disk) syncDir(path string) error {
	if runtime.GOOS == "windows" { // renames are on the disk when they return
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	err = f.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		err = nil // some network file systems cannot, and need not
	}
	return errors.Join(err, f.Close())
}
