package dataset

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/riffle-ml/riffle/internal/hint"
	"github.com/riffle-ml/riffle/internal/nearest"
)

// columnOf says which column of a known table a header's text names. These are set, item and rank,
// and of a ballot place 1 and so on, its count and its voter. It is "" for none.
func columnOf(text string) string {
	text = strings.ToLower(strings.TrimSpace(text))
	switch text {
	case "set", "item", "rank":
		return text
	case "count", "votes", "voters":
		return "count"
	case "voter", "voter id", "voter_id", "ballot", "ballot id", "ballot_id", "id":
		return "voter"
	}
	for _, word := range []string{"rank", "choice", "preference", "place"} {
		if rest, ok := strings.CutPrefix(text, word); ok {
			if k, err := strconv.Atoi(strings.TrimLeft(rest, " _-")); err == nil && k >= 1 && k <= MaxItems {
				return "place " + strconv.Itoa(k)
			}
		}
	}
	return ""
}

// isItemHeader reports whether columns are those of a table with a line an item.
func isItemHeader(columns []string) bool {
	set, item := false, false
	for _, c := range columns {
		set, item = set || columnOf(c) == "set", item || columnOf(c) == "item"
	}
	return set && item
}

// isBallotHeader reports whether columns are places 1, 2 and so on, a count and voters, in any order.
func isBallotHeader(columns []string) bool { return len(placesOf(columns)) > 0 }

// placesOf are the columns of places 1, 2 and so on in a header of ballots, nil of another header.
func placesOf(columns []string) []int {
	at := map[string]int{}
	places := 0
	for i, c := range columns {
		switch what := columnOf(c); {
		case strings.HasPrefix(what, "place "):
			at[what] = i
			places++
		case what != "count" && what != "voter":
			return nil
		}
	}
	var list []int
	for k := range places {
		i, there := at["place "+strconv.Itoa(k+1)]
		if !there { // one is missing, or there twice
			return nil
		}
		list = append(list, i)
	}
	return list
}

// isKnownHeader reports whether a header is one of the two, or near one.
func isKnownHeader(columns []string) bool {
	for _, c := range columns {
		if columnOf(c) != "" {
			return len(columns) > 1
		}
	}
	return false
}

// tableFormats are the headers that are read.
const tableFormats = "set,item,rank,FEATURE,… (a line an item); rank1,rank2,…,count (a line a ballot, also with a column voter); no header: ballots of names, " +
	"or label,FEATURE,… with the sizes of the sets in FILE.query"

// errHeader says what a header lacks, and which of the formats it is nearest to.
func errHeader(columns []string) error {
	got := fewNames(columns)
	ballots := "" // the first column that is none of a ballot's
	for _, c := range columns {
		if columnOf(c) == "" && ballots == "" {
			ballots = c
		}
		if strings.HasPrefix(columnOf(c), "place ") {
			if ballots != "" {
				return hint.Errorf("the nearest format is rank1,rank2,…,count; the formats are "+tableFormats, "column %s: is none of a table of ballots (got %s)", quoted(ballots), got)
			}
			return hint.Errorf("the nearest format is rank1,rank2,…,count; the formats are "+tableFormats, "columns of places: wanted 1, 2 and so on, each once (got %s)", got)
		}
	}
	missing := "set"
	if slices.ContainsFunc(columns, func(c string) bool { return columnOf(c) == "set" }) {
		missing = "item"
	}
	nearestTo := "the nearest format is set,item,rank,FEATURE,…"
	for _, c := range columns {
		if len(c) <= longName && columnOf(c) == "" && nearest.Near(c, []string{missing}) != "" {
			nearestTo += fmt.Sprintf(" with %q for %q", missing, c)
			break
		}
	}
	return hint.Errorf(nearestTo+"; the formats are "+tableFormats, "column %q is missing (got %s)", missing, got)
}

// fewNames lists the first few of many names.
func fewNames(names []string) string {
	const most = 8
	var list []string
	for _, n := range names[:min(most, len(names))] {
		list = append(list, short(n))
	}
	text := strings.Join(list, ", ")
	if len(names) > most {
		text += fmt.Sprintf(" and %d more", len(names)-most)
	}
	return text
}

// short is a name or, of a long one, its beginning.
func short(name string) string {
	if len(name) <= longName/2 {
		return name
	}
	return strings.ToValidUTF8(name[:longName/2], "") + "…"
}
