package gumbelsinkhorn

import (
	"math"

	"github.com/riffle-ml/riffle/perm"
)

// Matching decodes log α, [n·n] row by row: the order o with the greatest Σ_i log α[i, o[i]],
// exactly, the limit of S(log α/τ) as τ falls to 0. It is the linear assignment problem, solved by
// shortest augmenting paths in O(n³). (Jonker & Volgenant, "A Shortest Augmenting Path Algorithm
// for Dense and Sparse Linear Assignment Problems", Computing 38, 1987.)
//
// Of equal orders it always finds the same one; rows look for items by index, so equal
// scores give 0, 1, …, n−1. NaN and −Inf are placements to avoid, as few as possible, then
// +Inf ones to take, as many as possible, then the sum decides. The result always is an
// order. It fails where the number of entries is no square.
func Matching[F ~float32 | ~float64](logAlpha []F) (perm.Order, error) {
	n, err := side(len(logAlpha))
	if err != nil {
		return nil, err
	}
	cost := costs(logAlpha, n)

	// Every row i and column k has a potential u[i], v[k] with cost[i, k] ≥ u[i] + v[k], and
	// equality where row i is matched to column k. A row is added by the cheapest path that takes
	// turns at free and matched places and ends at a free column. Dijkstra's algorithm finds it
	// over reduced costs. Column n stands for the start.
	u, v := make([]float64, n), make([]float64, n)
	rowOf := make([]int, n+1) // −1: free
	for k := range rowOf {
		rowOf[k] = -1
	}
	distance, from, done := make([]float64, n), make([]int, n), make([]bool, n+1)
	for row := range n {
		for k := range n {
			distance[k], from[k], done[k] = math.Inf(1), n, false
		}
		done[n] = false
		rowOf[n] = row
		at := n
		for rowOf[at] >= 0 {
			done[at] = true
			i, step, next := rowOf[at], math.Inf(1), -1
			for k := range n {
				if done[k] {
					continue
				}
				if d := cost[i*n+k] - u[i] - v[k]; d < distance[k] {
					distance[k], from[k] = d, at
				}
				if next < 0 || distance[k] < step {
					step, next = distance[k], k
				}
			}
			for k := range n {
				if done[k] {
					u[rowOf[k]] += step
					v[k] -= step
				} else {
					distance[k] -= step
				}
			}
			u[row] += step // what column n stands for
			at = next
		}
		for at != n {
			rowOf[at] = rowOf[from[at]]
			at = from[at]
		}
	}
	o := make(perm.Order, n)
	for k, i := range rowOf[:n] {
		o[i] = k
	}
	return o, nil
}

// costs turns scores into costs 0 to 1. −Inf and NaN are so dear, and +Inf so cheap, that one
// counts for more than all the rest.
func costs[F ~float32 | ~float64](scores []F, n int) []float64 {
	low, high := math.Inf(1), math.Inf(-1)
	for _, s := range scores {
		if s := float64(s); !math.IsInf(s, 0) && s == s {
			low, high = min(low, s), max(high, s)
		}
	}
	much := float64(n + 1)
	out := make([]float64, len(scores))
	for i, s := range scores {
		switch s := float64(s); {
		case math.IsInf(s, 1):
			out[i] = -much
		case s != s || math.IsInf(s, -1):
			out[i] = much * much * 2
		case high > low:
			out[i] = (high/2 - s/2) / (high/2 - low/2) // halves do not overflow
		}
	}
	return out
}
