package plackettluce_test

import (
	"fmt"

	"github.com/riffle-ml/riffle/baseline/plackettluce"
	"github.com/riffle-ml/riffle/dataset"
)

// Ten voters name the first of three alone: their shares are the strengths.
func Example() {
	var votes []dataset.Vote
	for item, count := range []int{5, 3, 2} {
		votes = append(votes, dataset.Vote{Levels: dataset.Strict([]int{item}).RestLast(3), Count: count})
	}
	fit, err := plackettluce.Estimate(votes, 3, 0)
	if err != nil {
		panic(err)
	}
	fmt.Printf("mode %v, log-likelihood %.4f\n", fit.Mode(), fit.LogLikelihood)
	_, err = plackettluce.Estimate(votes[:2], 3, 0)
	fmt.Println(err)
	// Output:
	// mode [0 1 2], log-likelihood -10.2965
	// plackett-luce: no scores of maximum likelihood: the comparison graph has 2 strongly connected parts: {0 1} {2}
}
