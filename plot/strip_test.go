package plot

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/plot/text"

	"github.com/riffle-ml/riffle/perm"
)

// pictured is what marks make of a board of w×h.
func pictured(t *testing.T, w, h int, marks ...mark) image.Image {
	t.Helper()
	var buf bytes.Buffer
	if err := (&board{w, h, marks}).encode(&buf, false); err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(&buf)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// numberImage is a number in white on black, as MNIST's digits are.
func numberImage(t *testing.T, number, w, h int) image.Image {
	img := pictured(t, w, h, filled{image.Rect(0, 0, w, h), color.Black}, words{w / 2, h * 3 / 4, fmt.Sprintf("%02d", number), h * 3 / 4, color.White, text.XCenter})
	g := image.NewGray(img.Bounds())
	for y := range h {
		for x := range w {
			g.Set(x, y, img.At(x, y))
		}
	}
	return g
}

// stroke is how SVG writes the colour of a line.
func stroke(c color.RGBA) string { return fmt.Sprintf("stroke:#%02X%02X%02X", c.R, c.G, c.B) }

// denoising is a set of n items on its way over the schedule to an order with
// two items wrong.
func denoising(t *testing.T, n int, schedule []int, pictures bool) StripSet {
	rng := rand.New(rand.NewPCG(3, 4))
	numbers := make([]int, n)
	for i := range numbers {
		numbers[i] = rng.IntN(100)
	}
	truth := perm.Identity(n)
	for i := range truth { // a bubble sort by number
		for j := 1; j < n-i; j++ {
			if numbers[truth[j-1]] > numbers[truth[j]] {
				truth[j-1], truth[j] = truth[j], truth[j-1]
			}
		}
	}
	set := StripSet{Truth: truth, ShowTruth: true}
	for i := len(schedule) - 1; i >= 0; i-- {
		order := append(perm.Order{}, truth...)
		for range schedule[i] * 2 {
			a, b := rng.IntN(n), rng.IntN(n)
			order[a], order[b] = order[b], order[a]
		}
		if schedule[i] == 0 && n > 4 {
			order[2], order[3] = order[3], order[2]
		}
		set.Rows = append(set.Rows, StripRow{schedule[i], order})
	}
	if pictures {
		for _, v := range numbers {
			set.Images = append(set.Images, numberImage(t, v, 40, 28))
		}
	}
	return set
}

func TestStrip(t *testing.T) {
	a, b := denoising(t, 9, []int{0, 3, 5, 9}, true), denoising(t, 9, []int{0, 3, 5, 9}, true)
	a.Name, b.Name = "set q7", "set q8"
	img, svg := render(t, "strip", Strip{Sets: []StripSet{a, b}})
	wantClearMargin(t, img)
	wide := stripMargin + textWidth("position", smallText) + stripGap + 9*(80+stripGap) - stripGap + stripMargin
	if got := img.Bounds().Dx(); got != wide {
		t.Errorf("picture is %d wide, wanted %d: nine images of 40 at scale 2 and the gaps", got, wide)
	}
	if n := strings.Count(svg, "<image "); n != 2*9*5 {
		t.Errorf("%d images, wanted 2 sets of 9 in 4 rows and the truth", n)
	}
	// Two of nine are wrong in each set; frames of the last row, of the truth, and
	// the legend's.
	if n := strings.Count(svg, stroke(green)); n != 2*7+1 {
		t.Errorf("%d green frames, wanted %d", n, 2*7+1)
	}
	if n := strings.Count(svg, "stroke-dasharray"); n != 2*(2+2)+1 || n != strings.Count(svg, stroke(red)) {
		t.Errorf("%d dashed frames, wanted %d, all red", n, 2*(2+2)+1)
	}
	for _, want := range []string{">t = 9<", ">t = 0<", ">truth<", ">position<", ">set q8<", ">right position<", ">wrong position<"} {
		if !strings.Contains(svg, want) {
			t.Errorf("svg lacks %q", want)
		}
	}
}

// A set of tiles is drawn as pictures side by side, the tiles of each without a gap. Only the wrong
// ones of the last have a frame.
func TestStripOfTiles(t *testing.T) {
	set := denoising(t, 6, []int{0, 3, 7}, true)
	set.Name, set.Columns, set.ShowTruth = "set 0", 3, false
	wrong := 0
	for i, k := range set.Rows[len(set.Rows)-1].Order {
		if set.Truth[i] != k {
			wrong++
		}
	}
	strip := Strip{Sets: []StripSet{set}}
	img, svg := render(t, "strip-tiles", strip)
	wantClearMargin(t, img)
	b, err := strip.layout()
	if err != nil {
		t.Fatal(err)
	}
	size := set.Images[0].Bounds().Size().Mul(2) // two rows of 28 pixels: twice makes 112
	at := map[image.Rectangle]bool{}
	for _, m := range b.marks {
		if p, ok := m.(picture); ok {
			at[p.at] = true
		}
	}
	for picture := range 3 {
		for i := range 6 {
			x := stripMargin + picture*(3*size.X+stripGap) + i%3*size.X
			y := stripMargin + 2*(textSize+8) + i/3*size.Y
			if want := image.Rect(x, y, x+size.X, y+size.Y); !at[want] {
				t.Fatalf("no tile at %v, only %v", want, at)
			}
		}
	}
	if len(at) != 3*6 || strings.Count(svg, "<image ") != 3*6 {
		t.Errorf("%d tiles, wanted three pictures of six", len(at))
	}
	if n := strings.Count(svg, "stroke-dasharray"); wrong == 0 || n != wrong+1 { // the legend has one
		t.Errorf("%d dashed frames, wanted those of %d wrong tiles and the legend's", n, wrong)
	}
	if strings.Contains(svg, "right position") || !strings.Contains(svg, ">wrong position<") || strings.Contains(svg, ">position<") {
		t.Error("the legend is of more than is drawn")
	}
	set.ShowTruth = true
	if _, svg := render(t, "strip-tiles-truth", Strip{Sets: []StripSet{set}}); strings.Count(svg, "<image ") != 4*6 || !strings.Contains(svg, ">truth<") {
		t.Error("no picture of the truth")
	}
	// Beside a set that is a row of items, both have the legend and the margin they need.
	row := denoising(t, 4, []int{0, 7}, false)
	row.ShowTruth = false
	img, svg = render(t, "strip-tiles-and-row", Strip{Sets: []StripSet{set, row}})
	wantClearMargin(t, img)
	if !strings.Contains(svg, ">right position<") || !strings.Contains(svg, ">position<") {
		t.Error("the row of items lacks its labels")
	}
}

// Every pixel of an image is a block of whole pixels, unblurred.
func TestStripIsCrisp(t *testing.T) {
	g := image.NewGray(image.Rect(0, 0, 2, 2))
	g.Pix = []uint8{10, 200, 90, 140}
	set := StripSet{Images: []image.Image{g}, Rows: []StripRow{{0, perm.Order{0}}}}
	b, err := Strip{Sets: []StripSet{set}, Scale: 5}.layout()
	if err != nil {
		t.Fatal(err)
	}
	img, _ := render(t, "crisp", Strip{Sets: []StripSet{set}, Scale: 5})
	for _, m := range b.marks {
		p, ok := m.(picture)
		if !ok {
			continue
		}
		if p.at.Size() != image.Pt(10, 10) {
			t.Fatalf("tile is %v", p.at)
		}
		for y := range 10 {
			for x := range 10 {
				want := g.GrayAt(x/5, y/5).Y
				if got := luma(img.At(p.at.Min.X+x, p.at.Min.Y+y)); got != want {
					t.Fatalf("pixel (%d, %d) is %d, wanted %d", x, y, got, want)
				}
			}
		}
	}
}

func TestStripNumbered(t *testing.T) {
	set := denoising(t, 12, []int{0, 7}, false)
	set.ShowTruth = false
	img, svg := render(t, "strip-numbered", Strip{Sets: []StripSet{set}})
	wantClearMargin(t, img)
	for k := range 12 { // once as a position, and in each of the two rows
		if n := strings.Count(svg, fmt.Sprintf(">%d<", k)); n != 3 {
			t.Errorf("%d stands %d times, wanted 3", k, n)
		}
		if n := count(img, viridis(float64(k)/11), 0); n < 2*40*40 {
			t.Errorf("colour of item %d covers %d pixels, wanted two tiles", k, n)
		}
	}
}

// Tiles have the items' names, long ones cut, and the colours of their right positions: of item 2,
// which belongs first, the darkest.
func TestStripNamed(t *testing.T) {
	set := StripSet{
		Names: []string{"Ann", "Bob", "Charlemagne the Great"}, Truth: perm.Order{2, 0, 1},
		Rows: []StripRow{{3, perm.Order{1, 2, 0}}, {0, perm.Order{2, 0, 1}}},
	}
	strip := Strip{Sets: []StripSet{set}}
	img, svg := render(t, "strip-named", strip)
	wantClearMargin(t, img)
	if strings.Count(svg, ">Ann<") != 2 || strings.Contains(svg, "Great") || strings.Count(svg, ">Cha") != 2 || strings.Count(svg, "…<") != 2 {
		t.Errorf("names of the tiles: %s", svg)
	}
	b, err := strip.layout()
	if err != nil {
		t.Fatal(err)
	}
	var shades []color.Color
	for _, m := range b.marks {
		if f, ok := m.(filled); ok {
			shades = append(shades, f.color)
		}
		if w, ok := m.(words); ok && strings.HasSuffix(w.text, "…") && textWidth(w.text, w.size) > tileHeight-4 {
			t.Errorf("%q at size %d is wider than its tile", w.text, w.size)
		}
	}
	if len(shades) < 6 || shades[3] != color.Color(viridis(0)) || shades[5] != color.Color(viridis(1)) {
		t.Errorf("tiles in the right order do not go from dark to light: %v", shades)
	}
	set.Names = set.Names[:2]
	if err := set.check(); err == nil {
		t.Error("two names for three items: no error")
	}
}

// A row of many wide images is not drawn larger than it need be, and goes on below: 32 of 112 × 28
// pixels, 10 of which with their gaps fit into 1,300, are four rows of 8.
func TestStripWide(t *testing.T) {
	order := perm.Identity(32)
	set := StripSet{Rows: []StripRow{{0, order}}}
	for range order {
		set.Images = append(set.Images, image.NewGray(image.Rect(0, 0, 112, 28)))
	}
	if got := (Strip{}).tileSize(&set); got != image.Pt(112, 28) {
		t.Errorf("tiles of %v, wanted one pixel a pixel", got)
	}
	if got := (Strip{Scale: 2}).tileSize(&set); got != image.Pt(224, 56) {
		t.Errorf("tiles of %v at scale 2", got)
	}
	img, svg := render(t, "strip-wide", Strip{Sets: []StripSet{set}})
	wantClearMargin(t, img)
	if wide := stripMargin + textWidth("position", smallText) + stripGap + 8*(112+stripGap) - stripGap + stripMargin; img.Bounds().Dx() != wide {
		t.Errorf("picture is %d wide, wanted %d: eight images and the gaps", img.Bounds().Dx(), wide)
	}
	if strings.Count(svg, "<image ") != 32 || strings.Count(svg, ">t = 0<") != 4 || strings.Count(svg, ">position<") != 4 || strings.Count(svg, ">31<") != 1 {
		t.Error("wanted all 32 images and positions in four labelled rows")
	}
	b, err := Strip{Sets: []StripSet{set}}.layout()
	if err != nil {
		t.Fatal(err)
	}
	var left []int // of the images, in order
	for _, m := range b.marks {
		if p, ok := m.(picture); ok {
			left = append(left, p.at.Min.X)
		}
	}
	if left[8] != left[0] || left[16] != left[0] || left[31] != left[7] {
		t.Errorf("images at %v: wanted positions 8 and 16 under position 0, 31 under 7", left)
	}
}

// Pictures of tiles go on below too: twelve of 224 × 112 pixels, and the truth, of which five with
// their gaps fit into 1,300, are two rows of five and one of three.
func TestStripOfTilesWide(t *testing.T) {
	set := StripSet{Columns: 2, Truth: perm.Identity(2), ShowTruth: true}
	for i := range 12 {
		set.Rows = append(set.Rows, StripRow{11 - i, perm.Order{1, 0}})
	}
	for range 2 {
		set.Images = append(set.Images, image.NewGray(image.Rect(0, 0, 112, 112)))
	}
	strip := Strip{Sets: []StripSet{set, set}}
	img, svg := render(t, "strip-tiles-wide", strip)
	wantClearMargin(t, img)
	// Of each set three rows of pictures with their labels, and the legend.
	size := image.Pt(2*stripMargin+5*(224+stripGap)-stripGap, 2*stripMargin+2*(3*(112+textSize+8)+2*blockGap)+blockGap+stripGap+textSize)
	if got := img.Bounds().Size(); got != size {
		t.Errorf("picture is of %v pixels, wanted %v", got, size)
	}
	if n := strings.Count(svg, "<image "); n != 2*2*13 {
		t.Errorf("%d tiles, wanted two in each of 13 pictures of two sets", n)
	}
	b, err := strip.layout()
	if err != nil {
		t.Fatal(err)
	}
	var corners []image.Point // of the first tiles of pictures, in order
	for _, m := range b.marks {
		if p, ok := m.(picture); ok {
			corners = append(corners, p.at.Min)
		}
	}
	first := corners[0]
	below := 112 + textSize + 8 + blockGap
	for picture, want := range map[int]image.Point{4: first.Add(image.Pt(4*(224+stripGap), 0)), 5: first.Add(image.Pt(0, below)), 12: first.Add(image.Pt(2*(224+stripGap), 2*below))} {
		if got := corners[2*picture]; got != want {
			t.Errorf("picture %d is at %v, wanted %v", picture, got, want)
		}
	}
}

func TestStripSmall(t *testing.T) {
	for n := 1; n <= 3; n++ {
		set := denoising(t, n, []int{0, 2}, n == 2)
		set.Name = "a set of few items with a name that is wider than they are"
		img, _ := render(t, fmt.Sprintf("strip-%d", n), Strip{Sets: []StripSet{set}})
		wantClearMargin(t, img)
	}
	unknown := denoising(t, 3, []int{0, 2}, false)
	unknown.Truth, unknown.ShowTruth = nil, false
	_, svg := render(t, "strip-unknown", Strip{Sets: []StripSet{unknown}})
	if strings.Contains(svg, "right position") || strings.Contains(svg, stroke(green)) {
		t.Error("frames without a truth")
	}
}

func TestStripMany(t *testing.T) {
	set := denoising(t, 100, []int{0, 8, 10, 15}, false)
	img, _ := render(t, "strip-100", Strip{Sets: []StripSet{set}, Scale: 1})
	wantClearMargin(t, img)
}

func TestStripErrors(t *testing.T) {
	spoil := func(f func(*StripSet)) Strip {
		set := denoising(t, 3, []int{0, 2}, true)
		f(&set)
		return Strip{Sets: []StripSet{set}}
	}
	for want, s := range map[string]Strip{
		"strip: no sets":                             {},
		"scale is -1":                                {Sets: []StripSet{denoising(t, 3, []int{0}, false)}, Scale: -1},
		"set 0: no rows":                             spoil(func(s *StripSet) { s.Rows = nil }),
		"set 0: row 0 has no items":                  spoil(func(s *StripSet) { s.Rows[0].Order = nil }),
		"row 1: order has 2 items, wanted 3":         spoil(func(s *StripSet) { s.Rows[1].Order = perm.Order{0, 1} }),
		"row 1: order: entry 1 repeats 0":            spoil(func(s *StripSet) { s.Rows[1].Order = perm.Order{0, 0, 1} }),
		"truth: order: entry 0 is 5":                 spoil(func(s *StripSet) { s.Truth = perm.Order{5, 0, 1} }),
		"the truth is to be shown, but not given":    spoil(func(s *StripSet) { s.Truth = nil }),
		"2 images for 3 items":                       spoil(func(s *StripSet) { s.Images = s.Images[:2] }),
		"3 items do not fill rows of 2":              spoil(func(s *StripSet) { s.Columns = 2 }),
		"image 1 is 1×2, wanted 28×40":               spoil(func(s *StripSet) { s.Images[1] = image.NewGray(image.Rect(0, 0, 2, 1)) }),
		"wanted at most 32768 a side\nhint: show fe": {Sets: []StripSet{denoising(t, 3, []int{0}, true)}, Scale: 1000},
	} {
		_, err := s.layout()
		wantError(t, err, want)
	}
}

// Dashes must show on all four sides, and leave gaps.
func TestDashedFrame(t *testing.T) {
	img := pictured(t, 40, 40, frame{image.Rect(2, 2, 38, 38), 2, red, true})
	isRed := func(x, y int) bool { return isColour(img.At(x, y), red, 0) }
	sides := map[string]int{}
	for i := 2; i < 38; i++ {
		for side, at := range map[string]image.Point{"top": {i, 2}, "bottom": {i, 37}, "left": {2, i}, "right": {37, i}} {
			if isRed(at.X, at.Y) {
				sides[side]++
			}
		}
	}
	// The dashes, 5 of every 9, go round the middle of the frame: 34 pixels a side have three whole ones
	// and 3 to 5 of a fourth. The ends of the sides across may add to them.
	for side, n := range sides {
		if n < 18 || n > 24 {
			t.Errorf("%s has %d red pixels of 36, wanted about 20", side, n)
		}
	}
	if len(sides) != 4 {
		t.Errorf("red on %v, wanted all four sides", sides)
	}
	if isRed(20, 20) || isRed(1, 1) {
		t.Error("red inside or outside of the frame")
	}
}
