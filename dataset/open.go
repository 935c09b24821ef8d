package dataset

import (
	"fmt"
	"io"
	"iter"
	"os"
	"strconv"

	"github.com/riffle-ml/riffle/internal/hint"
)

// Format is a format that [Open] knows.
type Format string

// The formats, by the names that people know them by.
const (
	FormatJSONL    Format = "JSONL"
	FormatCSV      Format = "CSV"
	FormatBallots  Format = "CSV ballots"
	FormatSVMLight Format = "svmlight"
	FormatPrefLib  Format = "PrefLib"
	FormatSushi    Format = "SUSHI"
	FormatTSPLIB   Format = "TSPLIB"
	FormatTourText Format = "tour text"
	FormatPictures Format = "folder of pictures"
	FormatPicture  Format = "picture"
)

// File is what a file or folder of any format holds.
type File struct {
	Path   string
	Format Format
	Type   string // PrefLib's: soc, soi, toc or toi
	Title  string // PrefLib's title, or TSPLIB's name
	Sets   []*Set
	// Warnings tell of what can be read in two ways, and of a header whose numbers do not match
	// the file. A stream has its warnings once it is read to the end.
	Warnings []string

	problem *TSPLIB

	Options
	query string // the file beside it with the sizes of the sets, "" if there is none
}

// Options say how a file is read.
type Options struct {
	// Empty allows empty features in a table, and null for a feature in JSONL. They are read as
	// NaN. Without Empty they are errors.
	Empty bool
	// EmptyHint is the hint of the error that a table has empty features. It says how to have them
	// filled, in the words of the calling command or program. If it is "", the error has a general
	// hint.
	EmptyHint string
	// Cities says that the file is a problem or tours. If it begins with numbers it is tour text,
	// else TSPLIB.
	Cities bool
}

// Input is an opened file, folder or stream. It says what it is, and gives its sets one by one. A
// set of JSONL is complete at the end of its line. In a streamed table of features the lines of a
// set must stand together, and the first line of the next set ends it. Only the current set is
// kept. For other formats all sets are in [File].Sets, since any line may belong to any set.
type Input struct {
	*File
	// Size is in bytes. It is −1 for pipes and other streams, whose length is not known
	// beforehand, and 0 for folders.
	Size  int64
	lines *JSONLReader // of JSONL
	items *itemReader  // of a stream that is a table of features
	from  io.Closer
}

// Open opens a file, a folder of pictures, or a pipe. It finds the format from the first lines or,
// if they do not tell, from the name. It waits some seconds for somebody to write to a pipe. A
// picture has a format and no sets. A TSPLIB problem without coordinates is a set of bare items. If
// a file has several tours, the first one is the order.
func Open(path string, o Options) (*Input, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() && o.Cities {
		return nil, fmt.Errorf("%s: is a folder, wanted a file", path)
	}
	if info.IsDir() {
		s, err := ReadFolder(path)
		if err != nil {
			return nil, err
		}
		return &Input{File: &File{Path: path, Format: FormatPictures, Options: o, Sets: []*Set{s}}}, nil
	}
	if IsPicture(path) && !o.Cities {
		return &Input{File: &File{Path: path, Format: FormatPicture, Options: o}, Size: info.Size()}, nil
	}
	f, err := openWaiting(path, info)
	if err != nil {
		return nil, err
	}
	in, err := openReader(f, path, o, info.Mode().IsRegular())
	if err != nil {
		_ = f.Close() // only read from
		return nil, err
	}
	in.from = f
	if info.Mode().IsRegular() {
		in.Size = info.Size()
	}
	return in, nil
}

// OpenReader is [Open] for a stream. Errors call it name.
func OpenReader(r io.Reader, name string, o Options) (*Input, error) {
	return openReader(r, name, o, false)
}

