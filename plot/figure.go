// Package plot draws Riffle's pictures as PNG or SVG. They are the schedule figure of the paper
// ([TVFigure]), training curves ([Lines]), the denoising strip ([Strip]) and item-by-position
// marginals ([HeatMap]).
//
// Every picture takes plain numbers, has no title, and stays readable in grey:
// what differs in colour differs in lightness, dashes or a frame as well.
package plot

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/riffle-ml/riffle/internal/unwritten"
)

// Figure is a picture of this package.
type Figure interface {
	// encode checks the figure's data and writes it as PNG, or as SVG.
	encode(w io.Writer, svg bool) error
}

// Encode writes a figure in a format, "png" or "svg".
func Encode(w io.Writer, format string, f Figure) error {
	if format != "png" && format != "svg" {
		return fmt.Errorf("plot: format is %q, wanted png or svg", format)
	}
	return f.encode(w, format == "svg")
}

// Save writes a figure to a file, as its extension says: .png or .svg. The file
// appears whole or not at all.
func Save(path string, f Figure) error {
	format := strings.TrimPrefix(strings.ToLower(filepath.Ext(path)), ".")
	var buf bytes.Buffer
	if err := Encode(&buf, format, f); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() { // else it would be replaced
		return fmt.Errorf("%s: is no file, wanted the name of one", path)
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return unwritten.Error(path, err)
	}
	defer os.Remove(tmp.Name()) // of no effect after the rename
	_, err = buf.WriteTo(tmp)
	if err == nil {
		err = tmp.Chmod(0o644)
	}
	if closing := tmp.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return unwritten.Error(path, err)
	}
	return nil
}

// Resolutions of PNGs; a point is 1/72 inch.
const (
	dotsPerInch   = 200 // of plots
	pixelsPerInch = 72  // of boards
)

// encodeVector writes what paint draws on a canvas of w×h, a PNG of so many dots an inch.
func encodeVector(out io.Writer, svg bool, dots int, w, h vg.Length, paint func(draw.Canvas)) error {
	if !svg {
		c := vgimg.NewWith(vgimg.UseWH(w, h), vgimg.UseDPI(dots))
		paint(draw.New(c))
		_, err := vgimg.PngCanvas{Canvas: c}.WriteTo(out)
		return err
	}
	c := vgsvg.New(w, h)
	paint(draw.New(c))
	var buf bytes.Buffer
	if _, err := c.WriteTo(&buf); err != nil {
		return err
	}
	// The canvas names one font, and calls the PNGs it embeds JPEGs.
	text := bytes.ReplaceAll(buf.Bytes(), []byte("font-family:Liberation Sans;"), []byte("font-family:'Liberation Sans',Arial,Helvetica,sans-serif;"))
	text = bytes.ReplaceAll(text, []byte("data:image/jpg;"), []byte("data:image/png;"))
	_, err := out.Write(text)
	return err
}
