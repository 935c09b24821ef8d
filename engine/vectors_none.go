//go:build !goexperiment.simd || !amd64

package engine

func vectors() string { return "" }
