package text

import (
	"fmt"
	"strings"
)

// Rounded is a figure in a format, where what rounds to zero has no sign.
func Rounded(format string, v float64) string {
	s := fmt.Sprintf(format, v)
	if strings.Trim(s, "-0.") == "" {
		return strings.TrimPrefix(s, "-")
	}
	return s
}
