package onnx

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/diffusion"
	"github.com/riffle-ml/riffle/internal/enginetest"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/reverse"
	"github.com/riffle-ml/riffle/run"
	"github.com/riffle-ml/riffle/shuffle"
)

var (
	gpl = reverse.GeneralizedPlackettLuce{}
	pl  = reverse.PlackettLuce{}
)

// cases are small networks of every kind of encoder, law, GPL rows and positions.
var cases = map[string]func(c *denoiser.Config){
	"table":   func(*denoiser.Config) {},
	"rows":    func(c *denoiser.Config) { c.GPLRows = "items" },
	"learned": func(c *denoiser.Config) { c.Positions = "learned" },
	"none":    func(c *denoiser.Config) { c.Positions = "none" },
	"path":    func(c *denoiser.Config) { c.Law = reverse.TransitionPlackettLuce{} },
	"cgpl":    func(c *denoiser.Config) { c.Law = reverse.ContextualPlackettLuce{} },
	"path-first-pre": func(c *denoiser.Config) {
		c.Law, c.Positions, c.Norm = reverse.TransitionPlackettLuce{}, "first", "pre"
	},
	"path-points": func(c *denoiser.Config) { // of which no two are equal, as some identities are
		c.Law, c.Positions, c.Norm, c.Encoder = reverse.TransitionPlackettLuce{}, "first", "pre", denoiser.EncoderConfig{Kind: "points", Points: "unit"}
	},
	"gpl-first": func(c *denoiser.Config) { c.Positions = "first" },
	"pl":        func(c *denoiser.Config) { c.Law = pl },
	"direct":    func(c *denoiser.Config) { c.Law, c.Score = pl, "direct" },
	"sum":       func(c *denoiser.Config) { c.Law, c.Score = pl, "sum" },
	"pl-none":   func(c *denoiser.Config) { c.Law, c.Positions = pl, "none" },
	"irs":       func(c *denoiser.Config) { c.Law, c.Positions = reverse.InverseRiffle{}, "learned" },
	"ii":        func(c *denoiser.Config) { c.Law = reverse.InverseInsertion{} },
	"it":        func(c *denoiser.Config) { c.Law = reverse.InverseTransposition{} },
	"it-none":   func(c *denoiser.Config) { c.Law, c.Positions = reverse.InverseTransposition{}, "none" },
	"features": func(c *denoiser.Config) {
		c.Encoder = denoiser.EncoderConfig{Kind: "features", Features: 3, Hidden: []int{6, 5}}
	},
	"points": func(c *denoiser.Config) { c.Encoder = denoiser.EncoderConfig{Kind: "points"} },
	"cnn": func(c *denoiser.Config) { // sides that do not halve
		c.Encoder = denoiser.EncoderConfig{Kind: "cnn", Height: 7, Width: 9, Channels: []int{3, 4}, Kernel: 5}
	},
	"cnn-colour": func(c *denoiser.Config) {
		c.Encoder = denoiser.EncoderConfig{Kind: "cnn", Height: 6, Width: 4, Planes: 3, Channels: []int{3}, Kernel: 3, Hidden: []int{7}}
	},
	"window": func(c *denoiser.Config) { // sides that a stride does not divide
		c.Encoder = denoiser.EncoderConfig{Kind: "window", Height: 9, Width: 14, Window: 7, Channels: []int{3, 2}, Hidden: []int{6, 5}}
	},
	"window-pooled": func(c *denoiser.Config) { // sides that do not halve
		c.Encoder = denoiser.EncoderConfig{Kind: "window", Height: 7, Width: 10, Window: 5, Channels: []int{3, 4}, Kernel: 3, Hidden: []int{6}}
	},
	"window-codes": func(c *denoiser.Config) {
		c.Encoder = denoiser.EncoderConfig{Kind: "window", Height: 4, Width: 10, Window: 5, Hidden: []int{6}, Codes: 3}
	},
	"window-colour": func(c *denoiser.Config) {
		c.Encoder = denoiser.EncoderConfig{Kind: "window", Height: 4, Width: 10, Window: 5, Planes: 3, Hidden: []int{6}}
	},
	"pairs": func(c *denoiser.Config) {
		c.Encoder, c.Pairs = denoiser.EncoderConfig{Kind: "cnn", Height: 3, Width: 4, Planes: 3, Channels: []int{3}, Kernel: 3}, "borders"
	},
	"pairs-pl": func(c *denoiser.Config) { // a line of pixels
		c.Encoder, c.Pairs, c.Law = denoiser.EncoderConfig{Kind: "window", Height: 1, Width: 5, Window: 5, Hidden: []int{6}}, "borders", pl
	},
	"pairs-it": func(c *denoiser.Config) {
		c.Encoder, c.Pairs, c.Law = denoiser.EncoderConfig{Kind: "window", Height: 2, Width: 5, Window: 5, Hidden: []int{6}}, "borders", reverse.InverseTransposition{}
	},
	"edges": func(c *denoiser.Config) { c.Encoder, c.Edges = denoiser.EncoderConfig{Kind: "points"}, true },
	"edges-deep": func(c *denoiser.Config) {
		c.Encoder, c.Edges, c.Layers, c.GPLRows = denoiser.EncoderConfig{Kind: "points"}, true, 4, "items"
	},
	"edges-it": func(c *denoiser.Config) {
		c.Encoder, c.Edges, c.Law = denoiser.EncoderConfig{Kind: "points"}, true, reverse.InverseTransposition{}
	},
	"edges-pl": func(c *denoiser.Config) {
		c.Encoder, c.Edges, c.Law, c.Positions = denoiser.EncoderConfig{Kind: "points"}, true, pl, "none"
	},
}

