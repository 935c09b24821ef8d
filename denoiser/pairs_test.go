package denoiser

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/riffle-ml/riffle/engine"
	"github.com/riffle-ml/riffle/internal/enginetest"
	"github.com/riffle-ml/riffle/internal/near"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/reverse"
)

const (
	tileHeight = 3
	tileWidth  = 4
	tilePlanes = 3
	tileSize   = tileHeight * tileWidth * tilePlanes
)

func smallPairs(change func(*Config)) Config {
	return small(func(c *Config) {
		c.Encoder = EncoderConfig{Kind: "window", Height: tileHeight, Width: tileWidth, Window: tileWidth, Planes: tilePlanes, Hidden: []int{6}}
		c.Pairs, c.Positions = "borders", "none"
		if change != nil {
			change(c)
		}
	})
}

func tilesOf(flat []float32, sets int) *tensors.Tensor {
	return tensors.FromFlatDataAndDimensions(flat, sets, len(flat)/tileSize/sets, tileHeight, tileWidth, tilePlanes)
}

// tile is one of an image, as the definitions of the features have it.
type tile []float32

func (x tile) at(y, column, plane int) float64 {
	return float64(x[(y*tileWidth+column)*tilePlanes+plane])
}

// turned exchanges rows and columns, so that below is beside.
func turned(flat []float32) func(y, column, plane int) float64 {
	return func(y, column, plane int) float64 { return tile(flat).at(column, y, plane) }
}

// fit are the three logs G of tile b to the right of tile a, from the definition.
func fit(a, b func(y, column, plane int) float64, height, width int) [3]float64 {
	step := func(y, p int) float64 { return a(y, width-1, p) - b(y, 0, p) }
	var sums [3]float64
	for y := range height {
		for p := range tilePlanes {
			led := step(y, p) + (a(y, width-1, p)-a(y, width-2, p))/2 - (b(y, 0, p)-b(y, 1, p))/2
			sums[0] += step(y, p) * step(y, p)
			sums[1] += led * led
			if y+1 < height {
				change := step(y, p) - step(y+1, p)
				sums[2] += change * change
			}
		}
	}
	all := float64(height * tilePlanes)
	counts := [3]float64{all, all, float64((height - 1) * tilePlanes)}
	for i := range sums {
		sums[i] = math.Log(BorderNoise + sums[i]/counts[i])
	}
	return sums
}

// hostFits are the 12 matrices G of n tiles.
func hostFits(flat []float32, n int) (all [12][][]float64) {
	for k := range all {
		all[k] = make([][]float64, n)
		for i := range n {
			all[k][i] = make([]float64, n)
		}
	}
	for i := range n {
		for j := range n {
			a, b := flat[i*tileSize:(i+1)*tileSize], flat[j*tileSize:(j+1)*tileSize]
			beside := fit(tile(a).at, tile(b).at, tileHeight, tileWidth)
			below := fit(turned(a), turned(b), tileWidth, tileHeight)
			for m := range 3 {
				all[m][i][j], all[3+m][j][i] = beside[m], beside[m]
				all[6+m][i][j], all[9+m][j][i] = below[m], below[m]
			}
		}
	}
	return all
}

// hostFeatures are the features of pairs [n, n, 24] and of tiles [n, 24].
func hostFeatures(flat []float32, n int) (ofPairs, ofTiles []float32) {
	ofPairs, ofTiles = make([]float32, n*n*24), make([]float32, n*24)
	for k, g := range hostFits(flat, n) {
		mean := 0.0
		for i := range n {
			for j := range n {
				if i != j {
					mean += g[i][j] / float64(n*(n-1))
				}
			}
		}
		row := func(i int) float64 {
			best := math.Inf(1)
			for j := range n {
				if j != i {
					best = min(best, g[i][j])
				}
			}
			return best
		}
		column := func(j int) float64 {
			best := math.Inf(1)
			for i := range n {
				if i != j {
					best = min(best, g[i][j])
				}
			}
			return best
		}
		for i := range n {
			product := math.Inf(1)
			for j := range n {
				if i != j {
					ofPairs[(i*n+j)*24+k] = float32(g[i][j] - row(i))
					ofPairs[(i*n+j)*24+12+k] = float32(g[i][j] - column(j))
					product = min(product, 2*g[i][j]-row(i)-column(j))
				}
			}
			ofTiles[i*24+k], ofTiles[i*24+12+k] = float32(row(i)-mean), float32(product)
		}
	}
	return ofPairs, ofTiles
}

// The features are what their definition says, computed here pair by pair in float64. With padding
// those of the set's own tiles are what they are alone, and those of padding are 0.
func TestPairFeaturesAgainstLoops(t *testing.T) {
	const n, most = 4, 6
	flat := randomFloats(rand.New(rand.NewPCG(6, 6)), most*tileSize)
	wantPairs, wantTiles := hostFeatures(flat[:n*tileSize], n)
	enginetest.Each(t, func(t *testing.T, e *engine.Engine) {
		d := build(t, smallPairs(nil))
		features := func(which int, in ...*tensors.Tensor) []float32 {
			return call(t, e, d, false, func(_ *Context, in []*graph.Node) *graph.Node {
				var lengths *graph.Node
				if len(in) > 1 {
					lengths = in[1]
				}
				pairs, tiles := d.pairs.features(d.pairs.borders(in[0]), lengths)
				return []*graph.Node{pairs, tiles}[which]
			}, in...)
		}
		near.AllWithin(t, "pairs", features(0, tilesOf(flat[:n*tileSize], 1)), wantPairs, 2e-5)
		near.AllWithin(t, "tiles", features(1, tilesOf(flat[:n*tileSize], 1)), wantTiles, 2e-5)

		padded := []*tensors.Tensor{tilesOf(flat, 1), tensors.FromFlatDataAndDimensions([]int32{n}, 1)}
		want := make([]float32, most*most*24)
		for i := range n {
			copy(want[i*most*24:], wantPairs[i*n*24:(i+1)*n*24])
		}
		near.AllWithin(t, "pairs of a padded set", features(0, padded...), want, 2e-5)
		near.AllWithin(t, "tiles of a padded set", features(1, padded...)[:n*24], wantTiles, 2e-5)
	})
}

