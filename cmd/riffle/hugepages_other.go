//go:build !linux || !cgo

package main

func hugePages() {}
