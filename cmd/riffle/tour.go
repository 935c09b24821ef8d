package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/metric"
	"github.com/riffle-ml/riffle/perm"
	runs "github.com/riffle-ml/riffle/run"
	"github.com/riffle-ml/riffle/tsp"
)

const tourHelp = `Of cities, a TSPLIB problem (.tsp) or tour text, order says the tours' lengths, by the
file's distances and in its units, and how far above a reference they are: the tours of
--reference, else those of the file, else the shortest that our solver finds in --time.
The tour of a TSPLIB problem is written as NAME-ordered.tour with its picture and one of
the reverse steps; of tour text, tours are written where --out says so.

` + endsHelp + ` The model then chooses among
its last beam's tours by the length of the path. --finish 2opt has 2-opt shorten what the
model found, until no exchange of two edges does, and says both lengths; files and pictures
are of the shorter one. Rules (--pin and so on) are about cities by their numbers and
positions from 0, --start having position 0; references do not obey them.`

type tourFlags struct {
	reference string
	limit     time.Duration
	ends      endFlags
	finish    string // "" or 2opt
}

// tourOnly are flags that only cities have.
var tourOnly = []string{"open", "start", "end", "finish"}

func (t *tourFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&t.reference, "reference", "", "of cities: file of tours to compare with")
	cmd.Flags().DurationVar(&t.limit, "time", 10*time.Second, "of cities: how long to look for a shortest tour, where no file has one; 0: do not")
	cmd.Flags().StringVar(&t.finish, "finish", "", "of cities: 2opt, to shorten what the model found")
	t.ends.add(cmd, "of cities: ")
}

// check is a usage error where the flags contradict each other; rule is a flag of rules, or "".
func (t *tourFlags) check(cmd *cobra.Command, rule string) error {
	switch {
	case t.finish != "" && t.finish != "2opt":
		return usagef("order: unknown --finish %q, wanted 2opt", t.finish)
	case t.finish != "" && rule != "":
		return usagef("order: --finish 2opt obeys no rules (asked for %s)", rule)
	case t.ends.open && t.reference != "":
		return usagef("order: --reference is a file of closed tours, --open asks for a path")
	}
	return t.ends.check(cmd)
}

// isTourFile tells whether a file is a TSPLIB problem or tour text.
func isTourFile(path string) (bool, error) {
	if path == "-" { // sets of whatever model
		return false, nil
	}
	info, err := os.Stat(path)
	if err != nil || info.IsDir() {
		return false, err
	}
	if isTSPLIB(path) {
		return true, nil
	}
	if dataset.IsPicture(path) {
		return false, nil
	}
	switch format, err := dataset.Sniff(path); {
	case err != nil || format == dataset.FormatTourText:
		return dataset.IsTourText(path)
	default: // votes begin with numbers too
		return false, nil
	}
}

// toured is a tour as --json prints it. The costs of its orders are lengths by the file's
// distances.
type toured struct {
	learn.Ordered
	Length      float64   `json:"length"`         // of the first order
	Open        bool      `json:"open,omitempty"` // orders are paths, whose lengths have no way back
	Reference   *float64  `json:"reference,omitempty"`
	ReferenceIs string    `json:"reference_is,omitempty"` // whose it is
	Gap         *float64  `json:"gap,omitempty"`          // percent
	Finish      *finished `json:"finish,omitempty"`
	Tour        string    `json:"tour,omitempty"`    // file
	Picture     string    `json:"picture,omitempty"` // file
	Strip       string    `json:"strip,omitempty"`   // file
}

// finished is what --finish made of the first order.
type finished struct {
	Method string     `json:"method"` // 2opt
	Order  perm.Order `json:"order"`
	Before float64    `json:"before"` // length of the model's order
	After  float64    `json:"after"`
	Gap    *float64   `json:"gap,omitempty"` // percent
}

