package sedd_test

import (
	"fmt"

	"github.com/riffle-ml/riffle/baseline/sedd"
)

// The data are a single order, as in the paper's comparison, so that the true ratios are known.
// Positions are apart. The ratio of object y to token x at position i is that of their
// probabilities given order[i]. A network would learn them.
func Example() {
	order := []int{3, 1, 4, 0, 2}
	n := len(order)
	process := sedd.Uniform{N: n}
	score := func(x []int32, sigma float64) ([]float32, error) {
		ratios := make([]float32, 0, len(x)*n)
		for i, token := range x {
			right := order[i%n]
			here := process.Transition(int(token), right, sigma)
			for y := range n {
				ratios = append(ratios, float32(process.Transition(y, right, sigma)/here))
			}
		}
		return ratios, nil
	}
	sampler := sedd.Sampler{Process: process, Noise: sedd.DefaultGeometric, Method: sedd.Analytic, Steps: 32}
	samples, err := sampler.Sample(100, n, 1, score)
	if err != nil {
		panic(err)
	}
	fmt.Println(samples.Tokens[0])
	fmt.Printf("%d of %d are permutations\n", samples.Permutations(), len(samples.Tokens))

	// Ratios that say nothing leave 5!/5⁵ = 3.8 % permutations.
	samples, err = sampler.Sample(10000, n, 1, func(x []int32, _ float64) ([]float32, error) {
		ratios := make([]float32, len(x)*n)
		for i := range ratios {
			ratios[i] = 1
		}
		return ratios, nil
	})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.0f %% are\n", 100*samples.Share())
	// Output:
	// [3 1 4 0 2]
	// 100 of 100 are permutations
	// 4 % are
}
