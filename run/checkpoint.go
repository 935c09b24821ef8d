package run

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json/jsontext"
	json "encoding/json/v2"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/riffle-ml/riffle/internal/hint"
	"github.com/riffle-ml/riffle/internal/shell"
)

// A checkpoint is files of tensors, three or, of a large network, more (see shards), and
// state.json, which holds the SHA-256 of each. Three generations have a place: the one being written, the newest, the one before.
//
//	.next/      written and synced here, state.json last; then renamed one by one
//	.           where readers look
//	previous/   kept for the day a file of the newest is found damaged
//
// A kill may fall between any two renames and leave a generation spread over two places. So a
// reader takes the newest state.json and looks for each file by its hash, in all places. Until
// .next/ is whole, the old generation is untouched. From that moment on, one generation or the
// other is found whatever happens.
const (
	nextDir     = ".next"
	previousDir = "previous"
)

var places = []string{nextDir, "", previousDir} // newest first

// TrainedFile is only there where ModelFile holds an average.
var tensorFiles = []string{ModelFile, AdamMFile, AdamVFile, TrainedFile}

// ErrNoCheckpoint is returned where a run has not saved a checkpoint yet.
var ErrNoCheckpoint = errors.New("no checkpoint yet")

// Checkpoint is everything that training needs to go on: a batch is a function of the seed
// and the step.
type Checkpoint struct {
	State State
	// Model holds the weights and running statistics under their PyTorch names. AdamM and AdamV
	// hold the first and second moments of the trained ones, under the same names.
	Model, AdamM, AdamV []Tensor
	// Trained are the weights that training goes on with where Model holds their average, nil
	// where it holds them.
	Trained []Tensor
}

// SaveCheckpoint replaces the checkpoint, and keeps the one before. Where it fails or the
// process is killed, at any moment, [Dir.LoadCheckpoint] gives the old one or the new one,
// whole. Weights that no use can be made of are [ErrValue].
func (d *Dir) SaveCheckpoint(c *Checkpoint) error { return d.save(c, tensorFiles) }

// save is SaveCheckpoint of the first of the files alone.
func (d *Dir) save(c *Checkpoint, files []string) error {
	if d.lock == nil {
		return fmt.Errorf("%s: is open for reading only", d.Path)
	}
	if err := checkValues(c.Model, true); err != nil {
		return fmt.Errorf("%s: %w", d.File(ModelFile), err)
	}
	if err := d.settle(files); err != nil {
		return err
	}
	for _, place := range []string{nextDir, previousDir} {
		if err := d.disk.mkdir(place); err != nil {
			return diskError(d.File(place), err)
		}
	}
	names, err := d.write(nextDir, c, files)
	if err != nil {
		for _, name := range append(names, StateFile) {
			_ = d.disk.remove(filepath.Join(nextDir, name)) // the next save overwrites what is left
		}
		return err
	}
	return d.rotate(names)
}

// Metadata is what the files of weights of a step say beside them. It is the step, and the
// configuration as TOML, without which nobody knows what network they are of.
func (d *Dir) Metadata(step int) (map[string]string, error) {
	text, err := d.Config.TOML()
	if err != nil {
		return nil, err
	}
	return map[string]string{"format": "pt", "step": strconv.Itoa(step), "config": string(text)}, nil
}

// write writes a checkpoint to a place: the first of its tensors, those that go into files, and its
// state. It returns the names of the files but the state.
func (d *Dir) write(place string, c *Checkpoint, files []string) (names []string, err error) {
	state := c.State
	state.SHA256 = map[string]string{}
	if d.items != "" {
		state.SHA256[ItemsFile] = d.items
	}
	if state.Config, err = d.values(); err != nil {
		return nil, err
	}
	metadata, err := d.Metadata(state.Step)
	if err != nil {
		return nil, err
	}
	write := func(name string, content func(w io.Writer) error) error {
		hash := sha256.New()
		names = append(names, name)
		err := writeSynced(d.disk, filepath.Join(place, name), func(w io.Writer) error { return content(io.MultiWriter(w, hash)) })
		if err != nil {
			return diskError(d.File(name), err)
		}
		state.SHA256[name] = hex.EncodeToString(hash.Sum(nil))
		return nil
	}
	for i, tensors := range [][]Tensor{c.Model, c.AdamM, c.AdamV, c.Trained}[:len(files)] {
		if files[i] == TrainedFile && tensors == nil {
			continue
		}
		parts := shards(files[i], tensors)
		for _, p := range parts {
			if err := write(p.name, func(w io.Writer) error { return WriteTensors(w, p.tensors, metadata) }); err != nil {
				return names, err
			}
		}
		if len(parts) > 1 {
			err := write(indexName(files[i]), func(w io.Writer) error {
				return json.MarshalWrite(w, newShardIndex(parts), json.Deterministic(true), jsontext.WithIndent("  "))
			})
			if err != nil {
				return names, err
			}
		}
	}
	data, err := encodeState(state)
	if err == nil {
		err = writeSynced(d.disk, filepath.Join(place, StateFile), func(w io.Writer) error { _, err := w.Write(data); return err })
	}
	if err == nil {
		err = errors.Join(d.disk.syncDir(place), d.disk.syncDir(""))
	}
	if err != nil {
		return names, diskError(d.File(StateFile), err)
	}
	return names, nil
}

