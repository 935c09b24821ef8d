package figures

import (
	"fmt"
	"strconv"

	"github.com/riffle-ml/riffle/internal/text"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/plot"
	"github.com/riffle-ml/riffle/question"
)

// Tour draws an answer about cities, beside what it is compared with, and its way from noise over the steps
// of a schedule.
func Tour(r *question.Toured, schedule []int) (picture, way plot.Tours) {
	best, length, gap := r.Best()
	panel := plot.Tour{Order: best, Reference: r.Compared, Open: r.Open, Caption: "length " + text.Length(length)}
	if gap != nil {
		panel.Caption += fmt.Sprintf(", %.2f %% above the reference (dashed; thick: not in it)", *gap)
	}
	for k, it := range r.Set.Items {
		panel.Points, panel.Names = append(panel.Points, it.Point), append(panel.Names, strconv.Itoa(k+1))
	}
	way = tourStrip([][][2]float64{panel.Points}, [][]perm.Order{r.Steps}, schedule, func(_ int, o perm.Order) float64 {
		if r.Open {
			return r.Instance.PathLength(o)
		}
		return r.Instance.Length(o)
	})
	for i := range way.Rows[0] {
		way.Rows[0][i].Open = r.Open
	}
	return plot.Tours{Rows: [][]plot.Tour{{panel}}, Side: 360}, way
}
