// Package config is the configuration of a training. Its keys are in one table, with what each
// means, its default, its values, and with which other keys it has an effect. It reads, fills and
// checks configurations.
package config

import (
	"reflect"
	"slices"
)

// Config is everything that defines a training: two runs with equal configurations, seeds and
// engines are equal. It is written in TOML. The tags name the keys and say what they mean;
// docs/configuration.md is made from them: see [Keys].
type Config struct {
	Title    string   `toml:"title" comment:"one line that says what this is"`
	Seed     uint64   `toml:"seed" comment:"all randomness comes from this number" default:"1"`
	Method   string   `toml:"method" comment:"diffusion, or a method that it is compared with: gumbel-sinkhorn, diffsort, error-free-diffsort, sedd or, for tours, gcn or difusco" default:"diffusion" values:"diffusion|gumbel-sinkhorn|diffsort|error-free-diffsort|sedd|gcn|difusco"`
	Task     Task     `toml:"task" doc:"What is learned."`
	Process  Process  `toml:"process,omitempty" doc:"The forward shuffle, the reverse law and the denoising schedule." for:"method=diffusion"`
	Model    Model    `toml:"model" doc:"The network."`
	Train    Train    `toml:"train" doc:"The objective and the optimiser."`
	Decode   Decode   `toml:"decode,omitempty" doc:"How orders are found." for:"method=diffusion"`
	Baseline Baseline `toml:"baseline,omitempty" doc:"Settings of the methods that diffusion is compared with."`
	Eval     Eval     `toml:"eval" doc:"The final test."`
	Paper    *Paper   `toml:"paper,omitempty" doc:"What the paper reports for this experiment, printed beside the results; it changes nothing."`

	set []string // the keys that Set changed, see Resolve; never written to in place, as copies share it
}

// Task says what is learned.
type Task struct {
	Name      string    `toml:"name" comment:"sort, delta, jigsaw, tsp or ranking" values:"sort|delta|jigsaw|tsp|ranking" mixed:"ranking" first:"tsp"`
	N         int       `toml:"n,omitempty" comment:"objects in a set; a jigsaw has rows times columns; ranking: the most objects of a set, larger sets are left out; 0: as many as the largest set of the data has, at most 200" for:"task.name=sort|delta|tsp|ranking" product:"task.rows*task.columns" data:"ranking"`
	NMin      int       `toml:"n_min,omitempty" comment:"objects in the smallest sets of training. All sets of a step have one size, out of a few from n_min to n, and each size comes equally often. A step has train.batch sets of n objects, or a multiple of train.batch smaller sets with no more objects in all; 0: all sets have n" for:"task.name=sort|tsp; method=diffusion" range:"0..10000"`
	Source    string    `toml:"source,omitempty" comment:"jigsaw: mnist, cifar10 or photos (any folder of pictures)" for:"task.name=jigsaw" values:"mnist|cifar10|photos"`
	Rows      int       `toml:"rows,omitempty" comment:"jigsaw: tiles from top to bottom" for:"task.name=jigsaw" range:"1..65536"`
	Columns   int       `toml:"columns,omitempty" comment:"jigsaw: tiles from left to right" for:"task.name=jigsaw" range:"1..65536"`
	Offset    int       `toml:"offset,omitempty" comment:"jigsaw: where the tiles do not fill the picture, pixels by which they move right and down from its middle" for:"task.name=jigsaw" range:"-65536..65536"`
	Noise     float64   `toml:"noise,omitempty" comment:"jigsaw: standard deviation of the noise on pixels, which go from 0 to 1" for:"task.name=jigsaw" range:"0..1"`
	Digits    int       `toml:"digits,omitempty" comment:"sort: digits of each number" for:"task.name=sort" range:"1..15"`
	Data      string    `toml:"data,omitempty" comment:"sort, jigsaw: folder of the files of MNIST, of CIFAR-10 or of photos; empty: the usual places. tsp: file of training instances (tour text); empty, as it must be with n_min: they are drawn and solved. ranking: file of ranked lists" for:"task.name=sort|jigsaw|tsp|ranking"`
	Test      string    `toml:"test,omitempty" comment:"tsp: file of test instances (tour text); empty: they are drawn and solved. ranking: file of test lists; empty: a tenth of the data" for:"task.name=tsp|ranking"`
	Instances int       `toml:"instances,omitempty" comment:"tsp without data: how many training instances are drawn, with n_min for each size. They are solved once, kept in the user's cache folder, and rotated and mirrored in training; 0: new ones in each step" for:"task.name=tsp" range:"0..1000000"`
	Items     string    `toml:"items,omitempty" comment:"ranking: bare, features, images or points; empty: as in the data" for:"task.name=ranking" values:"|bare|features|images|points" data:"ranking"`
	Features  int       `toml:"features,omitempty" comment:"ranking: how many features an item has; 0: as many as in the data" for:"task.name=ranking" range:"0..65536"`
	Fill      string    `toml:"fill,omitempty" comment:"ranking: what stands for an empty feature of a table, mean (of the training part) or 0; empty: it is an error" for:"task.name=ranking" values:"|mean|0"`
	Scale     string    `toml:"scale,omitempty" comment:"ranking: how features are scaled for the network: standard (by their mean and deviation; also if empty) or quantile (normal scores of their ranks in the training part)" for:"task.name=ranking" values:"|standard|quantile"`
	Pixels    int       `toml:"pixels,omitempty" comment:"ranking: pixels of the side of the grey square that images are scaled to" for:"task.name=ranking" range:"0..4096"`
	Augment   Augment   `toml:"augment,omitempty" doc:"Training images are distorted. Each amount is drawn uniformly within ± the value." for:"task.name=sort"`
	Target    string    `toml:"target,omitempty" comment:"delta: which orders are right: identity, random (one, drawn from the seed), mixture (several random ones) or rotations (all rotations of the identity)" for:"task.name=delta" values:"identity|random|mixture|rotations"`
	Modes     int       `toml:"modes,omitempty" comment:"delta, mixture: how many orders" for:"task.name=delta; task.target=mixture" fill:"5" range:"1..1000"`
	Weights   []float64 `toml:"weights,omitempty" comment:"delta, mixture: how often each order is the right one, in proportion; empty: equally often" for:"task.name=delta; task.target=mixture"`
}

