// Package dataset reads and writes the files that Riffle's objects and orders come in. These are
// MNIST idx, CIFAR-10 binary, Riffle's own JSONL, ranked lists and votes in the formats of others,
// tours, and pictures. [Open] finds a file's format, and [Inspect] says what is in it. The package
// never downloads.
//
// # Promises every reader keeps
//
//   - Indices are 0-based in memory (see package perm).
//   - Memory grows with the bytes that arrive, never with what a header promises:
//     a header that promises more than [MaxIdxBytes], a line longer than
//     [MaxLineBytes], a picture of more than [MaxPixels] or [MaxScans] and a .gz that unpacks
//     to more than [MaxUnpacked] are refused.
//   - Whether a file is gzipped is read from its first bytes, not from its name.
//   - Text is UTF-8 or, with a byte order mark, UTF-16; numbers are decimal; white space around
//     a name is no part of it.
//   - Errors say what, where (file and offset, or file, line and field), what was
//     found and what was wanted; where the next step is known, a second line
//     starts with "hint:".
//   - What a writer writes, the reader reads back equal.
package dataset
