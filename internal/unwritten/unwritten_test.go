package unwritten

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestError(t *testing.T) {
	dir := t.TempDir()
	_, create := os.Create(filepath.Join(dir, "nowhere", "x.tmp"))
	rename := os.Rename(filepath.Join(dir, "a.tmp"), filepath.Join(dir, "b"))
	other := errors.New("is no picture")
	for _, err := range []error{create, rename} {
		if got := Error("x", err); got.Error() != "write x: no such file or directory" || !errors.Is(got, syscall.ENOENT) || !errors.Is(got, fs.ErrNotExist) {
			t.Errorf("%v becomes %v", err, got)
		}
	}
	if got := Error("x", other); got.Error() != "x: is no picture" || !errors.Is(got, other) {
		t.Errorf("%v becomes %v", other, got)
	}
}
