package dataset

import (
	"fmt"
	"math"

	"github.com/riffle-ml/riffle/internal/hint"
)

// Fill is what stands for an empty feature of a table.
type Fill string

// The fills. Without one an empty feature is an error.
const (
	FillNone Fill = ""
	FillZero Fill = "0"
	FillMean Fill = "mean" // of the feature's other values
)

// ParseFill reads the name of a fill, "" for none.
func ParseFill(text string) (Fill, error) {
	switch f := Fill(text); f {
	case FillNone, FillZero, FillMean:
		return f, nil
	}
	return "", fmt.Errorf("unknown fill %s, wanted mean or 0", quoted(text))
}

// In fills the empty features of sets that were opened with [Options].Empty, and returns how many
// each feature had. The mean is over all sets. A feature that is empty everywhere has none, which
// is an error.
func (f Fill) In(sets []*Set) (filled []int, err error) {
	var sum []float64
	var count []int
	var columns *Columns
	each := func(do func(j int, v *float64)) {
		for _, s := range sets {
			if s.Kind != KindFeatures {
				continue
			}
			for k := range s.Items {
				for j := range s.Items[k].Features {
					for j >= len(sum) {
						sum, count, filled, columns = append(sum, 0), append(count, 0), append(filled, 0), s.Columns
					}
					do(j, &s.Items[k].Features[j])
				}
			}
		}
	}
	each(func(j int, v *float64) {
		if math.IsNaN(*v) {
			filled[j]++
			return
		}
		count[j]++
		sum[j] += (*v - sum[j]) / float64(count[j]) // the mean so far, which does not overflow
	})
	for j := range filled {
		switch {
		case filled[j] > 0 && f == FillNone:
			return nil, fmt.Errorf("feature %s is empty in %s", columns.name(j), plural(filled[j], "item", "items"))
		case filled[j] > 0 && f == FillMean && count[j] == 0:
			return nil, hint.Errorf("leave the column out", "feature %s is empty in all items: it has no mean", columns.name(j))
		case f == FillZero:
			sum[j] = 0
		}
	}
	each(func(j int, v *float64) {
		if math.IsNaN(*v) {
			*v = sum[j]
		}
	})
	return filled, nil
}

// name is what a feature is called: by its name, its number in the file, or its place from 0.
func (c *Columns) name(j int) string {
	if names := c.names(); names != nil {
		return short(names(j))
	}
	return fmt.Sprint(j)
}

// FeatureName is what the file calls feature j of its sets: by its name, its number there, or its
// place from 0.
func (f *File) FeatureName(j int) string {
	for _, s := range f.Sets {
		if s.Columns != nil {
			return s.Columns.name(j)
		}
	}
	return (*Columns)(nil).name(j)
}
