package reproduce

import (
	"cmp"
	"strings"
)

// First puts before the rows that are asked for those whose models they begin with or decode, where these have not been
// run under p.Runs, and those of theirs. The paper's own trainings begin with none.
func (p *Plan) First(asked []Asked) []Asked {
	if p.Full {
		return asked
	}
	o := ordering{plan: p, seen: map[string]bool{}}
	for _, x := range asked {
		for _, r := range x.Rows {
			o.add(x.Table, r)
		}
	}
	return o.asked
}

// ordering brings rows behind those that they want.
type ordering struct {
	plan  *Plan
	seen  map[string]bool // TABLE/ROW
	asked []Asked
}

func (o *ordering) add(t Table, r Row) {
	name := t.Name + "/" + r.Name
	if o.seen[name] {
		return
	}
	o.seen[name] = true
	if from := cmp.Or(r.Of, r.From); from != "" {
		if of, row, found := t.row(from); found {
			if done, err := Load(Folder(o.plan.Runs, of, row)); err != nil || done == nil {
				o.add(of, row)
			}
		}
	}
	if last := len(o.asked) - 1; last >= 0 && o.asked[last].Name == t.Name {
		o.asked[last].Rows = append(o.asked[last].Rows, r)
		return
	}
	o.asked = append(o.asked, Asked{t, []Row{r}})
}

// row finds a row as [Row.From] names it: of the table itself, or TABLE/ROW.
func (t Table) row(name string) (of Table, r Row, found bool) {
	if table, row, other := strings.Cut(name, "/"); other {
		var err error
		if t, err = Find(table); err != nil {
			return t, r, false
		}
		name = row
	}
	for _, r := range t.Rows {
		if r.Name == name {
			return t, r, true
		}
	}
	return t, r, false
}
