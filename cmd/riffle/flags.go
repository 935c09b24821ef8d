package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/riffle-ml/riffle/constraint"
	"github.com/riffle-ml/riffle/internal/hint"
	"github.com/riffle-ml/riffle/internal/people"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/question"
	"github.com/riffle-ml/riffle/training"
)

// The flags that several commands have stand here, and how what is wrong with them is told.

func addEngine(cmd *cobra.Command, spec *string) {
	cmd.Flags().StringVar(spec, "engine", "auto", "auto (the faster one), go, xla, xla:PATH or cuda")
}

func addQuiet(cmd *cobra.Command, quiet *bool) {
	cmd.Flags().BoolVar(quiet, "quiet", false, "no progress")
}

// addSeed adds --seed. others are what another seed gives others of.
func addSeed(cmd *cobra.Command, seed *uint64, others string) {
	cmd.Flags().Uint64Var(seed, "seed", question.DefaultSeed, "another seed gives other "+others)
}

func addSet(cmd *cobra.Command, set *[]string) {
	cmd.Flags().StringArrayVar(set, "set", nil, "change a key of the configuration: key=value (again for more)")
}

func addDecode(cmd *cobra.Command, opt *learn.DecodeOptions) {
	cmd.Flags().StringVar(&opt.Method, "decode", "", "greedy or beam (default: the run's)")
	cmd.Flags().IntVar(&opt.Beam, "beam", 0, "states kept after each reverse step (default: the run's)")
	cmd.Flags().IntVar(&opt.Inner, "inner", 0, "prefixes kept inside a reverse step (default: the run's)")
	cmd.Flags().IntVar(&opt.Symmetries, "symmetries", 0, "tours: copies that are turned, mirrored and begun elsewhere; the shortest tour counts. Numbers by direct scores: copies that are moved or turned a little; the median score counts (default: the run's, 1: none)")
}

// checkDecode finds what is wrong with the flags of [addDecode], for the orders that are asked for.
func checkDecode(cmd *cobra.Command, q question.Order) error {
	for flag, x := range map[string][2]int{"beam": {q.Decode.Beam, learn.MaxBeam}, "inner": {q.Decode.Inner, learn.MaxBeam}, "symmetries": {q.Decode.Symmetries, learn.MaxSymmetries}} {
		if cmd.Flags().Changed(flag) && x[0] == 0 { // which stands for the run's own where no flag is given
			return usage(cmd, learn.InRange(flag, x[0], x[1]))
		}
	}
	return usage(cmd, q.Check())
}

// atLeast refuses a number that is given and too small.
func atLeast(cmd *cobra.Command, flag string, value, least int) error {
	if cmd.Flags().Changed(flag) && value < least {
		return usagef("%s: --%s must be %d or more (got %d)", name(cmd), flag, least, value)
	}
	return nil
}

// only refuses flags that were given and are only for something else, unless so.
func only(cmd *cobra.Command, so bool, what string, flags ...string) error {
	for _, flag := range flags {
		if !so && cmd.Flags().Changed(flag) {
			return usagef("%s: --%s is for %s alone", name(cmd), flag, what)
		}
	}
	return nil
}

// excludes marks flags that cannot be given beside another.
func excludes(cmd *cobra.Command, flag string, others ...string) {
	for _, other := range others {
		cmd.MarkFlagsMutuallyExclusive(flag, other)
	}
}

// excluded makes a usage error of the library's error about flags that exclude each other, and names
// them.
func excluded(cmd *cobra.Command, err error) error {
	if err == nil {
		return nil
	}
	groups := map[string][]string{}
	cmd.Flags().Visit(func(f *pflag.Flag) { // those that were given
		for _, group := range f.Annotations["cobra_annotation_mutually_exclusive"] {
			groups[group] = append(groups[group], "--"+f.Name)
		}
	})
	for _, group := range slices.Sorted(maps.Keys(groups)) {
		if flags := groups[group]; len(flags) > 1 {
			return usagef("%s: %s exclude each other", name(cmd), strings.Join(flags, " and "))
		}
	}
	return usagef("%s: %w", name(cmd), err)
}

const constrainHelp = `--pin, --before, --first and --forbid are rules that every order of every set obeys. They restrict
the last reverse step. Rules that contradict each other are an error that names them. A set of JSONL
can have its own: {"constraints": {"pin": ["a=0"], "before": ["a,b"], "first": ["2:a,b"],
"forbid": ["b=3"]}, "items": …}. An ITEM is an id, a file name or a number; items and positions count
from 0. Where ids are numbers, such as 1 to 4, a number is an id and nothing else. A comma separates
items; a name with one is written in quotation marks, as in CSV: "the ""big"" one",
--before '"St. John, Ann","Okafor, Ngozi"'. Before the = of a pin it may stand as it is. Orders are
printed with such names, and those with blanks, in quotation marks.`

// constraintFlags are rules about the orders of all sets.
type constraintFlags struct{ text constraint.Text }

func (c *constraintFlags) add(cmd *cobra.Command) {
	// An array, not a slice: rules hold commas.
	cmd.Flags().StringArrayVar(&c.text.Pin, "pin", nil, "rule ITEM=POSITION: the item stands at the position (repeatable, as the three below)")
	cmd.Flags().StringArrayVar(&c.text.Forbid, "forbid", nil, "rule ITEM=POSITION: the item does not stand at the position")
	cmd.Flags().StringArrayVar(&c.text.Before, "before", nil, "rule A,B: item A stands somewhere before item B; A,B,C for more")
	cmd.Flags().StringArrayVar(&c.text.First, "first", nil, "rule M:ITEM,ITEM: the items stand among the first M positions")
}

// ruleFlags are those of [constraintFlags].
var ruleFlags = []string{"pin", "forbid", "before", "first"}

// check is a usage error where no set could have a rule.
func (c *constraintFlags) check(cmd *cobra.Command) error {
	return usage(cmd, question.CheckRules(c.text))
}

// message is what a person reads of an error, whose options are flags here.
func message(err error, args []string) string {
	text := hint.Text(err)
	if r, ok := errors.AsType[*learn.Refusal](err); ok {
		text = strings.Replace(text, r.Error(), r.Calling("--"), 1)
	}
	return people.Text(err, text, args)
}

// usage makes a usage error of a refusal of an option. Other errors, and nil, stay as they are.
func usage(cmd *cobra.Command, err error) error {
	if r, ok := errors.AsType[*learn.Refusal](err); ok && r.Kind == learn.Usage {
		return usageError{fmt.Errorf("%s: %w", name(cmd), err)}
	}
	return err
}

// ofSet names --set in the error of a change of a configuration. That is a usage error, unless the change
// named a file that is not there.
func ofSet(command string, err error) error {
	wrong, ok := errors.AsType[*training.SetError](err)
	if !ok {
		return err
	}
	_, file := errors.AsType[*fs.PathError](err)
	if err = fmt.Errorf("%s: --set: %w", command, wrong.Unwrap()); file {
		return err
	}
	return usageError{err}
}
