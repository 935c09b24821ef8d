package learn

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/riffle-ml/riffle/diffusion"
	"github.com/riffle-ml/riffle/task"
)

// Timing is how long a step of a training took, or the decode of a batch.
type Timing struct {
	What    string    `json:"what"` // step or decode
	Sets    float64   `json:"sets"` // in the mean, where steps have sets of several sizes
	Seconds []float64 `json:"seconds"`
	Median  float64   `json:"median"`
	Low     float64   `json:"low"`
	High    float64   `json:"high"`
	// NetworkShare is the part of a decode that the network takes; the rest chooses orders. A step
	// has none.
	NetworkShare float64 `json:"network_share,omitempty"`
}

func timing(what string, sets float64, seconds []float64) Timing {
	s := slices.Sorted(slices.Values(seconds))
	return Timing{What: what, Sets: sets, Seconds: seconds, Median: (s[(len(s)-1)/2] + s[len(s)/2]) / 2, Low: s[0], High: s[len(s)-1]}
}

// String says the median, the spread and how many sets a second that is.
func (t Timing) String() string {
	return fmt.Sprintf("%.4f s a %s of %.4g sets (%.4f to %.4f, %d rounds), %.1f sets/s", t.Median, t.What, t.Sets, t.Low, t.High, len(t.Seconds), t.Sets/t.Median)
}

// TimeSteps makes training steps, as [Model.Train] does but for the log and the checkpoints. It times so many
// rounds of size steps. Before them it makes warm steps, which compile and fill the caches. With sets of several
// sizes both become the next multiple of how many there are, so that each size has its turn as often.
func (m *Model) TimeSteps(ctx context.Context, warm, rounds, size int) (t Timing, err error) {
	if warm < 1 || rounds < 1 || size < 1 {
		return t, fmt.Errorf("timing: wanted 1 or more steps to warm up, rounds and steps a round (got %d, %d, %d)", warm, rounds, size)
	}
	turns := len(m.Config.TrainSizes())
	warm, size = turns*((warm+turns-1)/turns), turns*((size+turns-1)/turns)
	method, err := m.Method.Train(m.setup())
	if err != nil {
		return t, err
	}
	defer method.Close()
	trainer, err := diffusion.NewTrainer(m.Engine, m.Store, m.Denoiser, method.Loss, m.Config.AdamW(), m.Config.Seed, 0)
	if err != nil {
		return t, err
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
		return t, err
	}
	var seconds []float64
	for range rounds {
		start := time.Now()
		if err := run(size); err != nil {
			return t, err
		}
		seconds = append(seconds, time.Since(start).Seconds()/float64(size))
	}
	return timing("step", m.Config.MeanBatch(), seconds), nil
}

// TimeDecode decodes one batch of test sets, as a test does. It times rounds decodes, after one that
// compiles.
func (m *Model) TimeDecode(ctx context.Context, rounds int, opt DecodeOptions) (t Timing, err error) {
	find, _, err := m.Finder(opt)
	if err != nil {
		return t, err
	}
	ex, err := m.Task.Examples(task.Test, 0, m.Config.Eval.Batch)
	if err != nil {
		return t, err
	}
	var seconds []float64
	total, network := 0.0, 0.0
	for round := range rounds + 1 {
		if err := ctx.Err(); err != nil {
			return t, err
		}
		before := m.inNetwork()
		start := time.Now()
		if _, err := find(ctx, ex, 0); err != nil {
			return t, err
		}
		if round > 0 {
			seconds = append(seconds, time.Since(start).Seconds())
			total += seconds[len(seconds)-1]
			network += (m.inNetwork() - before).Seconds()
		}
	}
	t = timing("decode", float64(m.Config.Eval.Batch), seconds)
	t.NetworkShare = network / total
	return t, nil
}

func (m *Model) inNetwork() time.Duration {
	if m.decoder == nil {
		return 0
	}
	return m.decoder.Network
}
