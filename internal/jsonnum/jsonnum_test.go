package jsonnum

import (
	"encoding/json"
	"math"
	"testing"
)

func TestNumber(t *testing.T) {
	for text, v := range map[string]float64{"-1.5": -1.5, "0": 0, `"Infinity"`: math.Inf(1), `"-Infinity"`: math.Inf(-1), `"NaN"`: math.NaN()} {
		data, err := json.Marshal(Number(v))
		if err != nil || string(data) != text {
			t.Errorf("%g is written %s, %v, wanted %s", v, data, err, text)
		}
		var n Number
		if err := json.Unmarshal([]byte(text), &n); err != nil || float64(n) != v && !(math.IsNaN(v) && math.IsNaN(float64(n))) {
			t.Errorf("%s is read as %g, %v", text, n, err)
		}
	}
	var n Number
	if err := json.Unmarshal([]byte(`"inf"`), &n); err == nil {
		t.Error(`"inf" is read`)
	}
}
