//go:build !unix

package run

const noFollow = 0
