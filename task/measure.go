package task

import "strings"

// Measure is what a model is judged by.
type Measure struct {
	// Key is its path in eval.json, with dots between the parts. It is "" where the measure is kept
	// in a list.
	Key string
	// Label is what it is called. It is "" where the measure is kept in eval.json and not printed. Unit
	// follows it: see [Measure.Title].
	Label, Unit string
	Digits      int // after the point
	// Table is how many digits the paper's tables have, 0 where they have no column of it.
	Table int
	// Log is its name in the log of a training, "" where it is not there.
	Log string
	// Better marks the measure by which a training knows its best checkpoint. It is 1 where more is
	// better and -1 where less is. Of several such measures the first counts.
	Better int
	// Root says that figures are squares, and that the root of their mean is printed. Plain says
	// that the mean has no interval.
	Root, Plain bool
}

// Share is the unit of a figure that is kept as a share, 0 to 1, and told in percent.
const Share = "share"

// Title is the label with its unit: "exact %, known pairs", "bound, nats an item".
func (m Measure) Title() string {
	head, rest, more := strings.Cut(m.Label, ", ")
	switch m.Unit {
	case "":
	case "%", Share:
		head += " %"
	default:
		head += ", " + m.Unit
	}
	if more {
		head += ", " + rest
	}
	return head
}

// Detail is something else that eval.json keeps, at a path as in [Measure].
type Detail struct {
	Key   string
	Value any
}

// Figures are what an order of a set is worth, by the keys of measures. A measure that says nothing
// of the order is not there.
type Figures map[string]float64
