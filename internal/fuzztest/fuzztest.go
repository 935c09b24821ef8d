// Package fuzztest holds readers of hostile input to a bound on memory and time.
package fuzztest

import (
	"fmt"
	"math"
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
//
// The whole process is measured, and the fuzzer allocates beside read: what is too much must be so
// three times.
func Within(t testing.TB, base, factor, size int, read func()) {
	t.Helper()
	watch := time.AfterFunc(hang, func() { panic(fmt.Errorf("still reading an input of %d bytes after %s", size, hang)) })
	defer watch.Stop()
	got, most := uint64(math.MaxUint64), uint64(base)+uint64(factor)*uint64(size)
	for try := 0; try < 3 && got > most; try++ {
		before := allocated()
		read()
		got = allocated() - before
	}
	if got > most {
		t.Fatalf("an input of %d bytes made the reader allocate %d, wanted at most %d", size, got, most)
	}
}

// allocated is how many bytes the process has allocated since it began.
func allocated() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}
