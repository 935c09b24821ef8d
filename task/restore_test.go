package task

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
		r := &Ranking{config: config.Task{Name: "ranking", Items: "features", Features: 2, N: 2}}
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

// Whatever finite points cities have, the network sees them in the unit square, or about it:
// of three, one can be √(2·3) spreads away from the centre at most.
func FuzzPoints(f *testing.F) {
	f.Add(0.0, 1.0, 0.5, 0.25, 3.0, 4.0)
	f.Add(math.MaxFloat64, -math.MaxFloat64, 0.0, math.SmallestNonzeroFloat64, 1e-320, 0.0)
	f.Add(1e308, 1e308, 1e308, 1e308, 1e308, 1e308)
	f.Add(math.Copysign(0, -1), math.Inf(1), math.NaN(), 1.0, 2.0, 3.0)
	f.Fuzz(func(t *testing.T, a, b, c, d, e, g float64) {
		points := [][2]float64{{a, b}, {c, d}, {e, g}}
		for _, p := range points {
			if math.IsNaN(p[0]+p[1]) || math.IsInf(p[0], 0) || math.IsInf(p[1], 0) {
				t.Skip("no set has such points")
			}
		}
		var flat []float32
		fuzztest.Within(t, 1<<20, 0, 0, func() { flat = unit(points) })
		for _, v := range flat {
			if !(v >= 0 && v <= 1) {
				t.Fatalf("%v: a coordinate becomes %v", points, v)
			}
		}
		fuzztest.Within(t, 1<<20, 0, 0, func() { flat = spread(points) })
		for _, v := range flat {
			if !(math.Abs(float64(v)-0.5) <= math.Sqrt(6.0/12)+1e-6) {
				t.Fatalf("%v: spread, a coordinate becomes %v", points, v)
			}
		}
	})
}
