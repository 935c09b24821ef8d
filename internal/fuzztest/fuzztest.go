// Package fuzztest holds readers of hostile input to a bound on memory and time.
package fuzztest

import (
	"fmt"
	"runtime/metrics"
	"testing"
	"time"
)

// hang is how long an input may take before it counts as one that never ends. It is far from
// what a slow machine needs, so that no test depends on speed.
const hang = 2 * time.Minute

// Within runs read and fails the test where it allocates more than base + factor·size bytes,
// size being that of the input. What was freed again counts too, so that the bound is one on
// the work as well as on the memory in use at any time. Where read does not end, the process
// does, which a fuzzer takes for a crash and keeps the input.
func Within(t testing.TB, base, factor, size int, read func()) {
	t.Helper()
	watch := time.AfterFunc(hang, func() { panic(fmt.Errorf("still reading an input of %d bytes after %s", size, hang)) })
	defer watch.Stop()
	before := allocated()
	read()
	if got, most := allocated()-before, uint64(base)+uint64(factor)*uint64(size); got > most {
		t.Fatalf("an input of %d bytes made the reader allocate %d, wanted at most %d", size, got, most)
	}
}

// allocated is how many bytes the process has allocated since it began.
func allocated() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}
