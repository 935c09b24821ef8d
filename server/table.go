package server

import (
	"bytes"
	"net/http"

	"github.com/riffle-ml/riffle/dataset"
)

// maxTable is the most bytes of a table, which people paste.
const maxTable = 1 << 20

// typeCSV is the type of tables, which programs also save as UTF-16.
const typeCSV = "text/csv"

// tableSet is a set as requests have it.
type tableSet struct {
	ID     string              `json:"id"`
	Items  []tableItem         `json:"items"`
	Order  []int               `json:"order,omitempty"`
	Levels dataset.BucketOrder `json:"levels,omitempty"` // where the order is not known, or has ties
	Count  int                 `json:"count,omitempty"`
}

type tableItem struct {
	ID       string `json:"id"`
	Features any    `json:"features,omitempty"` // by their columns' names
}

// table reads a table of items or of ballots, as [dataset.ParseTable] does. Empty features become null: a
// model says later whether it takes them.
func (s *Server) table(w http.ResponseWriter, r *http.Request, room *reserved) (any, error) {
	body, err := s.read(w, r, room, typeCSV)
	if err != nil {
		return nil, err
	}
	if len(body) > maxTable {
		return nil, tooLarge("body", "the table is larger than %d bytes", maxTable)
	}
	// Each set of bare items has all items of the table. So few lines could be many sets of many
	// items.
	if lines := bytes.Count(body, []byte("\n")); lines > s.limits.Sets*s.limits.Items+1 {
		return nil, tooLarge("sets", "the table has %d lines, wanted at most %d sets of %d items", lines, s.limits.Sets, s.limits.Items)
	}
	file, err := dataset.ParseTable(bytes.NewReader(body), "table", dataset.Options{Empty: true})
	if err != nil {
		return nil, unfit("set", "%w", err)
	}
	sets := file.Sets
	if len(sets) == 0 {
		return nil, unfit("sets", "the table has no items").help("after the header, a line an item: set,item,rank and then features")
	}
	// They may be more than a question may have, since the asker can put it in parts. Their sum is
	// bounded, as sets of bare items are larger than their lines.
	total := 0
	for _, set := range sets {
		total += len(set.Items)
	}
	if most := s.limits.Sets * s.limits.Items; total > most {
		return nil, tooLarge("items", "the sets of the table have %d items together, wanted at most %d", total, most)
	}
	out := struct {
		Sets     []tableSet `json:"sets"`
		Warnings []string   `json:"warnings,omitempty"`
	}{Warnings: file.Warnings}
	for i, set := range sets {
		if err := s.limits.CheckItems(len(set.Items)); err != nil {
			return nil, inSet(i, err)
		}
		t := tableSet{ID: set.ID, Order: set.Order, Count: set.Count}
		if set.Order == nil {
			t.Levels = set.Levels
		}
		for _, it := range set.Items {
			item := tableItem{ID: it.ID}
			if set.Kind == dataset.KindFeatures {
				item.Features = dataset.NamedFeatures{Values: it.Features, Columns: set.Columns}
			}
			t.Items = append(t.Items, item)
		}
		out.Sets = append(out.Sets, t)
	}
	return out, nil
}
