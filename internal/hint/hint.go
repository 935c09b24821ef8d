// Package hint gives errors a hint: what to do, apart from what is wrong. The text of an error does not
// have it; whoever shows errors to people takes it from here.
package hint

import (
	"fmt"
	"slices"
)

// Hinter is an error with a hint, "" for none.
type Hinter interface {
	error
	Help() string
}

type hinted struct {
	error
	help string
}

func (h *hinted) Help() string  { return h.help }
func (h *hinted) Unwrap() error { return h.error }

// Errorf is [fmt.Errorf] with a hint.
func Errorf(help, format string, args ...any) error { return With(fmt.Errorf(format, args...), help) }

// With gives an error a hint in place of those that it has; nil stays nil.
func With(err error, help string) error {
	if err == nil {
		return nil
	}
	return &hinted{err, help}
}

// Of returns the hints of an error and of those that it wraps, each once.
func Of(err error) (hints []string) {
	if h, ok := err.(Hinter); ok { //nolint:errorlint // this walks the tree
		if help := h.Help(); help != "" {
			return []string{help}
		}
	}
	var inside []error
	switch e := err.(type) { //nolint:errorlint // this walks the tree
	case interface{ Unwrap() error }:
		inside = []error{e.Unwrap()}
	case interface{ Unwrap() []error }:
		inside = e.Unwrap()
	}
	for _, e := range inside {
		for _, h := range Of(e) {
			if !slices.Contains(hints, h) {
				hints = append(hints, h)
			}
		}
	}
	return hints
}

// Text is what is wrong and then the hints, a line each.
func Text(err error) string {
	text := err.Error()
	for _, h := range Of(err) {
		text += "\nhint: " + h
	}
	return text
}
