package learn

import (
	"context"
	"strings"

	"github.com/riffle-ml/riffle/diffusion"
	"github.com/riffle-ml/riffle/perm"
)

// decodeMethod is a way to find orders by reverse steps.
type decodeMethod struct {
	name string // as [DecodeOptions].Method has it
	wide bool   // it has widths, and gives several orders
	// decode returns the ways to the orders of each set, the most probable first.
	decode func(ctx context.Context, dec *diffusion.Decoder, enc *diffusion.Encoded, noise []perm.Order, o DecodeOptions) ([][]diffusion.Path, error)
	// work estimates what a set of n items takes over so many steps. It returns how many states go
	// through the network, how many of them at most at a time, and the host's part.
	work func(m *Model, q Query, n int, steps float64, ruled bool) (states, most float64, host Work)
}

// decodeMethods are all that there are.
var decodeMethods = []decodeMethod{
	{
		name: "greedy",
		decode: func(ctx context.Context, dec *diffusion.Decoder, enc *diffusion.Encoded, noise []perm.Order, _ DecodeOptions) ([][]diffusion.Path, error) {
			paths, err := dec.Greedy(ctx, enc, noise)
			ways := make([][]diffusion.Path, len(paths))
			for i := range paths {
				ways[i] = paths[i : i+1 : i+1]
			}
			return ways, err
		},
		work: (*Model).greedyWork,
	},
	{
		name: "beam",
		wide: true,
		decode: func(ctx context.Context, dec *diffusion.Decoder, enc *diffusion.Encoded, noise []perm.Order, o DecodeOptions) ([][]diffusion.Path, error) {
			return dec.Beam(ctx, enc, noise, o.Beam, o.Inner)
		},
		work: (*Model).beamWork,
	},
}

// methodOf finds a method by its name, nil where there is none.
func methodOf(name string) *decodeMethod {
	for i := range decodeMethods {
		if decodeMethods[i].name == name {
			return &decodeMethods[i]
		}
	}
	return nil
}

// wide reports whether a set has several states at a time.
func (o DecodeOptions) wide() bool {
	m := methodOf(o.Method)
	return m == nil || m.wide
}

// Methods lists the methods of decoding for people.
func Methods() string {
	var names []string
	for _, m := range decodeMethods {
		names = append(names, m.name)
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
