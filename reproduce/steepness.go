package reproduce

import "github.com/riffle-ml/riffle/baseline/diffsort"

// steepness is the paper's setting of a sorting network for n objects.
func steepness(method string, n int) (network string, steep float64) {
	s := diffsort.Paper(method == "error-free-diffsort", n)
	return s.Network, s.Steepness
}
