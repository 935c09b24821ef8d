// Package nearest finds the name that a mistyped one was meant to be.
package nearest

// Of returns the name of known that is the fewest edits (insert, delete,
// replace) from name; the first of equals.
func Of(name string, known []string) string {
	best, bestDist := "", -1
	for _, k := range known {
		if d := edits(name, k); bestDist < 0 || d < bestDist {
			best, bestDist = k, d
		}
	}
	return best
}

func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