// Augment distorts training images. Each amount is drawn uniformly within ± the value.
type Augment struct {
	Rotate float64 `toml:"rotate" comment:"degrees" range:"0..180"`
	Scale  float64 `toml:"scale" comment:"share of the size, 0.1 is 90 to 110 %" range:"0..<1"`
	Shift  float64 `toml:"shift" comment:"pixels" range:"0..28"`
	// Elastic moves the points of a coarse grid, each on its own.
	Elastic float64 `toml:"elastic,omitempty" comment:"pixels by which the points of a grid, 7 pixels apart, are moved independently; what lies between them moves in proportion" range:"0..7"`
}

// Process is the forward shuffle, the reverse law and the denoising schedule.
type Process struct {
	Forward  string `toml:"forward" comment:"what one step of noise does, such as riffle" default:"riffle"`
	Reverse  string `toml:"reverse" comment:"the law that undoes it, such as gpl" default:"gpl"`
	Schedule []int  `toml:"schedule" comment:"denoising schedule 0 = t_0 < ... < t_k = T; empty: the paper's rule for riffles with gpl or pl; 0, T with path or direct scores; else 0, 1, ..., T"`
}

// Model is the network.
type Model struct {
	Encoder        string  `toml:"encoder" comment:"table, cnn, window, points or features" values:"|table|cnn|window|points|features"`
	Channels       []int   `toml:"channels,omitempty" comment:"cnn, window: channels of the convolutions" for:"model.encoder=cnn|window"`
	Kernel         int     `toml:"kernel,omitempty" comment:"cnn, window: size of the convolutions in pixels. A window with a size has batch norm and pooling, as cnn does; a window with 0 has a stride and no norm" for:"model.encoder=cnn|window"`
	Hidden         []int   `toml:"hidden,omitempty" comment:"window, features, cnn: sizes of the layers between the convolutions, if there are any, and the embedding" for:"model.encoder=cnn|window|features"`
	Codes          int     `toml:"codes,omitempty" comment:"window: each window is reduced to this many numbers near -1 or 1 (tanh). What counts is then which digit it shows, not how the digit is written; 0: no reduction" for:"model.encoder=window" range:"0..65536"`
	EncoderDropout float64 `toml:"encoder_dropout,omitempty" comment:"window: probability of dropping a hidden unit in training" for:"model.encoder=window" range:"0..<1"`
	Dim            int     `toml:"dim" comment:"numbers of an embedding and a token, even and a multiple of heads" default:"128" range:"2..65536"`
	Layers         int     `toml:"layers" comment:"layers of the transformer" default:"4" range:"0..1024"`
	Heads          int     `toml:"heads" comment:"attention heads of a layer" default:"8" range:"1..65536"`
	FeedForward    int     `toml:"feed_forward" comment:"hidden units of a layer" default:"512" range:"1..65536"`
	Dropout        float64 `toml:"dropout" comment:"probability of dropping a unit in training" range:"0..<1"`
	Positions      string  `toml:"positions" comment:"sinusoid, learned, first (a mark on the item at position 0 alone) or none" default:"sinusoid" values:"sinusoid|learned|first|none"`
	Norm           string  `toml:"norm,omitempty" comment:"layer norms of the transformer: post (after each sum, the paper's) or pre (before attention and network)" values:"|post|pre"`
	Precision      string  `toml:"precision,omitempty" comment:"float32 or bfloat16: in what precision dense layers after the encoder multiply, on XLA" values:"|float32|bfloat16"`
	Points         string  `toml:"points,omitempty" comment:"points: spread (moved to one centre and scaled to one spread, whatever their unit) or unit (left alone in the unit square, else scaled into it; runs older than this key have unit)" for:"model.encoder=points" fill:"spread" zero:"fill" values:"spread|unit"`
	Edges          bool    `toml:"edges,omitempty" comment:"points: every second layer attends to the edges between points" for:"model.encoder=points"`
	Pairs          string  `toml:"pairs,omitempty" comment:"jigsaw: borders (attention is told how well the borders of every two tiles fit); empty: it is not" for:"task.name=jigsaw" values:"|borders"`
	Score          string  `toml:"score,omitempty" comment:"pl, diffsort: what an object's score comes from: context (its token after the transformer; also if empty), direct (its embedding alone) or sum (both). With direct there is no transformer, and one denoising step" for:"process.reverse=pl; method=diffusion|diffsort|error-free-diffsort" values:"|context|direct|sum"`
	GPLRows        string  `toml:"gpl_rows,omitempty" comment:"gpl: which tokens give the rows of the scores, dummies or items" for:"process.reverse=gpl; method=diffusion" fill:"dummies" values:"dummies|items" zero:"fill"`
}

