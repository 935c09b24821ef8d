package metric

import (
	"math"
	"testing"
)

// The values were simulated independently, in Python, for four digits; there equal numbers
// were not interchangeable, which matters from about n = 52 on.
func TestReadingLimit(t *testing.T) {
	for _, c := range []struct {
		n       int
		misread float64
		want    float64
	}{{3, 0.01, 98.0}, {9, 0.01, 90.5}, {15, 0.01, 80.2}, {32, 0.01, 57.3}, {9, 0.004, 95.5}, {32, 0.002, 90.2}} {
		got, stderr := ReadingLimit(c.n, 4, c.misread, 20000, 1)
		if math.Abs(got-c.want) > 4*stderr+0.5 { // 0.5: the other simulation's own error
			t.Errorf("n = %d, %g misread: %.1f ± %.1f %%, want %.1f", c.n, c.misread, got, stderr, c.want)
		}
	}
	if got, _ := ReadingLimit(9, 4, 0, 500, 1); got != 100 {
		t.Errorf("without misreading %.1f %%, want 100", got)
	}
	if got, _ := ReadingLimit(5, 4, 0.9, 4000, 1); got > 5 { // chance is 1/120
		t.Errorf("reading at random sorts %.1f %% of sets", got)
	}
}
