//go:build cgo

package main

import (
	"os"
	"slices"
	"strings"
	"syscall"
)

// hugePages begins the program anew, once, with glibc told to ask for huge pages (2 MB) for
// large blocks: XLA allocates its gigabytes afresh at every step, and pages of 4 KB cost up to
// a third of a step. glibc reads the setting at its start only. A user's own GLIBC_TUNABLES stays.
func hugePages() {
	env, changed := withHugePages(os.Environ())
	if !changed {
		return
	}
	if exe, err := os.Executable(); err == nil {
		_ = syscall.Exec(exe, os.Args, env) // where it fails the program is slower, no more
	}
}

func withHugePages(env []string) ([]string, bool) {
	const tunables = "GLIBC_TUNABLES="
	if slices.ContainsFunc(env, func(s string) bool { return strings.HasPrefix(s, tunables) }) {
		return env, false
	}
	return append(slices.Clone(env), tunables+"glibc.malloc.hugetlb=1"), true
}