// Train is the objective and the optimiser.
type Train struct {
	Steps        int      `toml:"steps" comment:"batches to train on" default:"1000" range:"1..1000000000"`
	Time         string   `toml:"time,omitempty" comment:"train for this long, such as 30m, but at least one step. This replaces steps, and the learning rate follows the clock"`
	Batch        int      `toml:"batch" comment:"sets per step" default:"64" range:"1..1048576"`
	Objective    string   `toml:"objective,omitempty" comment:"bound (all steps of a trajectory), random-step (one of them) or latent (all, judged only by pixels)" for:"method=diffusion" default:"bound" values:"bound|random-step|latent"`
	Top          int      `toml:"top,omitempty" comment:"one reverse step by gpl, cgpl or pl: only this many first positions count in the loss; 0: all" for:"method=diffusion" range:"0..1048576"`
	Lapse        float64  `toml:"lapse,omitempty" comment:"gpl, cgpl, pl: a number such as 0.002 that is added to the probability of each choice in the loss. So no choice costs more than -log of it, and unreadable objects do not outweigh the rest. The model's log p is then less accurate; 0: nothing is added" for:"method=diffusion" range:"0..<1"`
	Trajectories int      `toml:"trajectories,omitempty" comment:"forward trajectories per set" for:"method=diffusion" default:"1" range:"1..1048576"`
	Samples      int      `toml:"samples,omitempty" comment:"latent: reverse steps drawn per state; 0 here and in entropy, ema_rate and pixel_sd: the paper's value" for:"method=diffusion; train.objective=latent" fill:"10" range:"2..1048576" zero:"fill"`
	Entropy      float64  `toml:"entropy,omitempty" comment:"latent: weight of the entropy" for:"method=diffusion; train.objective=latent" fill:"0.05" range:"0.." zero:"fill"`
	EMARate      float64  `toml:"ema_rate,omitempty" comment:"latent: rate of the moving average that is the control variate" for:"method=diffusion; train.objective=latent" fill:"0.995" range:"0..1" zero:"fill"`
	PixelSD      float64  `toml:"pixel_sd,omitempty" comment:"latent: standard deviation of a pixel around what a drawn order shows; the smaller, the more do small differences count" for:"method=diffusion; train.objective=latent" fill:"1" range:"1e-6.." zero:"fill"`
	Schedule     string   `toml:"schedule" comment:"of the learning rate: noam, cosine or constant" default:"cosine" values:"noam|cosine|constant"`
	LR           float64  `toml:"lr" comment:"highest learning rate; noam: a factor, 1 in the paper" default:"1e-3" range:">0"`
	Warmup       int      `toml:"warmup" comment:"steps of warm-up" default:"100" range:"0..1000000000"`
	WeightDecay  float64  `toml:"weight_decay" comment:"weight decay of AdamW, whose other settings are beta1, beta2 and epsilon" default:"1e-2" range:"0.."`
	Beta1        float64  `toml:"beta1" comment:"decay of the running mean of the gradients" default:"0.9" range:"0..<1"`
	Beta2        float64  `toml:"beta2" comment:"decay of the running mean of their squares" default:"0.98" range:"0..<1"`
	Epsilon      float64  `toml:"epsilon" comment:"added to the root of the mean of squares" default:"1e-9" range:">0..<1"`
	Clip         float64  `toml:"clip" comment:"bound on the gradient's norm; 0: none" default:"1" range:"0.."`
	Average      float64  `toml:"average,omitempty" comment:"rate of a moving average of the weights, such as 0.999. The averaged weights are then the ones judged and used; 0: no average" range:"0..<1"`
	Frozen       []string `toml:"frozen,omitempty" comment:"weights that stay as riffle train --init brings them: the beginnings of their names in model.safetensors, such as encoder.conv. Running statistics of batch norm are no weights and move on"`
	Checkpoint   string   `toml:"checkpoint" comment:"time between checkpoints" default:"1m"`
	Patience     int      `toml:"patience,omitempty" comment:"so many validations in a row without a gain end a training; 0: they do not. Either way the best model is in the run's folder best" range:"0..1000000"`
	Validate     int      `toml:"validate" comment:"sets in the short check at every checkpoint; 0: none" default:"200" range:"0..10000000"`
}

