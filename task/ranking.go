package task

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/internal/field"
	"github.com/riffle-ml/riffle/perm"
)

// Ranking is the task of a user's own lists: sets of items, of whatever sizes, with what is
// known of their order. Items are feature vectors, images, points, or bare identities, which
// are the same in all sets: then the model is of one population's distribution of orders.
//
// Sets of all sizes that are padded to one ([denoiser.PaddedSize]) are a bucket; a training batch
// is of one bucket, drawn in proportion to its sets, with a uniformly random order consistent with
// what is known ([dataset.BucketOrder.Draw]). Features are standardised
// by the mean and the deviation of the training part, or by its quantiles (task.scale).
type Ranking struct {
	config config.Task
	seed   uint64
	points string // model.points
	scale  *Scale // of features, from a run's directory or from the data

	index   map[string]int // of bare items' names
	unnamed []int          // bare items without a name, where others have one
	items   []dataset.Item // all bare items, where they have names

	read  bool
	parts [Test + 1]part
	known bool  // what the model knows is another's: a test needs no training data
	own   *part // the test of a known model
	// Dropped says which sets were left out, and why, and what is odd about those that were not.
	Dropped []string
}

// MaxRanking is how many items the largest set of a ranking may have where task.n does not
// say: the network's work grows with their square.
const MaxRanking = 200

// InferFromData fills in what the data of a task says: the kind of items, how many features they
// have, the largest set, and with them the encoder. Other tasks have nothing to fill in.
func InferFromData(c *config.Config) error {
	if c.Task.Name != "ranking" || c.Task.N > 0 && c.Task.Items != "" {
		return nil
	}
	if c.Task.Data == "" {
		return &config.KeyError{Key: config.TaskData, Problem: "missing", Hint: "a file of ranked lists; riffle data check looks at it"}
	}
	sets, err := readRanked(c.Task.Data, c.Task.Fill)
	if err != nil {
		return errData(config.TaskData, c.Task.Data, err)
	}
	t := &c.Task
	kind, largest, silent := sets[0].Kind, 0, t.N == 0
	for _, s := range sets {
		if s.Kind != kind && len(s.Items) > 0 {
			return fmt.Errorf("%s: set %s: items are %s, wanted %s as in the first set", t.Data, s.ID, s.Kind.Items(), kind.Items())
		}
		if n := len(s.Items); len(s.Known()) > 1 && (t.N == 0 && n <= MaxRanking || n <= t.N) {
			largest = max(largest, n)
		}
	}
	if largest < 2 {
		return fmt.Errorf("%s: no set of 2 to %d items has an order", t.Data, max(t.N, MaxRanking))
	}
	if t.N = largest; silent && kind == dataset.KindBare {
		if t.N = max(largest, len(bareNames(sets))); t.N > MaxRanking {
			return fmt.Errorf("%s: has %d different items, wanted at most %d\nhint: --set task.n=%d, if that is meant: work grows with its square", t.Data, t.N, MaxRanking, t.N)
		}
	}
	if t.Items == "" {
		t.Items = kind.Items()
	}
	m := &c.Model
	switch t.Items {
	case "bare":
		m.Encoder, m.Hidden = "table", nil
	case "points":
		m.Encoder, m.Hidden = "points", nil
	case "features":
		m.Encoder = "features"
		if len(m.Hidden) == 0 {
			m.Hidden = []int{m.Dim}
		}
		if t.Features == 0 {
			for _, s := range sets {
				if len(s.Items) > 0 {
					t.Features = len(s.Items[0].Features)
				}
			}
		}
	case "images":
		m.Hidden = nil
		if m.Encoder == "" {
			m.Encoder, m.Channels, m.Kernel = "cnn", []int{32, 64}, 5
		}
		if t.Pixels == 0 {
			t.Pixels = 28
		}
	}
	return nil
}

func newRanking(c *config.Config) (*Ranking, error) {
	t := c.Task
	kind, ok := map[string]denoiser.Objects{"bare": denoiser.Identities, "features": denoiser.Features, "points": denoiser.Points, "images": denoiser.Images}[t.Items]
	if !ok {
		return nil, field.Errorf("Items", "unknown %q, wanted bare, features, images or points", t.Items)
	}
	if err := feeds(c, t.Items, kind); err != nil {
		return nil, err
	}
	switch {
	case t.Fill != "" && t.Items != "features":
		return nil, field.Errorf("Fill", "is for items that are features (got %q)", t.Items)
	case t.Scale == "quantile" && t.Items != "features":
		return nil, field.Errorf("Scale", "quantile is for items that are features (got %q), wanted standard", t.Items)
	case t.Items == "features" && t.Features < 1:
		return nil, field.Errorf("Features", "must be 1 or more (got %d)", t.Features)
	case t.Items == "images" && t.Pixels < 1:
		return nil, field.Errorf("Pixels", "must be 1 or more (got %d)", t.Pixels)
	}
	return &Ranking{config: t, seed: c.Seed, points: c.Model.Points}, nil
}

