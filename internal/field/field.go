// Package field is the error of a wrong value in a struct that a program fills in.
package field

import "fmt"

// Error says what is wrong with a field. Whoever filled the struct from something else, such as
// a configuration, can tell where the value came from.
type Error struct {
	Field   string // such as "Dim", or "Encoder.Kernel" of a struct in the struct
	Problem string // such as "must be 1 or more (got 0)"
}

func (e *Error) Error() string { return e.Field + ": " + e.Problem }

// Errorf returns an [Error] of a field.
func Errorf(field, format string, args ...any) error {
	return &Error{Field: field, Problem: fmt.Sprintf(format, args...)}
}
