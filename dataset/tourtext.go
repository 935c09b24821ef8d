package dataset

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/riffle-ml/riffle/internal/hint"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/tsp"
)

// ReadTourText reads instances of tours, one a line, as the data sets of TSP-20 and TSP-50
// have them:
//
//	x1 y1 x2 y2 … xn yn output t1 t2 … tn t1
//
// Cities are numbered from 1 there and from 0 here. The closing city may be left out, and so may
// "output" and the tour. Lines may have different n. Each line becomes a set of points, which are
// called by their numbers in the line. Its tour is the order.
func ReadTourText(path string) ([]*Set, error) { return readFile(path, ParseTourText) }

// ParseTourText is [ReadTourText] for a reader; name stands for the file in errors.
func ParseTourText(r io.Reader, name string) ([]*Set, error) {
	var sets []*Set
	for number, line := range lines(r) {
		err := line.err
		if err == nil && line.text == "" {
			continue
		}
		var s *Set
		if err == nil {
			s, err = parseTourLine(line.text)
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, number, err)
		}
		s.ID, s.Line = strconv.Itoa(len(sets)+1), number
		sets = append(sets, s)
	}
	if len(sets) > 1 && !slices.ContainsFunc(sets, func(s *Set) bool { return len(s.Items) > 1 }) {
		return nil, hint.Errorf("put all cities of a problem on one line, x1 y1 x2 y2 …", "%s: each of its %d lines is a problem of its own, and has one city", name, len(sets))
	}
	return sets, nil
}

func parseTourLine(text string) (*Set, error) {
	cities, tour, labelled := strings.Cut(text, "output")
	numbers, places := strings.Fields(cities), strings.Fields(tour)
	n := len(numbers) / 2
	switch {
	case len(numbers) > 0 && !isNumber(numbers[0]):
		return nil, fmt.Errorf("wanted coordinates, x1 y1 x2 y2 … (got %.40q)", text)
	case len(numbers)%2 != 0:
		return nil, fmt.Errorf("wanted pairs of coordinates (got %d values)", len(numbers))
	case n == 0:
		return nil, fmt.Errorf("wanted coordinates before \"output\" (got %.40q)", text)
	case n > tsp.MaxCities:
		return nil, fmt.Errorf("%d cities, wanted at most %d", n, tsp.MaxCities)
	}
	s := &Set{Kind: KindPoint, Items: make([]Item, n)}
	for i, text := range numbers {
		v, err := finite(text)
		if err != nil {
			return nil, fmt.Errorf("city %d: %w", i/2+1, err)
		}
		s.Items[i/2].Point[i%2] = v
		if i%2 == 0 {
			s.Items[i/2].ID = strconv.Itoa(i/2 + 1)
		}
	}
	if !labelled {
		return s, nil
	}
	if len(places) == n+1 && places[n] == places[0] {
		places = places[:n] // the closing city
	}
	if len(places) != n {
		return nil, fmt.Errorf("a tour of %d cities, wanted %d", len(places), n)
	}
	s.Order, s.OrderGiven = make(perm.Order, n), "order"
	for i, text := range places {
		k, err := strconv.Atoi(text)
		if err != nil || k < 1 || k > n {
			return nil, fmt.Errorf("city %q of the tour: wanted 1 to %d", text, n)
		}
		s.Order[i] = k - 1
	}
	if k := twice(s.Order); k >= 0 {
		return nil, fmt.Errorf("tour: city %d is there twice", k+1)
	}
	return s, nil
}

// twice is the first city that a tour has twice, −1 where there is none.
func twice(tour perm.Order) int {
	seen := make([]bool, len(tour))
	for _, k := range tour {
		if seen[k] {
			return k
		}
		seen[k] = true
	}
	return -1
}

// WriteTourText writes sets of points, one a line, with their orders as tours that name the
// first city again at the end.
func WriteTourText(w io.Writer, sets []*Set) error {
	b := bufio.NewWriter(w)
	for i, s := range sets {
		if s.Kind != KindPoint || len(s.Items) == 0 {
			return fmt.Errorf("set %d: wanted one or more points (got %d items of %s)", i, len(s.Items), s.Kind)
		}
		separator := ""
		for _, it := range s.Items {
			fmt.Fprintf(b, "%s%s %s", separator, strconv.FormatFloat(it.Point[0], 'g', -1, 64), strconv.FormatFloat(it.Point[1], 'g', -1, 64))
			separator = " "
		}
		if s.Order != nil {
			fmt.Fprint(b, " output")
			for _, k := range s.Order {
				fmt.Fprintf(b, " %d", k+1)
			}
			fmt.Fprintf(b, " %d", s.Order[0]+1)
		}
		fmt.Fprintln(b)
	}
	return b.Flush()
}
