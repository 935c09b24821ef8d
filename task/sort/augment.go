package sort

import (
	"math"
	"math/rand/v2"

	"github.com/riffle-ml/riffle/config"
)

// affine maps a pixel of the warped image to a point of the original, both from the centre.
type affine struct{ xx, xy, yx, yy, x, y float64 }

func drawAffine(rng *rand.Rand, a config.Augment) affine {
	draw := func(bound float64) float64 { return bound * (2*rng.Float64() - 1) }
	angle := draw(a.Rotate) * math.Pi / 180
	inverse := 1 / (1 + draw(a.Scale))
	sin, cos := math.Sincos(angle)
	return affine{cos * inverse, sin * inverse, -sin * inverse, cos * inverse, draw(a.Shift), draw(a.Shift)}
}

// warp writes the size × size image src through a map into dst, whose rows are stride
// apart, by bilinear interpolation; outside src is black.
func warp(dst []uint8, stride int, src []uint8, size int, m affine) {
	centre := float64(size-1) / 2
	for y := range size {
		dy := float64(y) - centre
		for x := range size {
			dx := float64(x) - centre
			u := m.xx*dx + m.xy*dy + centre - m.x
			v := m.yx*dx + m.yy*dy + centre - m.y
			u0, v0 := math.Floor(u), math.Floor(v)
			iu, iv := int(u0), int(v0)
			if iu < -1 || iv < -1 || iu >= size || iv >= size {
				dst[y*stride+x] = 0
				continue
			}
			fu, fv := u-u0, v-v0
			at := func(c, r int) float64 {
				if c < 0 || r < 0 || c >= size || r >= size {
					return 0
				}
				return float64(src[r*size+c])
			}
			value := (at(iu, iv)*(1-fu)+at(iu+1, iv)*fu)*(1-fv) + (at(iu, iv+1)*(1-fu)+at(iu+1, iv+1)*fu)*fv
			dst[y*stride+x] = uint8(value + 0.5)
		}
	}
}
