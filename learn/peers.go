package learn

import (
	"fmt"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/diffusion"
	"github.com/riffle-ml/riffle/internal/hint"
)

// CheckPeers tells whether the model can be trained by several processes ([TrainOptions]). Their number must
// divide Config.Train.Batch, of which each makes its share. Steps are those of one process but for three things:
// the order of additions, dropout's noise, and batch statistics ([diffusion.Trainer.Join]). The latent objective
// is not shared: its control variate is a mean over steps of the whole batch. The checkpoints are the same files,
// so that a run may be resumed with another number.
func (m *Model) CheckPeers(p diffusion.Peers) error {
	switch batch := m.Config.Train.Batch; {
	case p == nil || p.Size() == 1:
		return nil
	case batch%p.Size() != 0:
		return fmt.Errorf("processes: must divide %s (%d) (got %d)", config.TrainBatch, batch, p.Size())
	case m.Method.OneProcess:
		return hint.With(config.Errorf(config.TrainObjective, "latent trains in one process (got %d)", p.Size()), "--devices shares its batches among the devices of one machine")
	}
	return nil
}
