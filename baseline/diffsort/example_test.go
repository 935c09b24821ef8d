package diffsort_test

import (
	"fmt"

	"github.com/riffle-ml/riffle/baseline/diffsort"
	"github.com/riffle-ml/riffle/perm"
)

// Three scores through a relaxed network: the values mix, and row i of P says which items
// they come from. The scores themselves give the order.
func Example() {
	network, err := diffsort.OddEven(3)
	if err != nil {
		panic(err)
	}
	sorter, err := diffsort.New(network, diffsort.Reciprocal, 2, false)
	if err != nil {
		panic(err)
	}
	scores := []float64{1, 0, -0.25}
	sorted, p, err := sorter.Sort(scores)
	if err != nil {
		panic(err)
	}
	for i, v := range sorted {
		fmt.Printf("%.2f from %.3f\n", v, p[3*i:3*i+3])
	}
	o := diffsort.Order(scores)
	fmt.Println(o, perm.Act(o, scores))
	// Output:
	// 0.10 from [0.212 0.338 0.450]
	// 0.15 from [0.225 0.475 0.300]
	// 0.50 from [0.562 0.188 0.250]
	// [2 1 0] [-0.25 0 1]
}
