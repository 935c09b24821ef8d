//go:build unix

package learn

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/riffle-ml/riffle/internal/hint"
	"github.com/riffle-ml/riffle/run"
)

// stoppedAt trains tiny in a new directory and stops it after some steps, again and again.
func stoppedAt(t *testing.T, steps ...int) string {
	t.Helper()
	e, dir := openEngine(t, "go"), filepath.Join(t.TempDir(), "run")
	for i, at := range steps {
		ctx, cancel := context.WithCancel(t.Context())
		err := trainIn(ctx, newModel(t, tiny(), e), dir, i > 0, TrainOptions{OnStep: func(p Progress) {
			if p.Step == at {
				cancel()
			}
		}})
		cancel()
		if !errors.Is(err, ErrStopped) {
			t.Fatal(err)
		}
	}
	return dir
}

// eachFile calls f for the directory and all in it.
func eachFile(t *testing.T, dir string, f func(path string, entry fs.DirEntry) error) {
	t.Helper()
	if err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		return errors.Join(err, f(path, entry))
	}); err != nil {
		t.Fatal(err)
	}
}

// A clock that was set back leaves files that are newer than those written after them. What is
// newest follows from what the files say, not from their dates: the training goes on from the
// last checkpoint, to the same end.
func TestClockSetBack(t *testing.T) {
	e := openEngine(t, "go")
	_, unbroken := train(t, tiny(), e)
	dir := stoppedAt(t, 5, 17)
	old, young := time.Date(1970, 1, 2, 0, 0, 0, 0, time.UTC), time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)
	eachFile(t, dir, func(path string, _ fs.DirEntry) error {
		date := old
		if strings.Contains(path, "previous") {
			date = young
		}
		return os.Chtimes(path, date, date)
	})
	m, warnings, err := Load(dir, e)
	if err != nil || warnings != nil || m.State.Step != 17 {
		t.Fatalf("step %d, %v, %v", m.State.Step, warnings, err)
	}
	if err := trainIn(t.Context(), newModel(t, tiny(), e), dir, true, TrainOptions{}); err != nil {
		t.Fatal(err)
	}
	sameRun(t, unbroken, dir)
}

// A directory that cannot be written to is an error that names it, and stays as it is. Once it can
// be, the training goes on to the same end.
func TestTrainingMayNotWrite(t *testing.T) {
	e := openEngine(t, "go")
	_, unbroken := train(t, tiny(), e)
	dir := stoppedAt(t, 5, 17)
	before := stepLines(t, dir)
	modes := map[string]fs.FileMode{}
	eachFile(t, dir, func(path string, entry fs.DirEntry) error {
		info, err := entry.Info()
		if err != nil {
			return err
		}
		modes[path] = info.Mode().Perm()
		return os.Chmod(path, modes[path]&^0o222|0o444) // for those who are not root
	})
	// Where the tests run as root, who may write everywhere, the training runs as nobody.
	parent := filepath.Dir(dir)
	if err := os.Chmod(filepath.Dir(parent), 0o755); err != nil {
		t.Fatal(err)
	}
	exe := filepath.Join(t.TempDir(), "train")
	self, err := os.Executable()
	if err == nil {
		err = os.Link(self, exe)
	}
	if err != nil {
		t.Skipf("no second name for the test binary: %v", err)
	}
	for _, where := range []string{dir, filepath.Join(dir, "new")} { // one to resume, one to begin
		cmd := exec.Command(exe)
		cmd.Env = append(os.Environ(), childDir+"="+where, childEngine+"=go")
		if os.Geteuid() == 0 {
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		}
		out, err := cmd.CombinedOutput()
		if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != 1 {
			t.Fatalf("%s: %v\n%s", where, err, out)
		}
		if got := string(out); !strings.Contains(got, where) || !strings.HasSuffix(got, "permission denied\n") {
			t.Errorf("%s: said %q", where, got)
		}
	}
	if got := stepLines(t, dir); got != before {
		t.Errorf("the log was %s, is %s", before, got)
	}
	for path, mode := range modes {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	if m, warnings, err := Load(dir, e); err != nil || warnings != nil || m.State.Step != 17 {
		t.Fatalf("%v, %v", warnings, err)
	}
	if err := trainIn(t.Context(), newModel(t, tiny(), e), dir, true, TrainOptions{}); err != nil {
		t.Fatal(err)
	}
	sameRun(t, unbroken, dir)
}

// Of two trainings in one directory the second is refused, by the process number of the first,
// which goes on as if nothing had been.
func TestTwoTrainings(t *testing.T) {
	e := openEngine(t, "go")
	_, unbroken := train(t, killable(), e)
	dir := filepath.Join(t.TempDir(), "run")
	first, lines, stderr := startChild(t, dir, "go")
	if !lines.Scan() { // a step is made
		t.Fatal(stderr)
	}
	if err := first.Process.Signal(syscall.SIGSTOP); err != nil { // so that it does not end meanwhile
		t.Fatal(err)
	}
	err := trainIn(t.Context(), newModel(t, killable(), e), dir, true, TrainOptions{})
	if err == nil || !strings.Contains(hint.Text(err), "is writing to it\nhint: ") {
		t.Errorf("the second: %v", err)
	}
	if err := first.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	for lines.Scan() {
	}
	if err := first.Wait(); err != nil {
		t.Fatalf("the first: %v\n%s", err, stderr)
	}
	sameRun(t, unbroken, dir)
	if steps, _, warnings, err := run.ReadMetrics(filepath.Join(dir, run.MetricsFile)); err != nil || warnings != nil || len(steps) != 40 {
		t.Errorf("%d steps, %v, %v", len(steps), warnings, err)
	}
}