// tours orders the cities of a file.
func (a *app) tours(cmd *cobra.Command, args []string, engineSpec, out string, flags tourFlags, rules constraintFlags, top int, opt learn.DecodeOptions) error {
	dir, input := args[0], args[1]
	f, err := a.readProblems(input)
	if err != nil {
		return err
	}
	sets, err := a.readSets(input)
	if err != nil {
		return err
	}
	files, err := f.outputs(out, input, flags)
	if err != nil {
		return err
	}
	given, err := a.givenTours(f, flags.reference)
	if err != nil {
		return err
	}
	q, err := newTourQuestion(f, flags.ends, rules)
	if err != nil {
		return err
	}
	asked, err := q.sets(sets)
	if err != nil {
		return err
	}
	m, err := a.load(dir, engineSpec, aFewSets)
	if err != nil {
		return err
	}
	if name := m.Config.Task.Name; name != "tsp" {
		return fmt.Errorf("%s: has cities, the model of %s is of the task %s", input, dir, name)
	}
	answers, warnings, err := m.OrderBy(cmd.Context(), asked, top, opt, q.cost)
	if err != nil {
		return q.blame(err)
	}
	a.warn(warnings)
	j := &tourJudge{question: q, given: given, flags: flags, trained: m.Config.Task.N}
	for i := range answers {
		r, reference, err := j.toured(cmd.Context(), i, answers[i])
		if err != nil {
			return fmt.Errorf("%s: %w", f.where(i), err)
		}
		answers[i] = r.Ordered
		if !f.text {
			r.Tour, r.Picture, r.Strip = files.tour, files.picture, files.strip
			if err := writeTour(r, sets[i], f.list[i].x, reference, m.Process.Steps); err != nil {
				return err
			}
		}
		if f.text && out != "" {
			sets[i] = &dataset.Set{Kind: sets[i].Kind, Items: sets[i].Items, Order: r.best()}
		}
		if !a.json {
			a.printTour(r, sets[i])
		} else if err := a.printLine(r); err != nil {
			return err
		}
	}
	a.warn(j.warnings())
	if j.compared > 1 {
		a.note("mean gap %.4f %% over %d instances", j.gaps/float64(j.compared), j.compared)
	}
	if f.text && out != "" {
		return runs.WriteFile(out, func(w io.Writer) error { return dataset.WriteTourText(w, sets) })
	}
	return nil
}

// tourFiles are what is written of a TSPLIB problem; of tour text only the first may be.
type tourFiles struct{ tour, picture, strip string }

// outputs names the files, none of which is an input.
func (f *problems) outputs(out, input string, flags tourFlags) (files tourFiles, err error) {
	files.tour = out
	switch {
	case f.text && out != "" && flags.ends.open:
		return files, usagef("order: --out: tour text has closed tours alone, not paths")
	case !f.text:
		if n := f.list[0].cities; n < 2 {
			return files, fmt.Errorf("%s: wanted 2 cities or more (got %d)", input, n)
		}
		if out == "" {
			base := filepath.Base(input)
			files.tour = strings.TrimSuffix(base, filepath.Ext(base)) + "-ordered.tour"
		}
		stem := strings.TrimSuffix(files.tour, filepath.Ext(files.tour))
		files.picture, files.strip = stem+".png", stem+"-steps.png"
		if files.tour == files.picture {
			return files, usagef("order: --out: wanted a name for the file of the tour, the pictures are beside it (got %q)", out)
		}
	}
	for _, path := range []string{files.tour, files.picture, files.strip} {
		for _, given := range []string{input, flags.reference} {
			if path == "" || given == "" {
				continue
			}
			switch same, err := sameFile(path, given); {
			case err != nil:
				return files, err
			case same:
				return files, fmt.Errorf("%s: is an input, which stays as it is\nhint: another --out", path)
			}
		}
	}
	return files, nil
}

// givenTours reads the tours of --reference, one for each problem; nil where there is none.
func (a *app) givenTours(f *problems, path string) (*problems, error) {
	if path == "" {
		return nil, nil
	}
	given, err := a.readProblems(path)
	if err != nil {
		return nil, err
	}
	if len(given.list) != len(f.list) {
		return nil, fmt.Errorf("%s: has %d tours, wanted %d as %s has instances", given.path, len(given.list), len(f.list), f.path)
	}
	for i := range f.list {
		if err := sameCities(f, given, i); err != nil {
			return nil, err
		}
		if given.list[i].tour == nil {
			return nil, fmt.Errorf("%s: has no tour", given.where(i))
		}
	}
	return given, nil
}

// tourJudge measures the answers about a file's problems.
type tourJudge struct {
	question *tourQuestion
	given    *problems // of --reference, or nil
	flags    tourFlags
	trained  int // cities that the model was trained on

	gaps     float64
	compared int
	doubts   tsp.Doubts
	others   otherSizes
}

