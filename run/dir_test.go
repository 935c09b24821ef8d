package run

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/internal/hint"
)

func testConfig() *config.Config {
	c := config.Default()
	c.Task, c.Process.Schedule, c.Model.Encoder = config.Task{Name: "delta", N: 5, Target: "identity"}, []int{0, 3}, "table"
	return &c
}

func TestDir(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "runs", "x")
	if _, err := Open(dir); !errors.Is(err, ErrNoRun) || !strings.HasPrefix(hint.Text(err), dir+": holds no run: config.toml is missing\nhint: ") {
		t.Errorf("nothing there: %v", err)
	}
	d, err := Create(dir, testConfig())
	if err != nil {
		t.Fatal(err)
	}
	if err := d.SaveCheckpoint(generation(1)); err != nil {
		t.Fatal(err)
	}
	locked := fmt.Sprintf("%s: process %d is writing to it\nhint: wait for it or stop it; or choose another --out", dir, os.Getpid())
	for name, open := range map[string]func() (*Dir, error){
		"create": func() (*Dir, error) { return Create(dir, testConfig()) },
		"resume": func() (*Dir, error) { return Resume(dir) },
	} {
		if _, err := open(); err == nil || hint.Text(err) != locked {
			t.Errorf("%s while it is held:\n got %v\nwant %s", name, err, locked)
		}
	}
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(*testConfig(), r.Config, cmpopts.IgnoreUnexported(config.Config{})); diff != "" {
		t.Error(diff)
	}
	if step, _ := load(t, r); step != 1 {
		t.Errorf("read step %d", step)
	}
	if err := errors.Join(r.Close(), d.Close(), d.Close()); err != nil {
		t.Error(err)
	}
	before := files(t, dir)
	want := dir + ": holds a run already\nhint: --resume goes on with it; or choose another --out"
	if _, err := Create(dir, testConfig()); err == nil || hint.Text(err) != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	if after := files(t, dir); !slices.Equal(before, after) {
		t.Errorf("before %v, after %v", before, after)
	}
	d, err = Resume(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.SaveCheckpoint(generation(2)); err != nil {
		t.Error(err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

func TestCreateErrors(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "x")
	c := testConfig()
	c.Seed = 1 << 63
	if _, err := Create(dir, c); err == nil {
		t.Error("a configuration that cannot be written: no error")
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the directory was made: %v", err)
	}
	if err := os.WriteFile(dir, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(dir, testConfig()); err == nil || !strings.Contains(hint.Text(err), dir) {
		t.Errorf("a file in the way: %v", err)
	}
	other := t.TempDir()
	if err := os.WriteFile(filepath.Join(other, ConfigFile), []byte("[train]\nbacth = 1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	want := filepath.Join(other, ConfigFile) + ":2: train.bacth: unknown key (nearest known: train.batch)"
	if _, err := Open(other); err == nil || hint.Text(err) != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// TestLockDies kills a process that holds a directory: it can be taken at once.
func TestLockDies(t *testing.T) {
	const variable = "RIFFLE_TEST_HOLD"
	if dir := os.Getenv(variable); dir != "" { // the process to be killed
		if _, err := Create(dir, testConfig()); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println("held")
		select {}
	}
	dir := filepath.Join(t.TempDir(), "x")
	holder := exec.Command(os.Args[0], "-test.run=^TestLockDies$")
	holder.Env = append(os.Environ(), variable+"="+dir)
	out, err := holder.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := holder.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "held\n" {
		t.Errorf("the holder says %q, %v", line, err)
	}
	if _, err := Resume(dir); err == nil || !strings.Contains(hint.Text(err), fmt.Sprintf("process %d is writing", holder.Process.Pid)) {
		t.Errorf("while it is held: %v", err)
	}
	if err := holder.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	holder.Wait()
	d, err := Resume(dir)
	if err != nil {
		t.Fatalf("after its holder was killed: %v", err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}
