package ranking

import (
	"fmt"
	"math"
	"slices"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/metric"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/task"
)

// NDCGAt is how many of the first items the NDCG of ranked lists is of.
const NDCGAt = 10

// topKAt is how many of the first items are compared with the right ones, where lists have twice as many.
const topKAt = 5

// measures say how well lists are ordered of which not everything is known: only pairs that are
// known to be in an order count. exact is the share of lists none of whose known pairs is the wrong
// way round. top-k is the share of the first k items that are among the first k, the mean over what
// ties allow. It is of lists that know the places of more than k items: of k items all are among the
// first. The bound is on log p of what is known, and uniform the same of all orders alike.
func measures(k int) []task.Measure {
	return []task.Measure{
		// As all tasks have them, and not told twice.
		{Key: "exact", Log: "exact"},
		{Key: "kendall_tau", Log: "kendall_tau", Better: 1},
		{Key: "ranking.exact", Label: "exact, known pairs", Unit: "%", Digits: 2},
		{Key: "ranking.tau_b", Label: "Kendall tau-b", Digits: 4},
		{Key: "ranking.ndcg", Label: fmt.Sprintf("NDCG@%d", NDCGAt), Digits: 4, Log: "ndcg"},
		{Key: "ranking.top_k", Label: fmt.Sprintf("top-%d overlap", k), Digits: 4},
		{Key: "ranking.bound", Label: "bound", Unit: "nats an item", Digits: 4},
		{Key: "ranking.uniform", Label: "uniform", Unit: "nats an item", Digits: 4},
	}
}

// Measures implements [task.Task].
func (r *Task) Measures() []task.Measure { return measures(r.topK()) }

// topK is 5, or half of what the largest list may have: of five items all are among the first five.
func (r *Task) topK() int { return min(topKAt, max(1, r.config.N/2)) }

// JudgeList implements [task.Lister].
func (r *Task) JudgeList(s *dataset.Set, o perm.Order, bound, uniform float64) (task.Figures, error) {
	l, n := s.Known(), float64(len(s.Items))
	wrong, err := metric.Discordant(o.Rank(), l)
	if err != nil {
		return nil, err
	}
	exact := 0.0
	if wrong == 0 {
		exact = 100
	}
	tau, ndcg, err := Agreement(s, o)
	if err != nil {
		return nil, err
	}
	f := task.Figures{
		"exact": exact, "kendall_tau": tau, "ranking.exact": exact, "ranking.tau_b": tau, "ranking.ndcg": ndcg,
		"ranking.bound": bound / n, "ranking.uniform": uniform / n,
	}
	if k := r.topK(); l.Known() > k {
		f["ranking.top_k"], err = metric.TopOverlap(o, l, k)
	}
	return f, err
}

// Details implements [task.Lister].
func (r *Task) Details(lists int, dropped []string) []task.Detail {
	d := []task.Detail{{Key: "ranking.lists", Value: lists}, {Key: "ranking.ndcg_at", Value: NDCGAt}, {Key: "ranking.top_k_at", Value: r.topK()}}
	if len(dropped) > 0 {
		d = append(d, task.Detail{Key: "ranking.dropped", Value: dropped})
	}
	return d
}

// judge knows what is known of each set's order, which Clean is drawn from.
type judge struct {
	task.One
	known []dataset.BucketOrder
}

// Nearest implements [task.Judge].
func (j judge) Nearest(set int, o perm.Order) perm.Order { return consistent(o, j.known[set]) }

// Places implements [task.Judge].
func (j judge) Places(set int) (right perm.Order, whole bool, err error) {
	n := len(j.Clean[set])
	if j.known[set].Order(n) != nil {
		return j.Clean[set], true, nil
	}
	return slices.Concat(j.known[set].RestLast(n)...), false, nil
}

// Agreement compares an order with what is known of a list: by Kendall's tau-b, and by the NDCG of its first
// [NDCGAt] known items.
func Agreement(s *dataset.Set, o perm.Order) (tau, ndcg float64, err error) {
	l := s.Known()
	if tau, err = metric.KendallTauB(o.Rank(), l); err != nil {
		return 0, 0, err
	}
	known, grades := condensed(o, l, relevance(s, l))
	ndcg, err = metric.NDCG(known, grades, NDCGAt)
	return tau, ndcg, err
}

// consistent rearranges an order so that it is consistent with levels. Tied items stay in its
// order. Items of which nothing is known stay where they are.
func consistent(order perm.Order, levels dataset.BucketOrder) perm.Order {
	rank := order.Rank()
	var known []int
	in := make([]bool, len(order))
	for _, group := range levels {
		from := len(known)
		known = append(known, group...)
		slices.SortFunc(known[from:], func(a, b int) int { return rank[a] - rank[b] })
		for _, k := range group {
			in[k] = true
		}
	}
	want := slices.Clone(order)
	for place, k := range order {
		if in[k] {
			want[place], known = known[0], known[1:]
		}
	}
	return want
}

// condensed returns an order without the items in no level, which may stand anywhere. It also
// returns what grades say of those that are left. They are numbered anew (T. Sakai, SIGIR 2007).
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

// relevance grades the items of a set as its file does. Else it grades by level from 4, the first,
// to 0, the last, as judges of search results do.
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
