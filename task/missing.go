package task

import (
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/riffle-ml/riffle/config"
)

// DataError says that the data of a task cannot be read: they are gone, or not what the
// configuration says.
type DataError struct{ err error }

func (e *DataError) Error() string { return e.err.Error() }

// Unwrap returns what is wrong.
func (e *DataError) Unwrap() error { return e.err }

// ErrData says which key named a file that cannot be opened, and where its path counts from.
func ErrData(key, path string, err error) error {
	if _, opened := errors.AsType[*fs.PathError](err); !opened {
		return &DataError{err} // names the file and the line
	}
	named := config.Wrap(key, err)
	if e, ok := errors.AsType[*config.KeyError](named); ok && e.Hint == "" && !filepath.IsAbs(path) && errors.Is(err, fs.ErrNotExist) {
		e.Hint = "a relative path counts from the folder in which riffle is started, then from a run's folder and those above it"
	}
	return &DataError{named}
}
