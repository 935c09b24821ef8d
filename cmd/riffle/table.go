package main

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// table prints rows with aligned columns; the first column is left-aligned, the others
// right-aligned.
func table(w io.Writer, header []string, rows [][]string) {
	(&rowPrinter{header: header}).print(w, rows)
}

// rowPrinter prints a table whose rows come some after the other: columns are as wide as the
// widest cell so far.
type rowPrinter struct {
	header []string // printed first
	width  []int
}

func (t *rowPrinter) print(w io.Writer, rows [][]string) {
	if t.width == nil {
		t.width = make([]int, len(t.header))
		rows = append([][]string{t.header}, rows...)
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
