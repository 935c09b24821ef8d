package ranking

import (
	"errors"
	"io/fs"
	"slices"

	"github.com/riffle-ml/riffle/run"
	"github.com/riffle-ml/riffle/task"
)

// Naming implements [task.Namer]: bare items have rows of the table, features columns of the encoder's first layer.
func (r *Task) Naming(of *run.Dir) (*task.Naming, error) {
	data, err := of.ReadFile(run.ItemsFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	theirs, err := readScale(data, of.File(run.ItemsFile))
	if err != nil {
		return nil, err
	}
	if err := r.load(); err != nil {
		return nil, err
	}
	have, want, p := theirs.Names, r.scale.Names, &task.Naming{What: "items", Weight: "encoder.weight"}
	if r.config.Items == "features" {
		have, want, p = theirs.Features, r.scale.Features, &task.Naming{What: "features", Weight: "encoder.fc1.weight", Axis: 1}
		if theirs.Sparse && r.scale.Sparse {
			have, want = theirs.FeatureNames(), r.scale.FeatureNames()
		}
	}
	switch {
	case have == nil && want == nil:
		return nil, nil
	case have == nil || want == nil:
		return p, nil
	}
	for _, name := range want {
		p.At = append(p.At, slices.Index(have, name))
	}
	return p, nil
}
