//go:build goexperiment.simd

package engine

const simdEnabled = true
