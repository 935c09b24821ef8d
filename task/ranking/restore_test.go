package ranking

import (
	"math"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/internal/fuzztest"
)

// A run's items.json comes from anywhere. It is refused, or what the network sees of any
// features is finite.
func FuzzRestore(f *testing.F) {
	for _, s := range []string{
		`{"mean":[0,1],"deviation":[1,0]}`, `{"mean":[1e308,-1e308],"deviation":[5e-324,1e308]}`, `{"mean":[1,2],"deviation":[-1,-1e-300]}`, "null", `{"mean":null}`,
		`{"mean":[1e999,0],"deviation":[1,1]}`, `{"mean":[NaN,0],"deviation":[1,1]}`, `{"names":[` + strings.Repeat("[", 20_000), `{"mean":[1,2],"mean":[1],"deviation":[1,1]}`, "\xff",
		`{"mean":[0,1],"deviation":[1,0],"knots":[[-1e30,1e30],[0,5e-324]],"scores":[[-10,10],[10,-10]]}`, `{"mean":[0,1],"deviation":[1,0],"knots":[[],[1]],"scores":[null,[1e308]]}`,
	} {
		f.Add([]byte(s), false)
		f.Add([]byte(s), true)
	}
	sets := []*dataset.Set{{Kind: dataset.KindFeatures, Items: []dataset.Item{
		{Features: []float64{math.MaxFloat64, -math.MaxFloat64}}, {Features: []float64{0, math.SmallestNonzeroFloat64}},
	}}}
	f.Fuzz(func(t *testing.T, data []byte, quantiles bool) {
		r := &Task{config: config.Task{Name: "ranking", Items: "features", Features: 2, N: 2}}
		if quantiles {
			r.config.Scale = "quantile"
		}
		var err error
		fuzztest.Within(t, 1<<20, 1<<10, len(data), func() { err = r.parseScale(data, "x/items.json") })
		if err != nil {
			if !strings.HasPrefix(err.Error(), "x/items.json") {
				t.Fatalf("%v: does not name the file", err)
			}
			return
		}
		objects, _, err := r.Objects(t.Context(), sets)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range tensors.MustCopyFlatData[float32](objects) {
			if !(v >= -cutOff && v <= cutOff) {
				t.Fatalf("feature %d is %v, wanted at most %d", i, v, cutOff)
			}
		}
	})
}
