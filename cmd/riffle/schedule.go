package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/riffle-ml/riffle/cmd/internal/figures"
	"github.com/riffle-ml/riffle/internal/field"
	"github.com/riffle-ml/riffle/internal/text"
	"github.com/riffle-ml/riffle/plot"
	"github.com/riffle-ml/riffle/shuffle"
)

func (a *app) scheduleCommand() *cobra.Command {
	var n int
	var steps []int
	var picture string
	cmd := &cobra.Command{
		Use:   "schedule --n N",
		Short: "the denoising schedule for n cards, and the exact distances behind it",
		Long: `schedule finds the denoising schedule for riffle shuffles of n objects. T is the fewest shuffles
whose distribution is within 0.005 of uniform in total variation. The steps between 0 and T have
distributions that are about 0.3 apart (paper §3.4). All distances are exact (Bayer & Diaconis
1992).`,
		Example: `  riffle schedule --n 100
  riffle schedule --n 52 --steps 0,5,7,10,13      the distances of a schedule of yours
  riffle schedule --n 100 --plot tv.png           the paper's figure`,
		Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case n < 2:
				return usageHint("sets of 0 and 1 objects have one order", "schedule: --n must be 2 to %d (got %d)", mostScheduled, n)
			case n > mostScheduled:
				return usageHint(fmt.Sprintf("T is near 3/2·log₂ n + 4.5 (Bayer & Diaconis 1992, Thm 2), here %.0f", shuffle.LongSchedule(n)), "schedule: --n must be 2 to %d (got %d): the exact distances take time that grows with its square", mostScheduled, n)
			case cmd.Flags().Changed("steps") && len(steps) < 2:
				return usagef("schedule: --steps: wanted 0 and one step or more, such as 0,5,9 (got %v)", steps)
			case len(steps) > 0 && slices.Max(steps) > mostShuffles:
				return usagef("schedule: --steps: wanted at most %d shuffles (got %d)", mostShuffles, slices.Max(steps))
			}
			if err := checkPicture(cmd, "plot", picture); err != nil {
				return err
			}
			s, warnings, err := scheduled(n, steps)
			if f, ok := errors.AsType[*field.Error](err); ok {
				return usagef("schedule: --%s: %s", strings.ToLower(f.Field), f.Problem)
			}
			if err != nil {
				return err
			}
			for _, w := range warnings {
				a.Note("warning: %s", w.Message)
			}
			if picture != "" {
				if err := plot.Save(picture, figures.TV(s)); err != nil {
					return err
				}
				a.Note("wrote %s", picture)
			}
			return a.print(struct {
				shuffle.Schedule
				Warnings []shuffle.Warning `json:"warnings,omitempty"`
			}{s, warnings}, func() { a.printSchedule(s) })
		},
	}
	cmd.Flags().IntVar(&n, "n", 0, "number of objects")
	cmd.Flags().IntSliceVar(&steps, "steps", nil, "look at this schedule instead: 0,t1,…,T")
	cmd.Flags().StringVar(&picture, "plot", "", "write the distances as a picture, PNG or SVG")
	return cmd
}

// The largest schedules that are computed. Time grows with n² and is seconds at the bound. Memory
// grows with n times T.
const (
	mostScheduled = 100_000
	mostShuffles  = 1_000
)

// scheduled is the schedule of some steps, with what is odd about it. Without steps it is the one for n.
func scheduled(n int, steps []int) (s shuffle.Schedule, warnings []shuffle.Warning, err error) {
	if len(steps) == 0 {
		s, err = shuffle.NewSchedule(n)
		return s, nil, err
	}
	if s, err = shuffle.ScheduleOf(n, steps); err == nil {
		warnings, err = shuffle.Check(n, steps)
	}
	return s, warnings, err
}

func (a *app) printSchedule(s shuffle.Schedule) {
	fmt.Fprintf(a.out, "n = %d: T = %d riffle shuffles, steps %v\n\n", s.N, s.T, s.Steps)
	step := map[int]int{}
	for i, t := range s.Steps {
		step[t] = i
	}
	var rows [][]string
	for t := 1; t <= s.T; t++ {
		row := []string{strconv.Itoa(t), fmt.Sprintf("%.6f", shuffle.TVUniform(s.N, t)), "", ""}
		if i, ok := step[t]; ok {
			row[2] = fmt.Sprintf("%d → %d", s.Steps[i], s.Steps[i-1])
			row[3] = fmt.Sprintf("%.6f", s.TVSteps[i-1])
		}
		rows = append(rows, row)
	}
	text.Table(a.out, []string{"t", "TV to uniform", "reverse step", "TV of the step"}, rows)
}
