package diffsort

import "math"

// Setting is a row of the paper's tables of hyperparameters.
type Setting struct {
	N            int     // items to sort
	Steepness    float64 // β, see [Swap]
	Network      string  // a name for [NetworkByName]
	LossWeight   float64 // of [ObjectLoss]; 0 for DiffSort, which has none
	LearningRate float64
}

var errorFreeSettings = []Setting{
	{3, 10, "odd-even", 1, 1e-4},
	{5, 26, "odd-even", 1, 1e-4},
	{7, 31, "odd-even", 1, 1e-4},
	{9, 34, "odd-even", 1, 1e-4},
	{15, 25, "odd-even", 0.1, 1e-4},
	{32, 124, "odd-even", 0.1, 1e-4},
	{52, 130, "bitonic", 0.1, diffsortRate},
	{100, 140, "bitonic", 0.1, diffsortRate},
	{200, 200, "bitonic", 0.1, 1e-4},
}

// diffsortRate is 10^−3.5.
var diffsortRate = math.Pow(10, -3.5)

var diffsortSettings = []Setting{
	{3, 6, "odd-even", 0, diffsortRate},
	{5, 20, "odd-even", 0, diffsortRate},
	{7, 29, "odd-even", 0, diffsortRate},
	{9, 32, "odd-even", 0, diffsortRate},
	{15, 25, "odd-even", 0, diffsortRate},
	{32, 25, "bitonic", 0, diffsortRate},
	{52, 25, "bitonic", 0, diffsortRate},
	{100, 25, "bitonic", 0, diffsortRate},
	{200, 200, "bitonic", 0, diffsortRate},
}

// Paper returns the paper's setting for sorting n four-digit numbers (appendix "Baselines
// Implementation Details", tables "Hyperparameters for Error-Free Diffsort" and "… for Diffsort").
// They list n = 3, 5, 7, 9, 15, 32, 52, 100, 200. For another n it is the row of the nearest
// length, the shorter of two, as in the paper for jigsaw puzzles. N of the result says which.
func Paper(errorFree bool, n int) Setting {
	rows := diffsortSettings
	if errorFree {
		rows = errorFreeSettings
	}
	best := rows[0]
	for _, r := range rows[1:] {
		if n-best.N > r.N-n { // rows rise
			best = r
		}
	}
	return best
}
