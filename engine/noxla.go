//go:build !cgo || !(linux || darwin)

package engine

import (
	"errors"

	"github.com/gomlx/compute"

	"github.com/riffle-ml/riffle/internal/hint"
)

const xlaBuilt = false

func openXLA(string) (compute.Backend, error) {
	return nil, hint.With(errors.New("this binary was built without cgo and has the go engine only"), "build with CGO_ENABLED=1 and a C compiler")
}
