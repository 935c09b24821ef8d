package tsp

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/riffle-ml/riffle/perm"
)

// doubtful is the share of a length below which a difference may be rounding, of coordinates in a
// file for example.
const doubtful = 1e-6

// Doubt returns why a closed tour cannot be the shortest of an instance: how long a tour is that is
// certainly shorter. It looks for one by one 2-opt move in n² steps. Where distances depend on the
// direction it looks at the tour the other way round, and at what [TwoOpt] makes of it. ok is
// whether there is one.
func Doubt(x *Instance, tour perm.Order) (shorter float64, ok bool) {
	length := x.Length(tour)
	if x.directed {
		back := slices.Clone(tour)
		slices.Reverse(back)
		shorter = min(x.Length(back), x.Length(TwoOpt(x, tour)))
	} else {
		best, n := 0.0, x.n
		for i := range max(0, n-2) {
			for j := i + 2; j < n; j++ {
				if i > 0 || j < n-1 {
					best = max(best, x.gain(tour[i], tour[i+1], tour[j], tour[(j+1)%n]))
				}
			}
		}
		shorter = length - best
	}
	return shorter, shorter < length*(1-doubtful)
}

// Doubts gathers what speaks against reference tours, those that others are measured against. Its
// zero value is ready to use.
type Doubts struct {
	references, longer, compared, beaten int
	first, firstBeaten                   string
}

// Look notes what [Doubt] says of a reference, which where names in messages.
func (d *Doubts) Look(where string, x *Instance, reference perm.Order) {
	d.references++
	shorter, ok := Doubt(x, reference)
	if !ok {
		return
	}
	if d.longer++; d.longer == 1 {
		length := x.Length(reference)
		how := "two edges exchanged (2-opt)"
		if x.directed {
			how = "parts exchanged (Or-opt) or the other way round"
		}
		d.first = fmt.Sprintf("%s: %s long, %s with %s: %s above it", where, text(length), text(shorter), how, percent(length, shorter))
	}
}

// Found notes a tour's length beside that of its reference.
func (d *Doubts) Found(where string, length, reference float64) {
	d.compared++
	if length >= reference*(1-doubtful) {
		return
	}
	if d.beaten++; d.beaten == 1 {
		d.firstBeaten = fmt.Sprintf("%s: %s long, %s above a tour of %s", where, text(reference), percent(reference, length), text(length))
	}
}

// Warnings says what was noted, once for all references.
func (d *Doubts) Warnings() []string {
	count := func(some, of int, one, many string) string {
		if of == 1 {
			return one
		}
		return fmt.Sprintf("%d of %d "+many, some, of)
	}
	var out []string
	if d.longer > 0 {
		out = append(out, count(d.longer, d.references, "the reference tour", "reference tours")+" cannot be the shortest, "+d.first)
	}
	if d.beaten > 0 {
		out = append(out, count(d.beaten, d.compared, "the tour found is", "tours found are")+" shorter than the reference, which cannot be the shortest then, "+d.firstBeaten)
	}
	return out
}

func text(v float64) string { return strconv.FormatFloat(v, 'g', 10, 64) }

// percent is how far a is above b, which may be 0.
func percent(a, b float64) string {
	if b <= 0 {
		return "without bound"
	}
	return fmt.Sprintf("%.2f %%", 100*(a/b-1))
}

// Rounded warns of distances of which rounding to whole numbers leaves almost nothing, as of cities
// in the unit square. It is "" elsewhere.
func (x *Instance) Rounded() string {
	switch x.Kind {
	case Euc2D, Ceil2D, Floor2D, Att, Man2D, Max2D, Euc3D, Man3D, Max3D:
	default:
		return ""
	}
	most := 1.0
	if x.Kind == Ceil2D { // which makes 2 of the square's diagonal
		most = 2
	}
	for _, d := range x.matrix {
		if d > most {
			return ""
		}
	}
	onePlace := x.Points != nil && !slices.ContainsFunc(x.Points, func(p [2]float64) bool { return p != x.Points[0] })
	if x.n < 2 || onePlace {
		return ""
	}
	return fmt.Sprintf("%s rounds all distances to %g or less: the cities are too close together for whole numbers, EXACT_2D keeps fractions", x.Kind, most)
}

// Degrees warns of points of [Geo] that are no degrees and minutes: minutes of 60 or more, as decimal degrees have
// them, or latitudes beyond 90 and longitudes beyond 180. It is "" elsewhere.
func (x *Instance) Degrees() string {
	if x.Kind != Geo {
		return ""
	}
	for k, p := range x.Points {
		for axis, v := range p {
			name, most := "latitude", 90.0
			if axis == 1 {
				name, most = "longitude", 180
			}
			if math.Abs(v) > most {
				return fmt.Sprintf("GEO takes degrees and minutes, DDD.MM: the %s %g of city %d is beyond %g (x is the latitude, y the longitude)", name, v, k+1, most)
			}
			if minutes := 100 * math.Abs(v-math.Trunc(v)); minutes >= 60-1e-9 {
				return fmt.Sprintf("GEO takes degrees and minutes, DDD.MM: the %s %g of city %d has %.4g minutes. Are these decimal degrees? Distances are of what they say as minutes", name, v, k+1, minutes)
			}
		}
	}
	return ""
}
