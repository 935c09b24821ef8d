//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package run

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// acquire locks a directory for this process by a file that only one can make. A process
// that was killed leaves it: it is replaced where the system says that its owner is gone.
func acquire(dir string) (io.Closer, error) {
	path := filepath.Join(dir, lockFile)
	for range 2 {
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if err == nil {
			_, err = f.WriteString(strconv.Itoa(os.Getpid()) + "\n")
			return heldFile(path), errors.Join(err, f.Close())
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		data, _ := os.ReadFile(path)
		pid := strings.TrimSpace(string(data))
		if n, err := strconv.Atoi(pid); err == nil {
			if _, err := os.FindProcess(n); err != nil {
				os.Remove(path)
				continue
			}
		}
		return nil, fmt.Errorf("%w\nhint: where that process is gone, remove %s", errLocked(dir, pid), path)
	}
	return nil, errLocked(dir, "")
}

type heldFile string

func (f heldFile) Close() error { return os.Remove(string(f)) }
