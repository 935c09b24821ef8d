package machine

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// Fields are read as /proc writes them, and what is not there is 0 or "".
func TestField(t *testing.T) {
	path := filepath.Join(t.TempDir(), "status")
	if err := os.WriteFile(path, []byte("Name:\triffle\nVmHWM:\t  2048 kB\nVmRSS:\t 1 kB\nThreads:\t4\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if got := kilobytes(path, "VmHWM"); got != 2048*1024 {
		t.Errorf("VmHWM %d, wanted %d", got, 2048*1024)
	}
	for _, name := range []string{"VmH", "Name", "none"} {
		if got := kilobytes(path, name); got != 0 {
			t.Errorf("%s: %d bytes, wanted 0", name, got)
		}
	}
	if got := field(filepath.Join(path, "gone"), "Name"); got != "" {
		t.Errorf("of no file: %q", got)
	}
}

// On Linux the process has had some memory, and the machine has some.
func TestMemory(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux has /proc")
	}
	if p := PeakMemory(); p < 1<<20 {
		t.Errorf("peak memory %d bytes", p)
	}
	if f := FreeMemory(); f < 1<<20 {
		t.Errorf("free memory %d bytes", f)
	}
	if name := Name(); !strings.Contains(name, " cores of ") {
		t.Errorf("machine %q", name)
	}
}
