package denoiser_test

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/riffle-ml/riffle/engine"
	"github.com/riffle-ml/riffle/internal/enginetest"
	"github.com/riffle-ml/riffle/perm"
)

// python finds a Python with PyTorch: $RIFFLE_PYTHON, or python3 on the path.
func python(t *testing.T) string {
	t.Helper()
	path, named := os.LookupEnv("RIFFLE_PYTHON")
	if !named {
		path = "python3"
	}
	if out, err := exec.Command(path, "-c", "import torch, safetensors.torch").CombinedOutput(); err != nil {
		if named {
			t.Fatalf("RIFFLE_PYTHON=%s: %v\n%s", path, err, out)
		}
		t.Skip("not compared with PyTorch: no python3 on the path can import torch and safetensors; RIFFLE_PYTHON names another one")
	}
	return path
}

// The networks in use for sorting four-digit numbers, from their starting weights.
func TestLivePyTorch(t *testing.T) {
	if testing.Short() {
		t.Skip("starts Python")
	}
	run := python(t)
	base := settings{
		N: 9, Law: "gpl", GPLRows: "dummies", Height: 28, Width: 112, Positions: "sinusoid",
		Dim: 128, Layers: 7, Heads: 8, FeedForward: 512, Dropout: 0.1,
	}
	cnn, window := base, base
	cnn.Encoder, cnn.Channels, cnn.Kernel, cnn.Hidden = "cnn", []int{32, 64}, 5, []int{}
	window.Encoder, window.Channels, window.Window, window.Hidden = "window", []int{16, 32}, 28, []int{64}
	pooled := window
	pooled.Channels, pooled.Kernel, pooled.Codes = []int{8, 16}, 3, 12
	networks := map[string]settings{"cnn": cnn, "window": window, "window, pooled": pooled}

	dir := t.TempDir()
	script, err := filepath.Abs("../bench/torch/scores.py")
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(run, script)
	weights, inputs := map[string]map[string]array{}, map[string]map[string]array{}
	for name, s := range networks {
		weights[name] = map[string]array{}
		rng := rand.New(rand.NewPCG(1, 2))
		for _, p := range s.network(t).Params() {
			flat := p.Initial(7)
			if strings.Contains(p.Name, ".bn") { // no statistics of 0 and 1
				for i := range flat {
					flat[i] += rng.Float32()
				}
			}
			weights[name][p.Name] = array{p.Shape, flat}
		}
		inputs[name] = randomImages(rng, 1, 2, s)
		about, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, name)
		writeArrays(t, file+".safetensors", weights[name], string(about))
		writeArrays(t, file+".inputs.safetensors", inputs[name], "")
		command.Args = append(command.Args, file)
	}
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", command.Args, err, out)
	}
	for name, s := range networks {
		t.Run(name, func(t *testing.T) {
			want, _ := readArrays(t, filepath.Join(dir, name+".scores.safetensors"))
			enginetest.Each(t, func(t *testing.T, e *engine.Engine) {
				in := inputs[name]
				got, _ := scoresAndLogProbs(t, e, s.network(t), newStore(t, weights[name]), false,
					in["objects"].tensor(), in["arrangements"].tensor(), in["arrangements"].tensor(), in["times"].tensor())
				agree(t, "scores", got, want["scores"].floats(), 1e-4)
			})
		})
	}
}

// randomImages are objects, arrangements and times for a network of images.
func randomImages(rng *rand.Rand, batch, states int, s settings) map[string]array {
	pixels := make([]uint8, batch*s.N*s.Height*s.Width)
	for i := range pixels {
		pixels[i] = uint8(rng.IntN(256))
	}
	var arrangements, times []int32
	for range batch * states {
		for _, k := range perm.Random(rng, s.N) {
			arrangements = append(arrangements, int32(k))
		}
		times = append(times, int32(1+rng.IntN(12)))
	}
	return map[string]array{
		"objects":      {[]int{batch, s.N, s.Height, s.Width}, pixels},
		"arrangements": {[]int{batch, states, s.N}, arrangements},
		"times":        {[]int{batch, states}, times},
	}
}
