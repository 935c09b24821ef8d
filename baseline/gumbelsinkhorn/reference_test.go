package gumbelsinkhorn

import (
	"fmt"
	"math"
)

// Sinkhorn applies the operator to log α, [n·n] row by row, on the host: [n·n], each column
// summing to one and each row nearly so. Entries are finite. It fails where their number is
// no square or iterations is negative.
func Sinkhorn(logAlpha []float64, iterations int) ([]float64, error) {
	n, err := side(len(logAlpha))
	if err != nil {
		return nil, err
	}
	if iterations < 0 {
		return nil, fmt.Errorf("sinkhorn: iterations must be 0 or more (got %d)", iterations)
	}
	z := append([]float64(nil), logAlpha...)
	for range iterations {
		for i := range n {
			normalize(z[i*n:(i+1)*n], 1)
		}
		for k := range n {
			normalize(z[k:], n)
		}
	}
	for i, v := range z {
		z[i] = math.Exp(v)
	}
	return z, nil
}

// normalize subtracts log Σ exp of every stride-th entry from these.
func normalize(z []float64, stride int) {
	most := math.Inf(-1)
	for i := 0; i < len(z); i += stride {
		most = max(most, z[i])
	}
	sum := 0.0
	for i := 0; i < len(z); i += stride {
		sum += math.Exp(z[i] - most)
	}
	total := math.Log(sum)
	for i := 0; i < len(z); i += stride {
		z[i] = z[i] - most - total // in this order: most may dwarf total
	}
}
