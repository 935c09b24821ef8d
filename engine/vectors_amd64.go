//go:build goexperiment.simd

package engine

import "simd/archsimd"

// vectors are the processor's instructions that the go engine's products use, "" where it has none
// of them.
func vectors() string {
	switch {
	case archsimd.X86.AVX512():
		return "AVX-512"
	case archsimd.X86.AVX2():
		return "AVX2"
	}
	return ""
}
