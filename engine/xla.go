//go:build cgo && (linux || darwin)

package engine

import (
	"os"

	"github.com/gomlx/compute"
	"github.com/gomlx/go-xla/compute/xla"
)

const xlaBuilt = true

// openXLA loads a plugin by its absolute path. Importing compute/xla and not
// compute/xla/autoinstall leaves the code that downloads plugins out of the binary.
func openXLA(path string) (compute.Backend, error) {
	if _, set := os.LookupEnv("TF_CPP_MIN_LOG_LEVEL"); !set {
		_ = os.Setenv("TF_CPP_MIN_LOG_LEVEL", "3")
	}
	xla.EnableAutoInstall(false)
	return xla.New(path)
}
