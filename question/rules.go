package question

import (
	"github.com/riffle-ml/riffle/constraint"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/learn"
)

// CheckRules refuses rules that no set could have, whatever its items are called.
func CheckRules(rules constraint.Text) error {
	if err := rules.CheckForm(); err != nil {
		return learn.Refuse(learn.Usage, "", "%s%w", learn.Opt(""), err) // it begins with the rule's name
	}
	return nil
}

// GiveRules adds rules to those that the sets already have. The sets must have ids.
func GiveRules(rules constraint.Text, sets []*dataset.Set) error {
	for _, s := range sets {
		if _, err := rules.Parse(s.ItemNames()); err != nil {
			return learn.InSet(s.ID, learn.Refuse(learn.Unfit, "constraints", "%s%w", learn.Opt(""), err))
		}
		s.Constraints = s.Constraints.And(rules)
	}
	return nil
}
