package run

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/internal/hint"
	"github.com/riffle-ml/riffle/internal/shell"
)

// Names of the files of a run directory.
const (
	ConfigFile      = "config.toml"
	MetricsFile     = "metrics.jsonl"
	ItemsFile       = "items.json"
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

// Dir is a run directory. It is written by one process at a time, the one that holds it by [Create]
// or [Resume], and read by any number. Everything in it that is read or written is a regular file
// of bounded size in the directory itself. A link in it is not followed, and is an error.
type Dir struct {
	Path   string
	Config config.Config

	disk  disker
	close io.Closer // of the disk
	lock  io.Closer // nil where the directory is open for reading
	// network is what tensors are held against, if it is known, and most the bytes of a set of them:
	// see Expect.
	network *denoiser.Denoiser
	most    int64
	known   struct {
		of     config.Config
		values map[string]string
	}
	items string // SHA-256 of items.json, "" where it is not known
}

func newDir(path string, f *folder) *Dir {
	return &Dir{Path: path, disk: f, close: f, most: mostTensors}
}

// File returns the path of a file in the directory, for messages: reading and writing by it would
// follow links.
func (d *Dir) File(name string) string { return filepath.Join(d.Path, name) }

// Create starts a run: it makes the directory, takes it for this process until [Dir.Close]
// and writes the configuration. A directory that holds a run already is an error and stays
// as it is.
func Create(dir string, cfg *config.Config) (*Dir, error) { return create(dir, cfg, nil) }

func create(dir string, cfg *config.Config, start *Start) (*Dir, error) {
	config, err := cfg.TOML()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	f, err := openFolder(dir)
	if err != nil {
		return nil, err
	}
	d := newDir(dir, f)
	d.Config = *cfg
	if err = f.check(); err == nil {
		if d.lock, err = acquire(f); err == nil {
			err = d.create(config, start)
		}
	}
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

func (d *Dir) create(config []byte, start *Start) error {
	if d.taken() {
		return hint.Errorf("--resume goes on with it; or choose another --out", "%s: holds a run already", d.Path)
	}
	if err := d.begin(start); err != nil {
		return err
	}
	return d.writeFile(ConfigFile, func(w io.Writer) error { _, err := w.Write(config); return err })
}

// taken reports whether a run is there, or a part of one.
func (d *Dir) taken() bool {
	return slices.ContainsFunc([]string{ConfigFile, StateFile, ModelFile, MetricsFile}, d.disk.exists)
}

// Open opens a run for reading.
func Open(dir string) (*Dir, error) {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return nil, fmt.Errorf("%s: %w: is a file, wanted the folder of a run", dir, ErrNoRun)
	}
	f, err := openFolder(dir)
	if err != nil {
		return nil, noRun(dir, err)
	}
	d := newDir(dir, f)
	if err = f.check(); err == nil {
		err = d.readConfig()
	}
	if err != nil {
		return nil, errors.Join(noRun(dir, err), d.Close())
	}
	return d, nil
}

// noRun is the error of a folder where something is missing.
func noRun(dir string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return hint.Errorf(fmt.Sprintf("riffle train PRESET --out %s starts one", shell.Quote(dir)), "%s: %w: %s is missing", dir, ErrNoRun, ConfigFile)
	}
	return err
}

func (d *Dir) readConfig() error {
	data, err := d.disk.readFile(ConfigFile, config.MaxFile)
	if err != nil {
		return err
	}
	if d.Config, err = config.ParseFile(data, d.File(ConfigFile)); err != nil {
		return err
	}
	// A run's configuration is complete, so that no data, whose path it names, are read to open it.
	if missing := d.Config.FromData(); len(missing) > 0 {
		return fmt.Errorf("%s: %s: missing, a run's configuration is complete", d.File(ConfigFile), strings.Join(missing, ", "))
	}
	if d.Config.Model.Encoder == "points" { // a run from before the key was written
		d.Config.Model.Points = cmp.Or(d.Config.Model.Points, "unit")
	}
	return nil
}

// Resume opens a run for going on with it and takes it for this process until [Dir.Close].
func Resume(dir string) (*Dir, error) {
	d, err := Open(dir)
	if err != nil {
		return nil, err
	}
	if d.lock, err = acquire(d.disk.(*folder)); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// Close gives the directory back. What was read stays valid.
func (d *Dir) Close() error {
	var errs [2]error
	if d.lock != nil {
		errs[0] = d.lock.Close()
	}
	if d.close != nil {
		errs[1] = d.close.Close()
	}
	d.lock, d.close = nil, nil
	return errors.Join(errs[:]...)
}

func errLocked(dir, pid string) error {
	if pid == "" {
		pid = "another process"
	} else {
		pid = "process " + pid
	}
	return hint.Errorf("wait for it or stop it; or choose another --out", "%s: %s is writing to it", dir, pid)
}
