package learn

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/riffle-ml/riffle/diffusion"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/task"
)

// DecodeOptions say how orders are found. Zero values stand for those of the configuration. A width
// without a method asks for the beam.
type DecodeOptions struct {
	Method string `json:"method"` // greedy or beam
	Beam   int    `json:"beam,omitempty"`
	Inner  int    `json:"inner,omitempty"`
	// Symmetries is how many copies of a tour's cities are ordered, each turned, mirrored and begun
	// elsewhere. The shortest of their tours counts. Of pictures with direct scores it is how many
	// copies of each are read, turned or moved a little. The median of their scores counts. In
	// complete options 0 stands for the objects as they are.
	Symmetries int `json:"symmetries,omitempty"`
}

// MaxBeam is the most states that a beam keeps, and the most orders that [Model.Order] finds.
const MaxBeam = 1 << 16

// ownDecode are the options of the configuration.
func (m *Model) ownDecode() DecodeOptions {
	d := m.Config.Decode
	return DecodeOptions{Method: d.Method, Beam: d.Beam, Inner: d.Inner, Symmetries: d.Symmetries}
}

// Decoding returns options that are complete, by the configuration where they say nothing.
func (m *Model) Decoding(o DecodeOptions) (DecodeOptions, error) { return o.Complete(m.ownDecode(), 1) }

// Finder returns how the model's method finds the orders of examples, those from number first on of
// their split, and the options it follows.
func (m *Model) Finder(opt DecodeOptions) (_ func(ctx context.Context, ex *task.Examples, first int) ([]perm.Order, error), _ DecodeOptions, err error) {
	if !m.Method.Diffuses() {
		if opt != (DecodeOptions{}) && opt.Method != "greedy" {
			return nil, opt, m.Method.Refuse("beam")
		}
		if m.orderer == nil {
			if m.orderer, err = m.Method.Orderer(m.setup()); err != nil {
				return nil, opt, err
			}
		}
		return func(_ context.Context, ex *task.Examples, first int) ([]perm.Order, error) {
			return m.orderer.Orders(ex.Objects, first)
		}, DecodeOptions{}, nil
	}
	opt, err = m.Decoding(opt)
	if err != nil {
		return nil, opt, err
	}
	dec, err := m.Decoder()
	if err != nil {
		return nil, opt, err
	}
	if err := m.checkSymmetries(opt); err != nil {
		return nil, opt, err
	}
	return func(ctx context.Context, ex *task.Examples, first int) ([]perm.Order, error) {
		if opt.Symmetries > 1 && m.viewer() == nil {
			return m.shortestTurned(ctx, dec, ex, m.noise(ex, first), opt)
		}
		paths, err := m.paths(ctx, dec, ex, price(ex), m.noise(ex, first), opt)
		if err != nil {
			return nil, err
		}
		orders := make([]perm.Order, len(paths))
		for i, p := range paths {
			orders[i] = p.Order()
		}
		return orders, nil
	}, opt, nil
}

// noise draws the starts of examples, number first, … of their split.
func (m *Model) noise(ex *task.Examples, first int) []perm.Order {
	out := make([]perm.Order, len(ex.Clean))
	for i, o := range ex.Clean {
		out[i] = m.Process.Noise(m.Config.Seed, first+i, 1, len(o))[0]
	}
	return out
}

// price is what orders of examples cost, nil where they cost nothing.
func price(ex *task.Examples) func(set int, o perm.Order) float64 {
	if p, ok := ex.Judge.(task.Pricer); ok {
		return p.Cost
	}
	return nil
}

