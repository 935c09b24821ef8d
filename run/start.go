package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/riffle-ml/riffle/config"
)

// StartFile says with whose weights a run began.
const StartFile = "start.json"

// Start is the run whose weights another one began with.
type Start struct {
	Run string `json:"run"` // its folder
	// SHA256 is that of its weights, "" where it is not known.
	SHA256 string `json:"sha256,omitempty"`
}

// CreateFrom is [Create] of a run that begins with the weights of another. So a training that ends before its first
// checkpoint can begin again as it did.
func CreateFrom(dir string, cfg *config.Config, start Start) (*Dir, error) {
	return create(dir, cfg, &start)
}

// begin writes what a run begins with, before it is one.
func (d *Dir) begin(start *Start) error {
	if start == nil {
		return d.disk.remove(StartFile) // of one that never began
	}
	return d.writeFile(StartFile, func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(start)
	})
}

// Start returns what a run began with, nil where its weights were random.
func (d *Dir) Start() (*Start, error) {
	data, err := d.disk.readFile(StartFile, maxBeside)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	s := new(Start)
	if err := json.Unmarshal(data, s); err != nil {
		return nil, fmt.Errorf("%s: %w", d.File(StartFile), err)
	}
	if s.Run == "" {
		return nil, fmt.Errorf("%s: run is missing, wanted the folder of a run", d.File(StartFile))
	}
	return s, nil
}
