package task

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
)

// DataError is that the data of a task cannot be read: they are gone, or not what the
// configuration says.
type DataError struct{ err error }

func (e *DataError) Error() string { return e.err.Error() }

// Unwrap returns what is wrong.
func (e *DataError) Unwrap() error { return e.err }

// errData says which key named a file that cannot be opened, and where its path counts from.
func errData(key, path string, err error) error {
	hint := ""
	switch _, opened := errors.AsType[*fs.PathError](err); {
	case !opened:
		return &DataError{err} // names the file and the line
	case strings.Contains(err.Error(), "\nhint: "): // one is enough
	case !filepath.IsAbs(path) && errors.Is(err, fs.ErrNotExist):
		hint = "\nhint: a relative path counts from the folder in which riffle is started, then from a run's folder and those above it"
	}
	return &DataError{fmt.Errorf("%s: %w%s", key, err, hint)}
}