// A network without positions gives the same scores to the same tiles, wherever they stand in the
// input and in the arrangement. That is so with and without dummies, and in training too.
func TestPairsMoveWithTheTiles(t *testing.T) {
	e := enginetest.Open(t, "go")
	const n = 5
	flat := randomFloats(rand.New(rand.NewPCG(7, 7)), n*tileSize)
	names, state := perm.Order{4, 2, 0, 1, 3}, perm.Order{3, 0, 4, 1, 2}
	var renamed []float32
	same := make(perm.Order, n)
	for _, k := range names {
		renamed = append(renamed, flat[k*tileSize:(k+1)*tileSize]...)
	}
	for i, k := range state {
		same[i] = names.Rank()[k]
	}
	defer func(few int) { fewItems = few }(fewItems)
	for _, law := range []reverse.Law{reverse.GeneralizedPlackettLuce{}, reverse.PlackettLuce{}, reverse.InverseTransposition{}} {
		for _, few := range []int{32, 2} {
			fewItems = few
			d := build(t, smallPairs(func(c *Config) { c.Law = law }))
			first := forward(t, e, d, false, tilesOf(flat, 1), state)
			near.AllWithin(t, law.Name()+": other names", forward(t, e, d, true, tilesOf(renamed, 1), same), first, 1e-4)
			if law.Name() == "pl" {
				all := forward(t, e, d, false, tilesOf(flat, 1), perm.Identity(n))
				near.AllWithin(t, "pl: another arrangement", first, perm.Act(state, all), 1e-4)
			}
		}
	}
}

// Padding changes no score of a set's own tiles.
func TestPairsPadded(t *testing.T) {
	e := enginetest.Open(t, "go")
	const n, most = 3, 5
	flat := randomFloats(rand.New(rand.NewPCG(8, 8)), most*tileSize)
	for _, law := range []reverse.Law{reverse.GeneralizedPlackettLuce{}, reverse.PlackettLuce{}} {
		d := build(t, smallPairs(func(c *Config) { c.Law = law }))
		order := perm.Order{2, 0, 1}
		want := forward(t, e, d, false, tilesOf(flat[:n*tileSize], 1), order)
		got := call(t, e, d, false, func(c *Context, in []*graph.Node) *graph.Node {
			return d.ScoresPadded(c, d.EncodePadded(c, in[0], in[3]), in[1], in[2], in[3])
		}, tilesOf(flat, 1), tensors.FromFlatDataAndDimensions([]int32{2, 0, 1, 3, 4}, 1, 1, most),
			tensors.FromFlatDataAndDimensions([]int32{3}, 1, 1), tensors.FromFlatDataAndDimensions([]int32{n}, 1))
		if law.Layout() == reverse.Matrix {
			for i := range n {
				near.AllWithin(t, "gpl", got[i*most:i*most+n], want[i*n:(i+1)*n], 1e-4)
			}
		} else {
			near.AllWithin(t, "pl", got[:n], want, 1e-4)
		}
	}
}

// A lone tile and tiles of one colour have finite scores.
func TestPairsDegenerate(t *testing.T) {
	e := enginetest.Open(t, "go")
	d := build(t, smallPairs(nil))
	for n, flat := range map[int][]float32{1: randomFloats(rand.New(rand.NewPCG(9, 9)), tileSize), 3: make([]float32, 3*tileSize)} {
		got := forward(t, e, d, false, tilesOf(flat, 1), perm.Identity(n))
		if slices.ContainsFunc(got, func(v float32) bool { return math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) }) {
			t.Errorf("%d tiles: %v", n, got)
		}
	}
}

// The two maps have gradients, and both matter to the scores.
func TestPairsLearn(t *testing.T) {
	e := enginetest.Open(t, "go")
	d := build(t, smallPairs(nil))
	flat := randomFloats(rand.New(rand.NewPCG(10, 10)), 4*tileSize)
	for _, name := range []string{"pairs.tokens.weight", "pairs.attention.weight"} {
		grad := call(t, e, d, true, func(c *Context, in []*graph.Node) *graph.Node {
			scores := d.Scores(c, d.Encode(c, in[0]), in[1], in[2])
			return graph.Gradient(graph.ReduceAllSum(graph.Square(scores)), Variable(c.Store, name).NodeValue(c.Graph))[0]
		}, tilesOf(flat, 1), tensors.FromFlatDataAndDimensions([]int32{0, 1, 2, 3}, 1, 1, 4), tensors.FromFlatDataAndDimensions([]int32{3}, 1, 1))
		if !slices.ContainsFunc(grad, func(v float32) bool { return math.Abs(float64(v)) > 1e-6 }) {
			t.Errorf("%s: no gradient", name)
		}
	}
}

func TestPairsRefuse(t *testing.T) {
	for want, change := range map[string]func(*Config){
		`Pairs: borders are of images, wanted an encoder of these (got "table")`: func(c *Config) { c.Encoder = EncoderConfig{Kind: "table"} },
		`Pairs: are told to the transformer, wanted score context (got "sum")`:   func(c *Config) { c.Law, c.Score = reverse.PlackettLuce{}, "sum" },
		`Pairs: unknown "corners", wanted borders`:                               func(c *Config) { c.Pairs = "corners" },
	} {
		if _, err := New(smallPairs(change)); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
