package tour

import (
	"math"
	"slices"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/task"
)

// turn turns points about the centre of the unit square by an angle in radians, after
// mirroring them if asked.
func turn(points [][2]float64, angle float64, mirror bool) {
	sin, cos := math.Sincos(angle)
	for i, p := range points {
		x, y := p[0]-0.5, p[1]-0.5
		if mirror {
			x = -x
		}
		points[i] = [2]float64{0.5 + cos*x - sin*y, 0.5 + sin*x + cos*y}
	}
}

// Turned implements [task.Turner]. Copy c is turned by c/of of a full turn, mirrored where c is
// odd, and begins at another city. Its tours come back as tours that begin at city 0 and go round
// in the sense that a network has learned.
func (t *Task) Turned(set *dataset.Set, c, of int) (*dataset.Set, func(perm.Order) perm.Order) {
	n := len(set.Items)
	if c == 0 || n == 0 {
		return set, slices.Clone[perm.Order]
	}
	points, _ := task.Cities(set)
	flat := task.Spread(points) // so that no number is too large to be turned
	for k := range points {
		points[k] = [2]float64{float64(flat[2*k]), float64(flat[2*k+1])}
	}
	turn(points, 2*math.Pi*float64(c)/float64(of), c%2 == 1)
	first := c * n / of
	copied := *set
	copied.Order, copied.Items = nil, slices.Clone(set.Items)
	for k := range n {
		copied.Items[k].Point = points[(k+first)%n]
	}
	return &copied, func(o perm.Order) perm.Order {
		out := make(perm.Order, n)
		at := slices.Index(o, (n-first)%n)
		for i := range out {
			step := i
			if c%2 == 1 {
				step = -i
			}
			out[i] = (o[((at+step)%n+n)%n] + first) % n
		}
		return out
	}
}
