package run

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/internal/hint"
)

// maxBeside is the most bytes of a file beside a model: results, the scale of features, names.
const maxBeside = 64 << 20

// ReadFile reads a file of the directory such as [EvalFile], of at most 64 MiB. [ItemsFile] must be
// the one that the model was trained with, where its checkpoint says which that is.
func (d *Dir) ReadFile(name string) ([]byte, error) {
	if !local(name) {
		return nil, fmt.Errorf("%s: %q is not the name of a file in it", d.Path, name)
	}
	want := ""
	if name == ItemsFile {
		if state, err := d.LoadState(); err == nil {
			want = state.SHA256[ItemsFile]
		}
	}
	data, err := d.disk.readFile(name, maxBeside)
	switch {
	case want != "" && errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: missing, the model was trained with one", d.File(name))
	case err != nil:
		return nil, err
	case want != "" && hashOf(data) != want:
		return nil, hint.Errorf("riffle export RUN OUT --format run of the run that it is from copies the right one", "%s: damaged or changed since the training: wanted SHA-256 %.12s… (got %.12s…)", d.File(name), want, hashOf(data))
	}
	if name == ItemsFile {
		d.items = hashOf(data)
	}
	return data, nil
}

// WriteFile writes a file of the directory, or of its figures ("figures/loss.png"), as the function
// of the same name does. The configuration and the files of checkpoints have ways of their own.
func (d *Dir) WriteFile(name string, write func(io.Writer) error) error {
	dir, base := filepath.Split(filepath.FromSlash(name))
	folder := filepath.Clean(dir)
	if !local(base) || folder != "." && folder != FiguresDir || folder == "." && (base == ConfigFile || base == StateFile || base == StartFile || tensorFile.MatchString(base)) {
		return fmt.Errorf("%s: %q is not the name of a file to write in it", d.Path, name)
	}
	if folder == FiguresDir {
		if err := d.disk.mkdir(FiguresDir); err != nil {
			return diskError(d.File(FiguresDir), err)
		}
	}
	hash := sha256.New()
	if err := d.writeFile(name, func(w io.Writer) error { return write(io.MultiWriter(w, hash)) }); err != nil {
		return err
	}
	if name == ItemsFile {
		d.items = hex.EncodeToString(hash.Sum(nil))
	}
	return nil
}

func (d *Dir) writeFile(name string, write func(io.Writer) error) error {
	return writeFile(d.disk, filepath.FromSlash(name), d.File(name), write)
}

// ReadIn is [Dir.ReadFile] of a folder that need not hold a run.
func ReadIn(folder, name string) ([]byte, error) {
	f, err := openFolder(folder)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read from
	return newDir(folder, f).ReadFile(name)
}

// WriteIn is [Dir.WriteFile] of a folder that need not hold a run.
func WriteIn(folder, name string, write func(io.Writer) error) error {
	f, err := openFolder(folder)
	if err != nil {
		return diskError(filepath.Join(folder, name), err)
	}
	return errors.Join(newDir(folder, f).WriteFile(name, write), f.Close())
}

// WriteJSONIn is [WriteIn] of a value as indented JSON.
func WriteJSONIn(folder, name string, value any) error {
	return WriteIn(folder, name, func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(value)
	})
}

// Expect says which network the tensors of the run are of. Others are [ErrOtherConfig] from then
// on, and files that are larger than the network are refused before they are read.
func (d *Dir) Expect(network *denoiser.Denoiser) {
	d.network, d.most = network, 1<<16 // other writers' words about a file
	for _, p := range network.Params() {
		d.most += 4*int64(p.Size()) + int64(len(p.Name)) + 256 // and its entry in a header
	}
}