// Baseline has the settings of the methods that diffusion is compared with.
type Baseline struct {
	Network    string  `toml:"network,omitempty" comment:"diffsort, error-free-diffsort: sorting network, odd-even or bitonic" for:"method=diffsort|error-free-diffsort" fill:"odd-even" values:"odd-even|bitonic"`
	Steepness  float64 `toml:"steepness,omitempty" comment:"diffsort, error-free-diffsort: steepness of the relaxed swap" for:"method=diffsort|error-free-diffsort" fill:"10" range:">0"`
	Tau        float64 `toml:"tau,omitempty" comment:"gumbel-sinkhorn: temperature" for:"method=gumbel-sinkhorn" fill:"1" range:">0"`
	Iterations int     `toml:"iterations,omitempty" comment:"gumbel-sinkhorn: normalisations of rows and columns" for:"method=gumbel-sinkhorn" fill:"20" range:"1..1000"`
	Samples    int     `toml:"samples,omitempty" comment:"gumbel-sinkhorn: draws of the noise per set" for:"method=gumbel-sinkhorn" fill:"10" range:"1..1048576"`
	Graph      string  `toml:"graph,omitempty" comment:"sedd: uniform or absorb" for:"method=sedd" fill:"absorb" values:"uniform|absorb"`
	Sampler    string  `toml:"sampler,omitempty" comment:"sedd: euler or analytic" for:"method=sedd" fill:"analytic" values:"euler|analytic"`
	Steps      int     `toml:"steps,omitempty" comment:"sedd, difusco: steps of the sampler" for:"method=sedd|difusco" fill:"100" range:"1..65536"`
	Beam       int     `toml:"beam,omitempty" comment:"gcn: tours that the search keeps, 1 is greedy" for:"method=gcn" fill:"1" range:"1..65536"`
	TwoOpt     bool    `toml:"two_opt,omitempty" comment:"gcn, difusco: improve each tour by 2-opt" for:"method=gcn|difusco"`
}

