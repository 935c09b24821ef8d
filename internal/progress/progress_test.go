package progress

import (
	"strings"
	"testing"
	"time"
)

// Without a terminal there is a line now and then, with --quiet nothing.
func TestProgressWithoutTerminal(t *testing.T) {
	var out strings.Builder
	p := New(&out, "test sets", 2000, false)
	now := p.last
	p.now = func() time.Time { return now }
	for done := range 35 {
		p.At(done*50, 2000)
		now = now.Add(time.Second)
	}
	p.Share(0.5, "step 7")
	p.Clear()
	want := "test sets 500/2,000\ntest sets 1,000/2,000\ntest sets 1,500/2,000\n"
	if out.String() != want {
		t.Errorf("got %q, wanted %q", out.String(), want)
	}
	now = now.Add(time.Minute)
	if p.Share(0.5, "step 7"); out.String() != want+"step 7  50 %\n" {
		t.Errorf("got %q", out.String())
	}
	out.Reset()
	silent := New(&out, "test sets", 2000, true)
	silent.At(7, 9)
	silent.Share(1, "end")
	silent.Clear()
	if out.Len() > 0 {
		t.Errorf("quiet, but %q", out.String())
	}
}
