package text

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Table prints rows with aligned columns; the first column is left-aligned, the others
// right-aligned.
func Table(w io.Writer, header []string, rows [][]string) {
	(&Rows{Header: header}).Print(w, rows)
}

// Rows prints a table whose rows come some after the other: columns are as wide as the
// widest cell so far.
type Rows struct {
	Header []string // printed first
	width  []int
}

// Print prints more rows, the header before the first.
func (t *Rows) Print(w io.Writer, rows [][]string) {
	if t.width == nil {
		t.width = make([]int, len(t.Header))
		rows = append([][]string{t.Header}, rows...)
	}
	for _, row := range rows {
		for i, cell := range row {
			t.width[i] = max(t.width[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range rows {
		var b strings.Builder
		for i, cell := range row {
			pad := strings.Repeat(" ", t.width[i]-utf8.RuneCountInString(cell))
			switch {
			case i == 0 && i == len(row)-1:
				b.WriteString(cell)
			case i == 0:
				b.WriteString(cell + pad)
			default:
				b.WriteString("  " + pad + cell)
			}
		}
		fmt.Fprintln(w, strings.TrimRight(b.String(), " "))
	}
}
