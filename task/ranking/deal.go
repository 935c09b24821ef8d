package ranking

import (
	"math/rand/v2"

	"github.com/riffle-ml/riffle/task"
)

// apart is whether those who gave one set are dealt out one by one.
func (r *Task) apart() bool { return r.config.Items == "bare" }

// byContent is how lists are dealt out: by their ids and what they hold ([keys]). Runs from before that have them dealt out
// by their place in the file, among those that can be used.
const byContent = "content"

// share deals out those who gave a set of a number. Voters are dealt out one by one, since each is one more
// draw of the same population. Lists of features, images or points are dealt out as a whole, since
// the model must not be judged on a list that it was trained on.
func (r *Task) share(number, count int) (share [task.Test + 1]int) {
	rng, test := task.Source(r.seed, 0, number), r.config.Test == ""
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

// deal deals out those who gave one order. Each goes to validation with a chance of a tenth and,
// where the test is to have some, to the test with a tenth. Of the first 100,000 each is drawn
// apart; those beyond are dealt by tens, in just these shares.
func deal(rng *rand.Rand, count int, test bool) (share [task.Test + 1]int) {
	tens := max(0, count-dealtApart) / 10
	for range count - 10*tens {
		to := task.Train
		switch u := rng.IntN(10); {
		case u == 0:
			to = task.Validation
		case u == 1 && test:
			to = task.Test
		}
		share[to]++
	}
	share[task.Train] += 8 * tens
	share[task.Validation] += tens
	if test {
		share[task.Test] += tens
	} else {
		share[task.Train] += tens
	}
	return share
}
