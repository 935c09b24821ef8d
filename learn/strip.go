package learn

import (
	"context"

	"github.com/riffle-ml/riffle/diffusion"
	"github.com/riffle-ml/riffle/task"
)

// TestPaths decodes the first count test sets. It returns them and the way of each from noise to an
// order, see [diffusion.Path].
func (m *Model) TestPaths(ctx context.Context, count int, opt DecodeOptions) (*task.Examples, []diffusion.Path, error) {
	opt, err := m.Decoding(opt)
	if err != nil {
		return nil, nil, err
	}
	dec, err := m.Decoder()
	if err != nil {
		return nil, nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	ex, err := m.Task.Examples(task.Test, 0, count)
	if err != nil {
		return nil, nil, err
	}
	paths, err := m.paths(ctx, dec, ex, price(ex), m.noise(ex, 0), opt)
	return ex, paths, err
}
