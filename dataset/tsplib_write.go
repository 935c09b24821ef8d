package dataset

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/tsp"
)

// WriteTSPLIB writes a problem. Euclidean is written as EXACT_2D, which is the same, and points in
// space as their distances.
func WriteTSPLIB(w io.Writer, name, comment string, x *tsp.Instance) error {
	b := bufio.NewWriter(w)
	kind, what := x.Kind, "TSP"
	switch {
	case x.Directed():
		what = "ATSP"
	case kind == tsp.Euclidean:
		kind = tsp.Exact2D
	}
	if x.Points == nil {
		kind = tsp.Explicit
	}
	fmt.Fprintf(b, "NAME: %s\nTYPE: %s\n", oneLine(name), what)
	if comment != "" {
		fmt.Fprintf(b, "COMMENT: %s\n", oneLine(comment))
	}
	fmt.Fprintf(b, "DIMENSION: %d\nEDGE_WEIGHT_TYPE: %s\n", x.N(), kind)
	if x.Points == nil {
		fmt.Fprint(b, "EDGE_WEIGHT_FORMAT: FULL_MATRIX\nEDGE_WEIGHT_SECTION\n")
		for i := range x.N() {
			for j := range x.N() {
				fmt.Fprintf(b, "%s ", strconv.FormatFloat(x.Distance(i, j), 'g', -1, 64))
			}
			fmt.Fprintln(b)
		}
	} else {
		fmt.Fprint(b, "NODE_COORD_SECTION\n")
		for k, p := range x.Points {
			fmt.Fprintf(b, "%d %s %s\n", k+1, strconv.FormatFloat(p[0], 'g', -1, 64), strconv.FormatFloat(p[1], 'g', -1, 64))
		}
	}
	fmt.Fprint(b, "EOF\n")
	return b.Flush()
}

// WriteTour writes a tour of one city or more; cities are numbered from 1 there.
func WriteTour(w io.Writer, name, comment string, tour perm.Order) error {
	if len(tour) == 0 {
		return errors.New("a tour of no cities, which TSPLIB cannot say")
	}
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "NAME: %s\nTYPE: TOUR\n", oneLine(name))
	if comment != "" {
		fmt.Fprintf(b, "COMMENT: %s\n", oneLine(comment))
	}
	fmt.Fprintf(b, "DIMENSION: %d\nTOUR_SECTION\n", len(tour))
	for _, k := range tour {
		fmt.Fprintln(b, k+1)
	}
	fmt.Fprint(b, "-1\nEOF\n")
	return b.Flush()
}

// oneLine keeps a name from ending its line.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
