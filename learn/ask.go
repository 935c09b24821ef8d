package learn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/diffusion"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/task"
)

// Ordered is a set's most probable orders.
type Ordered struct {
	ID string `json:"id"`
	// OrderGiven names the field in which the set gave its order: "order" or "rank", "" without
	// one.
	OrderGiven string `json:"order_given,omitempty"`
	// Orders are by falling LogPath, tours by their length, at most as many as asked for.
	Orders []Ranked `json:"orders"`
	// Steps are the states of the best order's way, noise first: X_T, …, X_0, in order form.
	Steps []perm.Order `json:"steps,omitempty"`
	// Items are what the items are called, by their number; nil where they have no names.
	Items []string `json:"items,omitempty"`
	// Warnings are what may not be wanted, of this set and of the model.
	Warnings []string `json:"warnings,omitempty"`
}

// Ranked is an order that decoding found.
type Ranked struct {
	Order perm.Order `json:"order"`
	// LogPath, in nats, is the log-probability to come to this order from one start X_T on the ways that were
	// kept. All orders of an answer have the same start, so it ranks them. log p(order | objects) is over all
	// starts and ways; [Model.Score] estimates it.
	LogPath Nats `json:"log_path"`
	// Cost is the length of a tour, nil where orders cost nothing.
	Cost *float64 `json:"cost,omitempty"`
}

// chunk calls f with the encodings of some sets at a time: Eval.Batch, or as many as [Model.together]
// says where each has one state at a time. index says which sets they are. Sets of like sizes go
// together wherever they stand. A set of fewer than two objects has one order; f is called for it
// without an encoding. The sets have ids, by which errors call them. warnings[i] are those of the
// objects of set i. copies are those of [Model.encodeViews].
func (m *Model) chunk(ctx context.Context, sets []*dataset.Set, copies int, oneState bool, f func(index []int, enc *diffusion.Encoded) error) (warnings [][]dataset.Warning, err error) {
	warnings = make([][]dataset.Warning, len(sets))
	if _, err := m.Decoder(); err != nil {
		return nil, err
	}
	size := func(i int) int { return len(sets[i].Items) }
	var bySize []int
	for i := range sets {
		if size(i) < 2 {
			if size(i) == 1 { // there is one order, but not of just anything
				_, w, err := m.Task.Objects(ctx, sets[i:i+1])
				if err != nil {
					return warnings, m.ofItems(ctx, err)
				}
				warnings[i] = w
			}
			if err := f([]int{i}, nil); err != nil {
				return warnings, err
			}
			continue
		}
		bySize = append(bySize, i)
	}
	slices.SortStableFunc(bySize, func(a, b int) int { return cmp.Compare(size(a), size(b)) })
	for len(bySize) > 0 {
		if err := ctx.Err(); err != nil {
			return warnings, err
		}
		count := m.Config.Eval.Batch
		if oneState {
			count = m.together(size(bySize[min(count, len(bySize))-1]))
		}
		index := bySize[:min(count, len(bySize))]
		bySize = bySize[len(index):]
		var parts []*diffusion.Encoded
		for at := 0; at < len(index); {
			same := at + 1
			for same < len(index) && size(index[same]) == size(index[at]) {
				same++
			}
			part, err := m.encodeSets(ctx, sets, index[at:same], copies, warnings)
			if err != nil {
				return warnings, err
			}
			parts, at = append(parts, part), same
		}
		err := f(index, diffusion.Join(parts...))
		if _, named := errors.AsType[*SetError](err); err != nil && !named {
			err = InSet(sets[index[0]].ID, err)
		}
		if err != nil {
			return warnings, err
		}
		if m.OnAnswered != nil {
			m.OnAnswered(len(index))
		}
	}
	return warnings, nil
}

// togetherNumbers is about how many numbers are asked about at a time. They are those of the
// objects, or those that the network makes of them.
const togetherNumbers = 1 << 19

// together is how many sets of n objects with one state each are asked about at a time. The network's last
// part of each size is filled up, so more sets waste less. Eval.Batch bounds the sets of many states.
func (m *Model) together(n int) int {
	object := max(float64(m.Denoiser.Config.Dim), m.objectFloats())
	return max(m.Config.Eval.Batch, int(togetherNumbers/(float64(n)*object)))
}

