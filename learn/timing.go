package learn

import (
	"context"
	"fmt"
	"time"

	"github.com/riffle-ml/riffle/diffusion"
	"github.com/riffle-ml/riffle/task"
)

// TimeSteps makes training steps, as [Model.Train] does but for the log and the checkpoints,
// and returns the seconds a step of each of rounds rounds of size steps, after warm steps that
// compile and fill the caches.
func (m *Model) TimeSteps(ctx context.Context, warm, rounds, size int) ([]float64, error) {
	if warm < 1 || rounds < 1 || size < 1 {
		return nil, fmt.Errorf("timing: wanted 1 or more steps to warm up, rounds and steps a round (got %d, %d, %d)", warm, rounds, size)
	}
	method, err := m.Method.Train(m.setup())
	if err != nil {
		return nil, err
	}
	defer method.Close()
	trainer, err := diffusion.NewTrainer(m.Engine, m.Store, m.Denoiser, method.Loss, m.Config.AdamW(), m.Config.Seed, 0)
	if err != nil {
		return nil, err
	}
	defer trainer.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	batches := m.batches(ctx, 1, share{0, 1})
	s := 0
	run := func(count int) error {
		var pending []*diffusion.Step
		for range count {
			made, ok := <-batches
			if !ok {
				return ctx.Err()
			}
			if made.err != nil {
				return made.err
			}
			s++
			inputs, err := method.Inputs(made.batch)
			if err != nil {
				return err
			}
			step, err := trainer.Step(s, 1e-4, inputs...)
			if err != nil {
				return err
			}
			if pending = append(pending, step); len(pending) > lag {
				if _, _, _, err := pending[0].Read(); err != nil {
					return err
				}
				pending = pending[1:]
			}
		}
		for _, step := range pending {
			if _, _, _, err := step.Read(); err != nil {
				return err
			}
		}
		return nil
	}
	if err := run(warm); err != nil {
		return nil, err
	}
	var seconds []float64
	for range rounds {
		start := time.Now()
		if err := run(size); err != nil {
			return nil, err
		}
		seconds = append(seconds, time.Since(start).Seconds()/float64(size))
	}
	return seconds, nil
}

// TimeDecode decodes one batch of test sets, as a test does, and returns the seconds
// of each of rounds decodes after one that compiles, and which share of them was the network's.
func (m *Model) TimeDecode(ctx context.Context, rounds int, opt DecodeOptions) (seconds []float64, network float64, err error) {
	find, _, err := m.Finder(opt)
	if err != nil {
		return nil, 0, err
	}
	ex, err := m.Task.Examples(task.Test, 0, m.Config.Eval.Batch)
	if err != nil {
		return nil, 0, err
	}
	total := 0.0
	for round := range rounds + 1 {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		before := m.inNetwork()
		start := time.Now()
		if _, err := find(ctx, ex, 0); err != nil {
			return nil, 0, err
		}
		if round > 0 {
			seconds = append(seconds, time.Since(start).Seconds())
			total += seconds[len(seconds)-1]
			network += (m.inNetwork() - before).Seconds()
		}
	}
	return seconds, network / total, nil
}

func (m *Model) inNetwork() time.Duration {
	if m.decoder == nil {
		return 0
	}
	return m.decoder.Network
}
