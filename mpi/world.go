//go:build mpi

package mpi

/*
#include <mpi.h>

static int riffle_open(int *rank, int *size) {
	int given, err = MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &given);
	if (err != MPI_SUCCESS) return err;
	if (given < MPI_THREAD_SERIALIZED) return -1;
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	if ((err = MPI_Comm_rank(MPI_COMM_WORLD, rank)) != MPI_SUCCESS) return err;
	return MPI_Comm_size(MPI_COMM_WORLD, size);
}
static int riffle_sum(float *x, int n) { return MPI_Allreduce(MPI_IN_PLACE, x, n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD); }
static int riffle_close(void) { return MPI_Finalize(); }
static void riffle_abort(int status) { MPI_Abort(MPI_COMM_WORLD, status); }
static void riffle_text(int err, char *text, int *n) { MPI_Error_string(err, text, n); }
enum { riffle_longest = MPI_MAX_ERROR_STRING };
*/
import "C"

import (
	"errors"
	"fmt"
	"unsafe"
)

// Built reports whether this binary has MPI.
const Built = true

// World are the processes that were started together. It is not safe for concurrent use.
type World struct{ rank, size int }

// Open joins them.
func Open() (*World, error) {
	var rank, size C.int
	switch err := C.riffle_open(&rank, &size); err {
	case C.MPI_SUCCESS:
		return &World{int(rank), int(size)}, nil
	case -1:
		return nil, errors.New("mpi: this MPI cannot be called from several threads in turn (MPI_THREAD_SERIALIZED)")
	default:
		return nil, fmt.Errorf("mpi: no start: %w", text(err))
	}
}

// Rank is the number of this process, from 0, of Size.
func (w *World) Rank() int { return w.rank }

// Size is how many processes there are.
func (w *World) Size() int { return w.size }

// most is how many numbers are summed by one call, whose count is a C int.
const most = 1 << 28

// Sum replaces x by the sum over all processes (MPI_Allreduce), which all call with as many numbers.
func (w *World) Sum(x []float32) error {
	for len(x) > 0 {
		part := x[:min(len(x), most)]
		x = x[len(part):]
		if err := C.riffle_sum((*C.float)(unsafe.Pointer(&part[0])), C.int(len(part))); err != C.MPI_SUCCESS {
			return fmt.Errorf("mpi: a sum over %d processes failed, one of them may be gone: %w", w.size, text(err))
		}
	}
	return nil
}

// Close ends this process's part; all must call it.
func (w *World) Close() error {
	if err := C.riffle_close(); err != C.MPI_SUCCESS {
		return fmt.Errorf("mpi: %w", text(err))
	}
	return nil
}

// Abort ends all processes, this one too, with an exit status.
func (w *World) Abort(status int) { C.riffle_abort(C.int(status)) }

// text is MPI's own of an error.
func text(err C.int) error {
	buffer := make([]C.char, C.riffle_longest)
	var n C.int
	C.riffle_text(err, &buffer[0], &n)
	return errors.New(C.GoStringN(&buffer[0], n))
}
