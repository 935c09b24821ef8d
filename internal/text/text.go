// Package text writes numbers for people.
package text

import "fmt"

// Thousands writes 3095360 as 3,095,360.
func Thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
