package dataset

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/riffle-ml/riffle/internal/hint"
	"github.com/riffle-ml/riffle/tsp"
)

// depots are the distances of seven depots, whose shortest tour is 245 long. They are the lower
// triangle by rows, the upper one by rows, and all.
const (
	depotsLower = "68 82 70 68 76 86 35 34 76 71 91 89 34 23 68 49 29 22 79 92 16"
	depotsUpper = "68 82 68 35 91 49 70 76 34 89 29 86 76 34 22 71 23 79 68 92 16"
	depotsFull  = "0 68 82 68 35 91 49 68 0 70 76 34 89 29 82 70 0 86 76 34 22 68 76 86 0 71 23 79 35 34 76 71 0 68 92 91 89 34 23 68 0 16 49 29 22 79 92 16 0"
)

// depots is a file of them; one of its distances is another one back in oneWay.
func depots(kind, weights, format, numbers string) string {
	return "NAME: depots\nTYPE: " + kind + "\nDIMENSION: 7\nEDGE_WEIGHT_TYPE: " + weights + "\nEDGE_WEIGHT_FORMAT: " + format + "\nEDGE_WEIGHT_SECTION\n" + numbers + "\nEOF\n"
}

// oneWay are the depots' distances with 64 instead of 34 from 3 to 6.
var oneWay = strings.Replace(depotsFull, "86 76 34 22 68", "86 76 64 22 68", 1)

const six = "\nNODE_COORD_SECTION\n1 0 0\n2 4 1\n3 9 2\n4 8 7\n5 3 9\n6 1 5\nEOF\n"

// Whatever the format and however it is written, the shortest tour is as long. An upper triangle by
// columns is in the order of the lower one by rows.
func TestTSPLIBFormats(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want float64
	}{
		"UPPER_COL":      {depots("TSP", "EXPLICIT", "UPPER_COL", depotsLower), 245},
		"LOWER_COL":      {depots("TSP", "EXPLICIT", "LOWER_COL", depotsUpper), 245},
		"LOWER_DIAG_COL": {depots("TSP", "EXPLICIT", "LOWER_DIAG_COL", "0 68 82 68 35 91 49 0 70 76 34 89 29 0 86 76 34 22 0 71 23 79 0 68 92 0 16 0"), 245},
		"UPPER_DIAG_COL": {depots("TSP", "EXPLICIT", "UPPER_DIAG_COL", "0 68 0 82 70 0 68 76 86 0 35 34 76 71 0 91 89 34 23 68 0 49 29 22 79 92 16 0"), 245},
		"any case":       {strings.NewReplacer("NAME", "Name", "_SECTION", "_Section").Replace(depots("tsp", "Explicit", "Full_matrix", depotsFull)), 245},
		"words behind":   {depots("TSP (a. mustermann)", "EXPLICIT (minutes)", "FULL_MATRIX of depots", depotsFull), 245},
		"MAN_2D":         {"DIMENSION: 6\nEDGE_WEIGHT_TYPE: MAN_2D" + six, 36},
		"MAX_2D":         {"DIMENSION: 6 cities\nEDGE_WEIGHT_TYPE : max_2d" + six, 28},
		// No shortest tour needs the way from 3 to 6: those that have it can be gone the other way round.
		"ATSP": {depots("ATSP", "EXPLICIT", "FULL_MATRIX", oneWay), 245},
		// The corners of a box of 3, 4 and 12: two sides of 3, two of 4 and four of 12 at best is 4·3 + 2·4 + 2·12.
		"EUC_3D": {"DIMENSION: 8\nEDGE_WEIGHT_TYPE: EUC_3D\nNODE_COORD_SECTION\n1 0 0 0\n2 3 0 0\n3 0 4 0\n4 3 4 0\n5 0 0 12\n6 3 0 12\n7 0 4 12\n8 3 4 12\n", 44},
		"MAN_3D": {"DIMENSION: 2\nNODE_COORD_TYPE: THREED_COORDS\nEDGE_WEIGHT_TYPE: MAN_3D\nNODE_COORD_SECTION\n1 0 0 0\n2 0.25 1 -2.25\n", 8}, // 3.5 is 4
		"MAX_3D": {"DIMENSION: 2\nEDGE_WEIGHT_TYPE: MAX_3D\nNODE_COORD_SECTION\n1 0 0 0\n2 0.25 1 -2.5\n", 6},
	} {
		f, err := ParseTSPLIB(strings.NewReader(c.text), "x")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if _, length, proven := tsp.Exact(t.Context(), f.Instance); length != c.want || !proven || len(f.Warnings) > 0 {
			t.Errorf("%s: %g (proven %v), wanted %g; %q", name, length, proven, c.want, f.Warnings)
		}
		var b bytes.Buffer
		if err := WriteTSPLIB(&b, "x", "", f.Instance); err != nil {
			t.Fatal(err)
		}
		back, err := ParseTSPLIB(&b, "x")
		if err != nil || back.Instance.Directed() != f.Instance.Directed() {
			t.Fatalf("%s: written and read: %v", name, err)
		}
		for i := range f.Dimension {
			for j := range f.Dimension {
				if got, want := back.Instance.Distance(i, j), f.Instance.Distance(i, j); got != want {
					t.Fatalf("%s: written and read, %d to %d is %g, wanted %g", name, i, j, got, want)
				}
			}
		}
	}
}

