package run

import (
	"errors"
	"os"

	"github.com/riffle-ml/riffle/internal/hint"
)

// CheckOutputs refuses outputs that are one of the inputs; "" is none.
func CheckOutputs(inputs []string, outputs ...string) error {
	what := "is the input"
	if len(inputs) > 1 {
		what = "is an input"
	}
	for _, out := range outputs {
		for _, in := range inputs {
			if out == "" || in == "" {
				continue
			}
			switch same, err := SameFile(out, in); {
			case err != nil:
				return err
			case same:
				return hint.Errorf("another --out", "%s: %s, which stays as it is", out, what)
			}
		}
	}
	return nil
}

// SameFile tells whether a file that may not exist yet is another that does.
func SameFile(path, other string) (bool, error) {
	a, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	b, err := os.Stat(other)
	return err == nil && os.SameFile(a, b), err
}
