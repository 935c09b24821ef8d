package run

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"

	"github.com/riffle-ml/riffle/internal/hint"
	"github.com/riffle-ml/riffle/internal/shell"
	"github.com/riffle-ml/riffle/internal/unwritten"
)

// WriteFile writes a file so that a reader, a failure or a kill never meets half of it. It writes
// to a temporary name in the same folder, syncs, renames, and syncs the folder. Only a file is
// replaced: a folder, a device or a pipe of that name is an error. Where write or the disk fails,
// the temporary file is removed and an older file of that name stays as it was.
func WriteFile(path string, write func(io.Writer) error) error {
	// A rename would put a file in the place of a device such as /dev/full, for everybody.
	switch info, err := os.Stat(path); {
	case err != nil || info.Mode().IsRegular():
	case info.IsDir():
		return fmt.Errorf("%s: is a folder, wanted the name of a file", path)
	default:
		return fmt.Errorf("%s: is a device or a pipe, wanted the name of a file", path)
	}
	dir, base := filepath.Split(path)
	f, err := openFolder(cmp.Or(dir, "."))
	if err != nil {
		return diskError(path, err)
	}
	return errors.Join(writeFile(named{f}, base, path, write), f.Close())
}

// named is a folder for a file that a user named: of a link that stands there the name is taken.
type named struct{ *folder }

func (n named) rename(from, to string) error { return n.root.Rename(from, to) }

// writeFile writes the file name of a disk, which errors call path.
func writeFile(d disker, name, path string, write func(io.Writer) error) error {
	dir, base := filepath.Split(name)
	temp := filepath.Join(dir, fmt.Sprintf(".%s.%08x.tmp", base, rand.Uint32()))
	f, err := d.create(temp)
	if err != nil { // and there is nothing to remove
		return diskError(path, err)
	}
	if err = fill(f, write); err == nil {
		err = d.rename(temp, name)
	}
	if err != nil {
		return errors.Join(diskError(path, err), d.remove(temp))
	}
	if err := d.syncDir(filepath.Dir(name)); err != nil {
		return diskError(path, err)
	}
	return nil
}

// writeSynced writes a file under its own name and returns when the disk has it.
func writeSynced(d disker, name string, write func(io.Writer) error) error {
	f, err := d.create(name)
	if err != nil {
		return err
	}
	return fill(f, write)
}

// fill writes and closes a new file and returns when the disk has it.
func fill(f syncFile, write func(io.Writer) error) error {
	b := bufio.NewWriterSize(f, 1<<16)
	err := write(b)
	if err == nil {
		err = b.Flush()
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// diskError says which file could not be written, with a hint where the next step is known.
func diskError(path string, err error) error {
	if errors.Is(err, ErrNotRegular) {
		return err // has the path
	}
	err = unwritten.Error(path, err)
	switch _, missing := os.Stat(filepath.Dir(path)); {
	case errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT):
		return hint.With(err, "make room on the disk; what was there before is intact")
	case errors.Is(err, fs.ErrNotExist) && errors.Is(missing, fs.ErrNotExist):
		return hint.With(err, fmt.Sprintf("mkdir -p %s makes its folder", shell.Quote(filepath.Dir(path))))
	}
	return err
}
