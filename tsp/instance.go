// Package tsp measures and finds closed tours: distances by the rules of TSPLIB, 2-opt and Or-opt
// with restarts, and an exact solver. A tour is a [perm.Order] of the cities 0 … n−1; from the last
// it goes back to the first. Distances may depend on the direction ([NewDirected]). Paths that do
// not go back are the tours of another instance ([Instance.Open]). [Doubt] says why a tour that is
// held for the shortest is not.
package tsp

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/riffle-ml/riffle/perm"
)

// Kind says how the distance of two cities follows from their coordinates.
type Kind string

// The kinds, by their names in TSPLIB (Reinelt 1991); Euclidean, which is none of them, is
// the distance as a float.
const (
	Euclidean Kind = "EUCLIDEAN" // √(dx² + dy²)
	Euc2D     Kind = "EUC_2D"    // that, to the nearest integer, halves up: ⌊d + ½⌋
	Ceil2D    Kind = "CEIL_2D"   // ⌈d⌉
	Floor2D   Kind = "FLOOR_2D"  // ⌊d⌋
	Exact2D   Kind = "EXACT_2D"  // as Euclidean
	Att       Kind = "ATT"       // ⌈√((dx² + dy²)/10)⌉
	Geo       Kind = "GEO"       // kilometres on the sphere, see geo
	Man2D     Kind = "MAN_2D"    // |dx| + |dy|, to the nearest integer
	Max2D     Kind = "MAX_2D"    // the larger of |dx| and |dy|, each to the nearest integer
	Euc3D     Kind = "EUC_3D"    // as EUC_2D, MAN_2D and MAX_2D, of points in space
	Man3D     Kind = "MAN_3D"
	Max3D     Kind = "MAX_3D"
	Explicit  Kind = "EXPLICIT" // a matrix
)

// Planar lists the kinds of points in the plane.
func Planar() []Kind {
	return []Kind{Euclidean, Euc2D, Ceil2D, Floor2D, Exact2D, Att, Geo, Man2D, Max2D}
}

// Spatial lists the kinds of points in space.
func Spatial() []Kind { return []Kind{Euc3D, Man3D, Max3D} }

// Kinds lists all kinds.
func Kinds() []Kind { return append(append(Planar(), Spatial()...), Explicit) }

// Instance is a travelling salesman problem.
type Instance struct {
	Kind Kind
	// Points are the cities' coordinates; for Geo x is the latitude and y the longitude, in
	// degrees and minutes (DDD.MM). nil for points in space and for Explicit.
	Points [][2]float64

	n        int
	matrix   []float64 // [n, n]: from, to
	directed bool      // some distance is another one back
}

// MaxCities is the most cities of an instance, whose distances are all kept: 200 MB.
const MaxCities = 5000

// maxDistance leaves room for sums and bounds of lengths in a float64.
const maxDistance = 1e280

// New makes an instance of points. Coordinates must be finite and distances at most 1e280.
func New(points [][2]float64, kind Kind) (*Instance, error) {
	if len(points) > MaxCities {
		return nil, fmt.Errorf("%d cities, wanted at most %d", len(points), MaxCities)
	}
	for i, p := range points {
		for _, v := range p {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("city %d: coordinates %g, %g, wanted finite ones", i, p[0], p[1])
			}
		}
	}
	x := &Instance{Kind: kind, Points: points}
	if err := x.measure(len(points), func(i, j int) (float64, error) { return distance(points[i], points[j], kind) }); err != nil {
		return nil, err
	}
	return x, nil
}

// NewSpatial is [New] for points in space, of the kinds of [Spatial].
func NewSpatial(points [][3]float64, kind Kind) (*Instance, error) {
	if len(points) > MaxCities {
		return nil, fmt.Errorf("%d cities, wanted at most %d", len(points), MaxCities)
	}
	x := &Instance{Kind: kind}
	if err := x.measure(len(points), func(i, j int) (float64, error) { return distanceInSpace(points[i], points[j], kind) }); err != nil {
		return nil, err
	}
	return x, nil
}