// settle finishes the renames that a kill cut short, so that .next/ is free.
func (d *Dir) settle(files []string) error {
	state, err := d.readState(nextDir)
	if err != nil {
		return nil // nothing, or half a checkpoint: to be overwritten
	}
	if _, err := d.readGeneration(state, files); err != nil {
		return nil
	}
	return d.rotate(state.files())
}

// rotate moves what is in .next/ to where readers look, and what was there to previous/.
// The state goes last. A link keeps a file in sight until the new one takes its name.
func (d *Dir) rotate(names []string) error {
	sync := func() error {
		for _, place := range []string{previousDir, "", nextDir} {
			if err := d.disk.syncDir(place); err != nil {
				return diskError(d.File(place), err)
			}
		}
		return nil
	}
	for _, name := range append(slices.Clip(names), StateFile) {
		if name == StateFile { // a state must not reach the disk before the moves it stands for
			if err := sync(); err != nil {
				return err
			}
		}
		next, current, previous := filepath.Join(nextDir, name), name, filepath.Join(previousDir, name)
		if !d.disk.exists(next) {
			continue // moved before a kill
		}
		if d.disk.exists(current) {
			err := d.disk.remove(previous)
			if err == nil {
				if err = d.disk.link(current, previous); err != nil { // a file system without links
					err = d.disk.rename(current, previous)
				}
			}
			if err != nil {
				return diskError(d.File(previous), err)
			}
		}
		if err := d.disk.rename(next, current); err != nil {
			return diskError(d.File(current), err)
		}
	}
	return sync()
}

// LoadCheckpoint returns the newest checkpoint that is whole and whose values are numbers that a
// network can have. Where that is not the newest there was, because a file is damaged or missing, a
// warning says what and which step is used instead. A configuration that was changed since in what
// training goes by is [ErrConfigChanged]; other changes are warnings. Of a run that [Dir.CopyModel] wrote it is [ErrModelOnly].
func (d *Dir) LoadCheckpoint() (c *Checkpoint, warnings []string, err error) {
	if state, err := d.LoadState(); err == nil {
		if state.modelOnly() {
			return nil, nil, hint.Errorf(fmt.Sprintf("riffle train %s --out DIR trains it anew", d.File(ConfigFile)), "%s: %w", d.Path, ErrModelOnly)
		}
		if _, err := d.checkConfig(state, fixed); err != nil { // this says more than tensors of other shapes
			return nil, nil, err
		}
	}
	state, tensors, warnings, err := d.load(tensorFiles)
	if err != nil {
		return nil, nil, err
	}
	changed, err := d.checkConfig(state, fixed)
	if err != nil {
		return nil, nil, err
	}
	warnings = append(warnings, changed...)
	return &Checkpoint{State: state, Model: tensors[0], AdamM: tensors[1], AdamV: tensors[2], Trained: tensors[3]}, warnings, nil
}

// LoadModel is [Dir.LoadCheckpoint] for those who only use the model. It reads a third as much, and
// the optimiser's files need not be there. The configuration may have changed in what only training
// goes by.
func (d *Dir) LoadModel() (model []Tensor, state State, warnings []string, err error) {
	if state, err := d.LoadState(); err == nil {
		if _, err := d.checkConfig(state, essential); err != nil {
			return nil, State{}, nil, err
		}
	}
	state, tensors, warnings, err := d.load(tensorFiles[:1])
	if err != nil {
		return nil, State{}, nil, err
	}
	changed, err := d.checkConfig(state, essential)
	if err != nil {
		return nil, State{}, nil, err
	}
	return tensors[0], state, append(warnings, changed...), nil
}

