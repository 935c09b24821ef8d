package shuffle

import (
	"math"
	"math/rand/v2"

	"github.com/riffle-ml/riffle/perm"
)

// Insertion is the random insertion: the last card goes before position i, or
// stays, with probability 1/n each,
//
//	insert_i = 0 … i−1, n−1, i … n−2,  insert_{n−1} = Id,
//
// positions counted from 0 (paper §3.1).
type Insertion struct{}

// Name returns "insertion".
func (Insertion) Name() string { return "insertion" }

// CutOff returns n·log n.
func (Insertion) CutOff(n int) float64 {
	if n <= 1 {
		return 0
	}
	return float64(n) * math.Log(float64(n))
}

// Sample writes one insertion into dst.
func (law Insertion) Sample(rng *rand.Rand, dst perm.Order) { law.SampleT(rng, 1, dst) }

// SampleT writes the product of t random insertions into dst, in O(n·t).
func (Insertion) SampleT(rng *rand.Rand, t int, dst perm.Order) {
	setIdentity(dst)
	if len(dst) < 2 {
		return
	}
	last := len(dst) - 1
	for range t {
		i := rng.IntN(len(dst))
		card := dst[last]
		copy(dst[i+1:], dst[i:last])
		dst[i] = card
	}
}

// LogProb returns log q(σ) of one move, in nats.
func (Insertion) LogProb(sigma perm.Order) float64 {
	if len(sigma) < 2 {
		return 0
	}
	last := len(sigma) - 1
	i := 0
	for i < last && sigma[i] == i {
		i++
	}
	if sigma[i] != last {
		return math.Inf(-1)
	}
	for j := i + 1; j <= last; j++ {
		if sigma[j] != j-1 {
			return math.Inf(-1)
		}
	}
	return -math.Log(float64(len(sigma)))
}

// LogProbT returns the log probability of σ after t insertions, in nats. The cards that no
// insertion takes are the first j of X_0 for some j, and they keep their order. All n!/j!
// arrangements that keep it are then equally likely:
//
//	q^(t)(σ) = Σ_{j ≤ J} p_t(n−j)·j!/n!,
//
// where p_t(m) is the probability that t draws from n cards take m different ones. J is the largest
// number for which the cards 0, 1, …, J−1 stand in this order in σ, from left to right. For t ≤ 0
// the result is 0 for the identity and −Inf for other orders. O(n·t).
func (Insertion) LogProbT(t int, sigma perm.Order) float64 {
	if len(sigma) < 2 {
		return 0
	}
	return min(0, insertionLogs(t, len(sigma))[inOrder(sigma.Inverse())])
}

// Last writes into dst the distribution of the last of t ≥ 1 insertions, given their product σ (X_t
// = σ·X_0). dst[i] is the probability that the last insertion took the card now at position i,
// which was then the last card of X_{t−1}. All are 0 where t insertions cannot give σ. O(n·t).
func (Insertion) Last(t int, sigma perm.Order, dst []float64) {
	at := sigma.Inverse()
	logs, ordered := insertionLogs(t-1, len(sigma)), inOrder(at)
	greatest := math.Inf(-1)
	for i, card := range sigma {
		// Before the insertion, card was at the end. If card ≤ ordered, the cards 0 … card were
		// then in order, and card + 1 stood before card.
		dst[i] = logs[ordered]
		if card <= ordered {
			dst[i] = logs[card+1]
		}
		greatest = max(greatest, dst[i])
	}
	sum := 0.0
	for i, l := range dst {
		dst[i] = 0
		if !math.IsInf(l, -1) {
			dst[i] = math.Exp(l - greatest)
			sum += dst[i]
		}
	}
	for i := range dst {
		if sum > 0 {
			dst[i] /= sum
		}
	}
}

// inOrder is the largest J for which the cards 0 … J−1 stand in this order, given where each card
// is.
func inOrder(at perm.Order) int {
	j := 1
	for j < len(at) && at[j] > at[j-1] {
		j++
	}
	return j
}

// insertionLogs returns at index J the log of q^(t) of an order in which the first J cards, and no
// more, are in order.
func insertionLogs(t, n int) []float64 {
	taken := make([]float64, n+1) // p_t(m)
	taken[0] = 1
	for range t {
		for m := n; m > 0; m-- {
			taken[m] = (float64(m)*taken[m] + float64(n-m+1)*taken[m-1]) / float64(n)
		}
		taken[0] = 0
	}
	logs, all := make([]float64, n+1), logFactorial(n)
	sum := math.Inf(-1)
	for j := range logs {
		if p := taken[n-j]; p > 0 {
			l := math.Log(p) + logFactorial(j) - all
			high, low := max(sum, l), min(sum, l)
			sum = high + math.Log1p(math.Exp(low-high))
		}
		logs[j] = sum
	}
	return logs
}

func logFactorial(n int) float64 {
	l, _ := math.Lgamma(float64(n) + 1)
	return l
}