// measure fills the matrix of symmetric distances.
func (x *Instance) measure(n int, distance func(i, j int) (float64, error)) error {
	x.n, x.matrix = n, make([]float64, n*n)
	for i := range n {
		for j := range i {
			d, err := distance(i, j)
			if err != nil {
				return err
			}
			if !(d <= maxDistance) { // NaN too
				return &PairError{A: j, B: i, Err: fmt.Errorf("are too far apart (%g), wanted at most %g", d, maxDistance)}
			}
			x.matrix[i*n+j], x.matrix[j*n+i] = d, d
		}
	}
	return nil
}

// ErrAsymmetric is returned by [NewMatrix].
var ErrAsymmetric = errors.New("the distances are not symmetric")

// PairError is what is wrong with the distance of two cities.
type PairError struct {
	A, B int // from 0
	Base int // the number of the first city in the message
	Err  error
}

func (e *PairError) Error() string {
	return fmt.Sprintf("cities %d and %d: %v", e.A+e.Base, e.B+e.Base, e.Err)
}

// Unwrap returns what is wrong.
func (e *PairError) Unwrap() error { return e.Err }

// NewMatrix makes an instance of distances [n, n], which must be symmetric and 0 to
// 1e280; the diagonal is not read.
func NewMatrix(distances []float64, n int) (*Instance, error) {
	x, err := NewDirected(distances, n)
	if err != nil || !x.directed {
		return x, err
	}
	for i := range n {
		for j := range i {
			if d, back := x.matrix[j*n+i], x.matrix[i*n+j]; d != back {
				return nil, &PairError{A: j, B: i, Err: fmt.Errorf("%w (%g and %g)", ErrAsymmetric, d, back)}
			}
		}
	}
	return x, nil
}

// NewDirected makes an instance of distances [n, n] from a city (row) to another (column), 0 to
// 1e280, which may be others back; the diagonal is not read.
func NewDirected(distances []float64, n int) (*Instance, error) {
	if n < 0 || len(distances) != n*n {
		return nil, fmt.Errorf("distances: wanted %d of %d cities (got %d)", n*n, n, len(distances))
	}
	x := &Instance{Kind: Explicit, n: n, matrix: make([]float64, n*n)}
	for i := range n {
		for j := range n {
			d := distances[i*n+j]
			switch {
			case i == j:
				continue
			case !(d >= 0 && d <= maxDistance):
				return nil, &PairError{A: i, B: j, Err: fmt.Errorf("distance %g, wanted 0 to %g", d, maxDistance)}
			}
			x.matrix[i*n+j] = d
			x.directed = x.directed || j < i && d != x.matrix[j*n+i]
		}
	}
	return x, nil
}

// Directed tells whether some distance is another one back.
func (x *Instance) Directed() bool { return x.directed }

// N is the number of cities.
func (x *Instance) N() int { return x.n }

// Distance is that from city i to j, in the instance's units.
func (x *Instance) Distance(i, j int) float64 { return x.matrix[i*x.n+j] }

// Length is that of a closed tour. The tour must be an order of all cities.
func (x *Instance) Length(tour perm.Order) float64 {
	sum := 0.0
	for i, k := range tour {
		next := 0
		if i+1 < len(tour) {
			next = i + 1
		}
		sum += x.matrix[k*x.n+tour[next]]
	}
	return sum
}

// Length is the Euclidean length of a closed tour through points, without an [Instance], which
// keeps all distances.
func Length(points [][2]float64, tour perm.Order) float64 {
	sum := 0.0
	for i, k := range tour {
		p, q := points[k], points[tour[(i+1)%len(tour)]]
		sum += math.Hypot(p[0]-q[0], p[1]-q[1])
	}
	return sum
}

// Check reports what keeps a list of cities from being a tour.
func (x *Instance) Check(tour perm.Order) error {
	if len(tour) != x.n {
		return fmt.Errorf("tour: has %d cities, wanted %d", len(tour), x.n)
	}
	return tour.Validate()
}

