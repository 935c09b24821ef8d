//go:build cgo && (linux || darwin)

package engine

// #cgo linux LDFLAGS: -ldl
// #include <dlfcn.h>
// #include <stdlib.h>
import "C"

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"unsafe"

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
	if err := loadable(path); err != nil {
		return nil, err
	}
	xla.EnableAutoInstall(false)
	b, err := xla.New(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return b, nil
}

// loadable has the system's loader take a library, and returns what it says where it does not, which
// begins with the path. The library stays loaded, so that XLA, which opens it next, gets the same one.
func loadable(path string) error {
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	// The loader keeps its last error for each thread.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if C.dlopen(name, C.RTLD_LAZY|C.RTLD_LOCAL) == nil {
		return errors.New(C.GoString(C.dlerror()))
	}
	return nil
}
