package run

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/riffle-ml/riffle/internal/hint"
)

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
}

func files(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func wantText(t *testing.T, path, want string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil || string(got) != want {
		t.Errorf("%s: got %q, %v, wanted %q", path, got, err, want)
	}
}

func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.json")
	for _, s := range []string{"first, the longer one", "second"} {
		if err := WriteFile(path, text(s)); err != nil {
			t.Fatal(err)
		}
		wantText(t, path, s)
	}
	err := WriteFile(path, func(w io.Writer) error {
		text(strings.Repeat("half", 1<<16))(w)
		return errors.New("failed midway")
	})
	if err == nil || hint.Text(err) != path+": failed midway" {
		t.Errorf("got %v", err)
	}
	wantText(t, path, "second")
	if got := files(t, dir); !slices.Equal(got, []string{"x.json"}) {
		t.Errorf("left behind: %v", got)
	}
	if err := WriteFile(filepath.Join(dir, "none", "x"), text("a")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
	// A file that could not be made is not to be removed either: one fault is one line.
	inFile := filepath.Join(path, "x")
	if err := WriteFile(inFile, text("a")); err == nil || hint.Text(err) != "write "+inFile+": not a directory" {
		t.Errorf("a file for a folder: %v", err)
	}
	t.Chdir(dir)
	if err := WriteFile("y", text("in the working folder")); err != nil {
		t.Error(err)
	}
}

// TestWriteFileFails lets every operation fail in turn, and crash in turn.
func TestWriteFileFails(t *testing.T) {
	for _, crash := range []bool{false, true} {
		for failAt := 1; ; failAt++ {
			d := newMemory()
			if err := writeFile(d, "x", "d/x", text("old")); err != nil {
				t.Fatal(err)
			}
			d.arm(failAt, crash)
			err := writeFile(d, "x", "d/x", text("the new one"))
			if d.ops < failAt {
				break
			}
			if !errors.Is(err, errCrash) {
				t.Errorf("operation %d: got %v", failAt, err)
			}
			if got, _ := d.readFile("x", 100); string(got) != "old" && string(got) != "the new one" {
				t.Errorf("operation %d: the file is %q", failAt, got)
			}
			if !crash && len(d.names) != 1 {
				t.Errorf("operation %d: left behind %v", failAt, d.names)
			}
		}
	}
}

// fullDisk creates every file on a device that is always full.
type fullDisk struct{ *folder }

func (fullDisk) create(string) (syncFile, error) { return os.OpenFile("/dev/full", os.O_WRONLY, 0) }

func TestWriteFileFullDisk(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("no /dev/full here")
	}
	path := filepath.Join(t.TempDir(), "x")
	f, err := openFolder(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	err = writeFile(fullDisk{f}, "x", path, text("a"))
	want := "write " + path + ": no space left on device\nhint: make room on the disk; what was there before is intact"
	if !errors.Is(err, syscall.ENOSPC) || hint.Text(err) != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// What is no file stays: a rename would put one in its place.
func TestWriteFileReplacesFilesAlone(t *testing.T) {
	for path, want := range map[string]string{
		t.TempDir(): ": is a folder, wanted the name of a file",
		os.DevNull:  os.DevNull + ": is a device or a pipe, wanted the name of a file",
	} {
		err := WriteFile(path, func(io.Writer) error { t.Error("it is written"); return nil })
		if err == nil || !strings.HasSuffix(hint.Text(err), want) {
			t.Errorf("%s: %v, wanted %s", path, err, want)
		}
	}
}
