package denoiser

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/riffle-ml/riffle/engine"
	"github.com/riffle-ml/riffle/internal/enginetest"
	"github.com/riffle-ml/riffle/internal/near"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/reverse"
)

// small is a network of identities; change makes others of it.
func small(change func(*Config)) Config {
	c := Config{
		N: 5, Law: reverse.GeneralizedPlackettLuce{}, Encoder: EncoderConfig{Kind: "table"},
		Dim: 8, Layers: 2, Heads: 2, FeedForward: 12, GPLRows: "dummies", Positions: "sinusoid",
	}
	if change != nil {
		change(&c)
	}
	return c
}

func build(t *testing.T, c Config) *Denoiser {
	t.Helper()
	d, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// call runs a graph of one output with a network's starting weights.
func call(t *testing.T, e *engine.Engine, d *Denoiser, training bool, f func(c *Context, in []*graph.Node) *graph.Node, inputs ...*tensors.Tensor) []float32 {
	t.Helper()
	store := model.NewStore()
	if d != nil {
		if err := d.Init(store, 3); err != nil {
			t.Fatal(err)
		}
	}
	rng, err := graph.RNGStateFromSeed(5)
	if err != nil {
		t.Fatal(err)
	}
	exec, err := model.NewExec(e.Backend, store, func(_ *model.Scope, in []*graph.Node) *graph.Node {
		return f(NewContext(in[0].Graph(), store, training, in[0]), in[1:])
	})
	if err != nil {
		t.Fatal(err)
	}
	defer exec.Finalize()
	out, err := exec.Call1(append([]*tensors.Tensor{rng}, inputs...))
	if err != nil {
		t.Fatal(err)
	}
	return tensors.MustCopyFlatData[float32](out)
}

// forward gives the scores of one set: objects [1, n, …], arrangements, all at time 3.
func forward(t *testing.T, e *engine.Engine, d *Denoiser, training bool, objects *tensors.Tensor, arrangements ...perm.Order) []float32 {
	t.Helper()
	var flat, times []int32
	for _, o := range arrangements {
		for _, k := range o {
			flat = append(flat, int32(k))
		}
		times = append(times, 3)
	}
	return call(t, e, d, training, func(c *Context, in []*graph.Node) *graph.Node {
		return d.Scores(c, d.Encode(c, in[0]), in[1], in[2])
	}, objects, tensors.FromFlatDataAndDimensions(flat, 1, len(arrangements), len(arrangements[0])), tensors.FromFlatDataAndDimensions(times, len(times)))
}

func randomFloats(rng *rand.Rand, n int) []float32 {
	out := make([]float32, n)
	for i := range out {
		out[i] = rng.Float32()*2 - 1
	}
	return out
}

// Counted by hand from the layers: convolutions 832 + 51,264, batch norms 64 + 128, linear
// 12,544·128 + 128, time 49,408, seven layers of 198,272.
func TestNumParameters(t *testing.T) {
	d := build(t, Config{
		N: 9, Law: reverse.GeneralizedPlackettLuce{}, Dim: 128, Layers: 7, Heads: 8, FeedForward: 512,
		Encoder: EncoderConfig{Kind: "cnn", Height: 28, Width: 112, Channels: []int{32, 64}, Kernel: 5},
	})
	if got := d.NumParameters(); got != 3095360 {
		t.Errorf("got %d parameters, want 3095360", got)
	}
	transformer := 0
	for _, p := range d.Params() {
		if strings.HasPrefix(p.Name, "transformer.") {
			transformer += p.Size()
		}
	}
	if transformer != 1387904 {
		t.Errorf("got %d parameters in the transformer, want 1387904", transformer)
	}
}

// cos 5, cos(5·10000^(−1/128)) and sin 5.
func TestTimeEmbedding(t *testing.T) {
	enginetest.Each(t, func(t *testing.T, e *engine.Engine) {
		got := call(t, e, nil, false, func(_ *Context, in []*graph.Node) *graph.Node {
			return sinusoid(in[0], timeDim)
		}, tensors.FromFlatDataAndDimensions([]float32{5}, 1))
		near.AllWithin(t, "elements 0, 1, 128", []float32{got[0], got[1], got[128]}, []float32{0.283662, -0.059494, -0.958924}, 2e-6)
	})
}

// The paper's M (appendix on the architecture): 0 and −∞ for items, 0 and B for dummies.
func TestTokenMask(t *testing.T) {
	const no = masked
	want := []float32{
		0, 0, no, no, no,
		0, 0, no, no, no,
		0, 0, no, no, no,
		0, 0, 0, no, no,
		0, 0, 0, 0, no,
	}
	for _, from := range []int{0, 2} {
		got := call(t, enginetest.Open(t, "go"), nil, false, func(c *Context, _ []*graph.Node) *graph.Node { return tokenMask(c.Graph, 2, from, 5) })
		near.AllWithin(t, "mask", got, want[from*5:], 0)
	}
}

// One masked attention over items and dummies is the same as two without what the mask hides,
// in scores and, through training, in gradients.
func TestAttentionInOneOrTwo(t *testing.T) {
	defer func(before int) { fewItems = before }(fewItems)
	const rows, items, dim = 3, 5, 8
	enginetest.Each(t, func(t *testing.T, e *engine.Engine) {
		d := build(t, small(func(c *Config) { c.Dim, c.Heads, c.Layers, c.Dropout = dim, 2, 2, 0 }))
		x := tensors.FromFlatDataAndDimensions(randomFloats(rand.New(rand.NewPCG(1, 5)), rows*2*items*dim), rows, 2*items, dim)
		var results [][]float32
		for _, few := range []int{items, items - 1} {
			fewItems = few
			results = append(results, call(t, e, d, true, func(c *Context, in []*graph.Node) *graph.Node {
				y := d.transformer.apply(c, in[0], items, items, nil, nil)
				up := graph.Gradient(graph.ReduceAllSum(graph.Sin(y)), in[0])
				return graph.Concatenate([]*graph.Node{y, up[0]}, 0)
			}, x))
		}
		near.AllWithin(t, "in two", results[1], results[0], 2e-5)
	})
}

func TestArrange(t *testing.T) {
	const batch, states, n, dim = 2, 3, 6, 4
	rng := rand.New(rand.NewPCG(1, 1))
	x := randomFloats(rng, batch*n*dim)
	var orders []int32
	var want []float32
	for b := range batch {
		rows := slices.Collect(slices.Chunk(x[b*n*dim:(b+1)*n*dim], dim))
		for range states {
			o := perm.Random(rng, n)
			for _, k := range o {
				orders = append(orders, int32(k))
			}
			want = append(want, slices.Concat(perm.Act(o, rows)...)...)
		}
	}
	enginetest.Each(t, func(t *testing.T, e *engine.Engine) {
		got := call(t, e, nil, false, func(_ *Context, in []*graph.Node) *graph.Node { return Arrange(in[0], in[1]) },
			tensors.FromFlatDataAndDimensions(x, batch, n, dim), tensors.FromFlatDataAndDimensions(orders, batch, states, n))
		near.AllWithin(t, "arranged", got, want, 0)
	})
}

func TestCheckSize(t *testing.T) {
	points := func(positions string) Config {
		return small(func(c *Config) { c.Encoder.Kind, c.Positions = "points", positions })
	}
	for _, c := range []struct {
		config Config
		n      int
		want   string
	}{
		{points("sinusoid"), 50, ""},
		{points("none"), 50, ""},
		{points("learned"), 5, ""},
		{points("learned"), 3, ""},
		{points("learned"), 6, "got 6 objects, its learned positions end at 5"},
		{small(nil), 5, ""},
		{small(nil), 6, "got 6 objects, its table of identities ends at 5"},
	} {
		err := build(t, c.config).CheckSize(c.n)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%d objects: %v", c.n, err)
		case c.want != "" && (!errors.Is(err, ErrSize) || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%d objects: got %v, want %q", c.n, err, c.want)
		}
	}
}

func TestConfigErrors(t *testing.T) {
	for want, change := range map[string]func(*Config){
		"N: must be 1 to 65536 (got 0)":                                   func(c *Config) { c.N = 0 },
		"Law: missing":                                                    func(c *Config) { c.Law = nil },
		"Dim: must be even and 2 to 65536 (got 7)":                        func(c *Config) { c.Dim = 7 },
		"Layers: must be 1 to 1024 (got 0)":                               func(c *Config) { c.Layers = 0 },
		"Heads: must divide the embedding's 8 numbers (got 3)":            func(c *Config) { c.Heads = 3 },
		"Heads: must divide the embedding's 8 numbers (got 0)":            func(c *Config) { c.Heads = 0 },
		"FeedForward: must be 1 to 65536 (got -1)":                        func(c *Config) { c.FeedForward = -1 },
		"Dropout: must be 0 or more and below 1 (got 1)":                  func(c *Config) { c.Dropout = 1 },
		`Positions: unknown "x", wanted sinusoid, learned, first or none`: func(c *Config) { c.Positions = "x" },
		`GPLRows: unknown "x", wanted dummies or items`:                   func(c *Config) { c.GPLRows = "x" },
		`Encoder.Kind: unknown "x", wanted table, cnn, window, `:          func(c *Config) { c.Encoder.Kind = "x" },
		"Dim: must be a multiple of 4 with encoder points (got 6)":        func(c *Config) { c.Encoder.Kind, c.Dim = "points", 6 },
		"Encoder.Hidden: missing with encoder features":                   func(c *Config) { c.Encoder = EncoderConfig{Kind: "features", Features: 3} },
		"Encoder.Kind: features needs features of 1 or more (got 0)":      func(c *Config) { c.Encoder = EncoderConfig{Kind: "features", Hidden: []int{3}} },
		"Encoder.Kernel: must be odd and 1 to 99 with encoder cnn (got 4)": func(c *Config) {
			c.Encoder = EncoderConfig{Kind: "cnn", Height: 8, Width: 8, Kernel: 4, Channels: []int{2}}
		},
		"Encoder.Channels: 2 poolings leave nothing of 3×8 pixels": func(c *Config) {
			c.Encoder = EncoderConfig{Kind: "cnn", Height: 3, Width: 8, Kernel: 3, Channels: []int{2, 2}}
		},
		"Encoder.Hidden: missing with encoder window": func(c *Config) { c.Encoder = EncoderConfig{Kind: "window", Height: 8, Width: 8, Window: 4} },
		"Encoder.Kind: the window must divide the width of 9 pixels (got 4)": func(c *Config) {
			c.Encoder = EncoderConfig{Kind: "window", Height: 8, Width: 9, Window: 4, Hidden: []int{2}}
		},
		"Dropout: must be 0 or more and below 1 (got NaN)":               func(c *Config) { c.Dropout = math.NaN() },
		"Encoder.Dropout: must be 0 or more and below 1 (got NaN)":       func(c *Config) { c.Encoder.Dropout = math.NaN() },
		"Encoder.Hidden: wanted sizes of 1 to 65536 (got [-3])":          func(c *Config) { c.Encoder.Hidden = []int{-3} },
		"Encoder.Hidden: wanted sizes of 1 to 65536 (got [0])":           func(c *Config) { c.Encoder.Hidden = []int{0} },
		"Encoder.Channels: wanted sizes of 1 to 65536 (got [8 1048577])": func(c *Config) { c.Encoder.Channels = []int{8, 1<<20 + 1} },
		"Dim: must be even and 2 to 65536 (got 1048578)":                 func(c *Config) { c.Dim = 1<<20 + 2 },
		"Layers: must be 1 to 1024 (got 1048576)":                        func(c *Config) { c.Layers = 1 << 20 },
		"Encoder.Kernel: must be odd and 1 to 99 (got -1)":               func(c *Config) { c.Encoder.Kernel = -1 },
		"Encoder.Kernel: must be odd and 1 to 99 (got 1001)":             func(c *Config) { c.Encoder.Kernel = 1001 },
		"Encoder.Channels: missing with encoder cnn": func(c *Config) {
			c.Encoder = EncoderConfig{Kind: "cnn", Height: 8, Width: 8, Kernel: 5}
		},
		"model: more than 2147483648 parameters, encoder.fc2.weight": func(c *Config) {
			c.Encoder = EncoderConfig{Kind: "features", Features: 2, Hidden: []int{1 << 16, 1 << 16}}
		},
	} {
		if _, err := New(small(change)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func TestEnginesAgree(t *testing.T) {
	xla := enginetest.Open(t, "xla")
	rng := rand.New(rand.NewPCG(2, 2))
	const n = 12
	d := build(t, Config{
		N: n, Law: reverse.GeneralizedPlackettLuce{}, Dim: 64, Layers: 3, Heads: 4, FeedForward: 128,
		Encoder: EncoderConfig{Kind: "cnn", Height: 21, Width: 27, Channels: []int{16, 24}, Kernel: 5, Hidden: []int{40}},
	})
	images, orders := randomFloats(rng, n*21*27), []perm.Order{perm.Random(rng, n), perm.Random(rng, n)}
	on := func(e *engine.Engine) []float32 {
		return forward(t, e, d, false, tensors.FromFlatDataAndDimensions(images, 1, n, 21, 27), orders...)
	}
	near.AllWithin(t, "scores", on(enginetest.Open(t, "go")), on(xla), 1e-4)
}

// Convolutions and hidden layers read colour alike on both engines.
func TestEnginesAgreeOnColour(t *testing.T) {
	xla := enginetest.Open(t, "xla")
	rng := rand.New(rand.NewPCG(2, 3))
	const n = 4
	images, order := randomFloats(rng, n*9*10*3), perm.Random(rng, n)
	for _, encoder := range []EncoderConfig{
		{Kind: "cnn", Channels: []int{8}, Kernel: 3, Hidden: []int{20}},
		{Kind: "window", Channels: []int{4, 6}, Hidden: []int{20}, Window: 5},
		{Kind: "window", Channels: []int{4}, Kernel: 3, Hidden: []int{20}, Window: 5},
	} {
		encoder.Height, encoder.Width, encoder.Planes = 9, 10, 3
		d := build(t, small(func(c *Config) { c.Encoder = encoder }))
		on := func(e *engine.Engine) []float32 {
			return forward(t, e, d, false, tensors.FromFlatDataAndDimensions(images, 1, n, 9, 10, 3), order)
		}
		near.AllWithin(t, encoder.Kind, on(enginetest.Open(t, "go")), on(xla), 1e-4)
	}
}

// The planes of a colour image go into hidden layers one after the other, as PyTorch
// flattens: like a grey image that has them one below the other.
func TestColourGoesPlaneByPlane(t *testing.T) {
	e := enginetest.Open(t, "go")
	rng := rand.New(rand.NewPCG(2, 4))
	const n, height, width = 3, 4, 5
	grey := randomFloats(rng, n*3*height*width)
	colour := make([]float32, len(grey))
	for k := range n {
		for plane := range 3 {
			for p := range height * width {
				colour[(k*height*width+p)*3+plane] = grey[(k*3+plane)*height*width+p]
			}
		}
	}
	order := perm.Random(rng, n)
	network := func(height, planes int) *Denoiser {
		return build(t, small(func(c *Config) {
			c.Encoder = EncoderConfig{Kind: "window", Height: height, Width: width, Window: width, Planes: planes, Hidden: []int{7}}
		}))
	}
	want := forward(t, e, network(3*height, 1), false, tensors.FromFlatDataAndDimensions(grey, 1, n, 3*height, width), order)
	got := forward(t, e, network(height, 3), false, tensors.FromFlatDataAndDimensions(colour, 1, n, height, width, 3), order)
	near.AllWithin(t, "scores", got, want, 1e-6)
}

func TestDropout(t *testing.T) {
	const p, rows, columns = 0.1, 300, 500
	ones := slices.Repeat([]float32{1}, rows*columns)
	drop := func(t *testing.T, e *engine.Engine, training bool) []float32 {
		return call(t, e, nil, training, func(c *Context, in []*graph.Node) *graph.Node {
			return graph.Stack([]*graph.Node{c.dropout(in[0], p), c.dropout(in[0], p)}, 0)
		}, tensors.FromFlatDataAndDimensions(ones, rows, columns))
	}
	enginetest.Each(t, func(t *testing.T, e *engine.Engine) {
		near.AllWithin(t, "not training", drop(t, e, false), slices.Concat(ones, ones), 0)
		got := drop(t, e, true)
		if !slices.Equal(got, drop(t, e, true)) {
			t.Error("the same state gives other noise")
		}
		both, zeros, sum := 0, 0, 0.0
		for i, v := range got {
			switch {
			case v == 0:
				zeros++
				if i < len(ones) && got[i+len(ones)] == 0 {
					both++
				}
			case math.Abs(float64(v)-1/(1-p)) > 1e-6:
				t.Fatalf("element %d: got %g, want 0 or %g", i, v, 1/(1-p))
			}
			sum += float64(v)
		}
		total := float64(len(got))
		// Six standard deviations: √(0.1·0.9/300,000) = 0.00055 for the share, 0.00061 for
		// the mean, √(0.01·0.99/150,000) = 0.00026 for the share dropped in both.
		if share := float64(zeros) / total; math.Abs(share-p) > 0.0033 {
			t.Errorf("%g dropped, want %g", share, p)
		}
		if mean := sum / total; math.Abs(mean-1) > 0.0037 {
			t.Errorf("mean %g, want 1", mean)
		}
		if share := float64(both) / float64(len(ones)); math.Abs(share-p*p) > 0.0016 {
			t.Errorf("%g dropped by both of two dropouts, want %g", share, p*p)
		}
	})
}

// A network with dropout gives the same scores as one without, but not while training.
func TestDropoutInNetwork(t *testing.T) {
	e := enginetest.Open(t, "go")
	with, without := build(t, small(func(c *Config) { c.Dropout = 0.3 })), build(t, small(nil))
	objects := tensors.FromFlatDataAndDimensions([]int32{0, 1, 2, 3, 4}, 1, 5)
	order := perm.Order{2, 0, 3, 1, 4}
	want := forward(t, e, without, false, objects, order)
	near.AllWithin(t, "not training", forward(t, e, with, false, objects, order), want, 0)
	near.AllWithin(t, "training without dropout", forward(t, e, without, true, objects, order), want, 1e-5) // another softmax
	if slices.Equal(forward(t, e, with, true, objects, order), want) {
		t.Error("dropout does nothing while training")
	}
}

// Networks made for 5 objects take 1, 3 and 8.
func TestOtherSizes(t *testing.T) {
	e := enginetest.Open(t, "go")
	rng := rand.New(rand.NewPCG(3, 3))
	for _, law := range reverse.Laws() {
		for _, positions := range []string{"sinusoid", "none"} {
			d := build(t, small(func(c *Config) { c.Law, c.Positions, c.Encoder.Kind = law, positions, "points" }))
			for _, n := range []int{1, 3, 8} {
				points := tensors.FromFlatDataAndDimensions(randomFloats(rng, 2*n), 1, n, 2)
				got := forward(t, e, d, false, points, perm.Random(rng, n), perm.Random(rng, n))
				if want := 2 * law.NumScores(n); len(got) != want {
					t.Errorf("%s, %d objects: got %d scores, want %d", law.Name(), n, len(got), want)
				}
				if slices.ContainsFunc(got, func(v float32) bool { return v != v }) {
					t.Errorf("%s, %d objects: scores %v", law.Name(), n, got)
				}
			}
		}
	}
}

// Without positions, scores move with the objects: PL's places, columns of GPL "dummies"
// and rows of GPL "items".
func TestEquivariance(t *testing.T) {
	e := enginetest.Open(t, "go")
	rng := rand.New(rand.NewPCG(4, 4))
	const n = 5
	points := tensors.FromFlatDataAndDimensions(randomFloats(rng, 2*n), 1, n, 2)
	order := perm.Order{3, 0, 4, 1, 2}
	for _, law := range []reverse.Law{reverse.PlackettLuce{}, reverse.GeneralizedPlackettLuce{}} {
		for _, rows := range []string{"dummies", "items"} {
			d := build(t, small(func(c *Config) { c.Law, c.GPLRows, c.Positions, c.Encoder.Kind = law, rows, "none", "points" }))
			both := forward(t, e, d, false, points, perm.Identity(n), order)
			first, got := both[:len(both)/2], both[len(both)/2:]
			var want []float32
			switch {
			case law.Name() == "pl":
				want = perm.Act(order, first)
			case rows == "items":
				want = slices.Concat(perm.Act(order, slices.Collect(slices.Chunk(first, n)))...)
			default:
				for row := range slices.Chunk(first, n) {
					want = append(want, perm.Act(order, row)...)
				}
			}
			near.AllWithin(t, law.Name()+" "+rows, got, want, 1e-5)
		}
	}
}

// Starting values depend on the seed and the name of an array alone.
func TestInitial(t *testing.T) {
	byName := func(d *Denoiser, seed uint64) map[string][]float32 {
		out := map[string][]float32{}
		for _, p := range d.Params() {
			out[p.Name] = p.Initial(seed)
		}
		return out
	}
	one := byName(build(t, small(nil)), 1)
	other := byName(build(t, small(func(c *Config) { c.Law, c.Encoder.Kind, c.Layers = reverse.PlackettLuce{}, "points", 3 })), 1)
	again := byName(build(t, small(nil)), 2)
	shared := 0
	for name, values := range one {
		if v, ok := other[name]; ok {
			shared++
			if !slices.Equal(v, values) {
				t.Errorf("%s: starts otherwise in another network", name)
			}
		}
		if random := values[0] != 0 && values[0] != 1; random && slices.Equal(again[name], values) {
			t.Errorf("%s: starts the same with another seed", name)
		}
	}
	if shared != 28 { // two transformer layers of twelve arrays and the four of the time
		t.Errorf("%d arrays in both networks, want 28", shared)
	}
	if slices.Equal(one["transformer.layers.0.linear1.weight"], one["transformer.layers.1.linear1.weight"]) {
		t.Error("two layers start the same")
	}
}

// The go engine's convolution is a product of patches, in one piece or row by row; XLA's is
// its own. Both are held against the sum as it is written.
func TestConvolution(t *testing.T) {
	for _, c := range []struct{ kernel, stride, in, out, height, width int }{
		{3, 1, 1, 2, 6, 8},
		{5, 1, 2, 3, 7, 5},
		{5, 2, 1, 4, 9, 7},
		{3, 2, 4, 3, 8, 11},
		{7, 1, 32, 6, 7, 9}, // row by row: 7·7·32 > maxPatch
		{5, 2, 32, 4, 7, 8},
		{5, 1, 15, 6, 7, 9},
		{1, 1, 3, 2, 3, 1},
	} {
		t.Run(fmt.Sprintf("%d-%d-%dx%dx%d", c.kernel, c.stride, c.in, c.height, c.width), func(t *testing.T) {
			const images = 2
			rng := rand.New(rand.NewPCG(5, 5))
			r := &registry{}
			l := newConv(r, "c", c.in, c.out, c.kernel, c.stride, c.kernel/2)
			d := &Denoiser{params: r.params}
			w, x := l.w.Initial(3), randomFloats(rng, images*c.height*c.width*c.in)
			height, width := (c.height-1)/c.stride+1, (c.width-1)/c.stride+1
			var want []float32
			for image := range images {
				for y := range height {
					for z := range width {
						for o := range c.out {
							sum := 0.0
							for i := range c.in {
								for ky := range c.kernel {
									for kx := range c.kernel {
										py, px := y*c.stride+ky-c.kernel/2, z*c.stride+kx-c.kernel/2
										if py < 0 || py >= c.height || px < 0 || px >= c.width {
											continue
										}
										sum += float64(w[((o*c.in+i)*c.kernel+ky)*c.kernel+kx]) * float64(x[((image*c.height+py)*c.width+px)*c.in+i])
									}
								}
							}
							want = append(want, float32(sum))
						}
					}
				}
			}
			enginetest.Each(t, func(t *testing.T, e *engine.Engine) {
				got := call(t, e, d, false, func(ctx *Context, in []*graph.Node) *graph.Node { return l.apply(ctx, in[0]) },
					tensors.FromFlatDataAndDimensions(x, images, c.height, c.width, c.in))
				near.AllWithin(t, "convolution", got, want, 1e-5)
			})
		})
	}
}

// An odd last row or column is left out, as in torch.nn.functional.max_pool2d.
func TestMaxPool(t *testing.T) {
	got := call(t, enginetest.Open(t, "go"), nil, false, func(_ *Context, in []*graph.Node) *graph.Node { return maxPool2(in[0]) },
		tensors.FromFlatDataAndDimensions([]float32{
			1, 5, 2, 0, 9,
			3, 4, -1, 1, 9,
			9, 9, 9, 9, 9,
		}, 1, 3, 5, 1))
	near.AllWithin(t, "pooled", got, []float32{5, 2}, 0)
}

// Bytes are read as 0 to 1.
func TestPixels(t *testing.T) {
	got := call(t, enginetest.Open(t, "go"), nil, false, func(c *Context, _ []*graph.Node) *graph.Node {
		x := graph.ConvertDType(graph.Iota(c.Graph, shapes.Make(dtypes.Int32, 1, 1, 1, 256), 3), dtypes.Uint8)
		return pixels(x)
	})
	near.AllWithin(t, "pixels", []float32{got[0], got[51], got[255]}, []float32{0, 0.2, 1}, 1e-7)
}
