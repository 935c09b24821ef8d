package denoiser

import (
	"fmt"

	"github.com/riffle-ml/riffle/internal/field"
	"github.com/riffle-ml/riffle/reverse"
)

// Config is everything that decides the shape of a network.
type Config struct {
	// N is the number of objects in a set that the network is built for. It limits
	// the sizes the network can be used with only where Positions is "learned" or
	// the encoder is "table".
	N int
	// Law is the reverse law whose scores the network gives.
	Law reverse.Law
	// GPLRows says which token gives row i of the GPL score matrix. With "dummies" row i, the
	// output position, is from dummy i and column j from item j (the paper's main text). With
	// "items" row i is from the item at position i and column j from dummy j (the paper's
	// appendix). Ignored by other laws.
	GPLRows string

	Encoder EncoderConfig

	Dim         int     // model dimension d, a multiple of Heads
	Layers      int     // transformer layers
	Heads       int     // attention heads
	FeedForward int     // hidden units of each layer's MLP
	Dropout     float64 // probability, 0 to below 1
	// Edges has the layers alternate between attention to the edges that a city is incident
	// with and attention among cities, the paper's network for TSP-20. It needs the encoder
	// "points" and an even number of Layers.
	Edges bool
	// Pairs is "borders" where the network is told how well the borders of any two tiles fit, else
	// empty. It needs an encoder of images.
	Pairs string
	// Score says what the score of one object comes from, where objects have one each ([reverse.Vector], or Head
	// "score"). "context" is from the object's token behind the transformer. "direct" is from its embedding alone,
	// by an MLP. There is then no transformer: Layers is 0 and times are not read. "sum" is both added. Empty is
	// "context".
	Score string
	// Head is what the network ends in where that is not a law's scores, for the methods that Riffle is compared
	// with. "score" gives each object a number ([rows, n]). "assign" gives it one for each of N places ([rows, n,
	// N], by a linear layer). "pointer" gives each position one for every object ([rows, n, n], products of tokens
	// and embeddings). With a "edges" and "noisy-edges" give each edge between two points one, by a network of
	// their own ([Denoiser.EdgeScores]). With a Head Law is not read, only items have tokens, an arrangement may
	// hold n, which is no object, and there may be no Layers.
	Head string
	// Positions is "sinusoid", "learned", "first" or "none". "learned" is a table of 2N rows: N for
	// items, N for dummies. "first" is a vector for the item at position 0, where tours begin, and
	// nothing for the others. With "none" items carry no position; dummies keep their sinusoid.
	Positions string
	// Norm says where the layer norms of the transformer stand. "post" is after each sum, as in the
	// paper. "pre" is before attention and MLP, with one more at the end.
	Norm string
	// Precision is "float32" or "bfloat16". On XLA factors are rounded to it in the products of the dense layers
	// after the encoder. bfloat16 has 8 significant bits and is faster where the processor multiplies it.
	// Weights, sums and everything else are float32, and so is all on the go engine.
	Precision string
}

// EncoderConfig describes the network that turns one object into d numbers.
type EncoderConfig struct {
	// Kind is "table", "cnn", "window", "points", "features", or "own", which is New's.
	Kind string
	// New makes an encoder of one's own with arrays that w gives it.
	New func(w *Weights, dim int) (Encoder, error)
	// Height and Width are the size of an image object, in pixels (cnn, window).
	Height, Width int
	// Planes is how many numbers a pixel has (cnn, window): 1, or 0, for grey, and 3 for colour.
	// Colour is then the last axis of the objects.
	Planes int
	// Window is the width in pixels of each window that "window" reads apart.
	Window int
	// Channels are the channels of the convolutions (cnn: the paper's 32, 64; window may
	// have none: then the pixels go to the hidden layers).
	Channels []int
	// Kernel is the size of the convolutions in pixels (cnn: sort 5, jigsaw 3); "window" without one has
	// strided convolutions.
	Kernel int
	// Hidden are the sizes of the layers between the convolutions and d. "window" has them for each
	// window, "features" for each vector. None for "cnn" means one linear layer.
	Hidden []int
	// Codes ends "window"'s reading of a window in so many numbers tanh(2·(W·h + b)); 0: none. Near -1 and 1 they say which of
	// some kinds a window is (which digit) and forget how it is drawn. A score of several windows needs that: what is left
	// of it in one of them may not outweigh the next.
	Codes int
	// Dropout is the probability with which "window" drops a unit of its hidden layers in training,
	// 0 to below 1. It makes readers of images overfit less.
	Dropout float64
	// Points says how "points" were brought to the network, "spread" or "unit": it changes nothing
	// here, and is told to programs that use the network.
	Points string
	// Features is the length of a feature vector ("features") or 2 for "points".
	Features int
}

