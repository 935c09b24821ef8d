package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/riffle-ml/riffle/diffusion"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/mpi"
	runs "github.com/riffle-ml/riffle/run"
)

// processes are those that mpirun or srun started together. The first one has the run's folder and
// speaks; the others follow.
type processes struct{ world *mpi.World }

// processes joins those that were started together, if there are any.
func (a *app) processes() (*processes, error) {
	count := mpi.Launched()
	if count == 1 {
		return &processes{}, nil
	}
	world, err := mpi.Open()
	if err != nil {
		return nil, fmt.Errorf("%d processes were started together: %w", count, err)
	}
	if world.Rank() > 0 {
		a.out, a.err = io.Discard, io.Discard
	}
	return &processes{world}, nil
}

// peers are those that share a training, nil for one process alone.
func (p *processes) peers() diffusion.Peers {
	if p.world == nil {
		return nil
	}
	return p.world
}

func (p *processes) first() bool { return p.world == nil || p.world.Rank() == 0 }

// meet waits for all.
func (p *processes) meet() error {
	if p.world == nil {
		return nil
	}
	return p.world.Sum([]float32{0})
}

// open has the first process open the run, and then the others follow.
func (p *processes) open(lead, follow func() (*learn.Model, *runs.Dir, error)) (m *learn.Model, dir *runs.Dir, err error) {
	if p.first() {
		if m, dir, err = lead(); err == nil {
			err = p.meet()
		}
		return m, dir, err
	}
	if err = p.meet(); err != nil {
		return nil, nil, err
	}
	return follow()
}

// leave ends this process's part. An error that the others do not have as well ends all.
func (p *processes) leave(a *app, err error) error {
	if p.world == nil {
		return err
	}
	world := p.world
	p.world = nil
	if err == nil || errors.Is(err, learn.ErrStopped) {
		return errors.Join(err, world.Close())
	}
	fmt.Fprintf(a.stderr, "riffle: process %d of %d: %v\n", world.Rank()+1, world.Size(), err)
	world.Abort(1)
	return err
}

// follow opens a run that the first process made, or goes on with.
func (a *app) follow(t *trainFlags) (m *learn.Model, dir *runs.Dir, err error) {
	if dir, err = runs.Open(t.out); err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, dir.Close())
		}
	}()
	cfg, spec := dir.Config, t.engineSpec
	if err := change("train", &cfg, t.set); err != nil {
		return nil, nil, err
	}
	if state, err := dir.LoadState(); err == nil && spec == "" {
		spec = state.Engine
	}
	by := learn.Plan
	if t.initial != "" {
		by = learn.New
	}
	if m, err = a.newModel(cfg, spec, by); err != nil {
		return nil, nil, err
	}
	if t.initial != "" {
		_, err = m.InitFrom(t.initial)
	}
	return m, dir, err
}