// Decode is how orders are found.
type Decode struct {
	Method     string `toml:"method" comment:"greedy or beam" default:"greedy" values:"greedy|beam"`
	Beam       int    `toml:"beam" comment:"states kept after each reverse step" default:"20" range:"1..1048576"`
	Inner      int    `toml:"inner" comment:"prefixes kept inside a reverse step (gpl, path, cgpl, pl)" default:"200" range:"1..1048576"`
	Symmetries int    `toml:"symmetries,omitempty" comment:"tsp: how many rotated and mirrored copies of the cities are ordered, each begun elsewhere; the shortest of the tours counts. sort, by direct scores: how many copies of each number are read, turned or moved a little; the median of their scores counts. Draws, given orders and calibration are of the objects as they are. 0: so are orders" for:"task.name=tsp|sort" range:"0..1024"`
}

// Eval is the final test.
type Eval struct {
	Examples int    `toml:"examples" comment:"test sets" default:"1000" range:"1..10000000"`
	Batch    int    `toml:"batch" comment:"sets decoded at a time" default:"50" range:"1..1048576"`
	Finish   string `toml:"finish,omitempty" comment:"tsp: with 2opt, the results after 2-opt are reported as well, under their own names" for:"task.name=tsp" values:"|2opt"`
}

// Paper is what the paper reports for this experiment, printed beside ours. A figure that the paper
// does not give is nil, since some figures are 0.
type Paper struct {
	Table      string   `toml:"table" json:"table" comment:"the table and the row"`
	KendallTau *float64 `toml:"kendall_tau,omitempty" json:"kendall_tau,omitempty" comment:"-1 to 1" range:".." measure:"kendall_tau_lists"`
	Exact      *float64 `toml:"exact,omitempty" json:"exact,omitempty" comment:"percent" range:".." measure:"exact"`
	Correct    *float64 `toml:"correct,omitempty" json:"correct,omitempty" comment:"percent" range:".." measure:"correct"`
	RMSE       *float64 `toml:"rmse,omitempty" json:"rmse,omitempty" comment:"of the pixels, in a unit that the paper does not give" range:".." measure:"puzzle.rmse"`
	MAE        *float64 `toml:"mae,omitempty" json:"mae,omitempty" comment:"of the pixels, as rmse" range:".." measure:"puzzle.mae"`
	Length     *float64 `toml:"length,omitempty" json:"length,omitempty" comment:"of tours" range:".." measure:"tour.length"`
	Gap        *float64 `toml:"gap,omitempty" json:"gap,omitempty" comment:"percent above the shortest" range:".." measure:"tour.gap"`
}

// Figure is what the paper reports of a measure, by the measure's key; nil for nothing.
func (p *Paper) Figure(measure string) *float64 {
	if at, ok := figures[measure]; ok && p != nil {
		return reflect.ValueOf(*p).Field(at).Interface().(*float64)
	}
	return nil
}

// InPaper tells whether the paper reports a measure of some experiments.
func InPaper(measure string) bool {
	_, ok := figures[measure]
	return ok
}

// figures are the fields of [Paper] by the keys of measures.
var figures = func() map[string]int {
	at := map[string]int{}
	for i, f := range slices.Collect(reflect.TypeFor[Paper]().Fields()) {
		if key := f.Tag.Get("measure"); key != "" {
			at[key] = i
		}
	}
	return at
}()
