package onnx

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// python finds a Python with ONNX Runtime: $RIFFLE_PYTHON, or python3 on the path.
func python(t *testing.T) string {
	t.Helper()
	path, named := os.LookupEnv("RIFFLE_PYTHON")
	if !named {
		path = "python3"
	}
	if out, err := exec.Command(path, "-c", "import numpy, onnxruntime").CombinedOutput(); err != nil {
		t.Skipf("not run by ONNX Runtime: %s cannot import numpy and onnxruntime (RIFFLE_PYTHON names another; bench/onnx-requirements.txt is what it needs): %v %.200s", path, err, out)
	}
	return path
}

// npy writes an array in NumPy's format, version 1.0 (numpy.org/neps/nep-0001-npy-format).
func npy[T float32 | int64](t *testing.T, path string, data []T, shape ...int) {
	t.Helper()
	kind := map[bool]string{true: "<f4", false: "<i8"}[fmt.Sprintf("%T", data) == "[]float32"]
	axes := ""
	for _, s := range shape {
		axes += fmt.Sprintf("%d,", s)
	}
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s)}", kind, axes)
	header += fmt.Sprintf("%*s", 63-(10+len(header))%64, "") + "\n"
	file := append([]byte("\x93NUMPY\x01\x00"), byte(len(header)), byte(len(header)>>8))
	file, err := binary.Append(append(file, header...), binary.LittleEndian, data)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, file, 0o666); err != nil {
		t.Fatal(err)
	}
}

func wide(x []int32) []int64 {
	out := make([]int64, len(x))
	for i, v := range x {
		out[i] = int64(v)
	}
	return out
}

// script runs each folder's models on its arrays and writes the scores.
const script = `
import sys, numpy, onnxruntime
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = options.inter_op_num_threads = 1
for folder, sizes in zip(sys.argv[1::2], sys.argv[2::2]):
    encoder = onnxruntime.InferenceSession(folder + "/encoder.onnx", options, providers=["CPUExecutionProvider"])
    denoiser = onnxruntime.InferenceSession(folder + "/denoiser.onnx", options, providers=["CPUExecutionProvider"])
    about = denoiser.get_modelmeta().custom_metadata_map
    assert about["schedule"] == "[0,2,5]" and about == encoder.get_modelmeta().custom_metadata_map, about
    for n in sizes.split(","):
        load = lambda name: numpy.load(f"{folder}/{n}.{name}.npy")
        embeddings, = encoder.run(None, {"objects": load("objects")})
        scores, = denoiser.run(None, {"embeddings": embeddings, "arrangement": load("arrangement"), "time": load("time")})
        scores.astype("<f4").tofile(f"{folder}/{n}.scores")
`

// ONNX Runtime computes the scores of package denoiser from the files, for sets of the size
// that the network is made for and for smaller ones.
func TestRuntime(t *testing.T) {
	path := python(t)
	sizes := []int{5, 3, 1}
	type run struct {
		want []float32
		file string
	}
	runs, args := map[string]run{}, []string{"-X", "utf8", "-c", script}
	for name, change := range cases {
		d, weights := network(t, change)
		dir := filepath.Join(t.TempDir(), name)
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		e, s := export(t, d, weights)
		for file, data := range map[string][]byte{EncoderFile: e, DenoiserFile: s} {
			if err := os.WriteFile(filepath.Join(dir, file), data, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		for _, n := range sizes {
			in, at := draw(&d.Config, n), func(what string) string { return filepath.Join(dir, fmt.Sprintf("%d.%s.npy", n, what)) }
			if in.floats != nil {
				npy(t, at("objects"), in.floats, in.shape...)
			} else {
				npy(t, at("objects"), wide(in.identities), in.shape...)
			}
			npy(t, at("arrangement"), wide(in.arrangements), batch, n)
			npy(t, at("time"), wide(in.times), batch)
			runs[fmt.Sprintf("%s, n = %d", name, n)] = run{wanted(t, d, weights, in), filepath.Join(dir, fmt.Sprintf("%d.scores", n))}
		}
		args = append(args, dir, strings.Trim(strings.Join(strings.Fields(fmt.Sprint(sizes)), ","), "[]"))
	}
	if out, err := exec.Command(path, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	worst := 0.0
	for name, r := range runs {
		raw, err := os.ReadFile(r.file)
		if err != nil {
			t.Fatal(err)
		}
		if len(raw) != 4*len(r.want) {
			t.Errorf("%s: %d bytes of scores, wanted %d", name, len(raw), 4*len(r.want))
			continue
		}
		for i, want := range r.want {
			got := math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
			if d := math.Abs(float64(got - want)); !(d <= 1e-4) { // NaN too
				t.Errorf("%s: score %d is %g, wanted %g", name, i, got, want)
				break
			} else {
				worst = max(worst, d)
			}
		}
	}
	t.Logf("%d networks and sizes, greatest difference %.2g", len(runs), worst)
}
