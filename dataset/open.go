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
	Type   string // of PrefLib: soc, soi, toc or toi
	Title  string // of PrefLib; of TSPLIB the name
	Sets   []*Set
	// Warnings are of what can be read in two ways, and of a header whose numbers are not those of
	// the file. Those of a stream are there at its end.
	Warnings []string

	problem *TSPLIB

	Options
	query string // the file beside it that has the sizes of its sets, "" where there is none
}

// Options say how a file is read.
type Options struct {
	// Empty is whether a table may have empty features, or JSONL null for one. They are then NaN; else
	// they are errors.
	Empty bool
	// EmptyHint says how to have empty features filled, in the words of the command or the program that
	// asks. It is the hint of the error that a table has some; "" is one in plain words.
	EmptyHint string
	// Cities says that the file is a problem or tours. If it begins with numbers it is tour text,
	// else TSPLIB.
	Cities bool
}

// Input is a file, a folder or a stream that was opened, once. It says what it is, and gives its sets as
// they are asked for. A set of JSONL is there with the end of its line. In a stream that is a table of
// features the lines of a set stand together, and the first line of the next ends it. No more is kept. All
// sets of other formats are in [File].Sets, since a line anywhere may be of any set.
type Input struct {
	*File
	// Size is in bytes. It is −1 for pipes and other streams, whose end is known when it comes, and
	// 0 for folders.
	Size  int64
	lines *JSONLReader // of JSONL
	items *itemReader  // of a stream that is a table of features
	from  io.Closer
}

// Open opens a file, a folder of pictures, or a pipe. It finds the format by the first lines or, where they do
// not tell, by the name. It waits some seconds for somebody to write to a pipe. A picture has a format and no
// sets. A TSPLIB problem without coordinates is a set of bare items. Of several tours the first is the order.
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

// OpenReader is [Open] of a stream, which name stands for in errors.
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
	_, err = in.ReadAll() // bare items are those of all sets together
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
// again. All faults of JSONL are told at once, as [Faults].
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

// parse reads a file of the format that is set, but JSONL.
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

// anySet is [TSPLIB.Set], and bare items where there are no points.
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