// network builds a case, with weights drawn so that none is what it starts as.
func network(t testing.TB, change func(*denoiser.Config)) (*denoiser.Denoiser, []run.Tensor) {
	t.Helper()
	c := denoiser.Config{N: 5, Law: gpl, Encoder: denoiser.EncoderConfig{Kind: "table"}, Dim: 8, Layers: 2, Heads: 2, FeedForward: 12, Dropout: 0.5}
	change(&c)
	d, err := denoiser.New(c)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	var weights []run.Tensor
	for _, p := range d.Params() {
		data := p.Initial(3)
		for i := range data {
			data[i] += float32(0.3 * rng.Float64()) // variances stay above 0
		}
		weights = append(weights, run.Tensor{Name: p.Name, Shape: p.Shape, Data: data})
	}
	return d, weights
}

func export(t testing.TB, d *denoiser.Denoiser, weights []run.Tensor) (encoder, scores []byte) {
	t.Helper()
	p := &diffusion.Process{Forward: shuffle.Riffle{}, Reverse: d.Config.Law, Steps: []int{0, 2, 5}, FixFirst: d.Config.Edges}
	return exportOf(t, d, p, weights)
}

func exportOf(t testing.TB, d *denoiser.Denoiser, p *diffusion.Process, weights []run.Tensor) (encoder, scores []byte) {
	t.Helper()
	e, s, err := Export(d, p, weights)
	if err != nil {
		t.Fatal(err)
	}
	var eb, sb bytes.Buffer
	for m, b := range map[*Model]*bytes.Buffer{e: &eb, s: &sb} {
		if n, err := m.WriteTo(b); err != nil || int(n) != b.Len() {
			t.Fatal(n, err)
		}
	}
	return eb.Bytes(), sb.Bytes()
}

// inputs of a call: 3 sets of n objects, in arrangements, at times.
type inputs struct {
	n                    int
	floats               []float32 // objects, or
	identities           []int32
	shape                []int
	arrangements, times  []int32
	objects, order, time *tensors.Tensor
}

const batch = 3

func draw(c *denoiser.Config, n int) *inputs {
	rng := rand.New(rand.NewPCG(7, uint64(n)))
	e, in := c.Encoder, &inputs{n: n, shape: []int{batch, n}}
	switch e.Kind {
	case "points":
		in.shape = append(in.shape, 2)
	case "features":
		in.shape = append(in.shape, e.Features)
	case "cnn", "window":
		in.shape = append(in.shape, e.Height, e.Width)
		if e.Planes > 1 {
			in.shape = append(in.shape, e.Planes)
		}
	}
	size := 1
	for _, s := range in.shape {
		size *= s
	}
	for range size {
		in.floats = append(in.floats, rng.Float32())
		in.identities = append(in.identities, int32(rng.IntN(c.N)))
	}
	in.objects = tensors.FromFlatDataAndDimensions(in.floats, in.shape...)
	if e.Kind == "table" {
		in.objects, in.floats = tensors.FromFlatDataAndDimensions(in.identities, in.shape...), nil
	}
	for range batch {
		for _, k := range perm.Random(rng, n) {
			in.arrangements = append(in.arrangements, int32(k))
		}
		in.times = append(in.times, int32(1+rng.IntN(12)))
	}
	in.order = tensors.FromFlatDataAndDimensions(in.arrangements, batch, 1, n)
	in.time = tensors.FromFlatDataAndDimensions(in.times, batch, 1)
	return in
}

