package dataset

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

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
}

// ReadTSPLIB reads a symmetric problem (.tsp) or tours (.tour) in the format of TSPLIB
// (Reinelt 1991): KEY: value lines, NODE_COORD_SECTION, EDGE_WEIGHT_SECTION (FULL_MATRIX and
// the four triangles by rows, with numbers on as many lines as they like), TOUR_SECTION. The
// end may go without EOF. Of other keys and of DISPLAY_DATA_SECTION nothing is kept.
func ReadTSPLIB(path string) (*TSPLIB, error) { return readFile(path, NewTSPLIB) }

// NewTSPLIB is [ReadTSPLIB] for a reader; name stands for the file in errors.
func NewTSPLIB(r io.Reader, name string) (*TSPLIB, error) {
	p := &tsplibParser{kind: "", format: "FULL_MATRIX", dimension: -1}
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
	kind      string // EDGE_WEIGHT_TYPE
	format    string // EDGE_WEIGHT_FORMAT
	section   string
	points    [][2]float64
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
	switch key {
	case "NAME":
		p.file.Name = value
	case "COMMENT":
		p.comments = append(p.comments, value)
	case "TYPE":
		if t, _, _ := strings.Cut(value, " "); t != "TSP" && t != "TOUR" {
			return fmt.Errorf("type: wanted TSP or TOUR (got %q)", value)
		}
	case "DIMENSION":
		n, err := strconv.Atoi(value)
		if err != nil || n < 0 || n > tsp.MaxCities {
			return fmt.Errorf("dimension: wanted 0 to %d (got %q)", tsp.MaxCities, value)
		}
		if p.dimension >= 0 {
			return errors.New("dimension: is there twice")
		}
		p.dimension = n
	case "EDGE_WEIGHT_TYPE":
		p.kind = value
		if value != "EXPLICIT" && (value == string(tsp.Euclidean) || !slices.Contains(tsp.Kinds(), tsp.Kind(value))) {
			return fmt.Errorf("edge weight type: %q is not read, wanted EXPLICIT, EUC_2D, CEIL_2D, FLOOR_2D, EXACT_2D, ATT or GEO", value)
		}
	case "EDGE_WEIGHT_FORMAT":
		p.format = value
		if !slices.Contains(weightFormats, value) && value != "FUNCTION" {
			return fmt.Errorf("edge weight format: %q is not read, wanted one of %s", value, strings.Join(weightFormats, ", "))
		}
	case "NODE_COORD_TYPE":
		if value != "TWOD_COORDS" && value != "NO_COORDS" {
			return fmt.Errorf("node coord type: wanted TWOD_COORDS (got %q)", value)
		}
	}
	return nil
}

var weightFormats = []string{"FULL_MATRIX", "UPPER_ROW", "LOWER_ROW", "UPPER_DIAG_ROW", "LOWER_DIAG_ROW"}

func (p *tsplibParser) begin(section string) error {
	p.section = section
	switch section {
	case "NODE_COORD_SECTION", "EDGE_WEIGHT_SECTION", "TOUR_SECTION":
		if p.dimension < 0 {
			return fmt.Errorf("%s: wanted DIMENSION before it", section)
		}
	case "FIXED_EDGES_SECTION", "DEPOT_SECTION", "DEMAND_SECTION":
		return fmt.Errorf("%s: is not read", section)
	}
	return nil
}

func (p *tsplibParser) coordinates(fields []string) error {
	if len(fields) != 3 {
		return fmt.Errorf("wanted the number of a city, x and y (got %d values)", len(fields))
	}
	k, err := p.city(fields[0])
	if err != nil {
		return err
	}
	if p.points == nil {
		p.points, p.seen = make([][2]float64, p.dimension), make([]bool, p.dimension)
	}
	if p.seen[k] {
		return fmt.Errorf("city %s is there twice", fields[0])
	}
	p.seen[k] = true
	for a := range 2 {
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
	if err := p.tour.Validate(); err != nil {
		return fmt.Errorf("tour: %w", err)
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
	case p.kind == "EXPLICIT":
		var full []float64
		if full, err = p.matrix(); err == nil {
			f.Instance, err = tsp.NewMatrix(full, n)
		}
	case p.points != nil || n == 0 && f.Tours == nil:
		if p.kind == "" {
			return nil, errors.New("EDGE_WEIGHT_TYPE is missing")
		}
		if got := p.filled(); got != n {
			return nil, fmt.Errorf("coordinates of %d cities, wanted %d", got, n)
		}
		f.Instance, err = tsp.New(p.points, tsp.Kind(p.kind))
	case f.Tours == nil:
		return nil, errors.New("neither coordinates nor distances nor a tour")
	}
	return f, err
}

// matrix makes the full one of what the file has.
func (p *tsplibParser) matrix() ([]float64, error) {
	n := p.dimension
	upper, diagonal := strings.HasPrefix(p.format, "UPPER"), strings.Contains(p.format, "DIAG")
	want := n * n
	if p.format != "FULL_MATRIX" {
		if want = n * (n - 1) / 2; diagonal {
			want += n
		}
	}
	if len(p.weights) != want {
		return nil, fmt.Errorf("%d distances, wanted %d of %d cities as %s", len(p.weights), want, n, p.format)
	}
	if p.format == "FULL_MATRIX" {
		return p.weights, nil
	}
	full := make([]float64, n*n)
	at := 0
	for i := range n {
		from, to := 0, i
		if upper {
			from, to = i+1, n
		}
		if diagonal {
			if upper {
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

// Set returns the problem's cities as a set of points, with the file's first tour where it has
// one. A problem of distances has no points, which is an error.
func (f *TSPLIB) Set() (*Set, error) {
	if f.Instance == nil || f.Instance.Points == nil {
		return nil, errors.New("the file has no coordinates")
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

// WriteTSPLIB writes a problem of points. Euclidean is written as EXACT_2D, which is the same.
func WriteTSPLIB(w io.Writer, name, comment string, x *tsp.Instance) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "NAME: %s\nTYPE: TSP\n", oneLine(name))
	if comment != "" {
		fmt.Fprintf(b, "COMMENT: %s\n", oneLine(comment))
	}
	kind := x.Kind
	if kind == tsp.Euclidean {
		kind = tsp.Exact2D
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
