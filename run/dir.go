package run

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/internal/shell"
)

// Names of the files of a run directory.
const (
	ConfigFile      = "config.toml"
	MetricsFile     = "metrics.jsonl"
	ModelFile       = "model.safetensors"
	AdamMFile       = "adam_m.safetensors"
	AdamVFile       = "adam_v.safetensors"
	TrainedFile     = "trained.safetensors"
	StateFile       = "state.json"
	EvalFile        = "eval.json"
	ProbeFile       = "probe.json"
	CalibrationFile = "calibration.json"
	FiguresDir      = "figures"

	lockFile = ".lock"
)

// ErrNoRun is returned by [Open] and [Resume] for a directory without a configuration.
var ErrNoRun = errors.New("holds no run")

// Dir is a run directory. It is written by one process at a time, the one that holds it
// by [Create] or [Resume], and read by any number.
type Dir struct {
	Path   string
	Config config.Config

	disk disker
	lock io.Closer // nil where the directory is open for reading
}

// File returns the path of a file in the directory.
func (d *Dir) File(name string) string { return filepath.Join(d.Path, name) }

// Create starts a run: it makes the directory, takes it for this process until [Dir.Close]
// and writes the configuration. A directory that holds a run already is an error and stays
// as it is.
func Create(dir string, cfg *config.Config) (*Dir, error) {
	config, err := cfg.TOML()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	lock, err := acquire(dir)
	if err != nil {
		return nil, err
	}
	d := &Dir{Path: dir, Config: *cfg, disk: disk{}, lock: lock}
	if err := d.create(config); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

func (d *Dir) create(config []byte) error {
	if there, err := d.taken(); err != nil {
		return err
	} else if there {
		return fmt.Errorf("%s: holds a run already\nhint: --resume goes on with it; or choose another --out", d.Path)
	}
	return WriteFile(d.File(ConfigFile), func(w io.Writer) error { _, err := w.Write(config); return err })
}

// taken reports whether a run is there, or a part of one.
func (d *Dir) taken() (bool, error) {
	for _, name := range []string{ConfigFile, StateFile, ModelFile, MetricsFile} {
		if _, err := os.Lstat(d.File(name)); err == nil {
			return true, nil
		} else if !errors.Is(err, fs.ErrNotExist) {
			return false, err
		}
	}
	return false, nil
}

// Open opens a run for reading.
func Open(dir string) (*Dir, error) {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return nil, fmt.Errorf("%s: %w: is a file, wanted the folder of a run", dir, ErrNoRun)
	}
	c, err := config.LoadConfig(filepath.Join(dir, ConfigFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w: %s is missing\nhint: riffle train PRESET --out %s starts one", dir, ErrNoRun, ConfigFile, shell.Quote(dir))
	}
	if err != nil {
		return nil, err
	}
	if c.Model.Encoder == "points" { // a run from before the key was written
		c.Model.Points = cmp.Or(c.Model.Points, "unit")
	}
	return &Dir{Path: dir, Config: c, disk: disk{}}, nil
}

// Resume opens a run for going on with it and takes it for this process until [Dir.Close].
func Resume(dir string) (*Dir, error) {
	d, err := Open(dir)
	if err != nil {
		return nil, err
	}
	d.lock, err = acquire(dir)
	if err != nil {
		return nil, err
	}
	return d, nil
}

// Close gives the directory back.
func (d *Dir) Close() error {
	if d.lock == nil {
		return nil
	}
	lock := d.lock
	d.lock = nil
	return lock.Close()
}

func errLocked(dir, pid string) error {
	if pid == "" {
		pid = "another process"
	} else {
		pid = "process " + pid
	}
	return fmt.Errorf("%s: %s is writing to it\nhint: wait for it or stop it; or choose another --out", dir, pid)
}
