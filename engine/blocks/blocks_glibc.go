//go:build linux && cgo && !asan && !msan

package blocks

// #cgo LDFLAGS: -ldl -lpthread
// #include "blocks.h"
import "C"

import "unsafe"

// Keep begins to keep blocks and reports whether it does: on Linux, with cgo and glibc, unless
// [Variable] says off. What is kept and what is in use together are never more than what was in use
// at one time. Call it when XLA has been opened.
func Keep() bool { return wanted() && C.riffle_blocks_keep() != 0 }

// glibc is whether the C library is one that this works with.
const glibc = C.RIFFLE_GLIBC == 1

// sizes are the bytes of large blocks in use and kept free.
func sizes() (inUse, free int) {
	var u, f C.size_t
	C.riffle_blocks_sizes(&u, &f)
	return int(u), int(f)
}

// allocate, resize and release are C's, as a plugin calls them; for tests.
func allocate(align, size int) (unsafe.Pointer, int) {
	var p unsafe.Pointer
	status := C.posix_memalign(&p, C.size_t(align), C.size_t(size))
	return p, int(status)
}

func resize(p unsafe.Pointer, size int) unsafe.Pointer { return C.realloc(p, C.size_t(size)) }

func resizeArray(p unsafe.Pointer, count, size int) unsafe.Pointer {
	return C.reallocarray(p, C.size_t(count), C.size_t(size))
}

func usable(p unsafe.Pointer) int { return int(C.malloc_usable_size(p)) }

func release(p unsafe.Pointer) { C.free(p) }

// allocateInChild forks, allocates and frees in the child, and returns the child's exit code: 0 where
// all went well.
func allocateInChild(size int) int { return int(C.riffle_blocks_fork(C.size_t(size))) }
