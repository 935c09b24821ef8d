//go:build unix

package learn

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/engine"
	"github.com/riffle-ml/riffle/run"
)

// Variables that make the test binary train in a directory instead of testing.
const (
	childDir    = "RIFFLE_TEST_TRAIN"  // the run's directory, resumed where it holds one
	childEngine = "RIFFLE_TEST_ENGINE" // go or xla
	childFull   = "RIFFLE_TEST_FULL"   // "1": after step 20 no file can grow
)

// TestMain is also the program that tests kill.
func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		os.Exit(child(dir))
	}
	os.Exit(m.Run())
}

// killable is tiny with checkpoints in a few places.
func killable() config.Config {
	c := tiny()
	c.Train.Checkpoint = "10ms"
	return c
}

// child trains killable in dir, tells each step on stdout and returns the exit code.
func child(dir string) int {
	err := func() error {
		e, err := engine.Open(os.Getenv(childEngine))
		if err != nil {
			return err
		}
		m, _, err := New(killable(), e)
		if err != nil {
			return err
		}
		_, noRun := os.Stat(filepath.Join(dir, run.ConfigFile))
		return trainIn(context.Background(), m, dir, noRun == nil, TrainOptions{OnStep: func(p Progress) {
			fmt.Println(p.Step)
			time.Sleep(3 * time.Millisecond) // so that a kill finds it at work
			if os.Getenv(childFull) == "1" && p.Step == 20 {
				signal.Ignore(syscall.SIGXFSZ)
				limit := syscall.Rlimit{Cur: 4096, Max: 4096}
				if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
					fmt.Fprintln(os.Stderr, err)
				}
			}
		}})
	}()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// startChild starts the test binary as a training of dir.
func startChild(t *testing.T, dir, engine string, env ...string) (*exec.Cmd, *bufio.Scanner, *strings.Builder) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(append(os.Environ(), childDir+"="+dir, childEngine+"="+engine), env...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr := &strings.Builder{}
	cmd.Stderr = stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return cmd, bufio.NewScanner(out), stderr
}

// killAt starts a training of dir and kills it (SIGKILL) within some milliseconds after a step.
func killAt(t *testing.T, dir, engine string, step int, wait time.Duration) {
	t.Helper()
	cmd, lines, stderr := startChild(t, dir, engine)
	for lines.Scan() {
		var s int
		if _, err := fmt.Sscan(lines.Text(), &s); err == nil && s >= step {
			break
		}
	}
	time.Sleep(wait)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Fatalf("killed after step %d, but it ended with %v\n%s", step, err, stderr)
	}
}

func testKill(t *testing.T, spec string, steps []int) {
	e := openEngine(t, spec)
	_, unbroken := train(t, killable(), e)
	dir := filepath.Join(t.TempDir(), "killed")
	rng := rand.New(rand.NewPCG(1, uint64(len(steps))))
	for _, s := range steps {
		killAt(t, dir, spec, s, time.Duration(rng.IntN(4000))*time.Microsecond)
	}
	m := newModel(t, killable(), e)
	if err := trainIn(t.Context(), m, dir, true, TrainOptions{}); err != nil {
		t.Fatal(err)
	}
	sameRun(t, unbroken, dir)
}

// A training killed at any moment (SIGKILL: nothing is saved then) and resumed makes the
// steps of one that was not, bit for bit.
func TestKilledAndResumed(t *testing.T) {
	t.Run("go", func(t *testing.T) { testKill(t, "go", []int{1, 3, 9, 16, 22, 30, 36}) })
	t.Run("xla", func(t *testing.T) {
		if testing.Short() {
			t.Skip("XLA compiles for seconds")
		}
		testKill(t, "xla", []int{21})
	})
}

// Where the disk is full the training ends and says so, and the last checkpoint is whole. With room
// again it goes on to the same end.
func TestFullDisk(t *testing.T) {
	e := openEngine(t, "go")
	_, unbroken := train(t, killable(), e)
	dir := filepath.Join(t.TempDir(), "full")
	cmd, lines, stderr := startChild(t, dir, "go", childFull+"=1")
	for lines.Scan() {
	}
	if err := cmd.Wait(); err == nil {
		t.Fatal("a training whose files cannot grow ended well")
	}
	if got := stderr.String(); !strings.Contains(got, dir) || !strings.Contains(got, "file too large") {
		t.Errorf("error %q, wanted the file and what the system says", got)
	}
	m, warnings, err := Load(dir, e)
	if err != nil || len(warnings) > 0 {
		t.Fatalf("the last checkpoint: %v %v", warnings, err)
	}
	if s := m.State.Step; s < 1 || s > 40 {
		t.Errorf("checkpoint of step %d", s)
	}
	if err := trainIn(t.Context(), newModel(t, killable(), e), dir, true, TrainOptions{}); err != nil {
		t.Fatal(err)
	}
	sameRun(t, unbroken, dir)
}
