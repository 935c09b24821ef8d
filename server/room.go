package server

import (
	"context"
	"sync"
)

// room is memory that the models share. Work waits where too little is left.
type room struct {
	mu    sync.Mutex
	left  int64
	freed chan struct{} // closed, and made anew, when some is given back
}

func newRoom(bytes int64) *room { return &room{left: bytes, freed: make(chan struct{})} }

// take waits until so many bytes are free, and takes them. It fails only with the error of ctx. It waits
// for ever for more than there is in all.
func (r *room) take(ctx context.Context, bytes int64) error {
	for {
		r.mu.Lock()
		if bytes <= r.left {
			r.left -= bytes
			r.mu.Unlock()
			return nil
		}
		freed := r.freed
		r.mu.Unlock()
		select {
		case <-freed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (r *room) give(bytes int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.left += bytes
	close(r.freed)
	r.freed = make(chan struct{})
}
