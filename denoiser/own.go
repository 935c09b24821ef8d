package denoiser

import (
	"errors"

	"github.com/gomlx/gomlx/core/graph"
)

// Encoder is an encoder of one's own, for objects that none of the kinds here reads.
type Encoder interface {
	// Encode turns objects [batch, n, …] into vectors [batch, n, dim], float32. Each must depend
	// on its object alone: objects are encoded once a set and then only moved.
	Encode(c *Context, objects *graph.Node) *graph.Node
}

// Weights gives an [Encoder] its arrays: they are trained, kept and exported with the network's,
// under "encoder." and the name.
type Weights struct{ r *registry }

// Normal adds an array that is drawn from a normal distribution of mean 0.
func (w *Weights) Normal(name string, deviation float64, shape ...int) *Param {
	return w.r.add("encoder."+name, normal(deviation), shape...)
}

// Uniform adds an array that is drawn uniformly within ±bound.
func (w *Weights) Uniform(name string, bound float64, shape ...int) *Param {
	return w.r.add("encoder."+name, uniform(bound), shape...)
}

// Filled adds an array of one value.
func (w *Weights) Filled(name string, value float32, shape ...int) *Param {
	return w.r.add("encoder."+name, constant(value), shape...)
}

// Value is an array in the graph at hand.
func (c *Context) Value(p *Param) *graph.Node { return c.get(p) }

// Dropout zeroes elements with probability p while training, and scales the others by 1/(1−p).
func (c *Context) Dropout(x *graph.Node, p float64) *graph.Node { return c.dropout(x, p) }

type ownEncoder struct{ Encoder }

func (e ownEncoder) apply(c *Context, x *graph.Node) *graph.Node { return e.Encode(c, x) }

// floats is not known.
func (e ownEncoder) floats(bool) float64 { return 0 }

func newOwn(r *registry, _ string, cfg *Config) (encoder, error) {
	if cfg.Encoder.New == nil {
		return nil, errors.New("encoder \"own\": New is missing")
	}
	e, err := cfg.Encoder.New(&Weights{r}, cfg.Dim)
	if err != nil {
		return nil, err
	}
	if e == nil {
		return nil, errors.New("encoder \"own\": New made none")
	}
	return ownEncoder{e}, nil
}
