package question

import (
	"io"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/internal/text"
)

// WriteTours writes tours in the format that their problems came in.
func WriteTours(w io.Writer, f *dataset.File, all []Found) error {
	if f.Format == dataset.FormatTSPLIB {
		return dataset.WriteTour(w, all[0].ID, TourComment(all[0].Length, all[0].Open), all[0].Tour)
	}
	sets := make([]*dataset.Set, len(all))
	for i, s := range all {
		sets[i] = &dataset.Set{Kind: dataset.KindPoint, Items: f.Sets[i].Items, Order: s.Tour}
	}
	return dataset.WriteTourText(w, sets)
}

// TourComment is what the file of a tour says of it.
func TourComment(length float64, open bool) string {
	if open {
		return "a path, which does not go back to its first city, of length " + text.Length(length)
	}
	return "length " + text.Length(length)
}
