// Package jsonnum writes numbers in JSON, which has none that are not finite: they are the texts
// "Infinity", "-Infinity" and "NaN".
package jsonnum

import (
	"encoding/json"
	"fmt"
	"math"
)

// Number is a number that may not be finite.
type Number float64

// MarshalJSON implements json.Marshaler.
func (n Number) MarshalJSON() ([]byte, error) {
	switch v := float64(n); {
	case math.IsInf(v, 1):
		return []byte(`"Infinity"`), nil
	case math.IsInf(v, -1):
		return []byte(`"-Infinity"`), nil
	case math.IsNaN(v):
		return []byte(`"NaN"`), nil
	default:
		return json.Marshal(v)
	}
}

// UnmarshalJSON implements json.Unmarshaler.
func (n *Number) UnmarshalJSON(data []byte) error {
	switch string(data) {
	case `"Infinity"`:
		*n = Number(math.Inf(1))
	case `"-Infinity"`:
		*n = Number(math.Inf(-1))
	case `"NaN"`:
		*n = Number(math.NaN())
	default:
		var v float64
		if err := json.Unmarshal(data, &v); err != nil {
			return fmt.Errorf("wanted a number, \"Infinity\", \"-Infinity\" or \"NaN\" (got %.40s)", data)
		}
		*n = Number(v)
	}
	return nil
}
