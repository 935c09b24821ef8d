//go:build mpi

package mpi_test

import (
	"testing"

	"github.com/riffle-ml/riffle/mpi"
)

// Run by mpirun with any number of processes, as make mpi-test does; without it there is one.
func TestSum(t *testing.T) {
	w, err := mpi.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}()
	if w.Size() != mpi.Launched() {
		t.Errorf("%d processes, wanted the %d that were launched", w.Size(), mpi.Launched())
	}
	x := make([]float32, 100_000)
	for i := range x {
		x[i] = float32((w.Rank() + 1) * (i % 7))
	}
	if err := w.Sum(x); err != nil {
		t.Fatal(err)
	}
	for i, got := range x {
		if want := float32(w.Size() * (w.Size() + 1) / 2 * (i % 7)); got != want {
			t.Fatalf("process %d: sum %d is %g, wanted %g", w.Rank(), i, got, want)
		}
	}
}
