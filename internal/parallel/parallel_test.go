package parallel

import (
	"errors"
	"testing"
)

// Every number is called once.
func TestFor(t *testing.T) {
	calls := make([]int, 100)
	For(len(calls), func(i int) { calls[i]++ })
	for i, c := range calls {
		if c != 1 {
			t.Errorf("f(%d) was called %d times", i, c)
		}
	}
}

// A panic reaches the caller, whichever goroutine it was in.
func TestForPanics(t *testing.T) {
	want := errors.New("of 3")
	defer func() {
		if got := recover(); got != want {
			t.Errorf("recovered %v, wanted %v", got, want)
		}
	}()
	For(8, func(i int) {
		if i == 3 {
			panic(want)
		}
	})
	t.Error("no panic")
}
