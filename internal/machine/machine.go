// Package machine tells what the system says of this machine and this process, which Linux keeps in
// /proc; elsewhere it tells little.
package machine

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
)

// Name is the number of cores and the processor's model.
func Name() string {
	if model := field("/proc/cpuinfo", "model name"); model != "" {
		return fmt.Sprintf("%d cores of %s", runtime.NumCPU(), model)
	}
	return fmt.Sprintf("%d cores of %s", runtime.NumCPU(), runtime.GOARCH)
}

// PeakMemory is the largest resident set that this process had, in bytes; 0 where the system does
// not tell.
func PeakMemory() int64 { return kilobytes("/proc/self/status", "VmHWM") }

// FreeMemory is how many bytes this process may still take. That is the machine's available memory,
// or what the limit of its control group or of its address space (ulimit -v) leaves. It is 0 where
// the system does not tell.
func FreeMemory() int64 {
	free := kilobytes("/proc/meminfo", "MemAvailable")
	limit, err1 := number("/sys/fs/cgroup/memory.max")
	used, err2 := number("/sys/fs/cgroup/memory.current")
	if err1 == nil && err2 == nil && (free == 0 || limit-used < free) {
		free = max(1, limit-used)
	}
	if left := addressSpace(); left > 0 && (free == 0 || left < free) {
		free = left
	}
	return free
}

// addressSpace is what this process's limit on its address space leaves, 0 for no limit.
func addressSpace() int64 {
	limits, err := os.ReadFile("/proc/self/limits")
	if err != nil {
		return 0
	}
	sizes, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	var pages, limit int64
	if _, err := fmt.Sscan(string(sizes), &pages); err != nil {
		return 0
	}
	_, line, _ := strings.Cut(string(limits), "Max address space")
	if _, err := fmt.Sscan(line, &limit); err != nil { // "unlimited"
		return 0
	}
	return max(1, limit-pages*int64(os.Getpagesize()))
}

// field is the first value of a name in lines of "name: value", "" where there is none.
func field(path, name string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(data)) {
		if n, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(n) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// kilobytes is a field of kilobytes, in bytes.
func kilobytes(path, name string) int64 {
	kb, err := strconv.ParseInt(strings.TrimSuffix(field(path, name), " kB"), 10, 64)
	if err != nil {
		return 0
	}
	return kb * 1024
}

func number(path string) (int64, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64) // "max" is none
}
