package dataset

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Format is a format that [Open] reads.
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
)

// File is what a file or folder of any format holds.
type File struct {
	Path   string
	Format Format
	Type   string // of PrefLib: soc, soi, toc or toi
	Title  string // of PrefLib; of TSPLIB the name
	Sets   []*Set
	// Warnings are what was read in one of two ways, and a header whose numbers are not those of
	// the file.
	Warnings []string

	problem *TSPLIB

	Options
	query string // the file beside it that has the sizes of its sets, "" where there is none
}

// Options say how a file is read.
type Options struct {
	// Empty is whether a table, or JSONL as null, may have empty features, which are then NaN; else they
	// are errors.
	Empty bool
}

// Open reads a file or folder whose format [Sniff] finds. A TSPLIB problem without coordinates
// is a set of bare items; of several tours the first is the order.
func Open(path string) (*File, error) { return OpenWith(path, Options{}) }

// OpenWith is [Open] with options.
func OpenWith(path string, o Options) (*File, error) {
	format, err := Sniff(path)
	if err != nil {
		return nil, err
	}
	f := &File{Path: path, Format: format, Options: o, query: queryFile(path)}
	if format == FormatPictures {
		s, err := ReadFolder(path)
		if err != nil {
			return nil, err
		}
		f.Sets = []*Set{s}
		return f, nil
	}
	return readFile(path, f.read)
}

