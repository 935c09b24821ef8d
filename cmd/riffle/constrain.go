package main

import (
	"github.com/spf13/cobra"

	"github.com/riffle-ml/riffle/constraint"
	"github.com/riffle-ml/riffle/question"
)

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
