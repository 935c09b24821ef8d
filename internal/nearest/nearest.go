// Package nearest finds the name that a mistyped one was meant to be.
package nearest

import (
	"fmt"
	"strings"
)

// What is compared at the most: the work grows with the lengths of both names, and with how many
// are known.
const (
	// MaxName is the longest name, in bytes, that has a nearest one or is one. Nobody mistypes
	// longer ones.
	MaxName = 100
	// MaxKnown is how many known names are looked at, the first ones.
	MaxKnown = 1000
)

// Of returns the name of known that is the fewest edits (insert, delete,
// replace, exchange of neighbours) from name; the first of equals. It is "" where name has more
// than [MaxName] bytes, and where nothing is known.
func Of(name string, known []string) string {
	if len(name) > MaxName {
		return ""
	}
	best, bestDist := "", -1
	for _, k := range known[:min(len(known), MaxKnown)] {
		if len(k) > MaxName {
			continue
		}
		if d := edits(name, k); bestDist < 0 || d < bestDist {
			best, bestDist = k, d
		}
	}
	return best
}

// Near is [Of] where the name may well be a slip of the keyboard. Then less than half of the longer
// of the two is edited. Upper and lower case are alike. Else it returns "": "nope" is no command
// mistyped.
func Near(name string, known []string) string {
	if len(name) > MaxName {
		return ""
	}
	lower := make(map[string]string, len(known))
	var folded []string
	for _, k := range known[:min(len(known), MaxKnown)] {
		l := strings.ToLower(k)
		if _, twice := lower[l]; !twice {
			lower[l] = k
			folded = append(folded, l)
		}
	}
	name = strings.ToLower(name)
	best := Of(name, folded)
	if 2*edits(name, best) >= max(len(name), len(best)) {
		return ""
	}
	return lower[best]
}

// Hint is what an error says of a name that is unknown: ", the nearest known is …", or "" where there
// is none.
func Hint(name string, known []string) string {
	if n := Of(name, known); n != "" {
		return fmt.Sprintf(", the nearest known is %q", n)
	}
	return ""
}

// edits counts insertions, deletions, replacements and exchanges of neighbours, none of them
// twice at one place.
func edits(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, last, row = last, row, before
		row[0] = i + 1
		for j := range len(b) {
			cost := last[j]
			if a[i] != b[j] {
				cost = 1 + min(last[j], last[j+1], row[j])
				if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
					cost = min(cost, 1+before[j-1])
				}
			}
			row[j+1] = cost
		}
	}
	return row[len(b)]
}
