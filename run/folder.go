package run

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"github.com/riffle-ml/riffle/internal/hint"
	"github.com/riffle-ml/riffle/internal/shell"
)

// folder is the disk of one folder: names count from it ("x", "previous/x"), and nothing that is
// read or written lies outside. A folder may come from a stranger. So only regular files of bounded
// size are read. A link in it is never followed, neither to a file nor to a folder.
type folder struct {
	root *os.Root
	path string // for errors
}

func openFolder(path string) (*folder, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	return &folder{root, path}, nil
}

func (f *folder) Close() error { return f.root.Close() }

func (f *folder) file(name string) string { return filepath.Join(f.path, name) }

// named gives an error of the root the path that a user knows.
func (f *folder) named(op, name string, err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return &fs.PathError{Op: op, Path: f.file(name), Err: pe.Err}
	}
	if le, ok := errors.AsType[*os.LinkError](err); ok {
		return &fs.PathError{Op: op, Path: f.file(name), Err: le.Err}
	}
	return err
}

// regular returns what is known of a regular file, [fs.ErrNotExist] where there is nothing, and an
// error that says what it is of anything else.
func (f *folder) regular(name string) (fs.FileInfo, error) {
	if err := f.within(name); err != nil {
		return nil, err
	}
	info, err := f.root.Lstat(name)
	if err != nil {
		return nil, f.named("open", name, err)
	}
	if !info.Mode().IsRegular() {
		return nil, f.notA("a regular file", name, info.Mode())
	}
	return info, nil
}

// within checks the folder in which a name of the form "previous/x" is.
func (f *folder) within(name string) error {
	if dir := filepath.Dir(name); dir != "." {
		return f.subfolder(dir)
	}
	return nil
}

// subfolder checks that a folder in this one is none that leads elsewhere.
func (f *folder) subfolder(name string) error {
	info, err := f.root.Lstat(name)
	if err != nil {
		return f.named("open", name, err)
	}
	if !info.IsDir() {
		return f.notA("a folder", name, info.Mode())
	}
	return nil
}

// ErrNotRegular is an error about something in a run directory that is no regular file, or no
// folder, where one is wanted. It may be a link, a pipe or a device.
var ErrNotRegular = errors.New("which is not opened in a run directory")

func (f *folder) notA(wanted, name string, mode fs.FileMode) error {
	kind, help := "a device", ""
	switch {
	case mode.IsRegular():
		kind = "a file"
	case mode.IsDir():
		kind = "a folder"
	case mode&fs.ModeSymlink != 0:
		kind, help = "a link", fmt.Sprintf("where you trust what it leads to, cp -rL %s COPY makes a run without links", shell.Quote(f.path))
	case mode&fs.ModeNamedPipe != 0:
		kind = "a pipe"
	case mode&fs.ModeSocket != 0:
		kind = "a socket"
	}
	return hint.Errorf(help, "%s: is %s, %w, wanted %s", f.file(name), kind, ErrNotRegular, wanted)
}

// open opens a regular file for reading.
func (f *folder) open(name string) (*os.File, fs.FileInfo, error) {
	info, err := f.regular(name)
	if err != nil {
		return nil, nil, err
	}
	file, err := f.root.OpenFile(name, os.O_RDONLY|noFollow, 0)
	if err != nil {
		return nil, nil, f.named("open", name, err)
	}
	if now, err := file.Stat(); err != nil || !os.SameFile(info, now) {
		return nil, nil, errors.Join(fmt.Errorf("%s: was replaced while it was opened", f.file(name)), err, file.Close())
	}
	return file, info, nil
}

// readFile reads a file of at most most bytes.
func (f *folder) readFile(name string, most int64) ([]byte, error) {
	file, info, err := f.open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // only read from
	if info.Size() > most {
		return nil, fmt.Errorf("%s: has %d bytes, wanted at most %d", f.file(name), info.Size(), most)
	}
	data := make([]byte, info.Size())
	if n, err := io.ReadFull(file, data); errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		data = data[:n] // it was made shorter meanwhile
	} else if err != nil {
		return nil, f.named("read", name, err)
	}
	return data, nil
}

func (f *folder) mkdir(name string) error {
	if err := f.root.Mkdir(name, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return f.subfolder(name)
}

// create makes a new file in the place of one that is there. The old file may have other names
// elsewhere, and is not written to.
func (f *folder) create(name string) (syncFile, error) {
	if _, err := f.regular(name); err == nil {
		if err := f.root.Remove(name); err != nil {
			return nil, err
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return f.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
}

func (f *folder) rename(from, to string) error {
	if err := f.move(from, to); err != nil {
		return err
	}
	return f.root.Rename(from, to)
}

func (f *folder) link(from, to string) error {
	if err := f.move(from, to); err != nil {
		return err
	}
	return f.root.Link(from, to)
}

// move checks that a regular file becomes another one, or a new one.
func (f *folder) move(from, to string) error {
	if _, err := f.regular(from); err != nil {
		return err
	}
	if _, err := f.regular(to); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func (f *folder) remove(name string) error {
	if _, err := f.regular(name); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	return f.root.Remove(name)
}

func (f *folder) exists(name string) bool {
	_, err := f.root.Lstat(name)
	return !errors.Is(err, fs.ErrNotExist)
}

func (f *folder) syncDir(name string) error {
	if runtime.GOOS == "windows" { // renames are on the disk when they return
		return nil
	}
	if name == "" {
		name = "."
	}
	if err := f.subfolder(name); err != nil {
		return err
	}
	d, err := f.root.Open(name)
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		err = nil // some network file systems cannot, and need not
	}
	return errors.Join(err, d.Close())
}

// known are the names that a run directory may have, of files and of folders. Tensors that are kept
// in several files are checked as they are read and moved.
var known = struct{ files, folders []string }{
	append([]string{ConfigFile, ItemsFile, MetricsFile, StateFile, EvalFile, ProbeFile, CalibrationFile, lockFile}, tensorFiles...),
	[]string{nextDir, previousDir, FiguresDir},
}

// check looks at everything in the folder that a run reads or writes, before any of it is.
func (f *folder) check() error {
	regular := func(name string) error {
		if _, err := f.regular(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	for _, name := range known.files {
		if err := regular(name); err != nil {
			return err
		}
	}
	for _, sub := range known.folders {
		if err := f.subfolder(sub); errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			return err
		}
		for _, name := range append([]string{StateFile}, tensorFiles...) {
			if err := regular(filepath.Join(sub, name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// local reports whether a name is one of a file of the folder itself.
func local(name string) bool {
	return filepath.IsLocal(name) && filepath.Base(name) == name && !strings.ContainsAny(name, `/\`)
}