// paths decodes examples and returns the best path of each set. If orders have a cost that is the
// cheapest path of a beam; cost is nil if they have none.
func (m *Model) paths(ctx context.Context, dec *diffusion.Decoder, ex *task.Examples, cost func(set int, o perm.Order) float64, noise []perm.Order, opt DecodeOptions) ([]diffusion.Path, error) {
	enc, err := m.encodeViews(ctx, dec, ex.Objects, opt.Symmetries, sizes(ex)...)
	if err != nil {
		return nil, err
	}
	beams, err := methodOf(opt.Method).decode(ctx, dec, enc, noise, opt)
	if err != nil {
		return nil, err
	}
	best := make([]diffusion.Path, len(beams))
	for i, b := range beams {
		best[i] = b[0]
		if cost != nil {
			best[i] = cheapest(b, func(o perm.Order) float64 { return cost(i, o) })[0]
		}
	}
	return best, nil
}

// sizes are how many objects the sets of examples have, which may be padded.
func sizes(ex *task.Examples) []int {
	sizes := make([]int, len(ex.Clean))
	for i, o := range ex.Clean {
		sizes[i] = len(o)
	}
	return sizes
}

// cheapest sorts the paths of a beam by what their orders cost, and equal ones by probability. Of a
// tour the length counts (paper appendix, TSP).
func cheapest(beam []diffusion.Path, cost func(perm.Order) float64) []diffusion.Path {
	type priced struct {
		path diffusion.Path
		cost float64
	}
	all := make([]priced, len(beam))
	for i, p := range beam {
		all[i] = priced{p, cost(p.Order())}
	}
	slices.SortStableFunc(all, func(a, b priced) int { return compareCosts(a.cost, b.cost) })
	for i, p := range all {
		beam[i] = p.path
	}
	return beam
}

// compareCosts compares lengths to 40 bits. A tour is as long the other way round, except for a rounding
// that depends on the unit. Integers up to 2⁴⁰ keep all of their digits.
func compareCosts(a, b float64) int {
	const rest = 12 // bits of a float64's 52
	rounded := func(c float64) float64 {
		return math.Float64frombits((math.Float64bits(c) + 1<<(rest-1)) &^ (1<<rest - 1))
	}
	return cmp.Compare(rounded(a), rounded(b))
}

// EncodeExamples encodes examples for [Model.Draw].
func (m *Model) EncodeExamples(ctx context.Context, ex *task.Examples) (*diffusion.Encoded, error) {
	dec, err := m.Decoder()
	if err != nil {
		return nil, err
	}
	return dec.Encode(ctx, ex.Objects, sizes(ex)...)
}

// Draw draws orders of encoded sets, len(numbers)/enc.Batch of each. Draw i is by the generator that
// the configuration's seed has for numbers[i].
func (m *Model) Draw(ctx context.Context, enc *diffusion.Encoded, numbers []uint64) ([]perm.Order, error) {
	paths, err := m.draw(ctx, m.decoder, enc, enc.Size(0), m.Config.Seed, numbers)
	orders := make([]perm.Order, len(paths))
	for i, p := range paths {
		orders[i] = p.Order()
	}
	return orders, err
}

// draw draws paths to orders of n objects. Draw i is by the generator that a seed has for numbers[i].
// Sets of fewer than two objects have one order, and no encoding.
func (m *Model) draw(ctx context.Context, dec *diffusion.Decoder, enc *diffusion.Encoded, n int, seed uint64, numbers []uint64) ([]diffusion.Path, error) {
	start, rngs := make([]perm.Order, len(numbers)), make([]*rand.Rand, len(numbers))
	for i, number := range numbers {
		rngs[i] = rand.New(rand.NewPCG(seed^sampleStream, number))
		start[i] = m.Process.Start(rngs[i], n)
	}
	if enc != nil {
		return dec.Sample(ctx, enc, start, rngs)
	}
	paths := make([]diffusion.Path, len(start))
	for i := range paths {
		paths[i].States = start[i : i+1]
	}
	return paths, nil
}

// MethodWarnings say what is odd about the orders that a method to compare with gave so far.
func (m *Model) MethodWarnings() []string {
	if m.orderer == nil {
		return nil
	}
	return m.orderer.Warnings()
}
