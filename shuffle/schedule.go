package shuffle

import (
	"fmt"
	"math"
	"slices"

	"github.com/riffle-ml/riffle/internal/field"
)

// The distances a denoising schedule aims at (paper, "Denoising Schedule via
// Merging Reverse Steps").
const (
	// UniformTV is the largest total variation distance to uniform that the
	// last step may leave.
	UniformTV = 0.005

	// StepTV is the total variation distance wanted between neighbouring steps.
	StepTV = 0.3
)

// Schedule is a denoising schedule for riffles of N cards: the reverse process
// goes from T shuffles to none through Steps, one learned step for each gap.
type Schedule struct {
	N int `json:"n"` // cards
	T int `json:"T"` // shuffles at the noisy end, the last of Steps

	// TVUniform is the total variation distance between T shuffles and uniform.
	TVUniform float64 `json:"tv_uniform"`

	// Steps are numbers of shuffles, 0 = t_0 < … < t_k = T.
	Steps []int `json:"steps"`

	// TVSteps are the distances between neighbours: element i is that between
	// Steps[i] and Steps[i+1].
	TVSteps []float64 `json:"tv_steps"`
}

// NewSchedule chooses a schedule by the paper's two principles: T is no larger than uniformity
// needs, and neighbouring distributions are about [StepTV] apart. As a rule:
//
//   - T is the smallest t with TV(q^(t), uniform) ≤ [UniformTV].
//   - The first step is the smallest t with TV(q^(t), uniform) < 1/2, just past
//     the cut-off. Before it the distributions are nearly disjoint, from one
//     another and from the clean order, so stopping there gains nothing.
//   - From a step t the next is the t' whose TV(q^(t), q^(t')) is nearest to
//     StepTV in ratio (the distances to what lies ahead halve with every shuffle).
//   - A last step of less than StepTV/10 is merged into the one before.
//
// For n = 100 this is the paper's [0, 8, 10, 15]. The paper tuned its other schedules by hand. They
// often share the inner steps. For n = 9 the paper has [0, 3, 5, 9] and the rule gives [0, 3, 5,
// 10]; for n = 7 it is [0, 3, 8] and [0, 3, 9]. Some of the paper's stop one shuffle early, which
// [Check] reports.
//
// S_0 and S_1 have one order: T = 0, Steps = [0], nothing to learn. It fails for a negative n.
// O(n²) time: 100,000 cards take seconds, a million cards minutes.
func NewSchedule(n int) (Schedule, error) {
	if n < 0 {
		return Schedule{}, field.Errorf("N", "must be 0 or more (got %d)", n)
	}
	if n <= 1 {
		return Schedule{N: n, Steps: []int{0}, TVSteps: []float64{}}, nil
	}
	after, toUniform := riffleUntil(n, UniformTV)
	T := len(after) - 1

	t := slices.IndexFunc(toUniform, func(tv float64) bool { return tv < 0.5-1e-12 })
	t = max(t, 1)
	steps := []int{0, t}
	for t < T {
		nearest, gap := T, math.Inf(1)
		for next := t + 1; next <= T; next++ {
			if g := math.Abs(math.Log(distance(after[t], after[next]) / StepTV)); g < gap {
				nearest, gap = next, g
			}
		}
		if distance(after[nearest], after[T]) < StepTV/10 {
			nearest = T
		}
		t = nearest
		steps = append(steps, t)
	}
	s := Schedule{N: n, T: T, TVUniform: toUniform[T], Steps: steps, TVSteps: []float64{}}
	for i := 1; i < len(steps); i++ {
		s.TVSteps = append(s.TVSteps, distance(after[steps[i-1]], after[steps[i]]))
	}
	return s, nil
}

// riffleUntil returns the distributions of rising sequences after 0, 1, …, T
// riffles of n ≥ 2 cards, and their distances to uniform. T is the first with a
// distance of at most limit.
func riffleUntil(n int, limit float64) (after [][]float64, toUniform []float64) {
	d := risingOf(n)
	uniform := d.uniform()
	for t := 0; ; t++ {
		after = append(after, d.riffled(t))
		toUniform = append(toUniform, distance(after[t], uniform))
		if toUniform[t] <= limit {
			return after, toUniform
		}
	}
}

// ScheduleOf returns the schedule with the given steps and its distances. It
// fails if the steps do not rise from 0, or n is negative.
func ScheduleOf(n int, steps []int) (Schedule, error) {
	if n < 0 {
		return Schedule{}, field.Errorf("N", "must be 0 or more (got %d)", n)
	}
	if len(steps) == 0 || steps[0] != 0 {
		return Schedule{}, field.Errorf("Steps", "must start with 0 (got %v)", steps)
	}
	for i := 1; i < len(steps); i++ {
		if steps[i] <= steps[i-1] {
			return Schedule{}, field.Errorf("Steps", "must rise: step %d is %d after %d", i, steps[i], steps[i-1])
		}
	}
	T := steps[len(steps)-1]
	s := Schedule{N: n, T: T, TVUniform: TVUniform(n, T), Steps: slices.Clone(steps), TVSteps: []float64{}}
	for i := 1; i < len(steps); i++ {
		s.TVSteps = append(s.TVSteps, TVBetween(n, steps[i-1], steps[i]))
	}
	return s, nil
}

// Warning is something a schedule does that costs quality without being wrong.
type Warning struct {
	Name    string  `json:"name"`    // what is off: "tv_uniform"
	Got     float64 `json:"got"`     // its value
	Want    float64 `json:"want"`    // the limit it exceeds
	Message string  `json:"message"` // one line for people
}

// Check warns of a schedule for n cards whose last step leaves a distance to uniform above
// [UniformTV]. Decoding then starts from a distribution that the model was not trained on. It fails
// where [ScheduleOf] does.
func Check(n int, steps []int) ([]Warning, error) {
	s, err := ScheduleOf(n, steps)
	if err != nil {
		return nil, err
	}
	if s.TVUniform <= UniformTV {
		return nil, nil
	}
	after, _ := riffleUntil(n, UniformTV)
	return []Warning{{
		Name: "tv_uniform",
		Got:  s.TVUniform,
		Want: UniformTV,
		Message: fmt.Sprintf("schedule: n = %d, T = %d leaves a total variation distance of %.4g to uniform, above %g; T = %d is enough",
			n, s.T, s.TVUniform, UniformTV, len(after)-1),
	}}, nil
}

// LongSchedule is T for an n that is large enough for the limit law,
//
//	TV = 1 − 2Φ(−2^−θ/(4√3)) after 3/2·log₂ n + θ riffles
//
// (Bayer & Diaconis 1992, Thm 2): θ = 4.526 gives [UniformTV].
func LongSchedule(n int) float64 {
	theta := -math.Log2(4 * math.Sqrt(6) * math.Erfinv(UniformTV))
	return math.Ceil(1.5*math.Log2(float64(n)) + theta)
}