// Canonical is one of the 2n ways to write a closed tour. It goes from city 0 on, in the direction
// in which the second city has a lower number than the last.
func Canonical(tour perm.Order) perm.Order { return CanonicalFrom(tour, 0) }

// CanonicalFrom is [Canonical] from another city on.
func CanonicalFrom(tour perm.Order, city int) perm.Order {
	t := From(tour, city)
	if n := len(t); n > 2 && t[1] > t[n-1] {
		slices.Reverse(t[1:])
	}
	return t
}

// From is a closed tour from a city on, in its direction.
func From(tour perm.Order, city int) perm.Order {
	at := max(0, slices.Index(tour, city))
	return append(slices.Clone(tour[at:]), tour[:at]...)
}

// Canonical is [Canonical] of a tour of the instance: where distances depend on the direction, so
// does the tour, and its direction stays.
func (x *Instance) Canonical(tour perm.Order, city int) perm.Order {
	if x.directed {
		return From(tour, city)
	}
	return CanonicalFrom(tour, city)
}

// integral reports whether all distances are integers, so that tours are as long as integers.
func (x *Instance) integral() bool {
	for _, d := range x.matrix {
		if d != math.Trunc(d) || d > 1<<40 {
			return false
		}
	}
	return true
}

func distance(p, q [2]float64, kind Kind) (float64, error) {
	dx, dy := p[0]-q[0], p[1]-q[1]
	switch kind {
	case Euclidean, Exact2D:
		return math.Hypot(dx, dy), nil
	case Euc2D:
		return nearestInt(math.Hypot(dx, dy)), nil
	case Ceil2D:
		return math.Ceil(math.Hypot(dx, dy)), nil
	case Floor2D:
		return math.Floor(math.Hypot(dx, dy)), nil
	case Att:
		return math.Ceil(math.Sqrt((dx*dx + dy*dy) / 10)), nil
	case Geo:
		return geo(p, q), nil
	case Man2D:
		return nearestInt(math.Abs(dx) + math.Abs(dy)), nil
	case Max2D:
		return max(nearestInt(math.Abs(dx)), nearestInt(math.Abs(dy))), nil
	}
	return 0, fmt.Errorf("distance %q: wanted one of %v", kind, Planar())
}

func distanceInSpace(p, q [3]float64, kind Kind) (float64, error) {
	dx, dy, dz := math.Abs(p[0]-q[0]), math.Abs(p[1]-q[1]), math.Abs(p[2]-q[2])
	switch kind {
	case Euc3D:
		return nearestInt(math.Hypot(math.Hypot(dx, dy), dz)), nil
	case Man3D:
		return nearestInt(dx + dy + dz), nil
	case Max3D:
		return max(nearestInt(dx), nearestInt(dy), nearestInt(dz)), nil
	}
	return 0, fmt.Errorf("distance %q: wanted one of %v", kind, Spatial())
}

// nearestInt is TSPLIB's nint of what is not negative: halves go up.
func nearestInt(v float64) float64 { return math.Floor(v + 0.5) }

// geo is TSPLIB's distance on the sphere: the integer part of R·acos(…) + 1 with R = 6378.388 and π
// = 3.141592. Coordinates are degrees, by truncation, and minutes behind the point.
func geo(p, q [2]float64) float64 {
	const pi, radius = 3.141592, 6378.388
	radians := func(v float64) float64 {
		degrees := math.Trunc(v)
		return pi * (degrees + 5*(v-degrees)/3) / 180
	}
	lat1, lon1, lat2, lon2 := radians(p[0]), radians(p[1]), radians(q[0]), radians(q[1])
	q1, q2, q3 := math.Cos(lon1-lon2), math.Cos(lat1-lat2), math.Cos(lat1+lat2)
	return math.Trunc(radius*math.Acos(min(1, max(-1, 0.5*((1+q1)*q2-(1-q1)*q3)))) + 1)
}
