package training

import (
	"errors"
	"fmt"
	"io"

	"github.com/riffle-ml/riffle/diffusion"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/mpi"
	"github.com/riffle-ml/riffle/run"
)

// Processes are those that mpirun or srun started together. The first one has the run's folder and
// speaks; the others follow.
type Processes struct{ world *mpi.World }

// Join joins the processes that were started together, if there are any.
func Join() (*Processes, error) {
	count := mpi.Launched()
	if count == 1 {
		return &Processes{}, nil
	}
	world, err := mpi.Open()
	if err != nil {
		return nil, fmt.Errorf("%d processes were started together: %w", count, err)
	}
	return &Processes{world}, nil
}

// Peers are those that share a training, nil for one process alone.
func (p *Processes) Peers() diffusion.Peers {
	if p.world == nil {
		return nil
	}
	return p.world
}

// First tells whether this is the one that speaks.
func (p *Processes) First() bool { return p.world == nil || p.world.Rank() == 0 }

// meet waits for all.
func (p *Processes) meet() error {
	if p.world == nil {
		return nil
	}
	return p.world.Sum([]float32{0})
}

// Open has the first process open the training, as [Open] does, and then the others follow.
func (p *Processes) Open(h Host, r *Request) (m *learn.Model, dir *run.Dir, err error) {
	if p.First() {
		if m, dir, err = Open(h, r); err == nil {
			err = p.meet()
		}
		return m, dir, err
	}
	if err = p.meet(); err != nil {
		return nil, nil, err
	}
	return r.follow(h)
}

// Leave ends this process's part. An error that the others do not have as well is written to stderr and
// ends all.
func (p *Processes) Leave(stderr io.Writer, err error) error {
	if p.world == nil {
		return err
	}
	world := p.world
	p.world = nil
	if err == nil || errors.Is(err, learn.ErrStopped) {
		return errors.Join(err, world.Close())
	}
	fmt.Fprintf(stderr, "riffle: process %d of %d: %v\n", world.Rank()+1, world.Size(), err)
	world.Abort(1)
	return err
}

// follow opens a run that the first process made, or goes on with.
func (r *Request) follow(h Host) (m *learn.Model, dir *run.Dir, err error) {
	if dir, err = run.Open(r.Out); err != nil {
		return nil, nil, err
	}
	defer closeAfter(dir, &err)
	cfg, spec := dir.Config, r.Engine
	if err := Change(&cfg, r.Set); err != nil {
		return nil, nil, err
	}
	state, err := dir.LoadState()
	if err == nil && spec == "" {
		spec = state.Engine
	}
	if r.Resume {
		if r, err = r.beginning(dir, state); err != nil {
			return nil, nil, err
		}
	}
	if m, err = NewModel(h, cfg, spec, r.by()); err != nil {
		return nil, nil, err
	}
	if r.Initial != "" {
		if _, err = m.InitFrom(r.Initial); err == nil {
			err = r.asBegun(m)
		}
	}
	return m, dir, err
}