// encodeSets encodes the sets of index, which are of one size, and writes the warnings of each.
func (m *Model) encodeSets(ctx context.Context, sets []*dataset.Set, index []int, copies int, warnings [][]dataset.Warning) (*diffusion.Encoded, error) {
	var part []*dataset.Set
	for _, i := range index {
		part = append(part, sets[i])
	}
	objects, w, err := m.Task.Objects(ctx, part)
	if err != nil {
		return nil, m.ofItems(ctx, err)
	}
	if len(w) > 0 { // said of all together: ask for those of each
		for _, i := range index {
			objects, w, err := m.Task.Objects(ctx, sets[i:i+1])
			if err != nil {
				return nil, m.ofItems(ctx, err)
			}
			if err := objects.FinalizeAll(); err != nil {
				return nil, err
			}
			warnings[i] = w
		}
	}
	enc, err := m.encodeViews(ctx, m.decoder, objects, copies)
	if err == nil {
		err = objects.FinalizeAll()
	}
	return enc, InSet(part[0].ID, err)
}

// ofItems is an error of a task about the items of a set, which it names.
func (m *Model) ofItems(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return &SetError{error: Refuse(Unfit, "items", "%w", err)}
}

// warn brings the warnings of sets together, those of their objects and those of sizes that the
// model was not trained on. all has each once. of[i] are those of set i, and those of the model.
func (m *Model) warn(sets []*dataset.Set, objects [][]dataset.Warning) (all []dataset.Warning, of [][]string) {
	sizes := m.otherSizes(sets)
	for _, n := range slices.Sorted(maps.Keys(sizes)) {
		all = append(all, sizes[n])
	}
	of = make([][]string, len(sets))
	var doubts []dataset.Warning
	for i, s := range sets {
		of[i] = m.Warnings()
		// Of this set alone: an answer does not depend on the sets beside it.
		if w, other := m.otherSizes(sets[i : i+1])[len(s.Items)]; other {
			of[i] = append(of[i], w.Text)
		}
		of[i] = append(of[i], dataset.Texts(objects[i])...)
		if d, ok := m.Task.(task.Doubter); ok {
			if w := d.Doubt(s); w.Text != "" {
				of[i] = append(of[i], w.Text)
				doubts = append(doubts, ofSet(w.Kind, s.Called(i), w.Text))
			}
		}
		for _, w := range objects[i] {
			if !slices.Contains(all, w) {
				all = append(all, w)
			}
		}
	}
	if more := len(doubts) - mostDoubts; more > 0 {
		doubts = append(doubts[:mostDoubts], dataset.Warning{Kind: "more doubts", Text: fmt.Sprintf("so it is in %d more sets; each answer says so", more)})
	}
	return append(all, doubts...), of
}

// mostDoubts is for how many sets it is said, one by one, what is odd.
const mostDoubts = 3

// otherSizes warns of sets that are not of the size the model was trained on, once a size. A model
// of ranked lists has seen several sizes, up to task.n.
func (m *Model) otherSizes(sets []*dataset.Set) map[int]dataset.Warning {
	warnings, count := map[int]dataset.Warning{}, map[int]int{}
	trained := m.Config.Task.N
	smallest := m.Config.SmallestSet()
	if m.Config.MixedSizes() {
		smallest = 0
	}
	for _, s := range sets {
		if n := len(s.Items); n > trained || 1 < n && n < smallest { // of one there is one order
			count[n]++
		}
	}
	for n := range count {
		have := "sets have"
		if count[n] == 1 {
			have = "set has"
		}
		warnings[n] = dataset.Warning{
			Kind: fmt.Sprintf("%d objects", n),
			Text: fmt.Sprintf("%d %s %d objects, the model was trained on sets of %s: the answers may be worse", count[n], have, n, m.Config.SizesInWords()),
		}
	}
	return warnings
}

// ofSet is a warning about one set, whose name its text begins with.
func ofSet(kind, name, text string) dataset.Warning {
	return dataset.Warning{Kind: kind, Text: fmt.Sprintf("set %s: %s", name, text)}
}

// Order finds the most probable orders of sets, at most top each. More than one come from the beam.
// All obey the constraints of their set; constraints that contradict each other are an error. Sets
// with the same objects and constraints are asked once, and their answers share memory.
func (m *Model) Order(ctx context.Context, sets []*dataset.Set, top int, opt DecodeOptions) (out []Ordered, warnings []dataset.Warning, err error) {
	var cost func(*dataset.Set, perm.Order) float64
	if p, ok := m.Task.(task.Coster); ok {
		cost = p.Cost
	}
	return m.OrderBy(ctx, sets, top, opt, cost)
}

