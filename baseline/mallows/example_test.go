package mallows_test

import (
	"fmt"

	"github.com/riffle-ml/riffle/baseline/mallows"
	"github.com/riffle-ml/riffle/dataset"
)

// Three of four voters agree on two items: θ = log 3.
func Example() {
	fit, err := mallows.Estimate([]dataset.Vote{
		{Levels: dataset.Strict([]int{1, 0}), Count: 3},
		{Levels: dataset.Strict([]int{0, 1}), Count: 1},
	}, 2)
	if err != nil {
		panic(err)
	}
	fmt.Printf("consensus %v, exact %v, theta %.4f\n", fit.Consensus, fit.Exact, fit.Theta)
	// Output:
	// consensus [1 0], exact true, theta 1.0986
}
