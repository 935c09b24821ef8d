package onnx

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/gomlx/gomlx/ml/model"

	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/diffusion"
	"github.com/riffle-ml/riffle/internal/enginetest"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/run"
	"github.com/riffle-ml/riffle/shuffle"
)

// docs/onnx_greedy.py finds the orders of package diffusion's greedy decoding.
func TestGreedyExample(t *testing.T) {
	path := python(t)
	const n = 5
	for _, name := range []string{"table", "cnn", "pl", "path", "cgpl", "path-points", "edges"} {
		t.Run(name, func(t *testing.T) {
			d, weights := network(t, cases[name])
			p := &diffusion.Process{Forward: shuffle.Riffle{}, Reverse: d.Config.Law, Steps: []int{0, 2, 5}, FixFirst: d.Config.Edges}
			if name == "pl" { // a schedule for each size, of which the largest's is not this one
				p.Sizes = func(n int) []int { return []int{0, 1, n} }
			}
			dir := t.TempDir()
			e, s := exportOf(t, d, p, weights)
			for file, data := range map[string][]byte{EncoderFile: e, DenoiserFile: s} {
				if err := os.WriteFile(filepath.Join(dir, file), data, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			in, objects := draw(&d.Config, n), filepath.Join(dir, "objects.npy")
			if in.floats != nil {
				npy(t, objects, in.floats, in.shape...)
			} else {
				npy(t, objects, wide(in.identities), in.shape...)
			}
			want := greedy(t, d, p, weights, in)
			cmd := exec.Command(path, filepath.Join("..", "docs", "onnx_greedy.py"), dir, objects)
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("%v\n%s", err, err.(*exec.ExitError).Stderr)
			}
			var got []perm.Order
			for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
				var o perm.Order
				if err := dec.Decode(&o); err != nil {
					t.Fatal(err)
				}
				got = append(got, o)
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("the example finds %v, package diffusion %v", got, want)
			}
		})
	}
}

func greedy(t *testing.T, d *denoiser.Denoiser, p *diffusion.Process, weights []run.Tensor, in *inputs) (orders []perm.Order) {
	t.Helper()
	store := model.NewStore()
	if err := run.IntoStore(store, d, weights, nil, nil); err != nil {
		t.Fatal(err)
	}
	dec, err := diffusion.NewDecoder(enginetest.Open(t, "go"), store, d, p)
	if err != nil {
		t.Fatal(err)
	}
	defer dec.Close()
	enc, err := dec.Encode(t.Context(), in.objects)
	if err != nil {
		t.Fatal(err)
	}
	var start []perm.Order
	for range batch {
		start = append(start, perm.Identity(in.n))
	}
	paths, err := dec.Greedy(t.Context(), enc, start)
	if err != nil {
		t.Fatal(err)
	}
	moved := false
	for _, p := range paths {
		orders = append(orders, p.Order())
		moved = moved || !reflect.DeepEqual(p.Order(), perm.Identity(in.n))
	}
	if !moved {
		t.Error("no set is put into another order: nothing is tested")
	}
	return orders
}
