package learn

import (
	"fmt"
	"math"
	"strconv"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/internal/machine"
)

// StepMemory estimates the bytes that training needs with batches of so many sets, shared by so many devices. It
// counts what the forward pass keeps for the backward one, the weights with their gradients and moments, and the
// program itself. It was compared with the largest resident set that the operating system reports
// (bench/memory.sh). For the presets measured it was between a fifth too little (tsp-20 on XLA) and half too much
// (delta-20 on go). On a GPU it is not measured. Devices divide among them what a batch takes. Each has all weights
// with what belongs to them. On a CPU all of that is in one memory.
func (m *Model) StepMemory(batch, devices int) int64 {
	d := m.Denoiser.Config
	n := m.Config.Task.N
	states := m.Method.States(m.setup())
	rows := batch * states

	// A token in a layer has queries, keys, values, what they give, two sums and two norms. It also
	// has the hidden units before and after the ReLU, and the attention's logits and weights.
	tokens := m.Denoiser.Tokens(n)
	perToken := d.Layers * (9*d.Dim + 2*d.FeedForward + 2*d.Heads*tokens)
	floats := float64(rows) * (float64(tokens*perToken) + 4*float64(n*n))
	if d.Edges { // sinusoids of the edges, and per state the queries folded into them
		floats += float64(batch*n*n*d.Dim) + float64(rows*n*d.Layers/2)*float64(3*d.Heads*d.Dim)
	}
	floats += float64(batch*n*n) * float64(m.Denoiser.PairFloats(states))
	if k := m.Denoiser.EdgeFloats(); k > 0 {
		floats = float64(batch) * float64(n*n) * float64(k)
	}
	floats += float64(batch*n) * m.objectFloats()

	base := 550e6
	if m.Engine.Kind == "go" {
		base = 120e6
	}
	weights := 0
	for _, p := range m.Denoiser.Params() {
		weights += p.Size()
	}
	bytes := 4*floats*m.memoryFactor() + 4*6*float64(weights)*float64(max(1, devices)) + base
	return int64(min(bytes, math.MaxInt64/2)) // what overflows would seem to fit
}

// memoryFactor is how many times the memory that is needed the engine takes. XLA uses room again
// when what was there is needed no more.
func (m *Model) memoryFactor() float64 {
	if m.Engine.Kind == "go" {
		return 2.7
	}
	return 1.4
}

// objectFloats is what the encoder keeps of one object.
func (m *Model) objectFloats() float64 { return m.Denoiser.ObjectFloats(m.Engine.Kind == "go") }

// CheckMemory refuses a training on so many devices that would not fit into the machine's free memory, and
// names a batch that would. It refuses nothing on a GPU, and where the system does not tell what is free.
func (m *Model) CheckMemory(devices int) error {
	if m.Engine.Kind == "cuda" {
		return nil
	}
	free := machine.FreeMemory()
	batch := m.Config.Train.Batch
	need := m.StepMemory(batch, devices)
	if free == 0 || need <= free {
		return nil
	}
	fits := 0
	devices = max(1, devices)
	for low, high := 1, batch/devices; low <= high; { // the largest share of a device that fits
		share := (low + high) / 2
		if m.StepMemory(share*devices, devices) <= free {
			fits, low = share*devices, share+1
		} else {
			high = share - 1
		}
	}
	hint := "no batch of this network fits; a smaller one or fewer objects would"
	if fits > 0 {
		hint = fmt.Sprintf("%s = %d would fit", config.TrainBatch, fits)
	}
	if m.Config.Train.Objective == "bound" && m.Method.States(m.setup()) > 1 {
		hint += "; " + config.TrainObjective + " = \"random-step\" takes one state a trajectory"
	}
	return &config.KeyError{Key: config.TrainBatch, Problem: fmt.Sprintf("a step of %d sets needs about %s, %s are free", batch, gigabytes(need), gigabytes(free)), Hint: hint}
}

// decodeMemory estimates the bytes that a reverse step of so many sets of n objects takes. It
// counts what one layer has of the tokens at a time, with the attention's logits and weights. It
// also counts the scores, and what the encoder keeps of the objects.
func (m *Model) decodeMemory(n, batch int) int64 {
	d := m.Denoiser.Config
	tokens := float64(m.Denoiser.Tokens(n))
	floats := tokens*float64(4*d.Dim+d.FeedForward) + 2*float64(d.Heads)*tokens*tokens + 2*float64(n)*float64(n)
	return int64(min(4*m.memoryFactor()*float64(batch)*(floats+float64(n)*m.objectFloats()), math.MaxInt64/2))
}

func gigabytes(b int64) string { return strconv.FormatFloat(float64(b)/1e9, 'f', 1, 64) + " GB" }
