package dataset

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/riffle-ml/riffle/internal/hint"
)

// sniffed is how much of a file is looked at to find its format.
const sniffed = 64 << 10

var byExtension = map[string]Format{
	".jsonl": FormatJSONL, ".ndjson": FormatJSONL, ".json": FormatJSONL,
	".csv": FormatCSV, ".tsv": FormatCSV,
	".svm": FormatSVMLight, ".svmlight": FormatSVMLight, ".letor": FormatSVMLight,
	".soc": FormatPrefLib, ".soi": FormatPrefLib, ".toc": FormatPrefLib, ".toi": FormatPrefLib,
	".order": FormatSushi, ".tsp": FormatTSPLIB, ".atsp": FormatTSPLIB, ".tour": FormatTSPLIB,
}

// sniff finds the format of r, gzipped or not. It takes r for JSONL as soon as a brace begins it,
// since no more of a pipe may have come yet. The reader that it returns gives all of the text.
func sniff(r io.Reader, name string, o Options) (*bufio.Reader, Format, error) {
	br, err := unpackText(r)
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", name, err)
	}
	if o.Cities {
		format, err := sniffCities(br, name)
		return br, format, err
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

// sniffCities tells tour text, whose first line begins with numbers, from TSPLIB.
func sniffCities(br *bufio.Reader, name string) (Format, error) {
	head, err := br.Peek(sniffed)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	for line := range strings.Lines(string(head)) {
		if fields := strings.Fields(line); len(fields) > 0 {
			if isNumber(fields[0]) && (len(fields) == 1 || !strings.Contains(fields[1], ":")) {
				return FormatTourText, nil
			}
			break
		}
	}
	return FormatTSPLIB, nil
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
		return "", errPicture(name)
	}
	if bytes.HasPrefix(head, []byte("PK\x03\x04")) {
		return "", hint.Errorf("a spreadsheet is read when it is saved as CSV", "%s: is a zip file, which workbooks are too, wanted %s", name, formatNames)
	}
	if i := bytes.IndexByte(head, 0); i >= 0 {
		help := ""
		if i < 2 && len(head) > 3 && head[i+2] == 0 {
			help = "UTF-16 is read where the file begins with a byte order mark; or save it as UTF-8"
		}
		return "", hint.Errorf(help, "%s: is not text, wanted %s", name, formatNames)
	}
	whole := errors.Is(err, io.EOF)
	if format := sniffLines(head, whole, named); format != "" {
		if format == FormatTourText && sameNumbers(head, whole) {
			return "", hint.Errorf("ballots have commas between the names, or are a .tsv with tabs; riffle tsp solve reads lines of cities whatever they hold",
				"%s: its lines have the same numbers in other orders: ballots, or coordinates of cities?", name)
		}
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

// sniffLines finds the format in a file's head. whole is whether that is all of the file, and named
// is what the file's name says.
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
	values := first // without a comment at the end of the line
	if at := slices.IndexFunc(first, func(f string) bool { return f[0] == '#' }); at > 0 {
		values = first[:at]
	}
	switch {
	case line[0] == '{' || line[0] == '[':
		return FormatJSONL
	case isTSPLIBLine(line):
		return FormatTSPLIB
	case !isNumber(first[0]):
		return ""
	case len(first) > 1 && (strings.HasPrefix(first[1], "qid:") || strings.Contains(values[len(values)-1], ":")):
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

// sameNumbers reports whether all lines of a head have the same different integers, two lines or more and not all
// in the same order. So do ballots, and hardly any coordinates.
func sameNumbers(head []byte, whole bool) bool {
	if i := bytes.LastIndexByte(head, '\n'); !whole && i >= 0 {
		head = head[:i]
	}
	var first, sorted []string
	differ := false
	for line := range bytes.Lines(head) {
		fields := strings.Fields(string(line))
		if len(fields) == 0 || fields[0][0] == '#' {
			continue
		}
		if slices.ContainsFunc(fields, func(f string) bool { _, err := strconv.Atoi(f); return err != nil }) {
			return false
		}
		in := slices.Sorted(slices.Values(fields))
		if first == nil {
			if first, sorted = fields, in; len(slices.Compact(slices.Clone(in))) < len(in) {
				return false
			}
			continue
		}
		if !slices.Equal(in, sorted) {
			return false
		}
		differ = differ || !slices.Equal(fields, first)
	}
	return differ
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