// wanted are the scores that package denoiser gives on the go engine.
func wanted(t *testing.T, d *denoiser.Denoiser, weights []run.Tensor, in *inputs) []float32 {
	t.Helper()
	e, store := enginetest.Open(t, "go"), model.NewStore()
	if err := run.IntoStore(store, d, weights, nil, nil); err != nil {
		t.Fatal(err)
	}
	exec, err := model.NewExec(e.Backend, store, func(_ *model.Scope, in []*graph.Node) *graph.Node {
		c := denoiser.NewContext(in[0].Graph(), store, false, nil)
		return d.Scores(c, d.Encode(c, in[0]), in[1], in[2])
	})
	if err != nil {
		t.Fatal(err)
	}
	defer exec.Finalize()
	out, err := exec.Call1([]*tensors.Tensor{in.objects, in.order, in.time})
	if err != nil {
		t.Fatal(err)
	}
	return tensors.MustCopyFlatData[float32](out)
}

func TestExportErrors(t *testing.T) {
	d, weights := network(t, cases["table"])
	cut := slices.Clone(weights)
	cut[1].Data = cut[1].Data[1:]
	baseline, err := denoiser.New(denoiser.Config{N: 3, Head: "score", Encoder: denoiser.EncoderConfig{Kind: "table"}, Dim: 4, Heads: 1, FeedForward: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		d       *denoiser.Denoiser
		weights []run.Tensor
		want    string
	}{
		{d, weights[1:], "onnx: encoder.weight: wanted shape [5 8] (got [], 0 values)"},
		{d, cut, "onnx: time_embedding.0.weight: wanted shape [8 256] (got [8 256], 2047 values)"},
		{baseline, nil, `onnx: wanted the network of method diffusion, which gives a law's scores (got one that gives "score")`},
	} {
		if _, _, err := Export(c.d, &diffusion.Process{}, c.weights); err == nil || err.Error() != c.want {
			t.Errorf("got  %v\nwant %s", err, c.want)
		}
	}
}

// The order of the weights does not matter, and the same network gives the same bytes.
// noted is an encoder of somebody's own.
type noted struct{ notes *denoiser.Param }

func (e noted) Encode(c *denoiser.Context, x *graph.Node) *graph.Node {
	return graph.ExpandAxes(c.Value(e.notes), 0)
}

// An encoder that this package does not know is refused, not written as another one.
func TestExportRefusesOwnEncoder(t *testing.T) {
	d, err := denoiser.New(denoiser.Config{
		N: 4, Law: reverse.PlackettLuce{}, Dim: 8, Layers: 1, Heads: 2, FeedForward: 8,
		Encoder: denoiser.EncoderConfig{Kind: "own", New: func(w *denoiser.Weights, dim int) (denoiser.Encoder, error) {
			return noted{w.Normal("notes", 1, 4, dim)}, nil
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	p := &diffusion.Process{Forward: shuffle.Riffle{}, Reverse: reverse.PlackettLuce{}, Steps: []int{0, 7}}
	if _, _, err := Export(d, p, nil); err == nil || !strings.HasPrefix(err.Error(), `onnx: encoder "own" has no ONNX form`) {
		t.Errorf("got %v", err)
	}
}

func TestExportIsDeterministic(t *testing.T) {
	d, weights := network(t, cases["edges"])
	e, s := export(t, d, weights)
	slices.Reverse(weights)
	e2, s2 := export(t, d, weights)
	if !bytes.Equal(e, e2) || !bytes.Equal(s, s2) {
		t.Error("the files differ")
	}
}

// Every weight is in one of the files, under its name, and in no more than one.
func TestExportHasEveryWeight(t *testing.T) {
	for name, change := range cases {
		d, weights := network(t, change)
		e, s := export(t, d, weights)
		inEncoder, inScores := parse(t, e).initializers, parse(t, s).initializers
		for _, w := range weights {
			wantEncoder := strings.HasPrefix(w.Name, "encoder.")
			a, b := inEncoder[w.Name], inScores[w.Name]
			if (a != nil) != wantEncoder || (b != nil) == wantEncoder {
				t.Errorf("%s: %s: in the encoder %v, in the denoiser %v", name, w.Name, a != nil, b != nil)
				continue
			}
			if a == nil {
				a = b
			}
			if !slices.Equal(a.shape, w.Shape) || !bytes.Equal(a.raw, littleEndian(w.Data)) {
				t.Errorf("%s: %s: shape %v and other values, wanted %v", name, w.Name, a.shape, w.Shape)
			}
		}
	}
}

// littleEndian is how ONNX keeps float32 numbers.
func littleEndian(data []float32) (raw []byte) {
	for _, v := range data {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
	}
	return raw
}
