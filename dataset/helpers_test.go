package dataset

import (
	"io"
	"strings"
)

// parseCSV reads the sets of a table.
func parseCSV(text, name string) ([]*Set, error) { return parseCSVFrom(strings.NewReader(text), name) }

func parseCSVFrom(r io.Reader, name string) ([]*Set, error) {
	f, err := ParseTable(r, name, Options{})
	if err != nil {
		return nil, err
	}
	return f.Sets, nil
}

// readJSONL reads all sets, and tells all faults at once.
func readJSONL(text, name string) ([]*Set, error) {
	lines, err := NewJSONLReader(strings.NewReader(text), name)
	if err != nil {
		return nil, err
	}
	return lines.readAll()
}
