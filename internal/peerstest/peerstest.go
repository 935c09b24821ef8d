// Package peerstest has goroutines stand for the processes of a training.
package peerstest

import (
	"fmt"
	"sync"
)

// Peer is one of them; it is what diffusion.Peers wants.
type Peer struct {
	*world
	rank int
}

// world is what they share.
type world struct {
	size  int
	mu    sync.Mutex
	turn  *sync.Cond
	sum   []float32
	count int // of those who brought their numbers
	turns int
}

// New makes so many peers.
func New(size int) []Peer {
	w := &world{size: size}
	w.turn = sync.NewCond(&w.mu)
	peers := make([]Peer, size)
	for rank := range peers {
		peers[rank] = Peer{w, rank}
	}
	return peers
}

// Rank is the number of this peer, from 0.
func (p Peer) Rank() int { return p.rank }

// Size is how many there are.
func (p Peer) Size() int { return p.size }

// Sum replaces x by the sum over all peers.
func (p Peer) Sum(x []float32) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.count == 0 {
		p.sum = make([]float32, len(x))
	}
	sum := p.sum // a quick peer may begin the next one before this has read it
	if len(x) != len(sum) {
		return fmt.Errorf("peer %d brings %d numbers, another one %d", p.rank, len(x), len(sum))
	}
	for i, v := range x {
		sum[i] += v
	}
	p.count++
	if turn := p.turns; p.count == p.size {
		p.count, p.turns = 0, p.turns+1
		p.turn.Broadcast()
	} else {
		for p.turns == turn {
			p.turn.Wait()
		}
	}
	copy(x, sum)
	return nil
}
