//go:build !cgo || !(linux || darwin)

package engine

import (
	"errors"

	"github.com/gomlx/compute"
)

const xlaBuilt = false

func openXLA(string) (compute.Backend, error) {
	return nil, errors.New("this binary was built without cgo and has the go engine only\nhint: build with CGO_ENABLED=1 and a C compiler")
}