// read reads a file of the format that is set.
func (f *File) read(r io.Reader, name string) (*File, error) {
	var err error
	switch f.Format {
	case FormatJSONL:
		f.Sets, err = readJSONL(r, name, f.Options)
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
	if err != nil {
		return nil, err
	}
	return f, nil
}

// Scan yields the sets of r, gzipped or not, whose format it finds as [Sniff] does. A set of JSONL
// is there with the end of its line, and no more is kept; those of other formats are there once
// all of r is read, since a line anywhere may be of any set. It stops after the first error; name
// stands for the file in errors.
func Scan(r io.Reader, name string) iter.Seq2[*Set, error] { return ScanWith(r, name, Options{}, nil) }

// ScanWith is [Scan] with options. Before the first set it calls warn, where that is not nil, with
// the [File].Warnings, if there are any.
func ScanWith(r io.Reader, name string, o Options, warn func([]string)) iter.Seq2[*Set, error] {
	return func(yield func(*Set, error) bool) {
		br, format, err := sniffStream(r, name)
		if err != nil {
			yield(nil, err)
			return
		}
		if format == FormatJSONL {
			lines, err := NewJSONLReader(br, name)
			if err != nil {
				yield(nil, err)
				return
			}
			lines.parser.Options = o
			lines.All()(yield)
			return
		}
		f, err := (&File{Format: format, Options: o}).read(br, name)
		if err != nil {
			yield(nil, err)
			return
		}
		if warn != nil && len(f.Warnings) > 0 {
			warn(f.Warnings)
		}
		for _, s := range f.Sets {
			if !yield(s, nil) {
				return
			}
		}
	}
}

// sniffStream finds the format of r, which it takes for JSONL as soon as a brace begins it.
func sniffStream(r io.Reader, name string) (*bufio.Reader, Format, error) {
	br, err := unpackText(r)
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", name, err)
	}
	for n := 1; n <= sniffed; n++ {
		head, err := br.Peek(n)
		if start := bytes.TrimSpace(head); len(start) > 0 && start[0] == '{' {
			return br, FormatJSONL, nil
		} else if err != nil || len(start) > 0 {
			break
		}
	}
	format, err := sniffHead(br, name)
	return br, format, err
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

// sniffed is how much of a file [Sniff] looks at.
const sniffed = 64 << 10

// Sniff finds the format of a file by its first lines and, where they do not tell, by its
// name; a folder is one of pictures. Whether the readers accept the file it does not say.
func Sniff(path string) (Format, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if info.IsDir() {
		return FormatPictures, nil
	}
	return readFile(path, sniff)
}

var byExtension = map[string]Format{
	".jsonl": FormatJSONL, ".ndjson": FormatJSONL, ".json": FormatJSONL,
	".csv": FormatCSV, ".tsv": FormatCSV,
	".svm": FormatSVMLight, ".svmlight": FormatSVMLight, ".letor": FormatSVMLight,
	".soc": FormatPrefLib, ".soi": FormatPrefLib, ".toc": FormatPrefLib, ".toi": FormatPrefLib,
	".order": FormatSushi, ".tsp": FormatTSPLIB, ".atsp": FormatTSPLIB, ".tour": FormatTSPLIB,
}

func sniff(r io.Reader, name string) (Format, error) {
	br, err := unpackText(r)
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	return sniffHead(br, name)
}

// sniffHead finds the format of what it looks at and does not read.
func sniffHead(br *bufio.Reader, name string) (Format, error) {
	head, err := br.Peek(sniffed)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	extension := strings.ToLower(filepath.Ext(strings.TrimSuffix(name, ".gz")))
	named := byExtension[extension]
	if IsPicture(name) {
		return "", fmt.Errorf("%s: is a picture, wanted sets\nhint: a folder of pictures is a set", name)
	}
	if bytes.HasPrefix(head, []byte("PK\x03\x04")) {
		return "", fmt.Errorf("%s: is a zip file, which workbooks are too, wanted %s\nhint: a spreadsheet is read when it is saved as CSV", name, formatNames)
	}
	if i := bytes.IndexByte(head, 0); i >= 0 {
		hint := ""
		if i < 2 && len(head) > 3 && head[i+2] == 0 {
			hint = "\nhint: UTF-16 is read where the file begins with a byte order mark; or save it as UTF-8"
		}
		return "", fmt.Errorf("%s: is not text, wanted %s%s", name, formatNames, hint)
	}
	whole := errors.Is(err, io.EOF)
	if format := sniffLines(head, whole, named); format != "" {
		return format, nil
	}
	table := newTableHead(cutSeparatorLine(head), whole, 0)
	switch {
	case len(table.rows) == 0:
	case isKnownHeader(table.rows[0]): // the reader says what is wrong with it
		return FormatCSV, nil
	case queryFile(name) != "":
		return FormatCSV, nil
	case (named == "" || named == FormatCSV) && table.isBallots():
		return FormatBallots, nil
	}
	if named != "" {
		return named, nil
	}
	if len(bytes.TrimSpace(head)) == 0 {
		return "", fmt.Errorf("%s: is empty", name)
	}
	first, _, _ := bytes.Cut(bytes.TrimSpace(head), []byte("\n"))
	return "", fmt.Errorf("%s: is in no format that is known, wanted %s (begins with %.40q)", name, formatNames, first)
}

const formatNames = "JSONL, CSV with a header set,item,rank or rank1,rank2,…, svmlight, PrefLib, SUSHI, TSPLIB or tour text"

// sniffLines finds the format in a file's head; whole is whether that is all of the file, and
// named what the file's name says.
func sniffLines(head []byte, whole bool, named Format) Format {
	var data, comments [][]string // fields of lines
	all := strings.Split(string(head), "\n")
	if !whole && len(all) > 2 {
		all = all[:len(all)-1] // cut off
	}
	for _, line := range all {
		fields := strings.Fields(line)
		switch {
		case len(fields) == 0:
		case fields[0][0] == '#':
			comments = append(comments, strings.Fields(strings.ToUpper(strings.TrimLeft(line, "# \t"))))
		default:
			data = append(data, fields)
		}
	}
	for _, c := range comments {
		if start := strings.Join(c[:min(2, len(c))], " "); start == "NUMBER ALTERNATIVES:" || start == "DATA TYPE:" || start == "ALTERNATIVE NAME" {
			return FormatPrefLib
		}
	}
	if len(data) == 0 {
		return ""
	}
	first, line := data[0], strings.Join(data[0], " ")
	switch {
	case line[0] == '{' || line[0] == '[':
		return FormatJSONL
	case isTSPLIBLine(line):
		return FormatTSPLIB
	case !isNumber(first[0]):
		return ""
	case len(first) > 1 && (strings.HasPrefix(first[1], "qid:") || strings.Contains(first[len(first)-1], ":")):
		return FormatSVMLight
	case len(first) == 1 && len(data) > 1 && strings.Contains(data[1][0], ","):
		return FormatPrefLib // as it was before
	case named == FormatSushi || isSushi(data):
		return FormatSushi
	case len(first) > 1 && isNumber(first[1]) && named != FormatCSV:
		return FormatTourText
	}
	return ""
}

func isTSPLIBLine(line string) bool {
	key, _, colon := strings.Cut(line, ":")
	key = strings.ToUpper(strings.TrimSpace(key))
	switch key {
	case "NAME", "TYPE", "COMMENT", "DIMENSION", "EDGE_WEIGHT_TYPE", "EDGE_WEIGHT_FORMAT", "NODE_COORD_TYPE", "DISPLAY_DATA_TYPE":
		return colon
	}
	return strings.HasSuffix(key, "_SECTION")
}

// isSushi tells SUSHI's lists from coordinates: two integers, then lines whose second number
// says how many follow.
func isSushi(data [][]string) bool {
	if len(data[0]) != 2 || len(data) < 2 {
		return false
	}
	for i, fields := range data {
		for _, f := range fields {
			if _, err := strconv.Atoi(f); err != nil {
				return false
			}
		}
		if i > 0 && (len(fields) < 3 || fields[1] != strconv.Itoa(len(fields)-2)) {
			return false
		}
	}
	return true
}
