package reverse

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/riffle-ml/riffle/perm"
)

// TransitionPlackettLuce is the Plackett–Luce distribution whose odds depend on the object that was
// placed last. Its scores S [n + 1, n] are row-major: row 0 chooses the first object, and row 1 + j
// the object after object j. Each row chooses among the objects that are left,
//
//	log p(σ) = Σ_i ( S[r_i,σ[i]] − log Σ_{j ≥ i} exp S[r_i,σ[j]] ),  r_0 = 0, r_i = 1 + σ[i−1].
//
// As in the other laws, object j is the one at position j of X_t. Row 1 + j belongs to it. PL is
// this law with equal rows. With −Inf scores any single order can have probability 1. A row knows
// neither its position nor the objects before the last. So for n ≥ 4 it cannot realise every
// distribution. For example, the probabilities of the orders 0, 1, 2, 3 and 3, 0, 2, 1 have a
// product of at most 1/16. Row 0 cannot favour both 0 and 3, nor row 1 both 1 and 2. Each of the
// two rows gives the product a factor of at most 1/4.
//
// Its mode is not the greedy order in general.
type TransitionPlackettLuce struct{}

// Layout implements [Law].
func (TransitionPlackettLuce) Layout() Layout { return MatrixPlusRow }

func (TransitionPlackettLuce) Name() string        { return "path" }
func (TransitionPlackettLuce) LongName() string    { return "transition Plackett–Luce" }
func (TransitionPlackettLuce) NumScores(n int) int { return MatrixPlusRow.Size(n) }
func (TransitionPlackettLuce) FullSupport() bool   { return true }

// Row implements [Rows]: it is the row of the object placed last.
func (TransitionPlackettLuce) Row(scores []float64, placed []int, into []float64) []float64 {
	n, r := len(into), rowAfter(placed)
	return scores[r*n : (r+1)*n]
}

// rowAfter is the row of the object placed last, 0 at the start.
func rowAfter(placed []int) int {
	if len(placed) == 0 {
		return 0
	}
	return placed[len(placed)-1] + 1
}

// LogProb is O(n²).
func (l TransitionPlackettLuce) LogProb(scores []float64, o perm.Order) float64 {
	checkScores(l, scores, len(o))
	return logProbOfRows(l, scores, o)
}

// Sample draws object by object, in O(n²).
func (l TransitionPlackettLuce) Sample(rng *rand.Rand, scores []float64, dst perm.Order) {
	checkScores(l, scores, len(dst))
	sampleRows(l, rng, scores, dst)
}

// Mode writes the greedy order: each row takes the best of the objects left.
func (l TransitionPlackettLuce) Mode(scores []float64, dst perm.Order) float64 {
	checkScores(l, scores, len(dst))
	greedy(l, scores, dst)
	return l.LogProb(scores, dst)
}

// TopK is a beam search of width k that always keeps the greedy order.
func (l TransitionPlackettLuce) TopK(scores []float64, k int) []Candidate {
	return l.TopKAbove(scores, k, negInf)
}

// TopKAbove implements [FloorSearcher]. It is O(k·n²), after O(n²) exponentials.
func (l TransitionPlackettLuce) TopKAbove(scores []float64, k int, floor float64) []Candidate {
	n := int(math.Round((math.Sqrt(float64(1+4*len(scores))) - 1) / 2))
	checkScores(l, scores, n)
	if k < 1 {
		return nil
	}
	if n == 0 {
		return []Candidate{{perm.Order{}, 0}}
	}
	weight, greatest, less := make([]float64, len(scores)), make([]float64, n+1), make([]float64, n)
	for r := range greatest {
		row := scores[r*n : (r+1)*n]
		exponentials(row, less, weight[r*n:(r+1)*n])
		greatest[r] = clean(slices.MaxFunc(row, func(a, b float64) int { return cmp.Compare(clean(a), clean(b)) }))
	}
	odds := func(p *prefix) ([]float64, logSum) {
		r := rowAfter(p.order)
		row, sum := scores[r*n:(r+1)*n], 0.0
		for j, u := range p.used {
			if !u {
				sum += weight[r*n+j]
			}
		}
		if sum > tooSmall {
			return row, logSum{greatest[r], math.Log(sum)}
		}
		return row, sumUnused(row, p.used) // what is left is far below the greatest of the row
	}
	return prefixSearch{n, odds}.run(l, scores, k, floor)
}

// LogProbGraph takes scores [..., n + 1, n]. It needs no gather. The start counts as rank −1. Each
// row chooses the object of the next rank, among those of a higher rank than its own.
func (l TransitionPlackettLuce) LogProbGraph(scores, rank *graph.Node) *graph.Node {
	n := rank.Shape().Dim(-1)
	checkGraph(l, scores, rank, n+1, n)
	start := graph.AddScalar(graph.ZerosLike(graph.Slice(rank, graph.AxisRange().Spacer(), graph.AxisRange(0, 1))), -1)
	row := graph.ExpandAxes(graph.Concatenate([]*graph.Node{start, rank}, -1), -1) // [..., n+1, 1]
	position := graph.ExpandAxes(rank, -2)                                         // [..., 1, n]
	end := graph.Equal(row, graph.ConstAs(row, n-1))                               // the last object chooses none
	left := graph.LogicalOr(graph.GreaterThan(position, row), end)                 // [..., n+1, n]
	here := graph.Equal(position, graph.OnePlus(row))                              // [..., n+1, n]
	s := floored(scores)
	z, total := shifted(s, left)
	logp := graph.Sub(pick(z, here), total) // [..., n+1]
	logp = graph.Where(graph.Squeeze(end, -1), graph.ZerosLike(logp), logp)
	never := barred(graph.ReduceMin(pick(s, here), -1))
	return unless(never, graph.ReduceSum(logp, -1), scores)
}

// Unpad implements [Padder]: the start adds one row.
func (TransitionPlackettLuce) Unpad(scores []float64, n, length int) []float64 {
	return unpadRows(scores, length+1, n, length)
}

// OneStep implements [OneStep]: the scores say which object comes after which, from the objects
// alone. For tours, one step was best.
func (TransitionPlackettLuce) OneStep() {}

// Pad implements [Padder]: as for PL, in every row.
func (TransitionPlackettLuce) Pad(scores, rank, lengths *graph.Node) (_, _ *graph.Node) {
	n := rank.Shape().Dim(-1)
	length := graph.ExpandAxes(lengths, -1, -2)
	at := count(rank, length.Rank(), -1, n)
	steps := graph.ConvertDType(graph.Add(at, graph.ConstAs(at, 1)), scores.DType())
	far := graph.Mul(steps, graph.ConstAs(scores, padScore))
	inside := graph.LessThan(at, length)
	shape := scores.Shape().Dimensions
	return graph.Where(graph.BroadcastToDims(inside, shape...), scores, graph.BroadcastToDims(far, shape...)), rank
}

// LogProbs implements [BatchLaw]: O(n²) exponentials in all, and O(n²) additions per order.
func (l TransitionPlackettLuce) LogProbs(scores []float64, orders []perm.Order, dst []float64) {
	logProbsOfRows(l, scores, orders, dst)
}
