package config

import (
	"slices"
	"testing"
)

// By hand: 32/3 is 5.8 ratios of 1.5, so six of 1.484; 100/20 is 3.97, so four of 1.495.
func TestTrainSizes(t *testing.T) {
	for _, x := range []struct {
		low, high int
		want      []int
	}{
		{0, 9, []int{9}},
		{9, 9, []int{9}},
		{2, 3, []int{2, 3}},
		{2, 4, []int{2, 3, 4}},
		{3, 32, []int{3, 4, 7, 10, 15, 22, 32}},
		{20, 100, []int{20, 30, 45, 67, 100}},
	} {
		c := Default()
		c.Task.NMin, c.Task.N, c.Train.Batch = x.low, x.high, 5
		got := c.TrainSizes()
		if !slices.Equal(got, x.want) {
			t.Errorf("from %d to %d: %v, wanted %v", x.low, x.high, got, x.want)
		}
		for _, n := range got {
			if b := c.BatchOf(n); b%5 != 0 || b*n > 5*x.high || (b+5)*n <= 5*x.high {
				t.Errorf("%d sets of %d, the largest sets 5 of %d: wanted the most that have as many objects", b, n, x.high)
			}
		}
	}
}

func TestSmallestSetErrors(t *testing.T) {
	for _, x := range []struct{ set, want string }{
		{"task.n_min=1", "task.n_min: must be 2 to task.n = 9 (got 1)"},
		{"task.n_min=10", "task.n_min: must be 2 to task.n = 9 (got 10)"},
		{"task.n_min=9", ""},
		{"task.name=delta", "task.n_min: has no effect with task.name \"delta\""},
		{"method=diffsort", "task.n_min: has no effect with method \"diffsort\""},
	} {
		c, err := ParseConfig([]byte(sortPL), "x.toml")
		if err != nil {
			t.Fatal(err)
		}
		for _, set := range []string{"task.n_min=3", x.set} {
			if err := c.Set(set); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := c.Resolve(); err == nil != (x.want == "") || err != nil && err.Error() != x.want {
			t.Errorf("%s: got %v, wanted %s", x.set, err, x.want)
		}
	}
}
