package sort

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/riffle-ml/riffle/config"
)

// A grid whose points are all moved alike shifts the digit.
func TestElasticShift(t *testing.T) {
	src := ramp()
	moved := new(elastic)
	for y := range moved {
		for x := range moved[y] {
			moved[y][x] = [2]float64{2, -1}
		}
	}
	got := make([]uint8, len(src))
	warp(got, digitSize, src, distortion{affine{xx: 1, yy: 1}, moved})
	for y := range digitSize {
		for x := range digitSize {
			want := uint8(0)
			if x+2 < digitSize && y-1 >= 0 {
				want = src[(y-1)*digitSize+x+2]
			}
			if got[y*digitSize+x] != want {
				t.Fatalf("row %d, column %d: %d, wanted %d", y, x, got[y*digitSize+x], want)
			}
		}
	}
}

// A point of the grid moves what is around it, less the farther away, and nothing a grid's width away.
func TestElasticPoint(t *testing.T) {
	moved := new(elastic)
	moved[2][1] = [2]float64{7, 14} // the point of row 14 and column 7
	for _, c := range []struct {
		x, y        int
		right, down float64
	}{
		{7, 14, 7, 14}, {8, 14, 6, 12}, {7, 10, 3, 6}, {6, 13, 7 * 36.0 / 49, 14 * 36.0 / 49}, {0, 14, 0, 0}, {7, 21, 0, 0}, {27, 27, 0, 0},
	} {
		if right, down := moved.at(c.x, c.y); math.Abs(right-c.right) > 1e-12 || math.Abs(down-c.down) > 1e-12 {
			t.Errorf("row %d, column %d moves by %g, %g, wanted %g, %g", c.y, c.x, right, down, c.right, c.down)
		}
	}
}

// Points move up to the bound in all directions; without elastic nothing is drawn for it, so that older runs
// draw what they drew.
func TestDrawElastic(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	least, most := math.Inf(1), math.Inf(-1)
	for range 1000 {
		e := drawDistortion(rng, config.Augment{Elastic: 3}).elastic
		for _, row := range e {
			for _, move := range row {
				least, most = min(least, move[0], move[1]), max(most, move[0], move[1])
			}
		}
	}
	if least < -3 || least > -2.9 || most > 3 || most < 2.9 {
		t.Errorf("moves of %g to %g, wanted nearly -3 to 3", least, most)
	}
	a := config.Augment{Rotate: 10, Scale: 0.1, Shift: 2}
	one, other := rand.New(rand.NewPCG(3, 4)), rand.New(rand.NewPCG(3, 4))
	if d := drawDistortion(one, a); d.elastic != nil || d.affine != drawAffine(other, a) || one.Uint64() != other.Uint64() {
		t.Error("something is drawn for elastic")
	}
}

// ramp is a digit whose pixels differ.
func ramp() []uint8 {
	src := make([]uint8, digitSize*digitSize)
	for i := range src {
		src[i] = uint8(1 + i%255)
	}
	return src
}
