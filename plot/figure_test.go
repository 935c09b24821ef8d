package plot

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image"
	"image/color"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/plot"

	"github.com/riffle-ml/riffle/internal/hint"
)

// keep, where it is set, is a folder the tests leave their pictures in, to look at.
var keep = os.Getenv("RIFFLE_TEST_PICTURES")

// render draws a figure in both formats and returns the decoded PNG and the SVG.
func render(t *testing.T, name string, f Figure) (image.Image, string) {
	t.Helper()
	var raster, vector bytes.Buffer
	if err := Encode(&raster, "png", f); err != nil {
		t.Fatal(err)
	}
	if err := Encode(&vector, "svg", f); err != nil {
		t.Fatal(err)
	}
	if keep != "" {
		if err := errors.Join(Save(filepath.Join(keep, name+".png"), f), Save(filepath.Join(keep, name+".svg"), f)); err != nil {
			t.Fatal(err)
		}
	}
	img, err := png.Decode(&raster)
	if err != nil {
		t.Fatal(err)
	}
	svg := vector.String()
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("svg: %v", err)
		}
	}
	return img, svg
}

// count is how many pixels of img have the colour c, give or take near in each channel.
func count(img image.Image, c color.RGBA, near int) (n int) {
	b := img.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			if isColour(img.At(x, y), c, near) {
				n++
			}
		}
	}
	return n
}

func isColour(got color.Color, want color.RGBA, near int) bool {
	r, g, b, _ := got.RGBA()
	off := func(v uint32, w uint8) bool { d := int(v>>8) - int(w); return d > near || d < -near }
	return !off(r, want.R) && !off(g, want.G) && !off(b, want.B)
}

// wantSize fails unless img is w×h points at the figures' resolution, within a pixel.
func wantSize(t *testing.T, img image.Image, w, h float64) {
	t.Helper()
	dx := float64(img.Bounds().Dx()) - w*dotsPerInch/72
	dy := float64(img.Bounds().Dy()) - h*dotsPerInch/72
	if dx < -1 || dx > 1 || dy < -1 || dy > 1 {
		t.Errorf("picture is %v, wanted %v×%v points", img.Bounds(), w, h)
	}
}

// wantClearMargin fails if anything but white touches the picture's edge.
func wantClearMargin(t *testing.T, img image.Image) {
	t.Helper()
	b := img.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			edge := x == b.Min.X || x == b.Max.X-1 || y == b.Min.Y || y == b.Max.Y-1
			if edge && !isColour(img.At(x, y), color.RGBA{255, 255, 255, 255}, 8) {
				t.Fatalf("pixel (%d, %d) at the edge is %v: something is cut off", x, y, img.At(x, y))
			}
		}
	}
}

// wantError fails unless err holds want.
func wantError(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(hint.Text(err), want) {
		t.Errorf("error is %v, wanted %q in it", err, want)
	}
}

func TestSave(t *testing.T) {
	dir := t.TempDir()
	f := HeatMap{Values: [][]float64{{1, 0}, {0, 1}}}
	for name, start := range map[string]string{"a.png": "\x89PNG", "b.SVG": "<?xml"} {
		path := filepath.Join(dir, name)
		if err := Save(path, f); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(path)
		if err != nil || !bytes.HasPrefix(got, []byte(start)) {
			t.Errorf("%s starts %.8q (%v), wanted %q", name, got, err, start)
		}
	}
	wantError(t, Save(filepath.Join(dir, "a.pdf"), f), `format is "pdf", wanted png or svg`)
	wantError(t, Save(filepath.Join(dir, "bad.png"), HeatMap{}), "bad.png: heat map: no values")
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 2 {
		t.Errorf("folder holds %v (%v), wanted the two pictures alone", left, err)
	}
}

func TestViridisReadsInGrey(t *testing.T) {
	for i := 1; i <= 100; i++ {
		if a, b := luma(viridis(float64(i-1)/100)), luma(viridis(float64(i)/100)); b < a {
			t.Errorf("lightness falls from %d to %d at %d %%", a, b, i)
		}
	}
	if viridis(-1) != viridisStops[0] || viridis(2) != viridisStops[len(viridisStops)-1] {
		t.Error("values outside 0 to 1 do not take the ends' colours")
	}
}

func TestTicks(t *testing.T) {
	labels := func(ticks interface {
		Ticks(lo, hi float64) []plot.Tick
	}, lo, hi float64,
	) string {
		var out []string
		for _, t := range ticks.Ticks(lo, hi) {
			if t.Label != "" {
				out = append(out, t.Label)
			}
		}
		return strings.Join(out, " ")
	}
	for _, c := range []struct{ got, want string }{
		{labels(linearTicks{6}, 0, 100), "0 20 40 60 80 100"},
		{labels(linearTicks{6}, -0.03, 1.04), "0.0 0.2 0.4 0.6 0.8 1.0"},
		{labels(linearTicks{6}, -1, 1), "−1.0 −0.5 0.0 0.5 1.0"},
		{labels(linearTicks{5}, 0, 30000), "0 10,000 20,000 30,000"},
		{labels(linearTicks{6}, 2.001, 2.005), "2.001 2.002 2.003 2.004 2.005"},
		{labels(logTicks{}, 0.001, 10), "0.001 0.01 0.1 1 10"},
		{labels(logTicks{}, 0.3, 9), "0.5 1 2 5"},
		{labels(logTicks{}, 450, 1400), "500 700 1,000"},
		{labels(logTicks{}, 450, 810), "500 600 700 800"},
		{labels(logTicks{}, 230, 380), "250 300 350"},
		{labels(indexTicks{limit: 10}, -0.5, 3.5), "0 1 2 3"},
		{labels(indexTicks{limit: 10}, -0.5, 99.5), "0 10 20 30 40 50 60 70 80 90"},
		{labels(indexTicks{limit: 10, names: []string{"a", "b"}}, -0.5, 1.5), "a b"},
	} {
		if c.got != c.want {
			t.Errorf("ticks %q, wanted %q", c.got, c.want)
		}
	}
}
