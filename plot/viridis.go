package plot

import (
	"image/color"
	"math"
)

// viridisStops are ten evenly spaced colours of matplotlib's viridis (S. van der
// Walt, N. Smith, CC0). Its lightness rises evenly, so it reads in grey.
var viridisStops = [...]color.RGBA{
	{0x44, 0x01, 0x54, 0xff},
	{0x48, 0x28, 0x78, 0xff},
	{0x3e, 0x49, 0x89, 0xff},
	{0x31, 0x68, 0x8e, 0xff},
	{0x26, 0x82, 0x8e, 0xff},
	{0x1f, 0x9e, 0x89, 0xff},
	{0x35, 0xb7, 0x79, 0xff},
	{0x6d, 0xcd, 0x59, 0xff},
	{0xb4, 0xde, 0x2c, 0xff},
	{0xfd, 0xe7, 0x25, 0xff},
}

// viridis is the colour of v in [0, 1]; what lies outside takes the end's colour.
func viridis(v float64) color.RGBA {
	at := min(max(v, 0), 1) * float64(len(viridisStops)-1)
	i := min(int(at), len(viridisStops)-2)
	a, b, f := viridisStops[i], viridisStops[i+1], at-float64(i)
	mix := func(x, y uint8) uint8 { return uint8(math.Round(float64(x) + f*(float64(y)-float64(x)))) }
	return color.RGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 0xff}
}

// contrast is black or white, whichever reads better on c: one of them has a contrast of 4.58:1 or
// more on any colour (WCAG 2.2, relative luminance).
func contrast(c color.Color) color.Color {
	if l := luminance(c); (l+0.05)*(l+0.05) > 1.05*0.05 {
		return color.Black
	}
	return color.White
}

// luminance is the relative luminance of c, from 0 to 1 (IEC 61966-2-1).
func luminance(c color.Color) float64 {
	linear := func(v uint32) float64 {
		s := float64(v) / 0xffff
		if s <= 0.04045 {
			return s / 12.92
		}
		return math.Pow((s+0.055)/1.055, 2.4)
	}
	r, g, b, _ := c.RGBA()
	return 0.2126*linear(r) + 0.7152*linear(g) + 0.0722*linear(b)
}
