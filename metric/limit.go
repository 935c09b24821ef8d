package metric

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// ReadingLimit simulates a perfect sorter of numbers that misreads digits: each of n numbers
// has digits uniform digits, each of which is read as another one, uniformly, with
// probability misread; the numbers are put in the order of what was read, equal readings in
// the order they came in. It returns the percentage of sets that end up in a right order,
// among sets simulated, with its standard error. No sorter that reads so does better.
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
