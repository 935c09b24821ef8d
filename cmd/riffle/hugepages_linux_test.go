//go:build cgo

package main

import (
	"slices"
	"testing"
)

// The program must not begin anew for ever, and what a user set must stay.
func TestHugePagesOnce(t *testing.T) {
	once, changed := withHugePages([]string{"HOME=/root"})
	if !changed || !slices.Contains(once, "GLIBC_TUNABLES=glibc.malloc.hugetlb=1") || !slices.Contains(once, "HOME=/root") {
		t.Errorf("got %v, %v", once, changed)
	}
	if again, changed := withHugePages(once); changed || !slices.Equal(again, once) {
		t.Errorf("a second time: got %v, %v", again, changed)
	}
	own := []string{"GLIBC_TUNABLES=glibc.malloc.check=3"}
	if kept, changed := withHugePages(own); changed || !slices.Equal(kept, own) {
		t.Errorf("a user's own: got %v, %v", kept, changed)
	}
}