// toured measures the answer for the i-th problem and returns the tour or path that it is compared
// with, nil for none.
func (j *tourJudge) toured(ctx context.Context, i int, answer learn.Ordered) (*toured, perm.Order, error) {
	q, f := j.question, j.question.f
	x, err := f.list[i].instance()
	if err != nil {
		return nil, nil, err
	}
	way, err := q.of(x.N())
	if err != nil {
		return nil, nil, err
	}
	r := &toured{Ordered: answer, Open: q.ends.open}
	r.Warnings = append(slices.Clone(f.warnings), r.Warnings...)
	way.answer(x, &r.Ordered)
	r.Length = *r.Orders[0].Cost
	reference, err := j.reference(ctx, r, i, x, way)
	if err != nil {
		return nil, nil, err
	}
	var shortened perm.Order
	if j.flags.finish != "" || x.N() != j.trained && !way.ruled {
		shortened = way.twoOpt(x, r.Orders[0].Order)
	}
	if j.flags.finish != "" {
		r.Finish = &finished{Method: j.flags.finish, Order: shortened, Before: r.Length, After: way.length(x, shortened)}
	}
	if reference == nil {
		j.others.look(r, x.N(), j.trained, shortened, way, x, nil)
		return r, nil, nil
	}
	length := way.length(x, reference)
	gap, err := metric.Gap(r.Length, length)
	if err != nil {
		return nil, nil, err
	}
	r.Reference, r.Gap = &length, &gap
	j.gaps, j.compared = j.gaps+gap, j.compared+1
	if r.Finish != nil {
		g, err := metric.Gap(r.Finish.After, length)
		if err != nil {
			return nil, nil, err
		}
		r.Finish.Gap = &g
	}
	j.others.look(r, x.N(), j.trained, shortened, way, x, &length)
	return r, reference, nil
}

// reference is what the i-th answer is compared with, and whose it is.
func (j *tourJudge) reference(ctx context.Context, r *toured, i int, x *tsp.Instance, way *tourWay) (perm.Order, error) {
	f := j.question.f
	var tour perm.Order
	switch {
	case j.given != nil:
		tour, r.ReferenceIs = j.given.list[i].tour, j.given.path
	case f.list[i].tour != nil && !r.Open:
		tour, r.ReferenceIs = f.list[i].tour, f.path
	}
	if tour != nil {
		var here tsp.Doubts
		for _, d := range []*tsp.Doubts{&here, &j.doubts} {
			d.Look(f.where(i), x, tour)
			d.Found(f.where(i), r.Length, x.Length(tour))
		}
		r.Warnings = append(r.Warnings, here.Warnings()...)
		return tour, nil
	}
	if j.flags.limit <= 0 {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, j.flags.limit)
	defer cancel()
	tour, proven, err := way.solve(ctx, x)
	r.ReferenceIs = "solver, shortest"
	if !proven {
		r.ReferenceIs = "solver, not proven to be the shortest"
	}
	if way.ruled {
		r.ReferenceIs += ", without the rules"
	}
	return tour, err
}

// warnings are those of all instances together.
func (j *tourJudge) warnings() []string {
	return append(j.doubts.Warnings(), j.others.warnings(j.trained)...)
}

// otherSizes gathers how good a model is on instances of other sizes than it was trained on.
type otherSizes struct {
	count, compared     int
	gap, shortened, won float64 // sums, percent
}

// worth is what a warning says at least, percent.
const worth = 0.05

// look notes an answer; shortened is what 2-opt makes of it, reference a length to compare with.
func (o *otherSizes) look(r *toured, n, trained int, shortened perm.Order, way *tourWay, x *tsp.Instance, reference *float64) {
	if n == trained || n < 4 {
		return
	}
	var here otherSizes
	for _, s := range []*otherSizes{o, &here} {
		s.count++
		if shortened != nil {
			s.won += 100 * (r.Length/way.length(x, shortened) - 1)
		}
		if reference != nil && *reference > 0 {
			s.compared++
			s.gap += 100 * (r.Length / *reference - 1)
			if shortened != nil {
				s.shortened += 100 * (way.length(x, shortened) / *reference - 1)
			}
		}
	}
	r.Warnings = append(r.Warnings, here.warnings(trained)...)
}

func (o *otherSizes) warnings(trained int) []string {
	if o.count == 0 {
		return nil
	}
	text := fmt.Sprintf("tours of other than the %d cities that the model was trained on are here ", trained)
	switch count := float64(o.compared); {
	case o.compared > 0 && o.gap/count < worth:
		return nil
	case o.compared > 0 && o.won > 0:
		text += fmt.Sprintf("%.1f %% above the reference, and %.1f %% with 2-opt after it (--finish 2opt)", o.gap/count, o.shortened/count)
	case o.compared > 0:
		text += fmt.Sprintf("%.1f %% above the reference", o.gap/count)
	case o.won/float64(o.count) >= worth:
		text += fmt.Sprintf("%.1f %% above what 2-opt makes of them (--finish 2opt)", o.won/float64(o.count))
	default:
		return nil
	}
	return []string{text}
}
