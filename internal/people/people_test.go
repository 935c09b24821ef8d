package people

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestText(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	_, missing := os.Stat(filepath.Join(dir, "nope"))
	_, through := os.Open(filepath.Join(file, "x", "y"))
	_, folder := os.ReadFile(dir)
	linked := os.Rename(filepath.Join(dir, "a"), filepath.Join(dir, "b"))
	long := strings.Repeat("x", 300)
	for _, c := range []struct {
		err  error
		args []string
		want string
	}{
		{missing, nil, dir + "/nope: no such file or directory"},
		{fmt.Errorf("eval: --test: %w\nhint: look", missing), nil, "eval: --test: " + dir + "/nope: no such file or directory\nhint: look"},
		{errors.Join(missing, errors.New("more")), nil, dir + "/nope: no such file or directory\nmore"},
		{through, nil, file + ": is a file, wanted a folder"},
		{folder, nil, dir + ": is a folder, wanted a file"},
		{linked, nil, dir + "/a " + dir + "/b: no such file or directory"},
		{&fs.PathError{Op: "open", Path: " ", Err: syscall.ENOENT}, nil, `" ": no such file or directory`},
		{&fs.PathError{Op: "open", Path: long, Err: syscall.ENAMETOOLONG}, nil, long[:60] + "…: file name too long"},
		{&fs.PathError{Op: "open", Path: "a\nb", Err: syscall.ENOENT}, nil, `a\nb: no such file or directory`},
		{errors.New("a\nb: holds no run\nhint: another"), []string{"eval", "a\nb"}, "a\\nb: holds no run\nhint: another"},
		{errors.New("set \x1b[31m\xff: is red"), nil, `set \x1b[31m\xff: is red`},
		{errors.New("größer als �"), nil, "größer als �"},
	} {
		if got := Text(c.err, c.err.Error(), c.args); got != c.want {
			t.Errorf("%q gives %q, wanted %q", c.err, got, c.want)
		}
	}
}
