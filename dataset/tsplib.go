package dataset

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/riffle-ml/riffle/internal/hint"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/tsp"
)

// TSPLIB is a file of TSPLIB: a problem, a tour, or both.
type TSPLIB struct {
	Name, Comment string
	Dimension     int
	// Instance is the problem, nil in a file of tours.
	Instance *tsp.Instance
	// Tours are the file's tours, from 0; each has all cities.
	Tours []perm.Order
	// Warnings say what the file has that is not used, and what is odd about its distances.
	Warnings []string
}

// ParseTSPLIB reads a problem or tours (.tour) in the format of TSPLIB (Reinelt 1991). A problem is
// .tsp, or .atsp, whose distances may depend on the direction. It reads KEY: value lines,
// NODE_COORD_SECTION, EDGE_WEIGHT_SECTION (FULL_MATRIX and the eight triangles, with numbers on any
// number of lines) and TOUR_SECTION. Keys and values are in any case, and words may follow a value.
// EOF may be missing at the end. Other keys and DISPLAY_DATA_SECTION are not kept. Errors and
// warnings number cities as the file does, from 1. name stands for the file in errors.
func ParseTSPLIB(r io.Reader, name string) (*TSPLIB, error) {
	p := &tsplibParser{format: "FULL_MATRIX", dimension: -1, given: map[string]bool{}}
	number := 0
	for n, line := range lines(r) {
		number = n
		err := line.err
		if err == nil {
			err = p.line(line.text)
		}
		if errors.Is(err, errEOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, number, err)
		}
	}
	if number == 0 {
		return nil, fmt.Errorf("%s: is empty, wanted a problem or a tour of TSPLIB", name)
	}
	f, err := p.finish()
	if err != nil {
		return nil, fmt.Errorf("%s:%d: %w", name, number, err)
	}
	return f, nil
}

var errEOF = errors.New("end of the file's data")

type tsplibParser struct {
	file      TSPLIB
	dimension int
	directed  bool            // TYPE: ATSP
	kind      string          // EDGE_WEIGHT_TYPE
	format    string          // EDGE_WEIGHT_FORMAT
	given     map[string]bool // keys and sections so far
	section   string
	points    [][3]float64
	axes      int // of the points: 2 or 3
	seen      []bool
	weights   []float64
	tour      perm.Order
	comments  []string
}

func (p *tsplibParser) line(text string) error {
	if text == "" {
		return nil
	}
	head, value, colon := strings.Cut(text, ":")
	key := strings.ToUpper(strings.TrimSpace(head))
	switch {
	case key == "EOF" && !colon:
		return errEOF
	case strings.HasSuffix(key, "_SECTION") && strings.TrimSpace(value) == "":
		return p.begin(key)
	case colon && p.section != "" && !isNumber(strings.Fields(text)[0]), colon && p.section == "":
		p.section = ""
		return p.header(key, strings.TrimSpace(value))
	}
	fields := strings.Fields(text)
	switch p.section {
	case "NODE_COORD_SECTION":
		return p.coordinates(fields)
	case "EDGE_WEIGHT_SECTION":
		return p.edgeWeights(fields)
	case "TOUR_SECTION":
		return p.cities(fields)
	case "":
		return fmt.Errorf("wanted KEY: value or a section (got %.40q)", text)
	}
	return nil // a section of no interest
}

func isNumber(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err == nil
}

func (p *tsplibParser) header(key, value string) error {
	word := "" // the value without what follows it
	if fields := strings.Fields(value); len(fields) > 0 {
		word = strings.ToUpper(fields[0])
	}
	switch key {
	case "TYPE", "DIMENSION", "EDGE_WEIGHT_TYPE", "EDGE_WEIGHT_FORMAT", "NODE_COORD_TYPE":
		if p.given[key] {
			return fmt.Errorf("%s: is there twice", keyText(key))
		}
		p.given[key] = true
	}
	switch key {
	case "NAME":
		p.file.Name = value
	case "COMMENT":
		p.comments = append(p.comments, value)
	case "TYPE":
		if word != "TSP" && word != "ATSP" && word != "TOUR" {
			return fmt.Errorf("type: wanted TSP, ATSP or TOUR (got %q)", value)
		}
		p.directed = word == "ATSP"
	case "DIMENSION":
		n, err := strconv.Atoi(word)
		if err != nil || n < 0 || n > tsp.MaxCities {
			return fmt.Errorf("dimension: wanted 0 to %d (got %q)", tsp.MaxCities, value)
		}
		p.dimension = n
	case "EDGE_WEIGHT_TYPE":
		p.kind = word
		if word == string(tsp.Euclidean) || !slices.Contains(tsp.Kinds(), tsp.Kind(word)) {
			return fmt.Errorf("edge weight type: %q is not read, wanted one of %s", value, join(tsp.Kinds()[1:]))
		}
	case "EDGE_WEIGHT_FORMAT":
		p.format = word
		if weightFormats[word] == nil && word != "FULL_MATRIX" && word != "FUNCTION" {
			return fmt.Errorf("edge weight format: %q is not read, wanted FULL_MATRIX or one of %s", value, join(slices.Sorted(maps.Keys(weightFormats))))
		}
	case "NODE_COORD_TYPE":
		if word != "TWOD_COORDS" && word != "THREED_COORDS" && word != "NO_COORDS" {
			return fmt.Errorf("node coord type: wanted TWOD_COORDS or THREED_COORDS (got %q)", value)
		}
	}
	return nil
}

