package dataset

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// write puts a file into dir and returns its path.
func write(t testing.TB, dir, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// tinyMNIST writes two files of two images and one label file of three, and
// returns their names and sums.
func tinyMNIST(t *testing.T, dir string) (files [4]mnistFile) {
	t.Helper()
	for i, content := range [4][]byte{twoByThree, {0, 0, 8, 1, 0, 0, 0, 2, 3, 9}, twoByThree, threeLabels} {
		packed := gzipped(t, content)
		sum := sha256.Sum256(packed)
		files[i] = mnistFile{mnistFiles[i].name, hex.EncodeToString(sum[:])}
		write(t, dir, files[i].name, packed)
	}
	return files
}

func TestLoadDigits(t *testing.T) {
	dir := t.TempDir()
	files := tinyMNIST(t, dir)

	_, _, err := loadDigits(dir, files)
	wantError(t, err, "t10k-labels-idx1-ubyte.gz", "has 3 labels, wanted 2 as t10k-images-idx3-ubyte.gz has images")

	files[3] = files[1]
	train, test, err := loadDigits(dir, files)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(train.Labels, []uint8{3, 9}) || test.N != 2 || train.At(0)[5] != 6 {
		t.Errorf("got %v and %v", train, test)
	}

	files[0].sha256 = strings.Repeat("0", 64)
	_, _, err = loadDigits(dir, files)
	wantError(t, err, "train-images-idx3-ubyte.gz: sha-256 is ", "wanted 0000", "\nhint: `make data`")

	if err := os.Remove(filepath.Join(dir, files[0].name)); err != nil {
		t.Fatal(err)
	}
	_, _, err = loadDigits(dir, files)
	wantError(t, err, files[0].name, "\nhint: `make data`")
}

func TestFindMNISTOrder(t *testing.T) {
	root := t.TempDir()
	env := map[string]string{
		"RIFFLE_DATA":   filepath.Join(root, "data"),
		"XDG_DATA_HOME": filepath.Join(root, "share"),
		"GOMODCACHE":    filepath.Join(root, "mod"),
	}
	for k, v := range env {
		t.Setenv(k, v)
	}
	dirs := []string{
		filepath.Join(root, "data", "mnist"),
		filepath.Join(root, "share", "riffle", "mnist"),
		filepath.Join(root, "mod", "github.com", "petar", "!go!m!n!i!s!t@v0.0.0-20150320212226-2fbe10d0fa63", "data"),
	}
	_, err := FindMNIST()
	wantError(t, err, append(slices.Clone(dirs), "\nhint: `make data`")...)

	for _, dir := range slices.Backward(dirs) { // each takes precedence over those after it
		tinyMNIST(t, dir)
		got, err := FindMNIST()
		if err != nil || got != dir {
			t.Errorf("found %q (%v), wanted %q", got, err, dir)
		}
	}
	if err := os.Remove(filepath.Join(dirs[0], mnistFiles[2].name)); err != nil {
		t.Fatal(err)
	}
	if got, err := FindMNIST(); got != dirs[1] {
		t.Errorf("found %q (%v), wanted %q as a file is missing before", got, err, dirs[1])
	}
}

func TestModuleCache(t *testing.T) {
	t.Setenv("GOMODCACHE", "")
	t.Setenv("GOPATH", "a"+string(filepath.ListSeparator)+"b")
	if got, want := moduleCache(), filepath.Join("a", "pkg", "mod"); got != want {
		t.Errorf("with GOPATH: %q, wanted %q", got, want)
	}
	t.Setenv("GOPATH", "")
	home, err := os.UserHomeDir()
	if err != nil {
		t.Skip("no home folder: ", err)
	}
	if got, want := moduleCache(), filepath.Join(home, "go", "pkg", "mod"); got != want {
		t.Errorf("without: %q, wanted %q", got, want)
	}
}

func TestLoadMNIST(t *testing.T) {
	dir, err := FindMNIST()
	if err != nil {
		t.Skip(err)
	}
	train, test, err := LoadMNIST(dir)
	if err != nil {
		t.Fatal(err)
	}
	// The sizes the data's authors state, and the widely published counts of each
	// digit.
	if train.N != 60000 || test.N != 10000 || train.Rows != 28 || train.Cols != 28 || test.Rows != 28 || test.Cols != 28 {
		t.Fatalf("train %d of %d×%d, test %d of %d×%d", train.N, train.Rows, train.Cols, test.N, test.Rows, test.Cols)
	}
	count := func(labels []uint8) (out [10]int) {
		for _, l := range labels {
			out[l]++
		}
		return out
	}
	if got, want := count(train.Labels), [10]int{5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949}; got != want {
		t.Errorf("train classes %v, wanted %v", got, want)
	}
	if got, want := count(test.Labels), [10]int{980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009}; got != want {
		t.Errorf("test classes %v, wanted %v", got, want)
	}
	if got, want := train.Labels[:5], []uint8{5, 0, 4, 1, 9}; !bytes.Equal(got, want) {
		t.Errorf("train starts %v, wanted %v", got, want)
	}
}

// The module cache is found as the go command finds it.
func TestModuleCacheFromGoEnv(t *testing.T) {
	dir := t.TempDir()
	env := filepath.Join(dir, "env")
	for name, value := range map[string]string{"GOMODCACHE": "", "GOPATH": "", "GOENV": env, "HOME": dir} {
		t.Setenv(name, value)
	}
	check := func(want string) {
		t.Helper()
		if got := moduleCache(); got != want {
			t.Errorf("got %q, wanted %q", got, want)
		}
	}
	check(filepath.Join(dir, "go", "pkg", "mod"))
	if err := os.WriteFile(env, []byte("GOFLAGS=-mod=mod\nGOPATH=/p:/q\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	check(filepath.FromSlash("/p/pkg/mod"))
	if err := os.WriteFile(env, []byte("GOPATH=/p\nGOMODCACHE=/m\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	check("/m")
	t.Setenv("GOMODCACHE", "/e")
	check("/e")
}
