//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package run

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// acquire locks a directory for this process. The system gives it back when the process
// ends, however it ends; the file stays and holds the last owner's process number.
func acquire(dir string) (io.Closer, error) {
	path := filepath.Join(dir, lockFile)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		defer f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			pid, _ := io.ReadAll(io.LimitReader(f, 20))
			return nil, errLocked(dir, strings.TrimSpace(string(pid)))
		}
		return nil, fmt.Errorf("%s: cannot lock: %w", path, err)
	}
	if err = f.Truncate(0); err == nil {
		_, err = f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	}
	if err != nil {
		return nil, errors.Join(diskError(path, err), f.Close())
	}
	return f, nil
}
