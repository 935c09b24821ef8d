package shuffle

import (
	"math"
	"sync/atomic"
)

// rising knows the distribution of the number r of rising sequences of n ≥ 1 cards, in uniform
// order or after riffles. In both cases orders of equal r are equally probable, so distances
// between the distributions need only r.
//
// Probabilities are held, not Eulerian numbers: u(r) = A(n, r)/n! as mant[r−1]·2^exp[r−1] for the r
// up to the middle. The rest are their mirror image. An exponent is needed, since the tails of u
// fall far below the smallest float64 (u(1) = 1/n!), and after few riffles the mass lies there. All
// recursions have positive terms only, so relative errors stay near n·2⁻⁵³.
type rising struct {
	n    int
	mant []float64
	exp  []int
}

// last is the distribution that was computed last. A schedule, or a plot of one, asks for many
// distances for the same n, and the recursion takes nearly all of their time.
var last atomic.Pointer[rising]

// risingOf returns the distribution for n cards. The caller must not change it.
func risingOf(n int) *rising {
	d := last.Load()
	if d == nil || d.n != n {
		d = newRising(n)
		last.Store(d)
	}
	return d
}

// newRising runs u_m(r) = (r·u_{m−1}(r) + (m−r+1)·u_{m−1}(r−1))/m, the Eulerian
// recursion divided by m!, up to m = n. O(n²).
func newRising(n int) *rising {
	half := (n + 1) / 2
	mant, exp := make([]float64, half), make([]int, half)
	scale := make([]float64, half) // 2^(exp[i−1] − exp[i])
	for i := range scale {
		scale[i] = 1
	}
	mant[0] = 1
	count := 1 // the places in use, (m+1)/2
	for m := 2; m <= n; m++ {
		if m%2 == 1 { // a new middle, mirrored from its neighbour
			mant[count], exp[count] = mant[count-1], exp[count-1]
			count++
		}
		inverse := 1 / float64(m)
		for i := count - 1; i > 0; i-- { // r = i+1; downwards, so i−1 still belongs to m−1
			mant[i] = (float64(i+1)*mant[i] + float64(m-i)*(mant[i-1]*scale[i])) * inverse
		}
		mant[0] *= inverse
		// A row at most doubles a mantissa and at most divides it by m: 32 rows of m < 2^31 stay
		// within float64.
		if m%32 == 0 {
			for i := range count {
				var e int
				mant[i], e = math.Frexp(mant[i])
				exp[i] += e
				if i > 0 {
					scale[i] = math.Ldexp(1, exp[i-1]-exp[i])
				}
			}
		}
	}
	return &rising{n: n, mant: mant, exp: exp}
}

// place returns where u(r) is held.
func (d *rising) place(r int) int { return min(r, d.n+1-r) - 1 }

// uniform returns u(1) … u(n), at places 0 … n−1.
func (d *rising) uniform() []float64 {
	p := make([]float64, d.n)
	for r := 1; r <= d.n; r++ {
		k := d.place(r)
		p[r-1] = math.Ldexp(d.mant[k], d.exp[k])
	}
	return p
}

// riffled returns the probabilities of r = 1 … n after t ≥ 0 riffles, at places
// 0 … n−1: u(r)·L(r) with the likelihood ratio L(r) = n!·C(n+a−r, n)/aⁿ, a = 2^t,
//
//	L(1) = Π_{i=0…n−1} (1 + i/a),  L(r+1) = L(r)·(a−r)/(a−r+n).
func (d *rising) riffled(t int) []float64 {
	p := make([]float64, d.n)
	inverse := math.Ldexp(1, -t) // 1/a
	mant, exp := 1.0, 0
	times := func(factor float64) {
		var e int
		mant, e = math.Frexp(mant * factor)
		exp += e
	}
	for i := range d.n {
		times(1 + float64(i)*inverse)
	}
	for r := 1; r <= d.n && mant > 0; r++ {
		k := d.place(r)
		p[r-1] = math.Ldexp(mant*d.mant[k], exp+d.exp[k])
		times((1 - float64(r)*inverse) / (1 + float64(d.n-r)*inverse))
	}
	return p
}

// distance returns the total variation distance of two distributions.
func distance(p, q []float64) float64 {
	sum := 0.0
	for i := range p {
		sum += math.Abs(p[i] - q[i])
	}
	return sum / 2
}
