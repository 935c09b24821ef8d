// Package parallel spreads independent work over the cores.
package parallel

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// For calls f(0), …, f(n−1) on all cores and waits. Where a call panics For does, with the value
// of the first that did: whoever called it may recover.
func For(n int, f func(i int)) {
	workers := min(n, runtime.GOMAXPROCS(0))
	if workers <= 1 {
		for i := range n {
			f(i)
		}
		return
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	var fault atomic.Pointer[any]
	for range workers {
		wg.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					fault.CompareAndSwap(nil, &p)
				}
			}()
			for {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				f(i)
			}
		})
	}
	wg.Wait()
	if p := fault.Load(); p != nil {
		panic(*p)
	}
}
