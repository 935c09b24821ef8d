package dataset

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/riffle-ml/riffle/internal/fuzztest"
	"github.com/riffle-ml/riffle/internal/hint"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/tsp"
)

// Optima published with TSPLIB: a wrong distance, coordinate or triangle would miss them.
func TestTSPLIBOptima(t *testing.T) {
	for name, want := range map[string]float64{"berlin52": 7542, "eil51": 426, "gr17": 2085, "ulysses16": 6859} {
		f, err := readFile(filepath.Join("testdata/tsplib", name+".tsp"), ParseTSPLIB)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
		tour, length, proven := tsp.Exact(ctx, f.Instance)
		cancel()
		if strings.TrimSuffix(f.Name, ".tsp") != name || length != want || !proven || f.Instance.Check(tour) != nil {
			t.Errorf("%s: %g (proven %v), wanted %g", f.Name, length, proven, want)
		}
	}
}

// Every triangle of a matrix gives the same distances, with numbers wrapped anywhere.
func TestTSPLIBMatrices(t *testing.T) {
	want := []float64{0, 1, 2, 1, 0, 3, 2, 3, 0}
	for format, numbers := range map[string]string{
		"FULL_MATRIX": "0 1 2\n1 0 3 2\n3   0", "UPPER_ROW": "1 2\n3", "LOWER_ROW": "1\n2\n3",
		"UPPER_DIAG_ROW": "0 1\n2 0 3 0", "LOWER_DIAG_ROW": "0\n1 0 2\n3 0\n\n",
		"UPPER_COL": "1 2 3", "LOWER_COL": "1 2 3", "UPPER_DIAG_COL": "0 1 0 2 3 0", "LOWER_DIAG_COL": "0 1 2 0 3 0",
	} {
		text := "NAME : m\n  TYPE:TSP\nDIMENSION :   3\nEDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_FORMAT: " + format + "\nEDGE_WEIGHT_SECTION\n" + numbers
		f, err := ParseTSPLIB(strings.NewReader(text), "x.tsp")
		if err != nil {
			t.Fatalf("%s: %v", format, err)
		}
		var got []float64
		for i := range 3 {
			for j := range 3 {
				got = append(got, f.Instance.Distance(i, j))
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v", format, got)
		}
	}
}

func TestTSPLIBTour(t *testing.T) {
	f, err := ParseTSPLIB(strings.NewReader("NAME: a.opt.tour\nTYPE: TOUR\nDIMENSION: 3\nTOUR_SECTION\n2 1\n3\n-1\n-1\nEOF\nrubbish"), "x")
	if err != nil || !reflect.DeepEqual(f.Tours, []perm.Order{{1, 0, 2}}) || f.Instance != nil {
		t.Errorf("%+v, %v", f, err)
	}
}

func TestTSPLIBErrors(t *testing.T) {
	const head = "DIMENSION: 2\nEDGE_WEIGHT_TYPE: EUC_2D\n"
	for text, want := range map[string]string{
		head + "NODE_COORD_SECTION\n1 0 0\n":        "x:4: coordinates of 1 cities, wanted 2",
		head + "NODE_COORD_SECTION\n1 0 0\n1 1 1\n": "x:5: city 1 is there twice",
		head + "NODE_COORD_SECTION\n1 0 0\n3 1 1\n": `x:5: city "3": wanted 1 to 2`,
		head + "NODE_COORD_SECTION\n1 0 NaN\n":      `x:4: city 1: wanted a finite number (got "NaN")`,
		head + "NODE_COORD_SECTION\n1 0\n":          "x:4: wanted the number of a city, x and y (got 2 values)",
		"EDGE_WEIGHT_TYPE: XRAY1":                   `x:1: edge weight type: "XRAY1" is not read, wanted one of EUC_2D, CEIL_2D, FLOOR_2D, EXACT_2D, ATT, GEO, MAN_2D, MAX_2D, EUC_3D, MAN_3D, MAX_3D, EXPLICIT`,
		"TYPE: HCP":                                 `x:1: type: wanted TSP, ATSP or TOUR (got "HCP")`,
		"DIMENSION: 99999999":                       `x:1: dimension: wanted 0 to 5000 (got "99999999")`,
		"NODE_COORD_SECTION":                        "x:1: NODE_COORD_SECTION: wanted DIMENSION before it",
		"DIMENSION: 2\nTOUR_SECTION\n1 1 -1":        "x:3: tour: city 1 is there twice",
		"DIMENSION: 2\nTOUR_SECTION\n1 -1":          "x:3: a tour of 1 cities, wanted 2",

		"DIMENSION: 2\nEDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_SECTION\n0 1 2 0": "x:4: cities 1 and 2: the distances are not symmetric (1 and 2)\nhint: TYPE: ATSP, if that is meant",
		"DIMENSION: 2\nEDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_SECTION\n0 1":     "x:4: 2 distances, wanted 4 of 2 cities as FULL_MATRIX",
		"":      "x: is empty, wanted a problem or a tour of TSPLIB",
		"hello": `x:1: wanted KEY: value or a section (got "hello")`,
	} {
		if _, err := ParseTSPLIB(strings.NewReader(text), "x"); err == nil || !strings.HasPrefix(hint.Text(err), want) {
			t.Errorf("%q:\ngot  %v\nwant %s", text, err, want)
		}
	}
}

func TestTourText(t *testing.T) {
	sets, err := ParseTourText(strings.NewReader("0 0 0.5 0 0.5 1 output 1 3 2 1 \n\n0.25 1e-3 1 1 output 2 1\n1 2 3 4\n"), "x.txt")
	if err != nil {
		t.Fatal(err)
	}
	want := []*Set{
		{ID: "1", Kind: KindPoint, Line: 1, Items: []Item{{ID: "1"}, {ID: "2", Point: [2]float64{.5, 0}}, {ID: "3", Point: [2]float64{.5, 1}}}, Order: perm.Order{0, 2, 1}, OrderGiven: "order"},
		{ID: "2", Kind: KindPoint, Line: 3, Items: []Item{{ID: "1", Point: [2]float64{.25, 1e-3}}, {ID: "2", Point: [2]float64{1, 1}}}, Order: perm.Order{1, 0}, OrderGiven: "order"},
		{ID: "3", Kind: KindPoint, Line: 4, Items: []Item{{ID: "1", Point: [2]float64{1, 2}}, {ID: "2", Point: [2]float64{3, 4}}}},
	}
	if d := cmp.Diff(want, sets); d != "" {
		t.Error(d)
	}
	for text, message := range map[string]string{
		"1 2 3":                "x.txt:1: wanted pairs of coordinates (got 3 values)",
		"hello there":          `x.txt:1: wanted coordinates, x1 y1 x2 y2 … (got "hello there")`,
		"output 1":             `x.txt:1: wanted coordinates before "output" (got "output 1")`,
		"0 0 1 1 output 1":     "x.txt:1: a tour of 1 cities, wanted 2",
		"0 0 1 1 output 1 3":   `x.txt:1: city "3" of the tour: wanted 1 to 2`,
		"0 0 1 Inf output":     `x.txt:1: city 2: wanted a finite number (got "Inf")`,
		"0 0 1 1 output 1 2 2": "x.txt:1: a tour of 3 cities, wanted 2",
		"0 0 1 0 1 1 0 1 0.5 1.5 output 1 2 4 4 5 1": "x.txt:1: tour: city 4 is there twice",
	} {
		if _, err := ParseTourText(strings.NewReader(text), "x.txt"); err == nil || hint.Text(err) != message {
			t.Errorf("%q: got %v, want %s", text, err, message)
		}
	}
}

// Tours of LKH-3 (elkai 2.0.1) through 8 instances of 20 random cities and 4 of 50, written by
// bench/lkh.py --out. Labels and proven tours are as long.
func TestToursOfLKH(t *testing.T) {
	sets, err := ReadTourText("testdata/tours/lkh.txt")
	if err != nil {
		t.Fatal(err)
	}
	if len(sets) != 12 {
		t.Fatalf("%d instances, wanted 12", len(sets))
	}
	for i, s := range sets {
		var points [][2]float64
		for _, it := range s.Items {
			points = append(points, it.Point)
		}
		x, err := tsp.New(points, tsp.Euclidean)
		if err != nil {
			t.Fatal(err)
		}
		want := x.Length(s.Order)
		label := x.Length(tsp.Label(points, rand.New(rand.NewPCG(1, uint64(i)))))
		_, length, proven := tsp.Exact(t.Context(), x)
		if math.Abs(label-want) > 1e-9*want || math.Abs(length-want) > 1e-9*want || !proven {
			t.Errorf("line %d: label of %.9f, tour of %.9f (proven %v), LKH's %.9f", s.Line, label, length, proven, want)
		}
	}
}

// Where cities are wanted, numbers are tour text, whatever else they may be.
func TestCities(t *testing.T) {
	for text, want := range map[string]Format{"\n \n0.5 1 2 3\n": FormatTourText, "-1e-3 2": FormatTourText, "10 1\n0 2 1 2\n": FormatTourText, "NAME: x\n": FormatTSPLIB, "DIMENSION 3": FormatTSPLIB, "": FormatTSPLIB} {
		if _, got, err := sniff(strings.NewReader(text), "any.tsp", Options{Cities: true}); err != nil || got != want { // the name says nothing
			t.Errorf("%q: %v (%v)", text, got, err)
		}
	}
}

func TestWriteTourErrors(t *testing.T) {
	var b bytes.Buffer
	if err := WriteTour(&b, "x", "", perm.Order{}); err == nil || hint.Text(err) != "a tour of no cities, which TSPLIB cannot say" || b.Len() > 0 {
		t.Errorf("got %v, wrote %q", err, b.String())
	}
}

// What the writers write, the readers read back equal.
func TestToursRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 30).Draw(t, "n")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 3))
		points := make([][2]float64, n)
		set := &Set{ID: "1", Kind: KindPoint, Line: 1, Order: perm.Random(rng, n), OrderGiven: "order"}
		for k := range points {
			points[k] = [2]float64{(rng.Float64() - 0.5) * math.Pow(10, float64(rng.IntN(12)-6)), rng.NormFloat64()}
			set.Items = append(set.Items, Item{ID: strconv.Itoa(k + 1), Point: points[k]})
		}
		var b bytes.Buffer
		if err := WriteTourText(&b, []*Set{set}); err != nil {
			t.Fatal(err)
		}
		back, err := ParseTourText(&b, "x")
		if err != nil || !cmp.Equal(back, []*Set{set}) {
			t.Fatalf("%v\n%s", err, cmp.Diff([]*Set{set}, back))
		}
		kind := rapid.SampledFrom([]tsp.Kind{tsp.Exact2D, tsp.Euc2D, tsp.Ceil2D, tsp.Floor2D, tsp.Att, tsp.Geo}).Draw(t, "kind")
		x, err := tsp.New(points, kind)
		if err != nil {
			t.Fatal(err)
		}
		b.Reset()
		if err := WriteTSPLIB(&b, "a name", "and\na comment", x); err != nil {
			t.Fatal(err)
		}
		f, err := ParseTSPLIB(&b, "x")
		if err != nil || f.Instance.Kind != kind || !reflect.DeepEqual(f.Instance.Points, points) || f.Name != "a name" || f.Comment != "and a comment" {
			t.Fatalf("%v %+v", err, f)
		}
		distances := make([]float64, n*n)
		for i := range n {
			for j := range n {
				distances[i*n+j] = x.Distance(i, j) / 3
			}
		}
		if x, err = tsp.NewMatrix(distances, n); err != nil {
			t.Fatal(err)
		}
		b.Reset()
		if err := WriteTSPLIB(&b, "m", "", x); err != nil {
			t.Fatal(err)
		}
		if f, err = ParseTSPLIB(&b, "x"); err != nil || !reflect.DeepEqual(f.Instance, x) {
			t.Fatalf("%v %+v", err, f)
		}
		b.Reset()
		if err := WriteTour(&b, "t", "", set.Order); err != nil {
			t.Fatal(err)
		}
		if f, err = ParseTSPLIB(&b, "x"); err != nil || !reflect.DeepEqual(f.Tours, []perm.Order{set.Order}) {
			t.Fatalf("%v %+v", err, f)
		}
	})
}

