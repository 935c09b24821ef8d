package evaluate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/metric"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/task"
)

// Ranking is how well lists are ordered of which not everything is known: only pairs that are
// known to be in an order count. A set that many gave counts as often.
type Ranking struct {
	Lists int             `json:"lists"` // those who gave an order
	Exact metric.Interval `json:"exact"` // percent of lists none of whose known pairs is the wrong way round
	TauB  metric.Interval `json:"tau_b"` // Kendall's tau-b
	NDCG  metric.Interval `json:"ndcg"`  // of the first NDCGAt items of those that are known
	// TopK is the share of the first TopKAt items that are among them, mean over what ties allow, of
	// lists that know the places of more; nil where there are none: of so many all are among the first.
	TopK    *metric.Interval `json:"top_k,omitempty"`
	NDCGAt  int              `json:"ndcg_at"`  // k
	TopKAt  int              `json:"top_k_at"` // k, 5 or half of what the largest list may have
	Bound   metric.Interval  `json:"bound"`    // on log p of what is known, nats an item
	Uniform metric.Interval  `json:"uniform"`  // the same of all orders alike
	Dropped []string         `json:"dropped,omitempty"`
	// Populations are classical models of the same lists, of bare items alone.
	Populations []Population `json:"populations,omitempty"`
}

// NDCGAt is how many of the first items the NDCG of ranked lists is of.
const NDCGAt = 10

// boundStream keeps the draws behind the bound apart from other uses of a seed.
const boundStream = 0x626f756e64 // "bound"

const (
	topKAt     = 5
	boundDraws = 16
)

// evaluateRanking judges a model of ranked lists: the different ones of a split, the most
// frequent first where they are more than count.
func runLists(ctx context.Context, m *learn.Model, t *task.Ranking, split task.Split, count int, opt learn.DecodeOptions, progress func(done, of int)) (*Result, error) {
	start := time.Now()
	opt, err := m.Decoding(opt)
	if err != nil {
		return nil, err
	}
	sets, weights, err := t.Sets(split, count)
	if err != nil {
		return nil, err
	}
	if progress != nil {
		done := 0 // of two questions a set; equal sets are asked once
		m.OnAnswered = func(more int) {
			done += more
			progress(done/2, len(sets))
		}
		defer func() { m.OnAnswered = nil }()
	}
	ordered, _, err := m.Order(ctx, sets, 1, opt)
	if err != nil {
		return nil, err
	}
	// An order consistent with what is known stands for the set: by Jensen, its mean log p and
	// the log of how many there are bound log p of what is known.
	drawn := make([]*dataset.Set, len(sets))
	logCount := make([]float64, len(sets))
	for i, s := range sets {
		l := s.Known()
		d := *s
		d.Order, d.OrderGiven = l.Draw(rand.New(rand.NewPCG(m.Config.Seed^boundStream, uint64(i))), len(s.Items)), "order"
		drawn[i] = &d
		logCount[i] = l.LogCount(len(s.Items))
	}
	scored, _, err := m.Score(ctx, drawn, boundDraws, m.Config.Seed)
	if err != nil {
		return nil, err
	}
	if progress != nil {
		progress(len(sets), len(sets))
	}
	// Of five items all are among the first five.
	r := &Ranking{NDCGAt: NDCGAt, TopKAt: min(topKAt, max(1, m.Config.Task.N/2)), Dropped: t.Dropped}
	var exact, tauB, ndcg, top, bound, uniform []float64
	for i, s := range sets {
		l, n := s.Known(), float64(len(s.Items))
		order := ordered[i].Orders[0].Order
		rank := order.Rank()
		wrong, err := metric.Discordant(rank, l)
		if err != nil {
			return nil, err
		}
		values := [6]float64{}
		if wrong == 0 {
			values[0] = 100
		}
		if values[1], err = metric.KendallTauB(rank, l); err != nil {
			return nil, err
		}
		known, grades := condensed(order, l, relevance(s, l))
		if values[2], err = metric.NDCG(known, grades, NDCGAt); err != nil {
			return nil, err
		}
		if values[3], err = metric.TopOverlap(order, l, r.TopKAt); err != nil {
			return nil, err
		}
		values[4] = min(0, float64(scored[i].Bound)+logCount[i]) / n
		values[5] = (float64(scored[i].Uniform) + logCount[i]) / n
		for range min(weights[i], maxWeight) {
			for j, to := range []*[]float64{&exact, &tauB, &ndcg, &top, &bound, &uniform} {
				if to != &top || l.Known() > r.TopKAt {
					*to = append(*to, values[j])
				}
			}
		}
	}
	r.Lists = len(exact)
	if m.Config.Task.Items == "bare" && split == task.Test {
		train, counts, err := t.Sets(task.Train, 0)
		_, gone := errors.AsType[*task.DataError](err)
		switch {
		case gone: // the test is of another file
			r.Dropped = append(r.Dropped, "the data of the training are not here, so no classical models are fitted to them")
		case err != nil:
			return nil, err
		default:
			r.Populations = populations(votes(train, counts), votes(sets, weights), m.Config.Task.N, train[0].ItemNames())
		}
	}
	if len(top) > 0 {
		r.TopK = &metric.Interval{}
	}
	for _, x := range []struct {
		to   *metric.Interval
		from []float64
	}{{&r.Exact, exact}, {&r.TauB, tauB}, {&r.NDCG, ndcg}, {r.TopK, top}, {&r.Bound, bound}, {&r.Uniform, uniform}} {
		if x.to == nil {
			continue
		}
		if *x.to, err = metric.Bootstrap(x.from, 0, m.Config.Seed); err != nil {
			return nil, err
		}
	}
	out := &Result{
		Sets: len(sets), N: m.Config.Task.N, Method: m.Config.Method, Step: m.State.Step, Seed: m.Config.Seed, Decode: opt, Engine: m.Engine.Kind,
		Exact: r.Exact, KendallTau: r.TauB, Ranking: r, Seconds: time.Since(start).Seconds(), Warnings: slices.Concat(m.Warnings(), t.Dropped),
	}
	out.SetsPerSecond = float64(len(sets)) / out.Seconds
	if r.TauB.High < 0 {
		out.Warnings = append(out.Warnings, fmt.Sprintf("the model's orders run against those of the lists (Kendall's tau-b %.2f): do the lists put the best first?", r.TauB.Mean))
	}
	return out, nil
}

// maxWeight bounds how often one order counts, for the sake of memory.
const maxWeight = 100_000

// condensed returns an order without the items in no level, which may stand anywhere, with what
// grades say of those that are left; they are numbered anew (T. Sakai, SIGIR 2007).
func condensed(order perm.Order, l dataset.BucketOrder, grades []float64) (perm.Order, []float64) {
	in := make([]bool, len(order))
	for _, group := range l {
		for _, k := range group {
			in[k] = true
		}
	}
	var known []float64
	for _, k := range order {
		if in[k] {
			known = append(known, grades[k])
		}
	}
	return perm.Identity(len(known)), known
}

// relevance grades the items of a set: as its file does, else by level from 4, the first, to
// 0, the last, as judges of search results do.
func relevance(s *dataset.Set, l dataset.BucketOrder) []float64 {
	grades := make([]float64, len(s.Items))
	if s.Relevance != nil {
		for k, v := range s.Relevance {
			grades[k] = math.Max(0, v)
		}
		return grades
	}
	for i, group := range l {
		for _, k := range group {
			grades[k] = 4 * float64(len(l)-1-i) / math.Max(1, float64(len(l)-1))
		}
	}
	return grades
}
