package gumbelsinkhorn_test

import (
	"fmt"

	"github.com/riffle-ml/riffle/baseline/gumbelsinkhorn"
)

// Scores of three items for three positions, made doubly stochastic, and the best order (NumPy
// has the same figures).
func Example() {
	logAlpha := []float64{
		0, 4, 1,
		0, 3, 2,
		5, 0, 1,
	}
	p, err := gumbelsinkhorn.Sinkhorn(logAlpha, 20)
	if err != nil {
		panic(err)
	}
	for i := range 3 {
		fmt.Printf("%.2f\n", p[3*i:3*i+3])
	}
	order, err := gumbelsinkhorn.Matching(logAlpha)
	if err != nil {
		panic(err)
	}
	fmt.Println(order)
	// Output:
	// [0.03 0.72 0.25]
	// [0.03 0.27 0.70]
	// [0.94 0.00 0.06]
	// [1 2 0]
}