// Encoder implements [Task].
func (r *Ranking) Encoder() denoiser.EncoderConfig {
	switch r.config.Items {
	case "features":
		return denoiser.EncoderConfig{Features: r.config.Features}
	case "points":
		return denoiser.EncoderConfig{Features: 2}
	case "images":
		return denoiser.EncoderConfig{Height: r.config.Pixels, Width: r.config.Pixels, Window: r.config.Pixels}
	}
	return denoiser.EncoderConfig{}
}

// load reads the data, once, and deals it out: a file of test sets is the test part, else a
// tenth of the data is, and another tenth is for validation. Of a set that many gave, each of
// them is dealt out apart.
func (r *Ranking) load() error {
	if r.read {
		return nil
	}
	sets, err := readRanked(r.config.Data, r.config.Fill)
	if err != nil {
		return errData(config.TaskData, r.config.Data, err)
	}
	fresh := r.scale == nil
	if fresh {
		r.scale = named(sets)
		defer func() {
			if !r.read {
				r.scale = nil
			}
		}()
	}
	if names := len(r.scale.Names); names > r.config.N {
		return fmt.Errorf("%s: has %d items of different names, wanted at most task.n = %d", r.config.Data, names, r.config.N)
	}
	data, err := r.usable(r.config.Data, sets)
	if err != nil {
		return errData(config.TaskData, r.config.Data, err)
	}
	if r.config.Test != "" {
		sets, err := readRanked(r.config.Test, r.config.Fill)
		if err == nil {
			sets, err = r.usable(r.config.Test, sets)
		}
		if err != nil {
			return errData(config.TaskTest, r.config.Test, err)
		}
		for _, s := range sets {
			r.parts[Test].add(s, max(1, s.Count))
		}
	}
	for i, s := range data {
		share := r.share(i, max(1, s.Count))
		for _, split := range []Split{Train, Validation, Test} {
			if share[split] > 0 {
				r.parts[split].add(s, share[split])
			}
		}
	}
	// Of few sets each part has one all the same, but for validation.
	for _, x := range []struct{ from, to Split }{{Validation, Train}, {Test, Train}, {Validation, Test}, {Train, Test}} {
		if from := &r.parts[x.from]; r.parts[x.to].total == 0 && (from.several(r.apart()) || x.from == Validation && from.total > 0) && (x.from != Test && x.to != Test || r.config.Test == "") {
			r.parts[x.to].add(from.take(r.apart()))
		}
	}
	for _, x := range []struct {
		split Split
		what  string
	}{{Train, "train on"}, {Test, "test on"}} {
		if r.parts[x.split].total == 0 {
			file := r.config.Data
			if x.split == Test && r.config.Test != "" {
				file = r.config.Test
			}
			return fmt.Errorf("%s: no set is left to %s, wanted 2 sets or more whose order is known\n%s", file, x.what, joined(r.Dropped))
		}
	}
	for i := range r.parts {
		r.parts[i].bucket(r.config.N)
	}
	if fresh {
		if err := r.measure(); err != nil {
			return errData(config.TaskData, r.config.Data, err)
		}
	}
	r.read = true
	r.outside(&r.parts[Test], r.config.Test)
	return nil
}

// apart is whether those who gave one set are dealt out one by one.
func (r *Ranking) apart() bool { return r.config.Items == "bare" }

// share deals out those who gave set i: voters one by one, since each is one more draw of the
// same population; lists of features, images or points as a whole, since the model must not be
// judged on a list that it was trained on.
func (r *Ranking) share(i, count int) (share [Test + 1]int) {
	rng, test := source(r.seed, 0, i), r.config.Test == ""
	if r.apart() {
		return deal(rng, count, test)
	}
	share = deal(rng, 1, test)
	for split := range share {
		share[split] *= count
	}
	return share
}

// dealtApart is how many of those who gave one order are dealt out one by one.
const dealtApart = 100_000

