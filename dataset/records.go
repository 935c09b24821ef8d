package dataset

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/riffle-ml/riffle/internal/hint"
)

// records are the lines of a table, whose values are separated by commas, semicolons or tabs.
type records struct {
	name      string
	in        *csv.Reader
	separator rune
	ballots   bool // it begins as ballots without a header do
	skipped   int  // lines before those that the reader counts
	line      int  // of the last record
}

// newRecords finds how a table separates its values. Its first line may say so, "sep=;", else the
// header shows it.
func newRecords(r io.Reader, name string) (*records, error) {
	br, err := unpackText(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	t := &records{name: name}
	if t.separator, err = separatorLine(br); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if t.separator != 0 {
		t.skipped = 1
	}
	head, err := br.Peek(sniffed)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	h := newTableHead(head, err != nil, t.separator)
	t.separator, t.ballots = h.separator, h.isBallots()
	t.in = csvReader(br, t.separator)
	t.in.ReuseRecord = true
	return t, nil
}

func csvReader(r io.Reader, separator rune) *csv.Reader {
	in := csv.NewReader(r)
	in.Comma, in.FieldsPerRecord = separator, -1
	in.TrimLeadingSpace = separator != '\t' // a tab is white space too
	return in
}

// separatorLine reads the line "sep=;" with which Excel says what separates values, 0 where there
// is none.
func separatorLine(br *bufio.Reader) (rune, error) {
	head, err := br.Peek(64)
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	rest := cutSeparatorLine(head)
	if len(rest) == len(head) {
		return 0, nil
	}
	text := strings.Trim(strings.TrimRight(string(head[:len(head)-len(rest)]), "\r\n"), `"`)
	separator, ok := map[string]rune{",": ',', ";": ';', "\t": '\t', `\t`: '\t'}[text[len("sep="):]]
	if !ok {
		return 0, fmt.Errorf("separates values by %q, wanted a comma, a semicolon or a tab", text[4:])
	}
	_, _ = br.Discard(len(head) - len(rest))
	return separator, nil
}

// cutSeparatorLine leaves out the line "sep=;", in quotes or not.
func cutSeparatorLine(head []byte) []byte {
	line, rest, whole := bytes.Cut(head, []byte("\n"))
	if text := bytes.TrimLeft(line, `"`); !whole || len(line) > 12 || len(text) < 5 || !bytes.EqualFold(text[:4], []byte("sep=")) {
		return head
	}
	return rest
}

// next returns the values of the next line without white space around them. They are valid until
// the next call. At the end it returns io.EOF.
func (t *records) next() ([]string, error) {
	record, err := t.in.Read()
	if errors.Is(err, io.EOF) {
		return nil, io.EOF
	}
	if err != nil {
		return nil, t.explain(err)
	}
	t.line, _ = t.in.FieldPos(0)
	t.line += t.skipped
	for i, text := range record {
		record[i] = strings.TrimSpace(text)
	}
	return record, nil
}

// explain says where a file is no table.
func (t *records) explain(err error) error {
	if pe, ok := errors.AsType[*csv.ParseError](err); ok {
		if errors.Is(err, csv.ErrQuote) || errors.Is(err, csv.ErrBareQuote) {
			return fmt.Errorf("%s:%d: column %d: a quotation mark is missing or one too many", t.name, pe.Line+t.skipped, pe.Column)
		}
		return fmt.Errorf("%s:%d: %w", t.name, pe.Line+t.skipped, pe.Err)
	}
	return fmt.Errorf("%s: %w", t.name, err)
}

// checkWidth checks that a record has as many values as the header. There may be more where those
// are empty.
func checkWidth(record []string, want int) error {
	if len(record) < want || strings.Join(record[want:], "") != "" {
		return fmt.Errorf("has %d fields, wanted %d as the header has", len(record), want)
	}
	return nil
}

// checkName checks the name of a set or an item.
func checkName(text string) error {
	switch {
	case text == "":
		return errors.New(`wanted a name in UTF-8 (got "")`)
	case !utf8.ValidString(text):
		return hint.Errorf("save the table as UTF-8; the bytes may be those of Windows-1252", "wanted a name in UTF-8 (got %s)", quoted(text))
	}
	return nil
}

// tableHead is the beginning of a table.
type tableHead struct {
	separator rune
	rows      [][]string
}

// newTableHead finds the separator of a table, unless it is known, and reads its first rows. whole
// is whether head is all of it. The separator is the one that gives most columns of known names,
// else a tab, else the one that is there more often.
func newTableHead(head []byte, whole bool, separator rune) tableHead {
	if i := bytes.LastIndexByte(head, '\n'); !whole && i >= 0 {
		head = head[:i]
	}
	for {
		line, rest, more := bytes.Cut(head, []byte("\n"))
		if !more || len(bytes.Trim(line, ",; \t\r")) > 0 {
			break
		}
		head = rest // a line of nothing
	}
	first, _, _ := bytes.Cut(head, []byte("\n"))
	h := tableHead{separator: separator}
	if separator == 0 {
		h.separator = ','
		best := -1
		for _, s := range []rune{'\t', ';', ','} {
			fields, err := csvReader(bytes.NewReader(first), s).Read()
			if err != nil || len(fields) < 2 {
				continue
			}
			score := len(fields)
			if s == '\t' {
				score += 1 << 20
			}
			for _, f := range fields {
				if columnOf(f) != "" {
					score += 1 << 30
				}
			}
			if score > best {
				h.separator, best = s, score
			}
		}
	}
	in := csvReader(bytes.NewReader(head), h.separator)
	for range mostHead {
		row, err := in.Read()
		if err != nil {
			break
		}
		for i, text := range row {
			row[i] = strings.TrimSpace(text)
		}
		h.rows = append(h.rows, row)
	}
	return h
}

// mostHead is how many rows of a table are looked at.
const mostHead = 100