func keyText(key string) string { return strings.ToLower(strings.ReplaceAll(key, "_", " ")) }

// join lists names.
func join[T ~string](names []T) string {
	text := ""
	for i, name := range names {
		if i > 0 {
			text += ", "
		}
		text += string(name)
	}
	return text
}

// A triangle says which part of a matrix the numbers are. The part above the diagonal by rows is
// the part below it by columns.
type triangle struct{ upper, diagonal bool }

var weightFormats = map[string]*triangle{
	"UPPER_ROW": {true, false}, "LOWER_COL": {true, false},
	"LOWER_ROW": {false, false}, "UPPER_COL": {false, false},
	"UPPER_DIAG_ROW": {true, true}, "LOWER_DIAG_COL": {true, true},
	"LOWER_DIAG_ROW": {false, true}, "UPPER_DIAG_COL": {false, true},
}

func (p *tsplibParser) begin(section string) error {
	p.section = section
	switch section {
	case "NODE_COORD_SECTION", "EDGE_WEIGHT_SECTION", "TOUR_SECTION":
		if p.dimension < 0 {
			return fmt.Errorf("%s: wanted DIMENSION before it", section)
		}
		if p.given[section] && section != "TOUR_SECTION" {
			return fmt.Errorf("%s: is there twice", section)
		}
		p.given[section] = true
	case "FIXED_EDGES_SECTION", "DEPOT_SECTION", "DEMAND_SECTION":
		return fmt.Errorf("%s: is not read", section)
	}
	return nil
}

func (p *tsplibParser) coordinates(fields []string) error {
	axes := p.axes
	switch {
	case axes == 0 && p.kind != "" && p.kind != string(tsp.Explicit):
		if axes = 2; slices.Contains(tsp.Spatial(), tsp.Kind(p.kind)) {
			axes = 3
		}
	case axes == 0: // what the first city has
		axes = min(max(len(fields)-1, 2), 3)
	}
	if p.axes = axes; len(fields) != axes+1 {
		return fmt.Errorf("wanted the number of a city, %s (got %d values)", map[int]string{2: "x and y", 3: "x, y and z"}[axes], len(fields))
	}
	k, err := p.city(fields[0])
	if err != nil {
		return err
	}
	if p.points == nil {
		p.points, p.seen = make([][3]float64, p.dimension), make([]bool, p.dimension)
	}
	if p.seen[k] {
		return fmt.Errorf("city %s is there twice", fields[0])
	}
	p.seen[k] = true
	for a := range axes {
		if p.points[k][a], err = finite(fields[a+1]); err != nil {
			return fmt.Errorf("city %s: %w", fields[0], err)
		}
	}
	return nil
}

func (p *tsplibParser) filled() int {
	count := 0
	for _, s := range p.seen {
		if s {
			count++
		}
	}
	return count
}

func (p *tsplibParser) city(text string) (int, error) {
	k, err := strconv.Atoi(text)
	if err != nil || k < 1 || k > p.dimension {
		return 0, fmt.Errorf("city %q: wanted 1 to %d", text, p.dimension)
	}
	return k - 1, nil
}

func (p *tsplibParser) edgeWeights(fields []string) error {
	for _, f := range fields {
		w, err := finite(f)
		if err != nil {
			return fmt.Errorf("distance: %w", err)
		}
		if len(p.weights) >= p.dimension*p.dimension {
			return fmt.Errorf("more distances than %d cities have", p.dimension)
		}
		p.weights = append(p.weights, w)
	}
	return nil
}

func (p *tsplibParser) cities(fields []string) error {
	for _, f := range fields {
		if f == "-1" {
			if err := p.endTour(); err != nil {
				return err
			}
			continue
		}
		k, err := p.city(f)
		if err != nil {
			return err
		}
		if p.tour = append(p.tour, k); len(p.tour) > p.dimension {
			return fmt.Errorf("a tour of more than %d cities", p.dimension)
		}
	}
	return nil
}

func (p *tsplibParser) endTour() error {
	if p.tour == nil { // a second −1 ends the section
		return nil
	}
	if len(p.tour) != p.dimension {
		return fmt.Errorf("a tour of %d cities, wanted %d", len(p.tour), p.dimension)
	}
	if k := twice(p.tour); k >= 0 {
		return fmt.Errorf("tour: city %d is there twice", k+1)
	}
	p.file.Tours, p.tour = append(p.file.Tours, p.tour), nil
	return nil
}

