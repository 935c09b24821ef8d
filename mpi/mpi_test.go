package mpi

import "testing"

func TestLaunched(t *testing.T) {
	for _, name := range []string{"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS", "SLURM_STEP_NUM_TASKS"} {
		t.Setenv(name, "")
	}
	if n := Launched(); n != 1 {
		t.Errorf("by hand: %d processes, wanted 1", n)
	}
	for _, c := range []struct {
		name, value string
		want        int
	}{{"OMPI_COMM_WORLD_SIZE", "3", 3}, {"PMI_SIZE", "2", 2}, {"PMI_SIZE", "x", 1}, {"PMI_SIZE", "0", 1}} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv(c.name, c.value)
			if n := Launched(); n != c.want {
				t.Errorf("%s=%s: %d processes, wanted %d", c.name, c.value, n, c.want)
			}
		})
	}
	t.Run("srun", func(t *testing.T) { // a shell in an allocation has the number of tasks alone
		t.Setenv("SLURM_STEP_NUM_TASKS", "4")
		t.Setenv("SLURM_STEP_ID", "0")
		if n := Launched(); n != 4 {
			t.Errorf("%d processes, wanted 4", n)
		}
	})
}
