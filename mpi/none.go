//go:build !mpi

package mpi

// Built reports whether this binary has MPI.
const Built = false

// World are the processes that were started together.
type World struct{}

// Open joins them.
func Open() (*World, error) { return nil, ErrNotBuilt }

// Rank is the number of this process, from 0, of Size.
func (*World) Rank() int { return 0 }

// Size is how many processes there are.
func (*World) Size() int { return 1 }

// Sum replaces x by the sum over all processes.
func (*World) Sum([]float32) error { return ErrNotBuilt }

// Close ends this process's part; all must call it.
func (*World) Close() error { return nil }

// Abort ends all processes, this one too, with an exit status.
func (*World) Abort(int) {}
