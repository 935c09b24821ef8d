package diffusion

import (
	"math"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/internal/field"
)

// AdamW is Adam with decoupled weight decay (Loshchilov & Hutter 2019), as
// torch.optim.AdamW: decay applies to every array.
type AdamW struct {
	Beta1, Beta2, Epsilon, WeightDecay float64
	// Clip bounds the norm of the whole gradient; 0 leaves it as it is.
	Clip float64
	// Average is the rate β of a moving average of the weights, 0 for none. After step t it is
	// b·average + (1 − b)·weights, b = min(β, (1 + t)/(10 + t)). So the start is soon forgotten
	// (Polyak & Juditsky 1992; the ramp is TensorFlow's). See [Trainer.Swap].
	Average float64
}

// Validate checks the settings.
func (a AdamW) Validate() error {
	switch {
	case !(a.Beta1 >= 0 && float32(a.Beta1) < 1): // as the engine sees it, in float32; NaN too
		return field.Errorf("Beta1", "must be 0 or more and below 1 (got %g)", a.Beta1)
	case !(a.Beta2 >= 0 && float32(a.Beta2) < 1):
		return field.Errorf("Beta2", "must be 0 or more and below 1 (got %g)", a.Beta2)
	case !(float32(a.Epsilon) > 0 && a.Epsilon < 1):
		return field.Errorf("Epsilon", "must be above 0 and below 1 (got %g)", a.Epsilon)
	case !(a.WeightDecay >= 0 && a.WeightDecay <= math.MaxFloat32):
		return field.Errorf("WeightDecay", "must be 0 or more and finite (got %g)", a.WeightDecay)
	case !(a.Average >= 0 && float32(a.Average) < 1):
		return field.Errorf("Average", "must be 0 or more and below 1 (got %g)", a.Average)
	case !(a.Clip >= 0 && a.Clip <= math.MaxFloat32):
		return field.Errorf("Clip", "must be 0 or more and finite (got %g)", a.Clip)
	}
	return nil
}

// Names under which the moments of a parameter are kept in the store.
func firstMoment(name string) string  { return "adam_m/" + name }
func secondMoment(name string) string { return "adam_v/" + name }

// AverageName is under what name the store keeps the average of a trained parameter.
func AverageName(name string) string { return "average/" + name }

// stepsTaken is the variable that counts the steps that changed the weights: a refused step
// is no step to Adam's bias correction either.
const stepsTaken = "adam_steps"

