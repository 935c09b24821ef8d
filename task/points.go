package task

import (
	"math"
	"slices"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/perm"
)

// Cities are the points of a set, with a copy of its order.
func Cities(s *dataset.Set) (points [][2]float64, order perm.Order) {
	points = make([][2]float64, len(s.Items))
	for k := range points {
		points[k] = s.Items[k].Point
	}
	return points, slices.Clone(s.Order)
}

// smallest is an extent of points in the unit square. Points that are closer together must have
// another unit than those that a model has seen: random ones hardly ever are so close.
const smallest = 1.0 / 8

// unit brings points into the unit square. Where they lie in it and fill some of it they stay. Else
// they are moved to the origin and divided by the larger of their extents. Points all in one place
// go to the middle.
func unit(points [][2]float64) []float32 {
	low, half := extents(points)
	inside := 2*half >= smallest
	for _, p := range points {
		inside = inside && min(p[0], p[1]) >= 0 && max(p[0], p[1]) <= 1
	}
	flat := make([]float32, 0, 2*len(points))
	for _, p := range points {
		for a := range 2 {
			v := 0.5
			switch {
			case inside:
				v = p[a]
			case half > 0:
				v = (p[a]/2 - low[a]/2) / half
			}
			flat = append(flat, float32(v))
		}
	}
	return flat
}

// Spread brings points to the centre (½, ½) and to the spread of uniform ones in the unit square,
// 1/√12 along an axis. So their unit and their place do not matter. Points all in one place go to
// the centre.
func Spread(points [][2]float64) []float32 {
	low, half := extents(points)
	at, mean := make([][2]float64, len(points)), [2]float64{}
	for i, p := range points {
		for a := range 2 {
			if half > 0 {
				at[i][a] = (p[a]/2 - low[a]/2) / half // in [0, 1]
			}
			mean[a] += at[i][a] / float64(len(points))
		}
	}
	sum := 0.0
	for _, p := range at {
		sum += (p[0]-mean[0])*(p[0]-mean[0]) + (p[1]-mean[1])*(p[1]-mean[1])
	}
	scale := 0.0
	if half > 0 {
		scale = 1 / math.Sqrt(6*sum/float64(len(points))) // (1/√12)/√(sum/2n)
	}
	flat := make([]float32, 0, 2*len(points))
	for _, p := range at {
		flat = append(flat, float32(0.5+(p[0]-mean[0])*scale), float32(0.5+(p[1]-mean[1])*scale))
	}
	return flat
}

// extents returns the least coordinates, and half of the larger extent, since the whole may
// overflow.
func extents(points [][2]float64) (low [2]float64, half float64) {
	low = [2]float64{math.Inf(1), math.Inf(1)}
	high := [2]float64{math.Inf(-1), math.Inf(-1)}
	for _, p := range points {
		for a := range 2 {
			low[a], high[a] = min(low[a], p[a]), max(high[a], p[a])
		}
	}
	return low, max(high[0]/2-low[0]/2, high[1]/2-low[1]/2)
}

// ForNetwork returns points as the network takes them by model.points.
func ForNetwork(points [][2]float64, how string) []float32 {
	if how == "unit" {
		return unit(points)
	}
	return Spread(points)
}
