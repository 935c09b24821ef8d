//go:build unix

package run

import "syscall"

// noFollow has an open fail on a link, and not wait for the other end of a pipe.
const noFollow = syscall.O_NOFOLLOW | syscall.O_NONBLOCK
