package learn

import (
	"fmt"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/diffusion"
)

// CheckDevices tells whether the model can be trained with its batches shared by so many devices
// ([TrainOptions]). The engine must have them, and their number must divide Config.Train.Batch. The
// steps are those of one device but for the order of additions ([diffusion.Trainer.Spread]). What
// the latent objective draws before each training step is drawn on the first device. The
// checkpoints are the same files, so that a run may be resumed with another number.
func (m *Model) CheckDevices(count int) error {
	if err := diffusion.CheckDevices(m.Engine, count); err != nil {
		return err
	}
	if batch := m.Config.Train.Batch; batch%count != 0 {
		return fmt.Errorf("devices: must divide %s (%d) (got %d)", config.TrainBatch, batch, count)
	}
	return nil
}
