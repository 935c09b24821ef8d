package learn

import (
	"testing"
	"time"
)

// What a training does not know yet is a question mark: a loss of 0.000 would be a perfect model.
func TestProgressLine(t *testing.T) {
	for _, c := range []struct {
		name string
		at   Progress
		want string
	}{
		{"the first step", Progress{Step: 1, Rate: 2}, "step 1  loss ?  128.0 sets/s  left ?"},
		{"half of it", Progress{Step: 50, Done: 0.5, Loss: 1.25, Elapsed: time.Minute, Rate: 0.5}, "step 50  loss 1.250  32.0 sets/s  left 1:00"},
	} {
		if got := c.at.Line(64); got != c.want {
			t.Errorf("%s: %q, wanted %q", c.name, got, c.want)
		}
	}
}