// What contradicts itself in a file is an error; what is there and not used is said.
func TestTSPLIBContradictions(t *testing.T) {
	for text, want := range map[string]string{
		depots("TSP", "EXPLICIT", "FULL_MATRIX", oneWay):                                                           "x:8: cities 3 and 6: the distances are not symmetric (64 and 34)\nhint: TYPE: ATSP, if that is meant",
		depots("ATSP", "EXPLICIT", "UPPER_ROW", depotsUpper):                                                       "x:8: edge weight format: UPPER_ROW has each distance once, an ATSP wants FULL_MATRIX",
		depots("TSP", "EXPLICIT", "FUNCTION", depotsUpper):                                                         "x:8: edge weight format: FUNCTION has no distances, EDGE_WEIGHT_TYPE is EXPLICIT",
		depots("TSP", "EXPLICIT", "UPPER", depotsUpper):                                                            `x:5: edge weight format: "UPPER" is not read, wanted FULL_MATRIX or one of LOWER_COL, LOWER_DIAG_COL, LOWER_DIAG_ROW, LOWER_ROW, UPPER_COL, UPPER_DIAG_COL, UPPER_DIAG_ROW, UPPER_ROW`,
		"TYPE: TSP\nTYPE: TOUR\n":                                                                                  "x:2: type: is there twice",
		"EDGE_WEIGHT_TYPE: EUC_2D\nEdge_Weight_Type: ATT\n":                                                        "x:2: edge weight type: is there twice",
		"DIMENSION: 2\nDIMENSION: 2\n":                                                                             "x:2: dimension: is there twice",
		"DIMENSION: 1\nEDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_SECTION\n0\nEDGE_WEIGHT_SECTION\n0\n":               "x:5: EDGE_WEIGHT_SECTION: is there twice",
		"DIMENSION: 2\nEDGE_WEIGHT_TYPE: EUC_2D\nNODE_COORD_SECTION\n1 0 0\n2 1 1\nEDGE_WEIGHT_SECTION\n0 1 1 0\n": "x:7: has EDGE_WEIGHT_SECTION, and EDGE_WEIGHT_TYPE is EUC_2D: which distances are meant?\nhint: EXPLICIT takes those of the section",
		"DIMENSION: 2\nEDGE_WEIGHT_TYPE: EUC_2D\nNODE_COORD_SECTION\n1 0 0 0\n":                                    "x:4: wanted the number of a city, x and y (got 4 values)",
		"DIMENSION: 2\nEDGE_WEIGHT_TYPE: EUC_3D\nNODE_COORD_SECTION\n1 0 0\n":                                      "x:4: wanted the number of a city, x, y and z (got 3 values)",
		"DIMENSION: 2\nEDGE_WEIGHT_TYPE: EUC_2D\nNODE_COORD_SECTION\n1 0 0\n2 1e300 0\n":                           "x:5: cities 1 and 2: are too far apart (1e+300), wanted at most 1e+280",
		"DIMENSION: 5\nTOUR_SECTION\n1\n4\n2\n4\n3\n-1\n":                                                          "x:8: tour: city 4 is there twice",
	} {
		if _, err := ParseTSPLIB(strings.NewReader(text), "x"); err == nil || hint.Text(err) != want {
			t.Errorf("%q:\ngot  %v\nwant %s", text, err, want)
		}
	}
	for text, want := range map[string]string{
		depots("TSP", "EXPLICIT", "FULL_MATRIX", strings.Replace(depotsFull, "70 0 86", "70 9999 86", 1)):            "has distances of cities to themselves, which are not used (city 3: 9999)",
		"DIMENSION: 2\nEDGE_WEIGHT_TYPE: EXPLICIT\nNODE_COORD_SECTION\n1 0 0\n2 3 4\nEDGE_WEIGHT_SECTION\n0 1 1 0\n": "has coordinates too, which are not used: its distances are EXPLICIT",
		"DIMENSION: 3\nEDGE_WEIGHT_TYPE: EUC_2D\nNODE_COORD_SECTION\n1 0.1 0.2\n2 0.3 0.1\n3 0.9 0.9\n":              "EUC_2D rounds all distances to 1 or less: the cities are too close together for whole numbers, EXACT_2D keeps fractions",
		"DIMENSION: 3\nEDGE_WEIGHT_TYPE: CEIL_2D\nNODE_COORD_SECTION\n1 0 0\n2 0.3 0.1\n3 0.9 0.9\n":                 "CEIL_2D rounds all distances to 2 or less: the cities are too close together for whole numbers, EXACT_2D keeps fractions",
	} {
		f, err := ParseTSPLIB(strings.NewReader(text), "x")
		if err != nil || !slices.Equal(f.Warnings, []string{want}) {
			t.Errorf("%q: %v, %+v", text, err, f)
		}
	}
}
