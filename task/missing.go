package task

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
)

// errData says which key named a file that cannot be opened, and where its path counts from.
func errData(key, path string, err error) error {
	if _, ok := errors.AsType[*fs.PathError](err); !ok {
		return err // names the file and the line
	}
	hint := ""
	if strings.Contains(err.Error(), "\nhint: ") { // one is enough
		return fmt.Errorf("%s: %w", key, err)
	}
	if !filepath.IsAbs(path) && errors.Is(err, fs.ErrNotExist) {
		hint = "\nhint: a relative path counts from the folder in which riffle is started, then from a run's folder and those above it"
	}
	return fmt.Errorf("%s: %w%s", key, err, hint)
}