// LoadState returns what the newest checkpoint knows besides its tensors.
func (d *Dir) LoadState() (State, error) {
	state, _, _, err := d.load(nil)
	return state, err
}

func (d *Dir) load(names []string) (state State, tensors [][]Tensor, warnings []string, err error) {
	// The process that trains may save while this one reads; it does not do so twice in a row.
	for range 3 {
		state, tensors, warnings, err = d.loadOnce(names)
		if d.lock != nil || err == nil && warnings == nil {
			break
		}
	}
	return state, tensors, warnings, err
}

func (d *Dir) loadOnce(names []string) (state State, tensors [][]Tensor, warnings []string, err error) {
	var problems problems
	for _, place := range places {
		state, err := d.readState(place)
		if errors.Is(err, fs.ErrNotExist) || err != nil && place == nextDir {
			continue // a state being written is no checkpoint yet
		}
		if err == nil {
			if tensors, err = d.readGeneration(state, names); err == nil {
				for _, p := range problems {
					warnings = append(warnings, fmt.Sprintf("%s: %s; the checkpoint of step %d is used instead", d.Path, p, state.Step))
				}
				return state, tensors, warnings, nil
			}
			if errors.Is(err, ErrOtherConfig) { // so will be the one before
				return State{}, nil, nil, fmt.Errorf("%s: %w", d.Path, err)
			}
			err = fmt.Errorf("the checkpoint of step %d: %w", state.Step, err)
		}
		problems = append(problems, err)
	}
	if len(problems) == 0 {
		return State{}, nil, nil, hint.Errorf(fmt.Sprintf("riffle train --out %s --resume makes one", shell.Quote(d.Path)), "%s: %w", d.Path, ErrNoCheckpoint)
	}
	err = fmt.Errorf("%s: no checkpoint is whole: %w", d.Path, problems)
	if !errors.Is(err, fs.ErrPermission) {
		err = hint.With(err, "train again, in another folder")
	}
	return State{}, nil, nil, err
}

// problems are what is wrong with each checkpoint.
type problems []error

func (p problems) Error() string {
	texts := make([]string, len(p))
	for i, err := range p {
		texts[i] = err.Error()
	}
	return strings.Join(texts, "; ")
}

func (p problems) Unwrap() []error { return p }

// readGeneration reads the files that belong to a state, wherever they are.
func (d *Dir) readGeneration(state State, names []string) ([][]Tensor, error) {
	var tensors [][]Tensor
	for _, name := range names {
		var all []Tensor
		if name == TrainedFile && !state.has(name) {
			tensors = append(tensors, nil)
			continue
		}
		left := d.most // the parts of a set of tensors have no more than the set
		for _, file := range state.tensorFilesOf(name) {
			data, err := d.findFile(file, state.SHA256[file], left)
			if err != nil {
				return nil, err
			}
			left -= int64(len(data))
			t, _, err := ReadTensors(data)
			if err == nil {
				err = checkValues(t, name == ModelFile || name == TrainedFile)
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			all = append(all, t...)
		}
		tensors = append(tensors, all)
	}
	if d.network != nil {
		for i, set := range setsOf(d.network, append(slices.Clip(tensors), nil, nil, nil)) {
			if i < len(tensors) && (i == 0 || len(set.tensors) > 0) { // before the first step there are no moments
				if err := set.check(d.network); err != nil {
					return nil, err
				}
			}
		}
	}
	return tensors, nil
}

func (d *Dir) findFile(name, hash string, most int64) ([]byte, error) {
	found := ""
	for _, place := range []string{"", nextDir, previousDir} { // likeliest first
		data, err := d.disk.readFile(filepath.Join(place, name), most)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		got := hashOf(data)
		if got == hash {
			return data, nil
		}
		if found == "" {
			found = got
		}
	}
	if found == "" {
		return nil, fmt.Errorf("%s: missing", name)
	}
	return nil, fmt.Errorf("%s: damaged or replaced: wanted SHA-256 %.12s… (got %.12s…)", name, hash, found)
}

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
