package evaluate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/metric"
	"github.com/riffle-ml/riffle/task"
)

// Probe is how well the encoder of a sorting model reads digits, as far as a linear classifier can
// tell from its features. It is also what a perfect sorter with that reader reaches.
type Probe struct {
	DigitError float64 `json:"digit_error"` // percent of test digits misread
	TestDigits int     `json:"test_digits"`
	// Limit is the percentage of sets that a perfect sorter would get exactly right if its digits
	// were misread that often, at random. It is simulated, with standard error LimitStdErr.
	Limit       float64 `json:"limit"`
	LimitStdErr float64 `json:"limit_stderr"`
	Step        int     `json:"step"` // of the model
	// Warnings are those of the model, see [learn.Model.Warnings].
	Warnings []string `json:"warnings,omitempty"`
}

// Sizes of a probe: digits to fit it on, digits to judge it on, sets for the limit.
const (
	probeTrain = 60000
	probeTest  = 20000
	probeSets  = 20000
)

// ErrNoProbe is returned for models that do not read digits in windows.
var ErrNoProbe = errors.New("wanted a sorting model with the window encoder")

// ProbeDigits fits a softmax regression from the window features of training digits to the digits,
// and judges it on test digits. Training digits are augmented as in training.
func ProbeDigits(ctx context.Context, m *learn.Model) (*Probe, error) {
	if _, ok := m.Task.(task.Reader); !ok || m.Config.Model.Encoder != "window" {
		return nil, ErrNoProbe
	}
	exec, err := model.NewExec(m.Engine.Backend, m.Store, func(_ *model.Scope, objects *graph.Node) *graph.Node {
		return m.Denoiser.WindowFeatures(denoiser.NewContext(objects.Graph(), m.Store, false, nil), objects)
	})
	if err != nil {
		return nil, err
	}
	defer exec.Finalize()
	x, y, err := digits(ctx, m, exec, task.Train, probeTrain)
	if err != nil {
		return nil, err
	}
	fit := fitSoftmax(x, y, m.Config.Seed)
	if x, y, err = digits(ctx, m, exec, task.Test, probeTest); err != nil {
		return nil, err
	}
	wrong := 0
	for i, row := range x {
		if fit.class(row) != y[i] {
			wrong++
		}
	}
	p := &Probe{DigitError: 100 * float64(wrong) / float64(len(x)), TestDigits: len(x), Step: m.State.Step, Warnings: m.Warnings()}
	p.Limit, p.LimitStdErr = metric.ReadingLimit(m.Config.Task.N, m.Config.Task.Digits, p.DigitError/100, probeSets, m.Config.Seed)
	return p, nil
}

// digits returns the features and the values of at least count digits of a split.
func digits(ctx context.Context, m *learn.Model, exec *model.Exec, split task.Split, count int) (x [][]float32, y []int, err error) {
	size := m.Config.Eval.Batch
	for first := 0; len(x) < count; first += size {
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		ex, err := m.Task.Examples(split, first, size)
		if err != nil {
			return nil, nil, err
		}
		out, err := exec.Call1(ex.Objects)
		if err != nil {
			return nil, nil, fmt.Errorf("probe: %w", err)
		}
		flat, err := tensors.CopyFlatData[float32](out)
		if err != nil {
			return nil, nil, err
		}
		units := out.Shape().Dimensions[1]
		for i := range len(flat) / units {
			x = append(x, flat[i*units:(i+1)*units:(i+1)*units])
		}
		for i := range ex.Clean {
			y = append(y, m.Task.(task.Reader).Digits(ex, i)...)
		}
		if err := out.FinalizeAll(); err != nil {
			return nil, nil, err
		}
	}
	return x[:count], y[:count], nil
}

// softmax is a linear classifier over standardised features.
type softmax struct {
	mean, scale []float64
	w           [][]float64 // [classes][features+1], the bias last
	z           []float64   // the present row, standardised, with a 1 for the bias
}

const probeClasses = 10

// fitSoftmax fits by Adam (Kingma & Ba 2015) on mini-batches of 200, ten passes.
func fitSoftmax(x [][]float32, y []int, seed uint64) *softmax {
	features := len(x[0])
	s := &softmax{mean: make([]float64, features), scale: make([]float64, features), z: make([]float64, features+1)}
	for _, row := range x {
		for j, v := range row {
			s.mean[j] += float64(v) / float64(len(x))
		}
	}
	for _, row := range x {
		for j, v := range row {
			d := float64(v) - s.mean[j]
			s.scale[j] += d * d / float64(len(x))
		}
	}
	for j, v := range s.scale {
		s.scale[j] = 1 / math.Sqrt(v+1e-6)
	}
	grad, m, v := classRows(features+1), classRows(features+1), classRows(features+1)
	s.w = classRows(features + 1)
	rng := rand.New(rand.NewPCG(seed, 0))
	const batch, passes, rate = 200, 10, 2e-3
	steps := passes * len(x) / batch
	for step := 1; step <= steps; step++ {
		for range batch {
			i := rng.IntN(len(x))
			p := s.probabilities(x[i])
			p[y[i]]--
			for c, g := range p {
				for j, z := range s.z {
					grad[c][j] += g * z / batch
				}
			}
		}
		lr := rate * (1 - float64(step)/float64(steps))
		c1, c2 := 1-math.Pow(0.9, float64(step)), 1-math.Pow(0.999, float64(step))
		for c := range grad {
			for j, g := range grad[c] {
				m[c][j] += 0.1 * (g - m[c][j])
				v[c][j] += 0.001 * (g*g - v[c][j])
				s.w[c][j] -= lr * m[c][j] / c1 / (math.Sqrt(v[c][j]/c2) + 1e-8)
				grad[c][j] = 0
			}
		}
	}
	return s
}

func classRows(cols int) [][]float64 {
	m := make([][]float64, probeClasses)
	for i := range m {
		m[i] = make([]float64, cols)
	}
	return m
}

// logits standardises a row into s.z and returns the classes' scores.
func (s *softmax) logits(row []float32) []float64 {
	for j, v := range row {
		s.z[j] = (float64(v) - s.mean[j]) * s.scale[j]
	}
	s.z[len(row)] = 1
	out := make([]float64, probeClasses)
	for c, w := range s.w {
		for j, z := range s.z {
			out[c] += w[j] * z
		}
	}
	return out
}

func (s *softmax) class(row []float32) int {
	best, logits := 0, s.logits(row)
	for c, v := range logits {
		if v > logits[best] {
			best = c
		}
	}
	return best
}

func (s *softmax) probabilities(row []float32) []float64 {
	p := s.logits(row)
	top := p[0]
	for _, v := range p {
		top = max(top, v)
	}
	sum := 0.0
	for c := range p {
		p[c] = math.Exp(p[c] - top)
		sum += p[c]
	}
	for c := range p {
		p[c] /= sum
	}
	return p
}