func (c *Config) validate() error {
	switch {
	case c.N < 1 || c.N > maxSize:
		return field.Errorf("N", "must be 1 to %d (got %d)", maxSize, c.N)
	case c.Law == nil && c.Head == "":
		return field.Errorf("Law", "missing")
	case c.Dim < 2 || c.Dim > maxUnits || c.Dim%2 != 0:
		return field.Errorf("Dim", "must be even and 2 to %d (got %d)", maxUnits, c.Dim)
	case c.Layers < 1 && c.Head == "" && c.Score != ScoreDirect || c.Layers < 0 || c.Layers > maxLayers:
		return field.Errorf("Layers", "must be 1 to %d (got %d)", maxLayers, c.Layers)
	case c.Heads < 1 || c.Dim%c.Heads != 0:
		return field.Errorf("Heads", "must divide the embedding's %d numbers (got %d)", c.Dim, c.Heads)
	case c.FeedForward < 1 || c.FeedForward > maxUnits:
		return field.Errorf("FeedForward", "must be 1 to %d (got %d)", maxUnits, c.FeedForward)
	case c.Encoder.Kernel < 0 || c.Encoder.Kernel > maxKernel:
		return field.Errorf("Encoder.Kernel", "must be odd and 1 to %d (got %d)", maxKernel, c.Encoder.Kernel)
	case !(c.Dropout >= 0 && c.Dropout < 1): // NaN too
		return field.Errorf("Dropout", "must be 0 or more and below 1 (got %g)", c.Dropout)
	case c.Encoder.Codes < 0 || c.Encoder.Codes > maxUnits:
		return field.Errorf("Encoder.Codes", "must be 0 to %d (got %d)", maxUnits, c.Encoder.Codes)
	case !(c.Encoder.Dropout >= 0 && c.Encoder.Dropout < 1):
		return field.Errorf("Encoder.Dropout", "must be 0 or more and below 1 (got %g)", c.Encoder.Dropout)
	case c.Positions != "sinusoid" && c.Positions != "learned" && c.Positions != "first" && c.Positions != "none":
		return field.Errorf("Positions", "unknown %q, wanted sinusoid, learned, first or none", c.Positions)
	case c.Norm != "post" && c.Norm != "pre":
		return field.Errorf("Norm", "unknown %q, wanted post or pre", c.Norm)
	case c.Norm == "pre" && c.Edges:
		return field.Errorf("Norm", "pre does not go with edges, wanted post")
	case c.Precision != "float32" && c.Precision != "bfloat16":
		return field.Errorf("Precision", "unknown %q, wanted float32 or bfloat16", c.Precision)
	case c.Head != "" && c.Head != "score" && c.Head != "assign" && c.Head != "pointer" && !c.givesEdges():
		return fmt.Errorf("head: unknown %q, wanted score, assign, pointer, edges or noisy-edges", c.Head)
	case c.Score != scoreContext && c.Score != ScoreDirect && c.Score != scoreSum:
		return field.Errorf("Score", "unknown %q, wanted context, direct or sum", c.Score)
	case c.Score != scoreContext && (!c.objectScores() || c.Edges):
		return field.Errorf("Score", "%s is for networks that give each object a score of its own, without attention to edges", c.Score)
	case c.GPLRows != "dummies" && c.GPLRows != "items":
		return field.Errorf("GPLRows", "unknown %q, wanted dummies or items", c.GPLRows)
	}
	for key, sizes := range map[string][]int{"Encoder.Channels": c.Encoder.Channels, "Encoder.Hidden": c.Encoder.Hidden} {
		if len(sizes) > maxLayers {
			return field.Errorf(key, "must be at most %d sizes (got %d)", maxLayers, len(sizes))
		}
		for _, size := range sizes {
			if size < 1 || size > maxUnits {
				return field.Errorf(key, "wanted sizes of 1 to %d (got %v)", maxUnits, sizes)
			}
		}
	}
	return nil
}

// What a network may have at most: more is a slip of the keyboard, and ends a process for
// want of memory.
const (
	maxSize       = 1 << 16 // objects in a set
	maxUnits      = 1 << 16 // units or channels of a layer
	maxLayers     = 1 << 10
	maxKernel     = 99 // pixels
	maxParameters = 1 << 31
)
