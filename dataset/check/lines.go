package check

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Lines tell a report but for [Report].Train, a key and its value each.
func (r *Report) Lines() (lines [][2]string) {
	line := func(key, value string) { lines = append(lines, [2]string{key, value}) }
	number := func(key string, value int) { line(key, strconv.Itoa(value)) }
	line("file", r.File)
	format := string(r.Format)
	if r.Type != "" {
		format += " " + r.Type
	}
	line("format", format)
	if r.Title != "" {
		line("title", r.Title)
	}
	number("sets", r.Sets)
	if r.Voters > 0 {
		voters := strconv.Itoa(r.Voters)
		if r.Blank > 0 {
			voters += fmt.Sprintf(" (%d of them say nothing)", r.Blank)
		}
		line("voters", voters)
	}
	if r.Sets > 0 {
		what := kindText(r.Kind)
		if r.Width > 0 {
			what = fmt.Sprintf("features: %d", r.Width)
		}
		line("items", fmt.Sprintf("%d (%s)", r.Items, what))
		size := strconv.Itoa(r.SizeMin)
		if r.SizeMax > r.SizeMin {
			size = fmt.Sprintf("%d to %d, median %d", r.SizeMin, r.SizeMax, r.SizeMedian)
		}
		line("in a set", size)
		line("orders", fmt.Sprintf("%d complete, %d in part, %d unknown", r.Complete, r.Partial, r.Unknown))
		line("ties", inSets(r.Tied))
		line("missing", inSets(r.Missing))
		line("repeated", inSets(r.Repeated))
		if len(r.Filled) > 0 {
			var counts []string
			for _, name := range slices.Sorted(maps.Keys(r.Filled)) {
				counts = append(counts, fmt.Sprintf("%s %d", name, r.Filled[name]))
			}
			line("filled", strings.Join(counts, ", "))
		}
		if r.Parts > 0 {
			number("parts", r.Parts)
		}
	}
	for _, w := range r.Warnings {
		line("warning", w)
	}
	if r.Lacks != "" {
		line("lacks", r.Lacks)
	}
	return lines
}

func kindText(kind string) string {
	switch kind {
	case "bare":
		return "known by their name or number alone"
	case "image":
		return "images"
	case "point":
		return "points"
	case "mixed":
		return "of several kinds"
	}
	return kind
}

func inSets(n int) string {
	if n == 1 {
		return "in 1 set"
	}
	return fmt.Sprintf("in %d sets", n)
}
