package engine

import (
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// told is what a process with some of the processor's instructions switched off says.
type told struct {
	Parts
	Engine   string
	Warnings []string
	Product  []float32 // [12, 12]
}

// TestProduct multiplies two matrices and prints what came out, for the test below.
func TestProduct(t *testing.T) {
	if os.Getenv("RIFFLE_TEST_PRODUCT") == "" {
		t.Skip("is run by TestWithoutVectors")
	}
	e, err := Open("go")
	if err != nil {
		t.Fatal(err)
	}
	x := make([]float32, 12*37)
	for i := range x {
		x[i] = float32(i%17) - 7.25
	}
	out := graph.MustExecOnce(e.Backend, func(x *graph.Node) *graph.Node {
		return graph.MatMul(x, graph.Transpose(x, 0, 1))
	}, tensors.FromFlatDataAndDimensions(x, 12, 37))
	flat, err := tensors.CopyFlatData[float32](out)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(told{Built(), e.String(), e.Warnings, flat}); err != nil {
		t.Fatal(err)
	}
}

// Where a processor has no AVX-512, or no AVX2 either, products are right and it is said that they
// are slower. Go's variable GODEBUG switches the instructions off.
func TestWithoutVectors(t *testing.T) {
	if runtime.GOARCH != "amd64" || !simdEnabled || vectors() == "" {
		t.Skip("this processor or this build has no SIMD for products")
	}
	all := product(t, "")
	for off, want := range map[string]string{"cpu.avx512f=off": "AVX2", "cpu.avx512f=off,cpu.avx2=off": ""} {
		got := product(t, off)
		if got.SIMD != want {
			t.Errorf("%s: SIMD %q, wanted %q", off, got.SIMD, want)
		}
		if slow := strings.Contains(strings.Join(got.Warnings, "\n"), "neither AVX-512 nor AVX2"); slow != (want == "") {
			t.Errorf("%s: warnings %q", off, got.Warnings)
		}
		for i, v := range got.Product {
			if math.Abs(float64(v-all.Product[i])) > 1e-3 { // of sums of 37 numbers up to 80
				t.Fatalf("%s: product %d is %v, wanted %v", off, i, v, all.Product[i])
			}
		}
	}
}

func product(t *testing.T, off string) (got told) {
	t.Helper()
	command := exec.Command(os.Args[0], "-test.run=^TestProduct$")
	command.Env = append(os.Environ(), "RIFFLE_TEST_PRODUCT=1", "GODEBUG="+off)
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	line, _, _ := strings.Cut(string(out), "\n")
	if err := json.Unmarshal([]byte(line), &got); err != nil || len(got.Product) != 144 {
		t.Fatalf("%v: %s", err, out)
	}
	return got
}
