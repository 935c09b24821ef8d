package hint

import (
	"errors"
	"fmt"
	"io"
	"testing"
)

func TestText(t *testing.T) {
	inner := Errorf("try b", "a is %w", io.EOF)
	for want, err := range map[string]error{
		"EOF":                        io.EOF,
		"a is EOF\nhint: try b":      inner,
		"x: a is EOF\nhint: try b":   fmt.Errorf("x: %w", inner),
		"y: a is EOF\nhint: try c":   With(fmt.Errorf("y: %w", inner), "try c"),
		"a is EOF\nEOF\nhint: try b": errors.Join(inner, io.EOF),
		"a is EOF\na is EOF\nz\nhint: try b\nhint: try d": errors.Join(inner, inner, Errorf("try d", "z")),
	} {
		if got := Text(err); got != want {
			t.Errorf("%q, wanted %q", got, want)
		}
		if !errors.Is(err, io.EOF) {
			t.Errorf("%q: what is wrapped is lost", want)
		}
	}
	if With(nil, "x") != nil {
		t.Error("a hint makes an error of nil")
	}
}
