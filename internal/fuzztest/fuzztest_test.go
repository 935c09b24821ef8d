package fuzztest

import (
	"strings"
	"testing"
)

// recorder keeps what a test fails with.
type recorder struct {
	testing.TB
	failed string
}

func (r *recorder) Helper() {}
func (r *recorder) Fatalf(format string, _ ...any) {
	r.failed = format
}

var sink []byte

func TestWithin(t *testing.T) {
	for _, c := range []struct {
		allocates int
		fails     bool
	}{{1 << 20, false}, {3 << 20, true}} { // the bound is 1 MiB + 4·(1<<18) = 2 MiB
		r := &recorder{TB: t}
		Within(r, 1<<20, 4, 1<<18, func() {
			for range c.allocates >> 16 { // freed at once, and counted
				sink = make([]byte, 1<<16)
			}
		})
		if got := strings.Contains(r.failed, "allocate"); got != c.fails {
			t.Errorf("%d bytes: failed %v, wanted %v", c.allocates, got, c.fails)
		}
	}
}