// openReader opens a file, or a stream.
func openReader(r io.Reader, name string, o Options, file bool) (*Input, error) {
	br, format, err := sniff(r, name, o)
	if err != nil {
		return nil, err
	}
	in := &Input{File: &File{Path: name, Format: format, Options: o, query: queryFile(name)}, Size: -1}
	if format == FormatJSONL {
		if in.lines, err = NewJSONLReader(br, name); err == nil {
			in.lines.parser.Options = o
		}
		return in, err
	}
	if format != FormatCSV {
		return in, in.parse(br, name)
	}
	if in.items, err = in.openCSV(br, name); err != nil || in.items == nil || len(in.items.features) > 0 && !file {
		return in, err
	}
	_, err = in.ReadAll() // a set's bare items are the items of all sets together
	return in, err
}

// Close closes what was opened.
func (in *Input) Close() error {
	if in.from == nil {
		return nil
	}
	return in.from.Close()
}

// All iterates over the sets; it stops after the first error.
func (in *Input) All() iter.Seq2[*Set, error] {
	switch {
	case in.lines != nil:
		return in.lines.All()
	case in.items != nil:
		return func(yield func(*Set, error) bool) {
			in.items.stream()(yield)
			in.Warnings = in.items.warnings()
		}
	}
	return func(yield func(*Set, error) bool) {
		if in.Format == FormatPicture {
			yield(nil, errPicture(in.Path))
			return
		}
		for _, s := range in.Sets {
			if !yield(s, nil) {
				return
			}
		}
	}
}

// Read reads all of a file or folder that [Open] opens. It refuses a pipe, which could not be read
// again. All faults of JSONL are reported at once, as [Faults].
func Read(path string, o Options) (*File, error) {
	if info, err := os.Stat(path); err == nil && info.Mode()&os.ModeNamedPipe != 0 {
		return nil, errPipe(path)
	}
	in, err := Open(path, o)
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }() // only read from
	return in.ReadAll()
}

// ReadAll reads the sets that are left.
func (in *Input) ReadAll() (_ *File, err error) {
	switch {
	case in.Format == FormatPicture:
		return nil, errPicture(in.Path)
	case in.lines != nil:
		in.Sets, err = in.lines.readAll()
	case in.items != nil:
		in.Sets, err = in.items.all()
		in.Warnings, in.items = in.items.warnings(), nil
	}
	if err != nil {
		return nil, err
	}
	return in.File, nil
}

func errPicture(name string) error {
	return hint.Errorf("a folder of pictures is a set", "%s: is a picture, wanted sets", name)
}

// parse reads a file of any format but JSONL; f.Format says which.
func (f *File) parse(r io.Reader, name string) (err error) {
	switch f.Format {
	case FormatCSV, FormatBallots:
		err = f.readCSV(r, name)
	case FormatSVMLight:
		err = f.readSVMLight(r, name)
	case FormatSushi:
		f.Sets, f.Warnings, err = newSushi(r, name)
	case FormatTourText:
		f.Sets, err = ParseTourText(r, name)
	case FormatPrefLib:
		var p *PrefLib
		if p, err = ParsePrefLib(r, name); err == nil {
			f.Type, f.Title, f.Sets, f.Warnings = p.Type, p.Title, p.Orders, p.Warnings
		}
	case FormatTSPLIB:
		var lib *TSPLIB
		if lib, err = ParseTSPLIB(r, name); err == nil {
			f.problem, f.Title, f.Sets, f.Warnings = lib, lib.Name, []*Set{lib.anySet()}, lib.Warnings
		}
	}
	return err
}

// anySet is [TSPLIB.Set], or a set of bare items if there are no points.
func (f *TSPLIB) anySet() *Set {
	if s, err := f.Set(); err == nil {
		return s
	}
	s := &Set{ID: f.Name, Items: make([]Item, f.Dimension)}
	for k := range s.Items {
		s.Items[k].ID = strconv.Itoa(k + 1)
	}
	if f.Tours != nil {
		s.Order, s.OrderGiven = f.Tours[0], "order"
	}
	return s
}
