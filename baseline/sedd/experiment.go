package sedd

// Experiment is a row of the paper's comparison with SEDD: learning a distribution that
// is a single order (appendix "Additional Synthetic Experiment: Learning a Single
// Permutation List", hyperparameters in "Training Details and Architecture
// Hyperparameters").
type Experiment struct {
	Name       string
	N          int     // objects, and tokens
	Batch      int     // sequences a training step
	TrainSteps int     //
	Samples    int     // sequences drawn to judge
	Accuracy   float64 // SEDD's exact sequences in the paper's table, %
	Correct    float64 // SEDD's right positions there, %
}

// Experiments returns the paper's three rows. All use [Uniform]. Of the noise, the
// sampler, its steps and the optimiser the paper says nothing; the published
// configuration of SEDD's authors has [DefaultGeometric], t drawn from [1e-3, 1] in
// training, [Euler] with 128 steps, AdamW with rate 3e-4, β (0.9, 0.999), no decay, 2500
// steps of linear warm-up, gradients clipped to 1, and samples from weights averaged
// with 0.9999.
func Experiments() []Experiment {
	return []Experiment{
		{"identity", 100, 512, 30000, 2560, 95.47, 99.95},
		{"arbitrary", 100, 512, 30000, 2560, 93.24, 99.93},
		{"arbitrary", 200, 128, 30000, 2560, 88.75, 99.94},
	}
}

// Network is the size of the transformer of the paper's SEDD baseline.
type Network struct {
	Layers, Heads, Dim, FeedForward int
	Dropout                         float64
}

// PaperNetwork is the one of the paper's [Experiments], about 25 million parameters.
var PaperNetwork = Network{Layers: 7, Heads: 8, Dim: 512, FeedForward: 2048, Dropout: 0.1}
