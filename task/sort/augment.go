package sort

import (
	"math"
	"math/rand/v2"

	"github.com/riffle-ml/riffle/config"
)

// distortion maps a pixel of the distorted image to a point of the original.
type distortion struct {
	affine
	elastic *elastic // or nil
}

// drawDistortion draws each part of a distortion uniformly within its bound.
func drawDistortion(rng *rand.Rand, a config.Augment) distortion {
	d := distortion{affine: drawAffine(rng, a)}
	if a.Elastic > 0 {
		d.elastic = drawElastic(rng, a.Elastic)
	}
	return d
}

// affine maps a pixel to a point, both measured from the centre.
type affine struct{ xx, xy, yx, yy, x, y float64 }

func drawAffine(rng *rand.Rand, a config.Augment) affine {
	angle := within(rng, a.Rotate) * math.Pi / 180
	inverse := 1 / (1 + within(rng, a.Scale))
	sin, cos := math.Sincos(angle)
	return affine{cos * inverse, sin * inverse, -sin * inverse, cos * inverse, within(rng, a.Shift), within(rng, a.Shift)}
}

// within draws uniformly from −bound to bound.
func within(rng *rand.Rand, bound float64) float64 { return bound * (2*rng.Float64() - 1) }

// elastic is how far the points of a grid are moved, right and down. Between them the move is
// interpolated linearly in both directions. (Simard, Steinkraus and Platt 2003 smooth a random move
// of every pixel instead.)
type elastic [digitSize/elasticGrid + 1][digitSize/elasticGrid + 1][2]float64

// elasticGrid is how many pixels the points are apart.
const elasticGrid = 7

func drawElastic(rng *rand.Rand, bound float64) *elastic {
	e := new(elastic)
	for y := range e {
		for x := range e[y] {
			e[y][x] = [2]float64{within(rng, bound), within(rng, bound)}
		}
	}
	return e
}

// at is the move of a pixel.
func (e *elastic) at(x, y int) (right, down float64) {
	u, v := float64(x%elasticGrid)/elasticGrid, float64(y%elasticGrid)/elasticGrid
	upper, lower := &e[y/elasticGrid], &e[y/elasticGrid+1]
	column := x / elasticGrid
	mix := func(axis int) float64 {
		return (upper[column][axis]*(1-u)+upper[column+1][axis]*u)*(1-v) + (lower[column][axis]*(1-u)+lower[column+1][axis]*u)*v
	}
	return mix(0), mix(1)
}

// warp writes the digit src through a map into dst, whose rows are stride apart, by bilinear
// interpolation. Outside of src all is black.
func warp(dst []uint8, stride int, src []uint8, m distortion) {
	const size = digitSize
	centre := float64(size-1) / 2
	for y := range size {
		dy := float64(y) - centre
		for x := range size {
			dx := float64(x) - centre
			u := m.xx*dx + m.xy*dy + centre - m.x
			v := m.yx*dx + m.yy*dy + centre - m.y
			if m.elastic != nil {
				right, down := m.elastic.at(x, y)
				u, v = u+right, v+down
			}
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
