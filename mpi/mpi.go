// Package mpi is as much of the Message Passing Interface as a training on several processes needs.
//
// A binary has it where it was built with the tag mpi and an MPI's own compiler:
//
//	CC=mpicc go build -tags mpi ./cmd/riffle
//
// Open MPI and MPICH are tried. Other binaries know only that they were started by one, and refuse.
package mpi

import (
	"errors"
	"os"
	"strconv"

	"github.com/riffle-ml/riffle/internal/hint"
)

// ErrNotBuilt is of a binary without MPI.
var ErrNotBuilt = hint.With(errors.New("this riffle was built without MPI"), "make mpi builds one with it, for the MPI whose mpicc is found")

// Launched reports how many processes mpirun or srun started this one with, 1 without them. It
// reads what Open MPI, MPICH and Slurm put into the environment.
func Launched() int {
	for _, name := range []string{"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS"} {
		if n, err := strconv.Atoi(os.Getenv(name)); err == nil && n > 0 {
			return n
		}
	}
	if _, step := os.LookupEnv("SLURM_STEP_ID"); step { // srun, not a shell inside an allocation
		if n, err := strconv.Atoi(os.Getenv("SLURM_STEP_NUM_TASKS")); err == nil && n > 0 {
			return n
		}
	}
	return 1
}
