package shuffle

import "math/big"

// Eulerian returns the Eulerian numbers A(n, 1) … A(n, n), the number of orders
// of n items with r = 1 … n rising sequences, at places 0 … n−1:
//
//	A(n, r) = r·A(n−1, r) + (n−r+1)·A(n−1, r−1),  A(1, 1) = 1
//
// (paper §3.4). They sum to n! and read the same backwards. It is empty for
// n ≤ 0.
func Eulerian(n int) []*big.Int {
	if n <= 0 {
		return nil
	}
	row := make([]*big.Int, n)
	for i := range row {
		row[i] = new(big.Int)
	}
	row[0].SetInt64(1)
	var factor, left big.Int
	for m := 2; m <= n; m++ {
		for r := m; r >= 2; r-- { // downwards, so row[r−2] still belongs to m−1
			left.Mul(row[r-2], factor.SetInt64(int64(m-r+1)))
			row[r-1].Mul(row[r-1], factor.SetInt64(int64(r)))
			row[r-1].Add(row[r-1], &left)
		}
	}
	return row
}
