//go:build !cgo || !(linux || darwin)

package engine

import (
	"github.com/gomlx/compute"

	"github.com/riffle-ml/riffle/internal/hint"
)

const xlaBuilt = false

func openXLA(path string) (compute.Backend, error) {
	return nil, hint.Errorf("build with CGO_ENABLED=1 and a C compiler", "%s: this binary was built without cgo and has the go engine only", path)
}
