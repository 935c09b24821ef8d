package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// plantedColumns are those of models/rankings: from club to club each is better.
const plantedColumns = "runs,hits,homers,walks,shutouts,runs_allowed,hits_allowed,homers_allowed,walks_allowed,errors"

// plantedTable is a list of eight clubs, the best first unless rows say otherwise. Column j is multiplied by unit[j].
func plantedTable(columns string, rows []int, reversed bool, unit map[string]float64) string {
	low := map[string]float64{"runs": 3.2, "hits": 7.9, "homers": 0.55, "walks": 2.7, "shutouts": 0.03, "runs_allowed": 3.3, "hits_allowed": 7.9, "homers_allowed": 0.65, "walks_allowed": 2.7, "errors": 0.5}
	high := map[string]float64{"runs": 6, "hits": 9.8, "homers": 1.25, "walks": 3.9, "shutouts": 0.11, "runs_allowed": 5.9, "hits_allowed": 9.9, "homers_allowed": 1.25, "walks_allowed": 3.9, "errors": 1.1}
	text := "set,item,rank," + columns + "\n"
	for s := range 12 { // lists enough for an interval
		for _, k := range rows {
			rank := k + 1
			if reversed {
				rank = len(rows) - k
			}
			text += fmt.Sprintf("S%d,Club%d,%d", s, k, rank)
			for c := range strings.SplitSeq(columns, ",") {
				share := (float64(k) + float64(s)/100) / float64(len(rows))
				if !strings.HasSuffix(c, "_allowed") && c != "errors" {
					share = 1 - share
				}
				by := 1.0
				if u, ok := unit[c]; ok {
					by = u
				}
				text += fmt.Sprintf(",%.6g", by*(low[c]+share*(high[c]-low[c])))
			}
			text += "\n"
		}
	}
	return text
}

// writing returns what writes files into a folder of the test.
func writing(t *testing.T) func(name, text string) string {
	dir := t.TempDir()
	return func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
}

// fault is what is wrong with a file.
type fault struct {
	name, file string
	said       string // what a door that answers otherwise says
}

// hold puts each fault to each door: the answer is the right one, or there is a warning, or a refusal.
func (d *doors) hold(t *testing.T, right string, faults []fault, unsaid ...string) {
	t.Helper()
	for _, door := range doorNames {
		want, takes := d.through(t, door, right)
		if !takes {
			continue
		}
		if !want.ok || slices.ContainsFunc(unsaid, func(s string) bool { return strings.Contains(want.said, s) }) || strings.Contains(want.answer, "false") {
			t.Fatalf("%s: %+v", door, want)
		}
		for _, f := range faults {
			got, takes := d.through(t, door, f.file)
			if !takes {
				continue
			}
			same := got.ok && got.answer == want.answer
			told := f.said != "" && strings.Contains(got.said, f.said)
			// Of a reversed order the score is the answer: it is not likely.
			if strings.HasSuffix(door, "score") && strings.Contains(f.name, "reversed") {
				told = got.ok && !strings.Contains(got.answer, "true")
			}
			if !same && !told {
				t.Errorf("%s, %s: answered %.300q (%v), wanted %.300q or to be told %q\n%.500s", door, f.name, got.answer, got.ok, want.answer, f.said, got.said)
			}
		}
	}
}