// deal deals out those who gave one order: each has a chance of a tenth of validation and, where
// it is to have some, a tenth of the test. Of the first 100,000 each is drawn apart; those beyond
// are dealt by tens, in just these shares.
func deal(rng *rand.Rand, count int, test bool) (share [Test + 1]int) {
	tens := max(0, count-dealtApart) / 10
	for range count - 10*tens {
		to := Train
		switch u := rng.IntN(10); {
		case u == 0:
			to = Validation
		case u == 1 && test:
			to = Test
		}
		share[to]++
	}
	share[Train] += 8 * tens
	share[Validation] += tens
	if test {
		share[Test] += tens
	} else {
		share[Train] += tens
	}
	return share
}

func joined(lines []string) string {
	s := ""
	for _, l := range lines {
		s += "hint: " + l + "\n"
	}
	return s
}

// usable leaves out the sets of a file that cannot be used, and brings the others into the
// model's numbering.
func (r *Ranking) usable(path string, sets []*dataset.Set) ([]*dataset.Set, error) {
	t := r.config
	r.Dropped = append(r.Dropped, fileWarnings(path)...)
	large, silent, all := 0, 0, 0 // by those who gave a set
	what := "sets"
	var keep []*dataset.Set
	for _, s := range sets {
		n, count := len(s.Items), max(1, s.Count)
		all += count
		if s.Count > 0 {
			what = "voters"
		}
		switch {
		case len(s.Known()) < 2: // one item, or all tied: no order is wrong
			silent += count
			continue
		case n > t.N:
			large += count
			continue
		}
		s, warning, err := r.fitted(s)
		if err == nil && t.Items == "bare" {
			s, err = r.whole(s)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if warning != "" {
			r.note(path + ": " + warning)
		}
		keep = append(keep, s)
	}
	if large > 0 {
		r.Dropped = append(r.Dropped, fmt.Sprintf("%s: %d of %d %s left out, they have more than task.n = %d items", path, large, all, what, t.N))
	}
	if silent > 0 {
		r.Dropped = append(r.Dropped, fmt.Sprintf("%s: %d of %d %s left out, they put no item before another", path, silent, all, what))
	}
	return keep, nil
}

// fitted checks that a set's items are of the model's kind, and returns it with features as the
// model has them.
func (r *Ranking) fitted(s *dataset.Set) (out *dataset.Set, warning string, err error) {
	t := r.config
	if s.Kind.Items() != t.Items && len(s.Items) > 0 {
		return nil, "", fmt.Errorf("set %s: items are %s, wanted %s", s.ID, s.Kind.Items(), t.Items)
	}
	if t.Items != "features" {
		return s, "", nil
	}
	if out, warning, err = r.arranged(s); err == nil {
		out, err = r.filled(out)
	}
	if err != nil {
		return nil, "", fmt.Errorf("set %s: %w", s.ID, err)
	}
	return out, warning, nil
}

// Examples implements [Task]. Sets of a call are of one bucket, which its first set decides.
func (r *Ranking) Examples(split Split, first, count int) (*Examples, error) {
	p, err := r.part(split)
	if err != nil {
		return nil, err
	}
	if p.total == 0 {
		return nil, fmt.Errorf("%s: %w", r.config.Data, ErrNoSets)
	}
	rng := source(r.seed, split, first)
	var sizes []int
	sum := 0
	for _, b := range p.sizes {
		sum += b.upTo[len(b.upTo)-1]
		sizes = append(sizes, sum)
	}
	b := &p.sizes[draw(rng, sizes)]
	sets := make([]*dataset.Set, count)
	e := &Examples{Padded: b.mixed, Clean: make([]perm.Order, count), Levels: make([]dataset.BucketOrder, count), Names: func(set int) []string { return sets[set].ItemNames() }}
	for i := range sets {
		rng := source(r.seed, split, first+i)
		sets[i] = p.sets[b.index[draw(rng, b.upTo)]]
		e.Levels[i] = sets[i].Known()
		e.Clean[i] = e.Levels[i].Draw(rng, len(sets[i].Items))
	}
	e.Objects, _, err = r.padded(context.Background(), sets, b.n)
	return e, err
}

// part returns the sets of a split.
func (r *Ranking) part(split Split) (*part, error) {
	if split != Test || !r.known || r.config.Test == "" {
		return &r.parts[split], r.load()
	}
	if r.own != nil {
		return r.own, nil
	}
	sets, err := readRanked(r.config.Test, r.config.Fill)
	if err == nil {
		sets, err = r.usable(r.config.Test, sets)
	}
	if err == nil && len(sets) == 0 {
		err = fmt.Errorf("%s: no set is left to test on, wanted one whose order is known\n%s", r.config.Test, joined(r.Dropped))
	}
	if err != nil {
		return nil, errData("task.test", r.config.Test, err)
	}
	r.own = &part{}
	for _, s := range sets {
		r.own.add(s, max(1, s.Count))
	}
	r.own.bucket(r.config.N)
	r.outside(r.own, r.config.Test)
	return r.own, nil
}

// Lists returns how many lists of a split there are; a set that many gave counts as often.
func (r *Ranking) Lists(split Split) (int, error) {
	p, err := r.part(split)
	if err != nil {
		return 0, err
	}
	return p.total, nil
}

// ErrNoSets is returned where a split has no sets: of few, validation has none.
var ErrNoSets = errors.New("no sets")

// Sets returns the sets of a split with how many gave each, those with the most first; at most
// count of them where count is above 0.
func (r *Ranking) Sets(split Split, count int) (sets []*dataset.Set, weights []int, err error) {
	p, err := r.part(split)
	if err != nil {
		return nil, nil, err
	}
	if p.total == 0 {
		return nil, nil, ErrNoSets
	}
	by := make([]int, len(p.sets))
	for i := range by {
		by[i] = i
	}
	slices.SortStableFunc(by, func(a, b int) int { return p.weights[b] - p.weights[a] })
	if count > 0 && count < len(by) {
		by = by[:count]
	}
	for _, i := range by {
		sets, weights = append(sets, p.sets[i]), append(weights, p.weights[i])
	}
	return sets, weights, nil
}

// Objects implements [Task]. Features and bare items are known by their names, where both the
// set and the model have some. It warns where only one has, and of sets of some bare items alone.
func (r *Ranking) Objects(ctx context.Context, sets []*dataset.Set) (objects *tensors.Tensor, warnings []string, err error) {
	if items := r.config.Items; r.scale == nil && (items == "features" || items == "bare") { // not loaded from a run
		if err := r.load(); err != nil {
			return nil, nil, err
		}
	}
	var fitted []*dataset.Set
	for _, s := range sets {
		out, warning, err := r.fitted(s)
		if err != nil {
			return nil, nil, err
		}
		if warning != "" && !slices.Contains(warnings, warning) {
			warnings = append(warnings, warning)
		}
		fitted = append(fitted, out)
	}
	objects, more, err := r.padded(ctx, fitted, len(fitted[0].Items))
	return objects, append(warnings, more...), err
}

// Doubt implements [Doubter]: it warns of features far outside of the training's range.
func (r *Ranking) Doubt(set *dataset.Set) string {
	if r.scale == nil || set.Kind != dataset.KindFeatures {
		return ""
	}
	fitted, _, err := r.fitted(set)
	if err != nil {
		return "" // Objects says it
	}
	return r.scale.far(fitted)
}

// padded are the objects of sets of at most n items, whose features stand as the model's, each
// followed by zeros up to n.
func (r *Ranking) padded(ctx context.Context, sets []*dataset.Set, n int) (*tensors.Tensor, []string, error) {
	switch r.config.Items {
	case "bare":
		flat := make([]int32, len(sets)*n)
		var warnings []string
		for i, s := range sets {
			ids, warning, err := r.identities(s)
			if err != nil {
				return nil, nil, fmt.Errorf("set %s: %w", s.ID, err)
			}
			if warning != "" && !slices.Contains(warnings, warning) {
				warnings = append(warnings, warning)
			}
			for k, id := range ids {
				flat[i*n+k] = int32(id)
			}
		}
		return tensors.FromFlatDataAndDimensions(flat, len(sets), n), warnings, nil
	case "points":
		flat := make([]float32, len(sets)*n*2)
		for i, s := range sets {
			p, _ := cities(s)
			copy(flat[i*n*2:], forNetwork(p, r.points))
		}
		return tensors.FromFlatDataAndDimensions(flat, len(sets), n, 2), nil, nil
	case "images":
		side := r.config.Pixels
		flat := make([]uint8, len(sets)*n*side*side)
		var warnings []string
		for i, s := range sets {
			pictures, w, err := s.Pictures(ctx, side, side, 1)
			if err != nil {
				return nil, nil, fmt.Errorf("set %s: %w", s.ID, err)
			}
			warnings = append(warnings, w...)
			for k, p := range pictures {
				copy(flat[(i*n+k)*side*side:], p.Pix)
			}
		}
		return tensors.FromFlatDataAndDimensions(flat, len(sets), n, side, side), warnings, nil
	}
	width := r.config.Features
	flat := make([]float32, len(sets)*n*width)
	for i, s := range sets {
		for k := range s.Items {
			for j, v := range s.Items[k].Features {
				flat[(i*n+k)*width+j] = r.scale.input(j, v)
			}
		}
	}
	return tensors.FromFlatDataAndDimensions(flat, len(sets), n, width), nil, nil
}
