//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package run

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"github.com/riffle-ml/riffle/internal/hint"
)

// acquire locks a directory for this process by a file that only one can make. A process
// that was killed leaves it: it is replaced where the system says that its owner is gone.
func acquire(dir *folder) (io.Closer, error) {
	path := dir.file(lockFile)
	for range 2 {
		f, err := dir.root.OpenFile(lockFile, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if err == nil {
			_, err = f.WriteString(strconv.Itoa(os.Getpid()) + "\n")
			return heldFile{dir}, errors.Join(err, f.Close())
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		data, _ := dir.readFile(lockFile, 100)
		pid := strings.TrimSpace(string(data))
		if n, err := strconv.Atoi(pid); err == nil {
			if _, err := os.FindProcess(n); err != nil {
				dir.remove(lockFile)
				continue
			}
		}
		return nil, hint.With(errLocked(dir.path, pid), fmt.Sprintf("where that process is gone, remove %s", path))
	}
	return nil, errLocked(dir.path, "")
}

type heldFile struct{ dir *folder }

func (f heldFile) Close() error { return f.dir.remove(lockFile) }
