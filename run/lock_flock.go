//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package run

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"

	"github.com/riffle-ml/riffle/internal/hint"
)

// acquire locks a directory for this process. The system gives it back when the process
// ends, however it ends; the file stays and holds the last owner's process number.
func acquire(dir *folder) (io.Closer, error) {
	if _, err := dir.regular(lockFile); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	f, err := dir.root.OpenFile(lockFile, os.O_RDWR|os.O_CREATE|noFollow, 0o666)
	if err != nil {
		return nil, dir.named("open", lockFile, err)
	}
	path := dir.file(lockFile)
	owner, err := io.ReadAll(io.LimitReader(f, mostOwner+1))
	pid := strings.TrimSpace(string(owner))
	if _, number := strconv.ParseUint(pid, 10, 63); err == nil && pid != "" && number != nil || len(owner) > mostOwner {
		err = hint.Errorf("remove it", "%s: holds another thing than a process number, wanted the lock of a run", path) // it may be a second name of a file elsewhere
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		if errors.Is(err, syscall.EWOULDBLOCK) {
			err = errLocked(dir.path, pid)
		} else {
			err = fmt.Errorf("%s: cannot lock: %w", path, err)
		}
		return nil, errors.Join(err, f.Close())
	}
	if err = f.Truncate(0); err == nil {
		_, err = f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	}
	if err != nil {
		return nil, errors.Join(diskError(path, err), f.Close())
	}
	return f, nil
}

// mostOwner is the most bytes of a process number and the end of its line.
const mostOwner = 20
