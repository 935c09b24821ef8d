package reverse_test

import (
	"fmt"

	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/reverse"
)

// Row i of GPL's scores chooses the object at position i. Here the greedy order is
// not the most probable one, and a beam of two finds that.
func Example() {
	law, err := reverse.ByName("gpl")
	if err != nil {
		panic(err)
	}
	scores := []float64{
		0.1, 0, -9,
		3, 0, 0,
		0, 0, 0,
	}
	greedy := make(perm.Order, 3)
	fmt.Printf("greedy %v %.3f\n", greedy, law.Mode(scores, greedy))
	for _, c := range law.TopK(scores, 2) {
		fmt.Printf("%v %.3f\n", c.Order, c.LogProb)
	}
	// Output:
	// greedy [0 1 2] -1.338
	// [1 0 2] -0.793
	// [0 1 2] -1.338
}