func FuzzTSPLIB(f *testing.F) {
	f.Add("NAME: x\nDIMENSION: 3\nEDGE_WEIGHT_TYPE: EUC_2D\nNODE_COORD_SECTION\n1 0 0\n2 1 0\n3 0 1\nTOUR_SECTION\n1 3 2 -1\nEOF\n")
	f.Add("DIMENSION: 2\nEDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_FORMAT: UPPER_ROW\nEDGE_WEIGHT_SECTION\n7\n")
	f.Add("DIMENSION: 5000\nEDGE_WEIGHT_TYPE: GEO\nNODE_COORD_SECTION\n1 1e308 -1e308\n")
	f.Add("DIMENSION: 1099511627776\nTOUR_SECTION\n-1\n")
	f.Add("DIMENSION: 3\nEDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_FORMAT: LOWER_DIAG_ROW\nEDGE_WEIGHT_SECTION\n0 NaN 0 inf 1 0\n")
	f.Add("type: atsp (a)\nDIMENSION: 3 cities\nedge_weight_type: explicit\nEDGE_WEIGHT_SECTION\n9 1 2 3 9 4 5 6 9\nEOF")
	f.Add("DIMENSION: 2\nNODE_COORD_TYPE: THREED_COORDS\nEDGE_WEIGHT_TYPE: MAN_3D\nNODE_COORD_SECTION\n1 0 0 0\n2 1e300 1 -2.5\n")
	f.Add("DIMENSION: 3\nEDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_FORMAT: UPPER_DIAG_COL\nNODE_COORD_SECTION\n1 0 0\nEDGE_WEIGHT_SECTION\n0 1 0 2 3 7\n")
	f.Fuzz(func(t *testing.T, text string) {
		var p *TSPLIB
		var err error
		// All distances are kept, 8·MaxCities² bytes, and a triangle becomes a square.
		fuzztest.Within(t, baseBytes+24*tsp.MaxCities*tsp.MaxCities, bytesFactor, unpackedSize(text), func() { p, err = ParseTSPLIB(strings.NewReader(text), "x") })
		if err != nil {
			return
		}
		for _, tour := range p.Tours {
			if len(tour) != p.Dimension || tour.Validate() != nil {
				t.Fatalf("tour %v of %d", tour, p.Dimension)
			}
		}
		if p.Instance != nil && p.Instance.N() != p.Dimension {
			t.Fatalf("%d cities of %d", p.Instance.N(), p.Dimension)
		}
	})
}

func FuzzTourText(f *testing.F) {
	fuzzReader(f, func(s string) ([]*Set, error) { return ParseTourText(strings.NewReader(s), "x") }, "0 0 1 1 0.5 0.5 output 1 2 3 1\n", "1 2\n", "0 1e309 output 1\n", "0 0 0 0 output 2 2\n", "nan 0\n")
}
