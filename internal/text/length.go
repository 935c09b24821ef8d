package text

import "strconv"

// Length is a length as people read it: integers whole, others to ten digits.
func Length(v float64) string { return strconv.FormatFloat(v, 'g', 10, 64) }
