package plot

import (
	"bytes"
	"encoding/base64"
	"encoding/xml"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"sync"

	"golang.org/x/image/draw"
	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// board is a page of whole pixels: what is drawn on it is kept, to be written as
// PNG or SVG. Nothing on it is blurred, as on a canvas measured in points.
type board struct {
	w, h  int
	marks []mark
}

// mark is one thing on a board.
type mark interface {
	raster(dst *image.RGBA)
	svg(w io.Writer)
}

func (b *board) add(m mark) { b.marks = append(b.marks, m) }

func (b *board) encode(w io.Writer, svg bool) error {
	if svg {
		var buf bytes.Buffer
		fmt.Fprintf(&buf, `<?xml version="1.0"?>
<svg width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" shape-rendering="crispEdges">
<rect width="%[1]d" height="%[2]d" fill="#ffffff"/>
`, b.w, b.h)
		for _, m := range b.marks {
			m.svg(&buf)
		}
		buf.WriteString("</svg>\n")
		_, err := buf.WriteTo(w)
		return err
	}
	dst := image.NewRGBA(image.Rect(0, 0, b.w, b.h))
	draw.Draw(dst, dst.Bounds(), image.White, image.Point{}, draw.Src)
	for _, m := range b.marks {
		m.raster(dst)
	}
	return png.Encode(w, dst)
}

func hex(c color.Color) string {
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}

// filled is a rectangle of one colour.
type filled struct {
	at    image.Rectangle
	color color.Color
}

func (f filled) raster(dst *image.RGBA) {
	draw.Draw(dst, f.at, image.NewUniform(f.color), image.Point{}, draw.Src)
}

func (f filled) svg(w io.Writer) {
	fmt.Fprintf(w, `<rect x="%d" y="%d" width="%d" height="%d" fill="%s"/>`+"\n", f.at.Min.X, f.at.Min.Y, f.at.Dx(), f.at.Dy(), hex(f.color))
}

// frame is the outline of a rectangle, drawn inside it.
type frame struct {
	at     image.Rectangle
	width  int
	color  color.Color
	dashed bool
}

const (
	dashOn  = 5
	dashOff = 4
)

func (f frame) raster(dst *image.RGBA) {
	r, w := f.at, f.width
	sides := []image.Rectangle{
		image.Rect(r.Min.X, r.Min.Y, r.Max.X, r.Min.Y+w), image.Rect(r.Min.X, r.Max.Y-w, r.Max.X, r.Max.Y),
		image.Rect(r.Min.X, r.Min.Y, r.Min.X+w, r.Max.Y), image.Rect(r.Max.X-w, r.Min.Y, r.Max.X, r.Max.Y),
	}
	for i, side := range sides {
		if !f.dashed {
			filled{side, f.color}.raster(dst)
			continue
		}
		step := image.Pt(dashOn+dashOff, 0)
		dash := image.Rect(side.Min.X, side.Min.Y, side.Min.X+dashOn, side.Max.Y)
		if i >= 2 {
			step = image.Pt(0, dashOn+dashOff)
			dash = image.Rect(side.Min.X, side.Min.Y, side.Max.X, side.Min.Y+dashOn)
		}
		for ; dash.Overlaps(side); dash = dash.Add(step) {
			filled{dash.Intersect(side), f.color}.raster(dst)
		}
	}
}

func (f frame) svg(w io.Writer) {
	dashes := ""
	if f.dashed {
		dashes = fmt.Sprintf(` stroke-dasharray="%d %d"`, dashOn, dashOff)
	}
	half := float64(f.width) / 2
	fmt.Fprintf(w, `<rect x="%g" y="%g" width="%d" height="%d" fill="none" stroke="%s" stroke-width="%d"%s/>`+"\n",
		float64(f.at.Min.X)+half, float64(f.at.Min.Y)+half, f.at.Dx()-f.width, f.at.Dy()-f.width, hex(f.color), f.width, dashes)
}

// picture is an image, each of its pixels a whole number of the board's.
type picture struct {
	at  image.Rectangle
	img image.Image
}

func (p picture) raster(dst *image.RGBA) {
	draw.NearestNeighbor.Scale(dst, p.at, p.img, p.img.Bounds(), draw.Over, nil)
}

func (p picture) svg(w io.Writer) {
	var buf bytes.Buffer
	if err := png.Encode(&buf, p.img); err != nil { // sizes are checked before
		panic(err)
	}
	fmt.Fprintf(w, `<image x="%d" y="%d" width="%d" height="%d" style="image-rendering:pixelated" xlink:href="data:image/png;base64,%s"/>`+"\n",
		p.at.Min.X, p.at.Min.Y, p.at.Dx(), p.at.Dy(), base64.StdEncoding.EncodeToString(buf.Bytes()))
}

// words is a line of text; x is its left, middle or right as align says -1, 0, 1,
// and y its baseline.
type words struct {
	x, y  int
	text  string
	size  int // pixels
	color color.Color
	align int
}

func (t words) raster(dst *image.RGBA) {
	d := font.Drawer{Dst: dst, Src: image.NewUniform(t.color), Face: goFace(t.size)}
	x := t.x - textWidth(t.text, t.size)*(t.align+1)/2
	d.Dot = fixed.P(x, t.y)
	d.DrawString(t.text)
}

func (t words) svg(w io.Writer) {
	fmt.Fprintf(w, `<text x="%d" y="%d" font-family="Go, Helvetica, Arial, sans-serif" font-size="%d" fill="%s" text-anchor="%s">`,
		t.x, t.y, t.size, hex(t.color), [3]string{"start", "middle", "end"}[t.align+1])
	_ = xml.EscapeText(w, []byte(t.text)) // w is a buffer
	fmt.Fprint(w, "</text>\n")
}

// textWidth is the width of text in pixels.
func textWidth(text string, size int) int {
	return font.MeasureString(goFace(size), text).Ceil()
}

var goFont = sync.OnceValue(func() *opentype.Font {
	f, err := opentype.Parse(goregular.TTF)
	if err != nil { // the font is compiled in
		panic(err)
	}
	return f
})

// goFace is the Go font in a size in pixels. A face keeps a buffer, so it is made
// anew for each use and never shared between goroutines.
func goFace(size int) font.Face {
	face, err := opentype.NewFace(goFont(), &opentype.FaceOptions{Size: float64(size), DPI: 72, Hinting: font.HintingFull})
	if err != nil {
		panic(err)
	}
	return face
}
