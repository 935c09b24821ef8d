package gumbelsinkhorn

// SearchSpace is what a grid search goes through.
type SearchSpace struct {
	LearningRates  []float64
	BatchSizes     []int
	HiddenChannels []int // of the CNN over the pieces
	KernelSizes    []int // pixels
	Taus           []float64
	Iterations     []int
	Samples        []int
}

// Paper returns the paper's (appendix "Baselines Implementation Details", table
// "Hyperparameter Search Space for the Gumbel-Sinkhorn Network"): 60 points. Which of them
// won it does not say.
func Paper() SearchSpace {
	return SearchSpace{
		LearningRates:  []float64{1e-3, 1e-4, 1e-5},
		BatchSizes:     []int{50},
		HiddenChannels: []int{64, 128},
		KernelSizes:    []int{3, 5},
		Taus:           []float64{0.2, 0.5, 1, 2, 5},
		Iterations:     []int{20},
		Samples:        []int{10},
	}
}