// OrderBy is [Model.Order] with another cost. Of the last beam the orders of the least cost are
// chosen. nil is no cost. The cost must depend on the set's objects and its order alone.
func (m *Model) OrderBy(ctx context.Context, sets []*dataset.Set, top int, opt DecodeOptions, price func(*dataset.Set, perm.Order) float64) (out []Ordered, warnings []dataset.Warning, err error) {
	if err := m.Method.Refuse("orders of new sets"); err != nil {
		return nil, nil, err
	}
	if opt, err = opt.Complete(m.ownDecode(), top); err != nil {
		return nil, nil, err
	}
	if err := m.checkSymmetries(opt); err != nil {
		return nil, nil, err
	}
	if opt.Symmetries > 1 && m.viewer() == nil {
		return m.orderTurned(ctx, sets, top, opt, price)
	}
	all, d := sets, distinctSets(sets, false)
	sets = d.sets
	plans, err := m.plans(ctx, sets)
	if err != nil {
		return nil, nil, err
	}
	out = make([]Ordered, len(sets))
	objects, err := m.chunk(ctx, sets, opt.Symmetries, !opt.wide(), func(index []int, enc *diffusion.Encoded) error {
		if enc == nil {
			out[index[0]] = Ordered{Orders: []Ranked{{Order: perm.Identity(len(sets[index[0]].Items))}}}
			return nil
		}
		// All sets of a size start from one arrangement, so that the order of a set does not depend
		// on its place in the file.
		noise := make([]perm.Order, enc.Batch)
		for i := range noise {
			noise[i] = m.Process.Noise(m.Config.Seed, 0, 1, enc.Size(i))[0]
		}
		dec, err := m.obeying(plans, index)
		if err != nil {
			return err
		}
		ways, err := methodOf(opt.Method).decode(ctx, dec, enc, noise, opt)
		if err != nil {
			return err
		}
		for k, i := range index {
			if out[i], err = m.ordered(sets[i], ways[k], top, plans[i] != nil, price, enc.Alike(k)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	out = spread(d, out)
	warnings, of := m.warn(all, spread(d, objects))
	for i, s := range all {
		o := &out[i]
		o.ID, o.Items, o.OrderGiven, o.Orders = s.Called(i), givenNames(s), s.OrderGiven, slices.Clone(o.Orders)
		for _, w := range o.Warnings { // so far those of mending
			warnings = append(warnings, ofSet("mended", o.ID, w))
		}
		o.Warnings = append(of[i], o.Warnings...)
	}
	return out, warnings, nil
}

// ordered makes the answer for a set from the ways that decoding found, the best first. alike is as
// [inIndexOrder] has it.
func (m *Model) ordered(s *dataset.Set, ways []diffusion.Path, top int, ruled bool, price func(*dataset.Set, perm.Order) float64, alike []int) (o Ordered, err error) {
	if price != nil {
		if math.IsInf(price(s, ways[0].Order()), 0) {
			return o, InSet(s.ID, Refuse(Unfit, "items", "a tour has no finite length: the cities are too far apart"))
		}
		cheapest(ways, func(o perm.Order) float64 { return price(s, o) })
	}
	if !ruled {
		inIndexOrder(ways, alike)
	}
	o.Steps = ways[0].States
	far := 0
	for _, p := range ways[:min(top, len(ways))] {
		if ruled && outOfReach(&p) {
			far++
		}
		r := Ranked{Order: p.Order(), LogPath: Nats(p.LogProb)}
		if price != nil {
			cost := price(s, r.Order)
			r.Cost = &cost
		}
		o.Orders = append(o.Orders, r)
	}
	o.Warnings = m.mended(far, len(o.Orders))
	return o, nil
}

// Sampled are orders drawn for a set.
type Sampled struct {
	ID      string       `json:"id"`
	Samples []perm.Order `json:"samples"`
	// Marginals[k][i] is the share of the samples that put item k at position i.
	Marginals [][]float64 `json:"marginals"`
	Items     []string    `json:"items,omitempty"`    // as in [Ordered]
	Warnings  []string    `json:"warnings,omitempty"` // as in [Ordered]
}

// samplesAtOnce is how many samples of a set go through the network together.
const samplesAtOnce = 64

// Sample draws count orders of each set. Another seed gives other draws. The draws of a set depend
// on the seed, its objects and its constraints alone: the same set has the same draws wherever it
// stands. Where a set has constraints all draws obey them, and follow the law that
// [diffusion.Decoder.WithConstraints] states. Contradictions are an error.
func (m *Model) Sample(ctx context.Context, sets []*dataset.Set, count int, seed uint64) (out []Sampled, warnings []dataset.Warning, err error) {
	if err := CheckDraws("count", count); err != nil {
		return nil, nil, err
	}
	if _, err := m.Decoder(); err != nil {
		return nil, nil, err
	}
	all, d := sets, distinctSets(sets, false)
	sets = d.sets
	plans, err := m.plans(ctx, sets)
	if err != nil {
		return nil, nil, err
	}
	out = make([]Sampled, len(sets))
	objects := make([][]dataset.Warning, len(sets))
	for at := range sets { // one set at a time: its samples fill the batch
		more, err := m.chunk(ctx, sets[at:at+1], 1, false, func(_ []int, enc *diffusion.Encoded) error {
			n := len(sets[at].Items)
			s := Sampled{Marginals: make([][]float64, n)}
			for k := range s.Marginals {
				s.Marginals[k] = make([]float64, n)
			}
			dec := m.decoder
			if enc != nil {
				var err error
				if dec, err = m.obeying(plans[at:at+1], []int{0}); err != nil {
					return err
				}
			}
			numbers, far := make([]uint64, min(count, samplesAtOnce)), 0
			for len(s.Samples) < count {
				if err := ctx.Err(); err != nil {
					return err
				}
				for j := range numbers {
					numbers[j] = uint64(len(s.Samples) + j)
				}
				paths, err := m.draw(ctx, dec, enc, n, seed^d.digests[at].seed(), numbers)
				if err != nil {
					return err
				}
				for _, p := range paths[:min(len(paths), count-len(s.Samples))] {
					s.Samples = append(s.Samples, p.Order())
					if plans[at] != nil && outOfReach(&p) {
						far++
					}
				}
			}
			s.Warnings = m.mended(far, count)
			for _, o := range s.Samples {
				for i, k := range o {
					s.Marginals[k][i]++
				}
			}
			for _, row := range s.Marginals {
				for i := range row {
					row[i] /= float64(count)
				}
			}
			out[at] = s
			return nil
		})
		if err != nil {
			return nil, nil, err
		}
		objects[at] = more[0]
	}
	out = spread(d, out)
	warnings, of := m.warn(all, spread(d, objects))
	for i := range out {
		out[i].ID, out[i].Items = all[i].Called(i), givenNames(all[i])
		for _, w := range out[i].Warnings {
			warnings = append(warnings, ofSet("mended", out[i].ID, w))
		}
		out[i].Warnings = append(of[i], out[i].Warnings...)
	}
	return out, warnings, nil
}

// Scored is the log-probability of a set's given order, and a bound on it. Where a set has ties, or
// items of which nothing is known, it is that of all orders consistent with its levels together.
type Scored struct {
	ID         string `json:"id"`
	OrderGiven string `json:"order_given,omitempty"` // as in [Ordered], or "levels"
	// Bound is a lower bound on log p(order | objects) in nats, estimated with standard
	// error StdErr; Uniform is what a model without knowledge has, −log n! for one order.
	Bound   Nats `json:"bound"`
	StdErr  Nats `json:"stderr"`
	Uniform Nats `json:"uniform"`
	// LogProb is the importance estimate of log p itself by the same trajectories, with its
	// standard error, and Effective is how many of them count: see [diffusion.Estimate].
	LogProb       Nats    `json:"log_prob"`
	LogProbStdErr Nats    `json:"log_prob_stderr"`
	Effective     float64 `json:"effective"`
	// Capped is whether an estimate was above 0, which no log p is, and was made 0. All orders
	// together are certain: that is 0 ± 0 exactly and no estimate.
	Capped bool `json:"capped,omitempty"`
	// Warnings are as in [Ordered].
	Warnings []string `json:"warnings,omitempty"`
}

// Score estimates log p of the sets' given orders, and bounds it from below, by draws forward trajectories.
// Where a set has levels that are not one order, p is the sum over all orders consistent with them
// ([diffusion.Decoder.LikelihoodAmong]). Of at most five objects log p is no estimate: it is the
// sum over all ways, with a standard error of 0. It is that of the model without constraints, and a set that has some is warned
// of. A tour is scored as it is written from item 0, in the direction
// that is given.
func (m *Model) Score(ctx context.Context, sets []*dataset.Set, draws int, seed uint64) (out []Scored, warnings []dataset.Warning, err error) {
	return m.scoreSets(ctx, sets, draws, seed, true)
}

// Bound is [Model.Score] for whoever wants the bound alone. Its log p is always an estimate, of few
// objects too.
func (m *Model) Bound(ctx context.Context, sets []*dataset.Set, draws int, seed uint64) (out []Scored, warnings []dataset.Warning, err error) {
	return m.scoreSets(ctx, sets, draws, seed, false)
}

func (m *Model) scoreSets(ctx context.Context, sets []*dataset.Set, draws int, seed uint64, exact bool) (out []Scored, warnings []dataset.Warning, err error) {
	for i, s := range sets {
		if err := CheckScore(m.Process, s); err != nil {
			return nil, nil, InSet(s.Called(i), err)
		}
	}
	if err := CheckDraws("draws", draws); err != nil {
		return nil, nil, err
	}
	sets = m.fromFirst(sets)
	all, d := sets, distinctSets(sets, true)
	sets = d.sets
	out = make([]Scored, len(sets))
	objects, err := m.chunk(ctx, sets, 1, false, func(index []int, enc *diffusion.Encoded) error {
		if enc == nil {
			out[index[0]] = Scored{Effective: float64(draws)}
			return nil
		}
		logCount := make([]float64, enc.Batch)
		rngs := make([]*rand.Rand, enc.Batch)
		for k, i := range index {
			if sets[i].Order == nil {
				logCount[k] = sets[i].Levels.LogCount(enc.Size(k))
			}
			rngs[k] = rand.New(rand.NewPCG(seed^boundStream, d.digests[i].seed()))
		}
		estimates, err := m.decoder.LikelihoodAmong(ctx, enc, func(k int) perm.Order {
			if s := sets[index[k]]; s.Order == nil {
				return s.Levels.Draw(rngs[k], enc.Size(k))
			}
			return sets[index[k]].Order
		}, logCount, draws, rngs)
		if err != nil {
			return err
		}
		if exact {
			if err := m.exactly(ctx, enc, sets, index, draws, estimates); err != nil {
				return err
			}
		}
		for k, i := range index {
			out[i] = m.scored(estimates[k], sets[i], logCount[k], draws)
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	out = spread(d, out)
	warnings, of := m.warn(all, spread(d, objects))
	said := false
	for i, s := range all {
		if !s.Constraints.IsZero() {
			of[i] = append(of[i], unruled)
			if !said {
				said, warnings = true, append(warnings, ofSet("unruled", s.Called(i), unruled))
			}
		}
		if out[i].Capped {
			of[i] = append(of[i], capped)
			warnings = append(warnings, ofSet("capped", s.Called(i), capped))
		}
		out[i].ID, out[i].OrderGiven, out[i].Warnings = s.Called(i), s.OrderGiven, of[i]
		if s.Order == nil && len(s.Items) > 0 {
			out[i].OrderGiven = "levels"
		}
	}
	return out, warnings, nil
}

// fromFirst are sets whose tours are written from object 0, where the orders of a process begin that keeps it there. They
// are the same tours, in the same direction.
func (m *Model) fromFirst(sets []*dataset.Set) []*dataset.Set {
	if m.Process == nil || !m.Process.FixFirst {
		return sets
	}
	out := slices.Clone(sets)
	for i, s := range sets {
		if at := slices.Index(s.Order, 0); at > 0 {
			turned := *s
			turned.Order = slices.Concat(s.Order[at:], s.Order[:at])
			turned.Levels = dataset.Strict(turned.Order)
			out[i] = &turned
		}
	}
	return out
}

const unruled = "log p is of the model without rules, the set has constraints"

const capped = "an estimate was above 0, where no log p is, and was made 0: more draws bring it nearer"

// scored is the score of a set, whose known order is consistent with exp(logCount) orders.
func (m *Model) scored(x diffusion.Estimate, s *dataset.Set, logCount float64, draws int) Scored {
	all := m.Process.LogOrders(len(s.Items))
	if logCount >= all && (!m.Process.FixFirst || s.Order[0] == 0) { // whatever the model says
		return Scored{Effective: float64(draws)}
	}
	return Scored{
		Bound: Nats(min(0, x.Bound)), StdErr: Nats(x.BoundStdErr), Uniform: Nats(logCount - all),
		LogProb: Nats(min(0, x.LogProb)), LogProbStdErr: Nats(x.StdErr), Effective: x.Effective,
		Capped: x.Bound > 0 || x.LogProb > 0,
	}
}

// givenNames are the names of items that their file gives, nil where none says more than the
// item's number.
func givenNames(s *dataset.Set) []string {
	names := s.ItemNames()
	for k, it := range s.Items {
		if names[k] != strconv.Itoa(k) && (it.ID != "" || it.Picture == nil) {
			return names
		}
	}
	return nil
}

// Duration is how long the model was trained.
func (m *Model) Duration() time.Duration {
	return time.Duration(m.State.Elapsed * float64(time.Second))
}
