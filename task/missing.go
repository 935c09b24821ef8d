package task

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
)

// errData says which key named a file that is not there, and where its path counts from.
func errData(key, path string, err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return err // names the file and the line
	}
	hint := ""
	if !filepath.IsAbs(path) {
		hint = "\nhint: a relative path counts from the folder in which riffle is started, then from a run's folder and those above it"
	}
	return fmt.Errorf("%s: %w%s", key, err, hint)
}
