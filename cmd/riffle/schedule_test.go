package main

import (
	"testing"

	"github.com/riffle-ml/riffle/shuffle"
)

// The limit law gives the exact T from few cards on.
func TestLongSchedule(t *testing.T) {
	for _, n := range []int{52, 100, 200, 1000, 3000} {
		s, err := shuffle.NewSchedule(n)
		if err != nil {
			t.Fatal(err)
		}
		if got := longSchedule(n); got != float64(s.T) {
			t.Errorf("n = %d: %v, wanted %d", n, got, s.T)
		}
	}
}
