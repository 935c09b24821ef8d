package plot

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/riffle-ml/riffle/perm"
)

func square4() [][2]float64 { return [][2]float64{{0, 0}, {1, 0}, {1, 1}, {0, 1}} }

func TestTours(t *testing.T) {
	crossed, right := perm.Order{0, 2, 1, 3}, perm.Order{0, 1, 2, 3}
	f := Tours{Rows: [][]Tour{
		{{Points: square4(), Caption: "t = 7"}, {Points: square4(), Order: crossed, Caption: "t = 4"}, {Points: square4(), Order: crossed, Reference: right, Caption: "t = 0"}},
		{{Points: [][2]float64{{3, 3}, {3, 3}}, Order: perm.Order{1, 0}}, {Points: [][2]float64{{-1e308, 0}, {1e308, 0}, {0, 5}}, Order: perm.Order{2, 0, 1}}},
	}}
	img, svg := render(t, "tours", f)
	wantClearMargin(t, img)
	wantSize(t, img, 3*130+2*10+2*8, 8+(130+14)+10+130+8+12) // the last is the key
	for _, label := range []string{"t = 7", "t = 4", "t = 0"} {
		if strings.Count(svg, label) != 1 {
			t.Errorf("%q is not in the picture once", label)
		}
	}
	// The two diagonals of the last tour of row 0 are not the reference's, whose two upright
	// sides are not its own; nothing else is compared.
	if n := strings.Count(svg, "stroke-dasharray"); n != 2 {
		t.Errorf("%d dashed edges, wanted the reference's 2 that are not in the tour", n)
	}
	if count(img, red, 8) == 0 {
		t.Error("no red pixel, wanted the tour's 2 edges that are not in the reference")
	}
	img, _ = render(t, "tours-alike", Tours{Rows: [][]Tour{{{Points: square4(), Order: right, Reference: perm.Order{2, 1, 0, 3}}}}})
	if count(img, red, 8) != 0 {
		t.Error("one tour, from another city and the other way round, is drawn as another")
	}
}

// A path has an edge less than a tour, of the reference too; names stand beside the points, and a key
// says what the square is.
func TestToursOpen(t *testing.T) {
	lines := func(tour Tour) (string, int) {
		_, svg := render(t, "tours-open", Tours{Rows: [][]Tour{{tour}}})
		return svg, strings.Count(svg, "<path d=\"M")
	}
	panel := Tour{Points: square4(), Order: perm.Order{0, 1, 2, 3}}
	_, closed := lines(panel)
	panel.Open = true
	svg, open := lines(panel)
	if closed-open != 1 || strings.Count(svg, "first city") != 1 {
		t.Errorf("%d lines of a path, %d of a tour, wanted one less, and a key", open, closed)
	}
	panel.Reference = perm.Order{3, 0, 1, 2} // which has the edge that closes the tour, and not that from 2 to 3
	if svg, _ := lines(panel); strings.Count(svg, "stroke-dasharray") != 1 {
		t.Errorf("%d dashed edges, wanted 1", strings.Count(svg, "stroke-dasharray"))
	}
	panel.Names = []string{"Aa", "Bb", "Cc", "Dd"}
	svg, _ = lines(panel)
	for _, name := range panel.Names {
		if strings.Count(svg, ">"+name+"<") != 1 {
			t.Errorf("name %s is not in the picture once", name)
		}
	}
	panel.Names = panel.Names[:3]
	wantError(t, Encode(&strings.Builder{}, "svg", Tours{Rows: [][]Tour{{panel}}}), "3 names of 4 points")
	if svg, _ := lines(Tour{Points: square4()}); strings.Contains(svg, "first city") {
		t.Error("a key of no tour")
	}
}

// A row of nine panels of 130 points, three of which fit into 1,400 pixels, is three of three. A
// panel that is wider by itself stands alone.
func TestToursWide(t *testing.T) {
	row := slices.Repeat([]Tour{{Points: square4(), Caption: "t = 7"}}, 9)
	img, svg := render(t, "tours-wide", Tours{Rows: [][]Tour{row, row[:2]}})
	wantSize(t, img, 3*130+2*10+2*8, 4*(130+14)+3*10+2*8)
	if img.Bounds().Dx() > 1400 || strings.Count(svg, "t = 7") != 11 {
		t.Errorf("picture is %d wide, %d captions, wanted at most 1400 and 11", img.Bounds().Dx(), strings.Count(svg, "t = 7"))
	}
	img, _ = render(t, "tours-large", Tours{Rows: [][]Tour{row[:2]}, Side: 800})
	wantSize(t, img, 800+2*8, 2*(800+14)+10+2*8)
}

func TestToursErrors(t *testing.T) {
	encode := func(f Tours) error { return Encode(&strings.Builder{}, "svg", f) }
	wantError(t, encode(Tours{}), "no rows")
	wantError(t, encode(Tours{Rows: [][]Tour{{}}}), "row 0 has no panels")
	wantError(t, encode(Tours{Rows: [][]Tour{{{}}}, Side: math.NaN()}), "side is NaN")
	wantError(t, encode(Tours{Rows: [][]Tour{{{Points: [][2]float64{{math.NaN(), 0}}}}}}), "point 0 is at NaN, 0")
	wantError(t, encode(Tours{Rows: [][]Tour{{{Points: square4(), Order: perm.Order{0, 1}}}}}), "order has 2 items, wanted 4")
	wantError(t, encode(Tours{Rows: [][]Tour{{{Points: square4(), Order: perm.Order{0, 1, 1, 2}}}}}), "row 0, panel 0")
	wantError(t, encode(Tours{Rows: make([][]Tour, 1), Side: 5001}), "side is 5001")
	if err := encode(Tours{Rows: [][]Tour{{{}}}}); err != nil {
		t.Errorf("a panel without points: %v", err)
	}
}
