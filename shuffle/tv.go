package shuffle

import "math"

// TVUniform returns the total variation distance between the distribution of n
// cards after t riffles and the uniform one,
//
//	½ Σ_{r=1…n} A(n, r)·| C(n+2^t−r, n)/2^{tn} − 1/n! |,
//
// with Eulerian numbers A(n, r) (paper §3.4). The absolute error is under 1e-10 for n up to 10,000
// and under 1e-12 for n up to 200. The time is O(n²), whatever t. It is O(n) if the last call had
// the same n. It is 0 for n ≤ 1 and NaN for a negative n or t.
func TVUniform(n, t int) float64 {
	if n < 0 || t < 0 {
		return math.NaN()
	}
	if n <= 1 {
		return 0
	}
	d := risingOf(n)
	return distance(d.riffled(t), d.uniform())
}

// TVBetween returns the total variation distance between the distributions of n
// cards after s and after t riffles,
//
//	½ Σ_{r=1…n} A(n, r)·| C(n+2^s−r, n)/2^{sn} − C(n+2^t−r, n)/2^{tn} |.
//
// Zero riffles are the identity with certainty. Errors and limits are those of
// [TVUniform].
func TVBetween(n, s, t int) float64 {
	if n < 0 || s < 0 || t < 0 {
		return math.NaN()
	}
	if n <= 1 || s == t {
		return 0
	}
	d := risingOf(n)
	return distance(d.riffled(s), d.riffled(t))
}
