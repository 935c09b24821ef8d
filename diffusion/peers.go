package diffusion

import (
	"fmt"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/riffle-ml/riffle/denoiser"
)

// Peers are the processes that train one model together, each on its share of every batch. All
// call Sum at the same steps with as many numbers.
type Peers interface {
	// Rank is the number of this process, from 0, of Size processes.
	Rank() int
	Size() int
	// Sum replaces x by the sum over all processes, which is the same, bit for bit, in each.
	Sum(x []float32) error
}

// half is a trainer's step in two halves, between which the processes sum their gradients.
type half struct {
	peers Peers
	first *model.Exec // (dropout state, the loss's inputs) → gradients, loss, running statistics, one row
	last  *model.Exec // (learning rate, that row as a mean) → [3], as Trainer.build
	row   []float32
}

// Join has the trainer's steps be those of several processes; it is called before the first step.
// The loss's inputs of each process are its share of the batch, equally many sets. The loss and its
// gradient are the means over processes. So a step means what it means in one process, but for two
// things. Dropout draws other noise in each process. Batch normalisation has the statistics of the
// process's own share, as PyTorch's DistributedDataParallel has it; the running statistics are
// their mean over processes.
func (t *Trainer) Join(peers Peers) (err error) {
	h := &half{peers: peers}
	if h.first, err = model.NewExec(t.engine.Backend, t.Store, t.buildFirst); err != nil {
		return err
	}
	if h.last, err = model.NewExec(t.engine.Backend, t.Store, t.buildLast); err != nil {
		return err
	}
	t.half = h
	return nil
}

// buildFirst is the graph of the first half, which changes no variable.
func (t *Trainer) buildFirst(_ *model.Scope, in []*graph.Node) *graph.Node {
	g := in[0].Graph()
	c := denoiser.NewContext(g, t.Store, true, in[0])
	loss := t.loss(c, in[1:])
	var row []*graph.Node
	for _, n := range append(graph.Gradient(loss, weights(t.Store, t.Denoiser, g)...), loss) {
		row = append(row, graph.Reshape(n, -1))
	}
	for _, p := range t.Denoiser.Params() {
		if p.Trainable || p.Frozen { // a mean of equal numbers is not always the number
			continue
		}
		v := denoiser.Variable(t.Store, p.Name)
		row = append(row, graph.Reshape(v.NodeValue(g), -1))
		if old := c.Changed[p.Name]; old != nil {
			v.SetNodeValue(old)
		}
	}
	return graph.Concatenate(row, 0)
}

// buildLast is the graph of the second half.
func (t *Trainer) buildLast(_ *model.Scope, in []*graph.Node) *graph.Node {
	rate, row := in[0], in[1]
	g := rate.Graph()
	t.Store.SetTraining(g, true) // see denoiser.NewContext
	at := 0
	next := func(shape ...int) *graph.Node {
		size := 1
		for _, d := range shape {
			size *= d
		}
		at += size
		return graph.Reshape(graph.Slice(row, graph.AxisRange(at-size, at)), shape...)
	}
	var grads []*graph.Node
	for _, p := range trained(t.Denoiser) {
		grads = append(grads, next(p.Shape...))
	}
	loss := next()
	changed := map[string]*graph.Node{}
	for _, p := range t.Denoiser.Params() {
		if !p.Trainable && !p.Frozen {
			v := denoiser.Variable(t.Store, p.Name)
			changed[p.Name] = v.NodeValue(g)
			v.SetNodeValue(next(p.Shape...))
		}
	}
	norm, ok := t.AdamW.apply(t.Store, t.Denoiser, grads, loss, rate, changed)
	return graph.Stack([]*graph.Node{loss, norm, graph.ConvertDType(ok, loss.DType())}, 0)
}

// step makes training step s from the learning rate, the state of dropout and the loss's inputs.
func (h *half) step(s int, rate float64, inputs []*tensors.Tensor) (*Step, error) {
	fail := func(err error) (*Step, error) {
		return nil, fmt.Errorf("training step %d, process %d of %d: %w", s, h.peers.Rank()+1, h.peers.Size(), err)
	}
	out, err := h.first.Call1(inputs[1:])
	if err != nil {
		return fail(err)
	}
	err = tensors.ConstFlatData(out, func(flat []float32) {
		h.row = append(h.row[:0], flat...)
	})
	if err != nil {
		return fail(err)
	}
	if err := out.FinalizeAll(); err != nil {
		return fail(err)
	}
	if err := h.peers.Sum(h.row); err != nil {
		return fail(err)
	}
	for i := range h.row {
		h.row[i] /= float32(h.peers.Size())
	}
	mean := tensors.FromFlatDataAndDimensions(h.row, len(h.row))
	result, err := h.last.Call1([]*tensors.Tensor{inputs[0], mean})
	if err != nil {
		return fail(err)
	}
	return &Step{Number: s, Rate: rate, result: result, inputs: append(inputs, mean)}, nil
}

// close frees the compiled graphs.
func (h *half) close() {
	h.first.Finalize()
	h.last.Finalize()
}
