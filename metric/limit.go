package metric

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// ReadingLimit simulates a perfect sorter of numbers that misreads digits. Each of n numbers has
// digits uniform digits. With probability misread a digit is read as another one, uniformly. The
// numbers are put in the order of what was read, equal readings in the order they came in. It
// returns the percentage of sets that end up in a right order, among sets simulated, with its
// standard error. No sorter that reads so does better.
func ReadingLimit(n, digits int, misread float64, sets int, seed uint64) (exact, stderr float64) {
	rng := rand.New(rand.NewPCG(seed, 0))
	type number struct{ value, read int }
	numbers := make([]number, n)
	right := 0
	for range sets {
		for k := range numbers {
			v := number{}
			for range digits {
				d := rng.IntN(10)
				v.value = v.value*10 + d
				if rng.Float64() < misread {
					d = (d + 1 + rng.IntN(9)) % 10
				}
				v.read = v.read*10 + d
			}
			numbers[k] = v
		}
		slices.SortStableFunc(numbers, func(a, b number) int { return cmp.Compare(a.read, b.read) })
		if slices.IsSortedFunc(numbers, func(a, b number) int { return cmp.Compare(a.value, b.value) }) {
			right++
		}
	}
	p := float64(right) / float64(sets)
	return 100 * p, 100 * math.Sqrt(p*(1-p)/float64(sets))
}

// ChanceCeiling returns how often someone is right on average who can tell objects apart only where
// alike differs, and guesses among the rest. It is enough to be right up to same, a finer division.
// Objects k and l are alike if alike[k] = alike[l], and one as good as another if same[k] = same[l]
// too. With s running over the groups of alike objects of size m_s, and those over parts of size
// m_sj that are the same,
//
//	exact = Π_s (Π_j m_sj!) / m_s!,   correct = Σ_s Σ_j m_sj² / m_s / n,
//
// both from 0 to 1; correct is the mean share of places that hold a right object. It fails on
// lists of different lengths and where the same objects are not alike.
func ChanceCeiling(alike, same []int) (exact, correct float64, err error) {
	if len(alike) != len(same) {
		return 0, 0, fmt.Errorf("guess limit: %d objects, wanted %d", len(same), len(alike))
	}
	if len(alike) == 0 {
		return 1, 1, nil
	}
	groups, parts, of := map[int]int{}, map[int]int{}, map[int]int{}
	for k, s := range same {
		if a, known := of[s]; known && a != alike[k] {
			return 0, 0, fmt.Errorf("guess limit: object %d is the same as one that is not alike", k)
		}
		of[s] = alike[k]
		groups[alike[k]]++
		parts[s]++
	}
	log := 0.0
	for _, m := range groups {
		log -= logFactorial(m)
	}
	for s, m := range parts {
		log += logFactorial(m)
		correct += float64(m*m) / float64(groups[of[s]])
	}
	return math.Exp(log), correct / float64(len(alike)), nil
}

func logFactorial(m int) float64 {
	v, _ := math.Lgamma(float64(m + 1))
	return v
}
