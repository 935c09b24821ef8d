package gumbelsinkhorn_test

import (
	"fmt"

	"github.com/riffle-ml/riffle/baseline/gumbelsinkhorn"
)

// Scores of three items for three positions, and the best order.
func Example() {
	logAlpha := []float64{
		0, 4, 1,
		0, 3, 2,
		5, 0, 1,
	}
	order, err := gumbelsinkhorn.Matching(logAlpha)
	if err != nil {
		panic(err)
	}
	fmt.Println(order)
	// Output:
	// [1 2 0]
}