// Faults that are planted in a file of lists never make a model answer otherwise without a word.
func TestPlantedFaults(t *testing.T) {
	write := writing(t)
	rows, shuffled := []int{0, 1, 2, 3, 4, 5, 6, 7}, []int{4, 1, 6, 0, 3, 7, 2, 5}
	columns := strings.Split(plantedColumns, ",")
	exchanged := strings.Join(slices.Concat(columns[5:], columns[:5]), ",")
	training := write("train.csv", plantedTable(plantedColumns, rows, false, nil))
	d := openDoors(t, filepath.Join("..", "..", "models", "rankings"), small(training)...)
	d.hold(t, write("right.csv", plantedTable(plantedColumns, rows, false, nil)), []fault{
		{"two columns exchanged", write("exchanged.csv", plantedTable(exchanged, rows, false, nil)), ""},
		{"items renumbered", write("renumbered.csv", plantedTable(plantedColumns, shuffled, false, nil)), ""},
		{"a unit of 1e-6", write("small.csv", plantedTable(plantedColumns, rows, false, map[string]float64{"runs": 1e-6, "runs_allowed": 1e-6})), "in training it was"},
		{"a unit of 1e7", write("large.csv", plantedTable(plantedColumns, rows, false, map[string]float64{"runs": 1e7, "runs_allowed": 1e7})), "in training it was"},
		{"a column renamed", write("renamed.csv", plantedTable(strings.Replace(plantedColumns, "errors", "seats", 1), rows, false, nil)), `unknown column "seats"`},
		{"the reference reversed", write("reversed.csv", plantedTable(plantedColumns, rows, true, nil)), "run against those of the lists"},
	}, "in training it was")
}

// ballots are votes as PrefLib has them: candidates in this order, then lines such as 6 ABDC. A
// line has a count and the letters of candidates, the best first.
func ballots(candidates string, votes ...string) string {
	text := fmt.Sprintf("# NUMBER ALTERNATIVES: %d\n", len(candidates))
	for k, c := range candidates {
		text += fmt.Sprintf("# ALTERNATIVE NAME %d: %s\n", k+1, voted[c])
	}
	for _, v := range votes {
		count, order, _ := strings.Cut(v, " ")
		var numbers []string
		for _, c := range order {
			numbers = append(numbers, fmt.Sprint(strings.IndexRune(candidates, c)+1))
		}
		text += count + ": " + strings.Join(numbers, ",") + "\n"
	}
	return text
}

// voted are candidates, whose names are of the kind that break a list.
var voted = map[rune]string{'A': "Ada", 'B': "Ben", 'C': "Cy", 'D': `Dot, of "B"`, 'E': "Eve"}

// club is a model of seventy voters, most of whom put Ada before Ben before Cy before Dot, with its doors.
func club(t *testing.T) *doors {
	t.Helper()
	training := writing(t)("train.soc", ballots("ABCD", "60 ABCD", "6 ABDC", "4 BACD"))
	dir := filepath.Join(t.TempDir(), "club")
	args := small(training)
	var out, notes strings.Builder
	if code := run(slices.Concat(args, []string{"--out", dir, "--quiet", "--engine", "go", "--steps", "150"}), &out, &notes); code != 0 {
		t.Fatal(notes.String())
	}
	return openDoors(t, dir, args...)
}

// Nor do those in a file of votes.
func TestPlantedVotes(t *testing.T) {
	write := writing(t)
	table := func(columns string, rows ...string) string { return columns + "\n" + strings.Join(rows, "\n") + "\n" }
	const dot = `"Dot, of ""B"""`
	club(t).hold(t, write("right.csv", table("rank1,rank2,rank3,rank4,count", "Ada,Ben,Cy,"+dot+",20")), []fault{
		{"in PrefLib's format", write("right.soc", ballots("ABCD", "20 ABCD")), ""},
		{"two columns exchanged, with their names", write("exchanged.csv", table("count,rank1,rank2,rank3,rank4", "20,Ada,Ben,Cy,"+dot)), ""},
		{"two places exchanged", write("places.csv", table("rank2,rank1,rank3,rank4,count", "Ben,Ada,Cy,"+dot+",20")), "columns of places: wanted 1, 2 and so on"},
		{"items renumbered", write("renumbered.soc", ballots("DCBA", "20 ABCD")), ""},
		{"items in another order", write("shuffled.csv", table("item,set,rank", dot+",x,4", "Cy,x,3", "Ada,x,1", "Ben,x,2")), ""},
		{"counts 1e7 times as large", write("counts.soc", ballots("ABCD", "200000000 ABCD")), ""},
		{"another person", write("person.soc", ballots("ABCE", "20 ABCE")), `the model knows no item "Eve"`},
		{"the votes reversed", write("reversed.soc", ballots("ABCD", "20 DCBA")), "run against those of the lists"},
	})
}
