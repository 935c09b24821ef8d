// Package unwritten says which file could not be written.
package unwritten

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Error is err as one about the file path. A system's error speaks of the call that failed, and of
// a temporary file beside path. These say nothing to a user.
func Error(path string, err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return &fs.PathError{Op: "write", Path: path, Err: pe.Err}
	}
	if le, ok := errors.AsType[*os.LinkError](err); ok {
		return &fs.PathError{Op: "write", Path: path, Err: le.Err}
	}
	return fmt.Errorf("%s: %w", path, err)
}
