// Package blocks keeps the large blocks of memory that XLA frees, for it to take again.
//
// XLA allocates the arrays of a step or a decode anew each time, up to gigabytes. glibc gives
// blocks of that size back to the system when they are freed. The system then clears every page
// again. A virtual machine may hand its free pages to the host (free page reporting). The host then
// has to find them anew, which takes ten times as long as clearing: a step in three had half a
// second more. Kept, and made of huge pages, they cost nothing.
//
// It does so by standing in for posix_memalign, free, realloc, reallocarray and malloc_usable_size of
// the whole program. So it is for programs to choose, not for libraries. Until [Keep] is called, and
// for all but large blocks, they only call the next allocator's. That is glibc, or a library that was
// loaded before the program, such as jemalloc.
//
// [Variable] set to "off" turns it off.
package blocks

import "os"

// Variable is the environment variable that turns the package off.
const Variable = "RIFFLE_BLOCKS"

func wanted() bool { return os.Getenv(Variable) != "off" }