// initMoments puts zero moments into the store where there are none, and the count of the steps
// behind them. Where averages are wanted it puts in the weights.
func initMoments(store *model.Store, d *denoiser.Denoiser, taken int, average bool) error {
	if err := denoiser.SetParam(store, stepsTaken, nil, []float32{float32(taken)}); err != nil {
		return err
	}
	for _, p := range d.Params() {
		if !p.Trainable {
			continue
		}
		if average && denoiser.Variable(store, AverageName(p.Name)) == nil {
			flat, err := values(store, p.Name)
			if err == nil {
				err = denoiser.SetParam(store, AverageName(p.Name), p.Shape, flat)
			}
			if err != nil {
				return err
			}
		}
		for _, name := range []string{firstMoment(p.Name), secondMoment(p.Name)} {
			if denoiser.Variable(store, name) == nil {
				if err := denoiser.SetParam(store, name, p.Shape, make([]float32, p.Size())); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// update adds the optimiser's step to the graph, at a learning rate (scalar). It returns the norm
// of the gradient before clipping and whether the step is taken. Where the loss, the gradient or a
// weight that would come of it is not finite, every variable keeps its value.
func (a AdamW) update(store *model.Store, d *denoiser.Denoiser, loss, rate *graph.Node, changed map[string]*graph.Node) (norm, ok *graph.Node) {
	return a.apply(store, d, graph.Gradient(loss, weights(store, d, loss.Graph())...), loss, rate, changed)
}

// trained are the parameters that training changes.
func trained(d *denoiser.Denoiser) (params []*denoiser.Param) {
	for _, p := range d.Params() {
		if p.Trainable {
			params = append(params, p)
		}
	}
	return params
}

// weights are the values of the trained parameters in a graph.
func weights(store *model.Store, d *denoiser.Denoiser, g *graph.Graph) (nodes []*graph.Node) {
	for _, p := range trained(d) {
		nodes = append(nodes, denoiser.Variable(store, p.Name).NodeValue(g))
	}
	return nodes
}

// apply is the second half of update, by the gradients of the trained parameters.
func (a AdamW) apply(store *model.Store, d *denoiser.Denoiser, grads []*graph.Node, loss, rate *graph.Node, changed map[string]*graph.Node) (norm, ok *graph.Node) {
	g := loss.Graph()
	params, nodes := trained(d), weights(store, d, g)
	var sum *graph.Node
	for _, grad := range grads {
		s := graph.ReduceAllSum(graph.Square(grad))
		if sum == nil {
			sum = s
		} else {
			sum = graph.Add(sum, s)
		}
	}
	norm = graph.Sqrt(sum)
	ok = graph.LogicalAnd(graph.IsFinite(loss), graph.IsFinite(norm))
	scale := graph.ScalarOne(g, dtypes.Float32)
	if a.Clip > 0 {
		scale = graph.MinScalar(graph.Div(graph.Scalar(g, dtypes.Float32, a.Clip), graph.AddScalar(norm, 1e-6)), 1)
	}
	count := denoiser.Variable(store, stepsTaken)
	taken := graph.OnePlus(count.NodeValue(g))
	correction := func(beta float64) *graph.Node { // 1 − β^taken
		return graph.OneMinus(graph.Exp(graph.MulScalar(taken, math.Log(beta))))
	}
	correct1, correct2 := graph.ScalarOne(g, dtypes.Float32), graph.ScalarOne(g, dtypes.Float32)
	if a.Beta1 > 0 {
		correct1 = correction(a.Beta1)
	}
	if a.Beta2 > 0 {
		correct2 = correction(a.Beta2)
	}
	type change struct {
		variable *model.Variable
		value    *graph.Node
	}
	fresh := []change{{count, taken}}
	// b of the average, as float32 has it of so many steps.
	b := graph.MinScalar(graph.Div(graph.OnePlus(taken), graph.AddScalar(taken, 10)), a.Average)
	for i, p := range params {
		grad := graph.Mul(grads[i], scale)
		mv, vv := denoiser.Variable(store, firstMoment(p.Name)), denoiser.Variable(store, secondMoment(p.Name))
		m := graph.Add(graph.MulScalar(mv.NodeValue(g), a.Beta1), graph.MulScalar(grad, 1-a.Beta1))
		v := graph.Add(graph.MulScalar(vv.NodeValue(g), a.Beta2), graph.MulScalar(graph.Square(grad), 1-a.Beta2))
		step := graph.Div(graph.Div(m, correct1), graph.AddScalar(graph.Sqrt(graph.Div(v, correct2)), a.Epsilon))
		if a.WeightDecay > 0 {
			step = graph.Add(step, graph.MulScalar(nodes[i], a.WeightDecay))
		}
		w := graph.Sub(nodes[i], graph.Mul(rate, step))
		fresh = append(fresh, change{mv, m}, change{vv, v}, change{denoiser.Variable(store, p.Name), w})
		if a.Average > 0 {
			average := denoiser.Variable(store, AverageName(p.Name))
			old := average.NodeValue(g)
			fresh = append(fresh, change{average, graph.Add(old, graph.Mul(graph.OneMinus(b), graph.Sub(w, old)))})
		}
		ok = graph.LogicalAnd(ok, graph.IsFinite(graph.ReduceAllSum(w)))
	}
	for _, c := range fresh {
		c.variable.SetNodeValue(graph.Where(ok, c.value, c.variable.NodeValue(g)))
	}
	// Running statistics changed on the way forward are held back too.
	for _, p := range d.Params() {
		if old := changed[p.Name]; old != nil {
			v := denoiser.Variable(store, p.Name)
			v.SetNodeValue(graph.Where(ok, v.NodeValue(g), old))
		}
	}
	return norm, ok
}
