package shuffle

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestScheduleLength(t *testing.T) {
	// The smallest T with TV ≤ 0.005, computed independently with exact fractions.
	for n, want := range map[int]int{
		3: 7, 4: 8, 5: 8, 7: 9, 9: 10, 15: 11, 16: 11, 25: 12, 32: 13, 36: 13, 52: 14, 100: 15, 200: 16,
	} {
		s, err := NewSchedule(n)
		if err != nil {
			t.Fatal(err)
		}
		if s.T != want {
			t.Errorf("n = %d: T = %d, wanted %d", n, s.T, want)
		}
	}
}

func TestScheduleSteps(t *testing.T) {
	// From the exact distances, by the rule, by hand. 100 is the paper's; 4, 7,
	// 9, 16, 25 and 36 are the paper's but for the last step.
	for n, want := range map[int][]int{
		0: {0}, 1: {0}, 2: {0, 1, 7}, 3: {0, 1, 7}, 4: {0, 2, 8}, 5: {0, 2, 4, 8}, 7: {0, 3, 9}, 9: {0, 3, 5, 10},
		16: {0, 4, 6, 11}, 25: {0, 5, 7, 12}, 32: {0, 6, 13}, 36: {0, 6, 8, 13}, 52: {0, 7, 10, 14}, 100: {0, 8, 10, 15},
	} {
		s, err := NewSchedule(n)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(s.Steps, want) {
			t.Errorf("n = %d: steps %v, wanted %v", n, s.Steps, want)
		}
	}
}

func TestScheduleIsConsistent(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 6, 13, 52, 77, 150, 1000} {
		s, err := NewSchedule(n)
		if err != nil {
			t.Fatal(err)
		}
		again, err := ScheduleOf(n, s.Steps)
		if err != nil {
			t.Fatalf("n = %d: %v", n, err)
		}
		if diff := cmp.Diff(s, again); diff != "" {
			t.Errorf("n = %d: %s", n, diff)
		}
		if len(s.TVSteps) != len(s.Steps)-1 {
			t.Errorf("n = %d: %d distances for %d steps", n, len(s.TVSteps), len(s.Steps))
		}
		if warnings, err := Check(n, s.Steps); err != nil || len(warnings) > 0 {
			t.Errorf("n = %d: own schedule %v: %v, %v", n, s.Steps, warnings, err)
		}
		if n >= 2 && TVUniform(n, s.T-1) <= UniformTV {
			t.Errorf("n = %d: T = %d is not the smallest", n, s.T)
		}
	}
}

func TestScheduleDistances(t *testing.T) {
	s, err := ScheduleOf(52, []int{0, 5, 6, 7, 10, 13}) // the paper's
	if err != nil {
		t.Fatal(err)
	}
	// Computed independently with exact fractions, but for the first: from the
	// clean order the distance is 1 − q(Id), and q(Id) is below 1e-9.
	want := []float64{1, 0.626217, 0.331415, 0.294797, 0.037568}
	for i, w := range want {
		if math.Abs(s.TVSteps[i]-w) > 1e-6 {
			t.Errorf("step %d: %v, wanted %v", i, s.TVSteps[i], w)
		}
	}
	if math.Abs(s.TVUniform-0.005378) > 1e-6 {
		t.Errorf("TVUniform = %v, wanted 0.005378", s.TVUniform)
	}
}

func TestCheckWarnsOfShortSchedules(t *testing.T) {
	// The paper's schedules for n = 200, TSP-20 and TSP-50; distances computed
	// independently with exact fractions.
	for _, c := range []struct {
		n     int
		steps []int
		want  float64
		needs string
	}{
		{200, []int{0, 9, 10, 12}, 0.0794180, "T = 16 is enough"},
		{19, []int{0, 4, 5, 7}, 0.0750371, ""},
		{49, []int{0, 5, 6, 7}, 0.3049802, ""},
	} {
		warnings, err := Check(c.n, c.steps)
		if err != nil || len(warnings) != 1 {
			t.Fatalf("n = %d: %v, %v, wanted one warning", c.n, warnings, err)
		}
		w := warnings[0]
		if w.Name != "tv_uniform" || math.Abs(w.Got-c.want) > 1e-6 || w.Want != UniformTV || !strings.Contains(w.Message, c.needs) {
			t.Errorf("n = %d: %+v, wanted tv_uniform of %v", c.n, w, c.want)
		}
	}
	if warnings, err := Check(100, []int{0, 8, 10, 15}); err != nil || len(warnings) != 0 {
		t.Errorf("the paper's schedule for 100: %v, %v, wanted nothing", warnings, err)
	}
}

func TestScheduleErrors(t *testing.T) {
	for _, c := range []struct {
		n     int
		steps []int
		want  string
	}{
		{-1, []int{0, 1}, "N: must be 0 or more (got -1)"},
		{5, nil, "Steps: must start with 0 (got [])"},
		{5, []int{1, 2}, "Steps: must start with 0 (got [1 2])"},
		{5, []int{0, 3, 3}, "Steps: must rise: step 2 is 3 after 3"},
	} {
		if _, err := ScheduleOf(c.n, c.steps); err == nil || err.Error() != c.want {
			t.Errorf("ScheduleOf(%d, %v): %v, wanted %q", c.n, c.steps, err, c.want)
		}
		if _, err := Check(c.n, c.steps); err == nil || err.Error() != c.want {
			t.Errorf("Check(%d, %v): %v, wanted %q", c.n, c.steps, err, c.want)
		}
	}
	if _, err := NewSchedule(-1); err == nil {
		t.Error("NewSchedule(-1) works")
	}
}

func TestScheduleJSON(t *testing.T) {
	s, err := NewSchedule(1)
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(s)
	if want := `{"n":1,"T":0,"tv_uniform":0,"steps":[0],"tv_steps":[]}`; err != nil || string(got) != want {
		t.Errorf("%s, %v, wanted %s", got, err, want)
	}
}

func BenchmarkNewSchedule1000(b *testing.B) {
	for b.Loop() {
		if _, err := NewSchedule(1000); err != nil {
			b.Fatal(err)
		}
	}
}

// The limit law gives the exact T from few cards on.
func TestLongSchedule(t *testing.T) {
	for _, n := range []int{52, 100, 200, 1000, 3000} {
		s, err := NewSchedule(n)
		if err != nil {
			t.Fatal(err)
		}
		if got := LongSchedule(n); got != float64(s.T) {
			t.Errorf("n = %d: %v, wanted %d", n, got, s.T)
		}
	}
}