func (p *tsplibParser) finish() (*TSPLIB, error) {
	if err := p.endTour(); err != nil {
		return nil, err
	}
	f, n := &p.file, p.dimension
	f.Dimension, f.Comment = n, strings.TrimSpace(strings.Join(p.comments, " "))
	if n < 0 {
		return nil, errors.New("DIMENSION is missing: no TSPLIB problem and no tour")
	}
	var err error
	switch {
	case p.kind == "" && (p.points != nil || p.weights != nil):
		return nil, errors.New("EDGE_WEIGHT_TYPE is missing")
	case p.kind == string(tsp.Explicit):
		f.Instance, err = p.explicit()
	case p.weights != nil:
		return nil, hint.Errorf("EXPLICIT takes those of the section", "has EDGE_WEIGHT_SECTION, and EDGE_WEIGHT_TYPE is %s: which distances are meant?", p.kind)
	case p.points != nil || n == 0 && f.Tours == nil:
		if p.kind == "" {
			return nil, errors.New("EDGE_WEIGHT_TYPE is missing")
		}
		if got := p.filled(); got != n {
			return nil, fmt.Errorf("coordinates of %d cities, wanted %d", got, n)
		}
		f.Instance, err = p.measured()
	case f.Tours == nil:
		return nil, errors.New("neither coordinates nor distances nor a tour")
	}
	if pair, ok := errors.AsType[*tsp.PairError](err); ok {
		pair.Base = 1
		if errors.Is(err, tsp.ErrAsymmetric) {
			err = hint.Errorf("TYPE: ATSP, if that is meant", "%w", err)
		}
	}
	if err != nil {
		return nil, err
	}
	if f.Instance != nil {
		for _, w := range []string{f.Instance.Rounded(), f.Instance.Degrees()} {
			if w != "" {
				f.Warnings = append(f.Warnings, w)
			}
		}
	}
	return f, nil
}

// measured makes the problem of coordinates.
func (p *tsplibParser) measured() (*tsp.Instance, error) {
	if slices.Contains(tsp.Spatial(), tsp.Kind(p.kind)) {
		return tsp.NewSpatial(p.points, tsp.Kind(p.kind))
	}
	plane := make([][2]float64, len(p.points))
	for k, at := range p.points {
		plane[k] = [2]float64{at[0], at[1]}
	}
	return tsp.New(plane, tsp.Kind(p.kind))
}

// explicit makes the problem of distances.
func (p *tsplibParser) explicit() (*tsp.Instance, error) {
	n := p.dimension
	full, err := p.matrix()
	if err != nil {
		return nil, err
	}
	if p.points != nil {
		p.file.Warnings = append(p.file.Warnings, "has coordinates too, which are not used: its distances are EXPLICIT")
	}
	if k := slices.IndexFunc(perm.Identity(n), func(k int) bool { return full[k*n+k] != 0 }); k >= 0 {
		p.file.Warnings = append(p.file.Warnings, fmt.Sprintf("has distances of cities to themselves, which are not used (city %d: %g)", k+1, full[k*n+k]))
	}
	if p.directed {
		return tsp.NewDirected(full, n)
	}
	return tsp.NewMatrix(full, n)
}

// matrix makes the full one of what the file has.
func (p *tsplibParser) matrix() ([]float64, error) {
	n, want := p.dimension, p.dimension*p.dimension
	part := weightFormats[p.format]
	switch {
	case p.format == "FUNCTION":
		return nil, errors.New("edge weight format: FUNCTION has no distances, EDGE_WEIGHT_TYPE is EXPLICIT")
	case part != nil && p.directed:
		return nil, fmt.Errorf("edge weight format: %s has each distance once, an ATSP wants FULL_MATRIX", p.format)
	case part != nil:
		if want = n * (n - 1) / 2; part.diagonal {
			want += n
		}
	}
	if len(p.weights) != want {
		return nil, fmt.Errorf("%d distances, wanted %d of %d cities as %s", len(p.weights), want, n, p.format)
	}
	if part == nil {
		return p.weights, nil
	}
	full := make([]float64, n*n)
	at := 0
	for i := range n {
		from, to := 0, i
		if part.upper {
			from, to = i+1, n
		}
		if part.diagonal {
			if part.upper {
				from--
			} else {
				to++
			}
		}
		for j := from; j < to; j++ {
			full[i*n+j], full[j*n+i] = p.weights[at], p.weights[at]
			at++
		}
	}
	return full, nil
}

// Set returns the problem's cities as a set of points, called by their numbers, with the file's
// first tour where it has one. A problem of distances, or of points in space, has no points in the
// plane. That is an error.
func (f *TSPLIB) Set() (*Set, error) {
	switch x := f.Instance; {
	case x == nil:
		return nil, errors.New("the file has no coordinates")
	case x.Points == nil && x.Kind != tsp.Explicit:
		return nil, fmt.Errorf("the cities are points in space (%s), wanted points in the plane", x.Kind)
	case x.Points == nil:
		return nil, errors.New("the file has distances and no coordinates, wanted points in the plane")
	}
	s := &Set{ID: f.Name, Kind: KindPoint, Items: make([]Item, f.Dimension)}
	for k, p := range f.Instance.Points {
		s.Items[k] = Item{ID: strconv.Itoa(k + 1), Point: p}
	}
	if f.Tours != nil {
		s.Order, s.OrderGiven = f.Tours[0], "order"
	}
	return s, nil
}
