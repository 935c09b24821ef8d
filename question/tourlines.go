package question

import (
	"fmt"
	"strconv"

	"github.com/riffle-ml/riffle/internal/text"
)

// Lines tell a report, a key and its value each.
func (r *TourReport) Lines() (lines [][2]string) {
	line := func(key, value string) { lines = append(lines, [2]string{key, value}) }
	line("file", r.File)
	line("format", r.Format)
	if r.Name != "" {
		line("name", r.Name)
	}
	if r.Distance != "" {
		line("distance", string(r.Distance))
	}
	line("instances", strconv.Itoa(r.Instances))
	cities := strconv.Itoa(r.CitiesMin)
	if r.CitiesMax > r.CitiesMin {
		cities += " to " + strconv.Itoa(r.CitiesMax)
	}
	line("cities", cities)
	line("tours", strconv.Itoa(r.Tours))
	if r.Length != nil {
		line("length", text.Length(*r.Length))
	}
	if r.Gap != nil {
		line("reference", text.Length(*r.Reference))
		line("gap %", fmt.Sprintf("%.4f", *r.Gap))
		if r.Tours > 1 {
			line("largest", fmt.Sprintf("%.4f", *r.GapMax))
		}
	}
	return lines
}
