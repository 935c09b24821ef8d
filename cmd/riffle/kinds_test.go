package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
)

// form is a file as somebody brought it, and what every door makes of it.
type form struct {
	name, file, text string
	query            string // of a file beside it with the sizes of its sets, "" for none
	// same is whether it is answered as the plain file is; else refused or warned of.
	same bool
	// said is what a refusal or a warning says, "" for none.
	said string
	// but are doors that this form says nothing to: score where no order is given, say.
	but []string
}

// put asks every door about every form.
func (d *doors) put(t *testing.T, plain string, forms []form) {
	t.Helper()
	want := map[string]asked{}
	for _, door := range doorNames {
		if a, takes := d.through(t, door, plain); takes {
			if !a.ok {
				t.Fatalf("%s of the plain file: %.500s", door, a.said)
			}
			want[door] = a
		}
	}
	for door, command := range map[string]string{"serve order": "order", "serve sample": "sample", "serve score": "score"} {
		want[door] = want[command] // what the plain file may not be for the server
	}
	for _, f := range forms {
		write := writing(t)
		path := write(f.file, f.text)
		if f.query != "" {
			write(f.file+".query", f.query)
		}
		for _, door := range doorNames {
			if slices.Contains(f.but, door) {
				continue
			}
			got, takes := d.through(t, door, path)
			switch {
			case !takes:
			case f.same && (!got.ok || got.answer != want[door].answer):
				t.Errorf("%s, %s: %q (%v), wanted %q\n%.500s", door, f.name, got.answer, got.ok, want[door].answer, got.said)
			case f.said != "" && !strings.Contains(got.said, f.said):
				t.Errorf("%s, %s: answered %q (%v) and said\n%.500s\nwanted to be told %s", door, f.name, got.answer, got.ok, got.said, f.said)
			case !f.same && f.said == "":
				t.Fatalf("%s: is wanted for nothing", f.name)
			}
		}
	}
}

// utf16Text is a text as Excel's "Unicode text" is saved.
func utf16Text(text string) string {
	b := []byte("\xff\xfe")
	for _, u := range utf16.Encode([]rune(text)) {
		b = append(b, byte(u), byte(u>>8))
	}
	return string(b)
}

// named are the sets of a table of features as lines of JSON, whose features are in a random order.
func named(table string) string {
	rows := strings.Split(strings.TrimSpace(table), "\n")
	head := strings.Split(rows[0], ",")
	type item struct {
		ID       string          `json:"id"`
		Features json.RawMessage `json:"features"`
	}
	var text strings.Builder
	var id string
	var items []item
	end := func() {
		if items != nil {
			line, err := json.Marshal(map[string]any{"id": id, "items": items, "order": identity(len(items))})
			if err != nil {
				panic(err)
			}
			fmt.Fprintf(&text, "%s\n", line)
		}
		items = nil
	}
	for i, row := range rows[1:] {
		cells := strings.Split(row, ",")
		if cells[0] != id {
			end()
			id = cells[0]
		}
		features := "{"
		for j := range len(head) - 3 {
			k := 3 + (j+i)%(len(head)-3) // another begins in each row
			if j > 0 {
				features += ","
			}
			features += fmt.Sprintf("%q:%s", head[k], cells[k])
		}
		items = append(items, item{cells[1], json.RawMessage(features + "}")})
	}
	end()
	return text.String()
}

func identity(n int) (order []int) {
	for k := range n {
		order = append(order, k)
	}
	return order
}

// A table of features has one answer in every door, or none and a reason. Tables are in the dialects
// that programs write, and have the faults that people make.
func TestFormsOfFeatures(t *testing.T) {
	rows := []int{0, 1, 2, 3, 4, 5, 6, 7}
	plain := plantedTable(plantedColumns, rows, false, nil)
	comma := func(text string) string { // semicolons, decimal commas
		return strings.ReplaceAll(strings.ReplaceAll(text, ",", ";"), ".", ",")
	}
	with := func(column string, cell func(row int) string) string { // a column more
		var out []string
		for i, line := range strings.Split(strings.TrimSpace(plain), "\n") {
			if i == 0 {
				out = append(out, line+","+column)
			} else {
				out = append(out, line+","+cell(i))
			}
		}
		return strings.Join(out, "\n") + "\n"
	}
	cell := func(line int, text string) string { // another last cell
		lines := strings.Split(plain, "\n")
		lines[line-1] = lines[line-1][:strings.LastIndex(lines[line-1], ",")+1] + text
		return strings.Join(lines, "\n")
	}
	short := strings.Split(plantedColumns, ",")
	zeros := strings.ReplaceAll(strings.ReplaceAll(plain, "Club7,8,", "Club7,0,"), "Club6,7,", "Club6,0,")
	write := writing(t)
	training := write("train.csv", plain)
	openDoors(t, "../../models/rankings", small(training)...).put(t, training, []form{
		{name: "by their names in JSON, each item in another order", file: "x.jsonl", text: named(plain), same: true},
		{name: "UTF-16 with tabs", file: "x.csv", text: utf16Text(strings.ReplaceAll(plain, ",", "\t")), same: true},
		{name: "decimal commas", file: "x.csv", text: comma(plain), same: true, said: "numbers have decimal commas"},
		{name: "sep= and Windows' lines", file: "x.csv", text: "sep=;\r\n" + strings.ReplaceAll(strings.ReplaceAll(plain, ",", ";"), "\n", "\r\n"), same: true},
		{name: "lines that end with CR alone", file: "x.csv", text: strings.ReplaceAll(plain, "\n", "\r"), same: true},
		{name: "lines of sets mixed", file: "x.csv", text: mixed(plain), same: true},
		{name: "a column that the model has never seen", file: "x.csv", text: with("stadium_seats", func(i int) string { return fmt.Sprint(i) }), said: `unknown column "stadium_seats"`},
		{name: "a column less", file: "x.csv", text: plantedTable(strings.Join(short[1:], ","), rows, false, nil), said: `column "runs" is missing`},
		{name: "a column twice", file: "x.csv", text: with("runs", func(int) string { return "1" }), said: `column "runs" is there twice`},
		{name: "a name in other case", file: "x.csv", text: strings.Replace(plain, "errors", "Errors", 1), said: `unknown column "Errors"`},
		{name: "a cell that is no number", file: "x.csv", text: cell(4, "n/a"), said: `:4: errors: wanted a finite number (got "n/a")`},
		{name: "an empty cell", file: "x.csv", text: cell(5, ""), said: "empty"},
		{name: "thousands by commas", file: "x.csv", text: cell(6, `"1,234"`), said: `:6: errors: wanted a finite number (got "1,234")`},
		{name: "0 for what was not ranked", file: "x.csv", text: zeros, said: "0 is read as the best rank"},
		{name: "a name in Windows-1252", file: "x.csv", text: strings.Replace(plain, "Club3", "Kl\xfcb", 1), said: "UTF-8"},
		{name: "a header of no format", file: "x.csv", text: strings.Replace(plain, "set,item", "season,club", 1), said: `the nearest format is set,item,rank`},
		{name: "an item twice", file: "x.csv", text: strings.Replace(plain, "Club1", "Club0", 1), said: ":3: item: \"Club0\" is in set S0 on line 2 already"},
		{name: "an infinite number in JSON", file: "x.jsonl", text: strings.Replace(named(plain), `"runs":6`, `"runs":1e999`, 1), said: "is beyond the largest float64"},
	})
}

// mixed has the rows of a table in an order in which no set's stand together.
func mixed(table string) string {
	lines := strings.Split(strings.TrimSpace(table), "\n")
	rows := lines[1:]
	out := lines[:1:1]
	for k := range 8 {
		for i := k; i < len(rows); i += 8 {
			out = append(out, rows[i])
		}
	}
	return strings.Join(out, "\n") + "\n"
}

// Votes go by the names of candidates, whatever wrote them down.
func TestFormsOfVotes(t *testing.T) {
	d := club(t)
	const dot = `"Dot, of ""B"""`
	ada := writing(t)("plain.soc", ballots("ABCD", "18 ABCD", "2 DCBA"))
	tall := "set,item,rank,count\n"
	for _, v := range []string{"a,Ada,1,18", "b,Ada,4,2", "a,Ben,2,18", "b,Ben,3,2", "b,Cy,2,2", "a,Cy,3,18", "a," + dot + ",4,18", "b," + dot + ",1,2"} {
		tall += v + "\n"
	}
	const js = `{"id":"a","items":[{"id":"Dot, of \"B\""},{"id":"Cy"},{"id":"Ben"},{"id":"Ada"}],"order":[3,2,1,0],"count":18}
{"id":"b","items":[{"id":"Ben"},{"id":"Ada"},{"id":"Dot, of \"B\""},{"id":"Cy"}],"rank":[2,3,0,1],"weight":2}
`
	d.put(t, ada, []form{
		{name: "numbered otherwise", file: "x.soc", text: ballots("DBAC", "18 ABCD", "2 DCBA"), same: true},
		{name: "PrefLib as it was before", file: "x.soc", text: "4\n1,Cy\n2,Ben\n3,Dot, of \"B\"\n4,Ada\n20,20,2\n18,4,2,1,3\n2,3,1,2,4\n", same: true},
		{name: "braces around one", file: "x.toc", text: strings.Replace(ballots("ABCD", "18 ABCD", "2 DCBA"), "18: 1", "18: {1}", 1), same: true},
		{name: "a row a voter, a column a place", file: "x.csv", text: "place 1;place 2;place 3;place 4;votes\nAda;Ben;Cy;" + dot + ";18\n" + dot + ";Cy;Ben;Ada;2\n", same: true},
		{name: "without a header, as Excel saves it", file: "x.csv", text: utf16Text(strings.Repeat("Ada\tBen\tCy\t"+dot+"\n", 18) + strings.Repeat(dot+"\tCy\tBen\tAda\n", 2)), same: true},
		{name: "a line a candidate, lines mixed", file: "x.csv", text: tall, same: true},
		{name: "by ids in JSON", file: "x.jsonl", text: js, same: true},
		{name: "a stranger", file: "x.soc", text: strings.Replace(ballots("ABCD", "18 ABCD"), "Ben", "Benn", 1), said: `the model knows no item "Benn", the nearest is "Ben"`},
		{name: "a stranger in JSON", file: "x.jsonl", text: strings.ReplaceAll(js, `"Cy"`, `"Cyr"`), said: `the model knows no item "Cyr", the nearest is "Cy"`},
		{name: "numbers in the place of names", file: "x.soc", text: "# NUMBER ALTERNATIVES: 4\n18: 1,2,3,4\n", said: `the model knows no item "1"`},
		{name: "no names", file: "x.jsonl", text: `{"items":[{},{},{},{}],"order":[0,1,2,3]}` + "\n", said: "the items have no names and the model knows its own by theirs"},
		{name: "SUSHI's numbers", file: "x.order", text: "4 1\n0 4 0 1 2 3\n", said: `the model knows no item "0"`},
		{name: "twice on a ballot", file: "x.soi", text: ballots("ABCD", "18 ABCD", "2 BAB"), said: ":7: alternative 2 (Ben) is there twice"},
		{name: "twice on a row", file: "x.csv", text: "rank1,rank2,rank3\nAda,Ben,Cy\nBen,Ada,Ben\n", said: `x.csv:3: "Ben" is there twice`, but: []string{"serve order", "serve sample", "serve score"}},
		{name: "cut off", file: "x.soc", text: "# NUMBER VOTERS: 30\n# NUMBER UNIQUE ORDERS: 3\n" + ballots("ABCD", "18 ABCD", "2 DCBA"), same: true, said: "the header says 30 voters and 3 different orders, the file has 20 voters and 2 orders"},
		{name: "two million voters of one mind", file: "x.soc", text: ballots("ABCD", "1800000 ABCD", "200000 DCBA"), same: true},
	})
}

// Features that have numbers for names go by these, and those that a line leaves out are 0.
func TestFormsOfNumberedFeatures(t *testing.T) {
	write := writing(t)
	// Feature 1 decides; 2 goes with it, 3 against it, 5 is there in the training alone, 4 never.
	lists := func(five string, line func(id, k int) string) (text string) {
		for id := range 12 {
			for k := range 4 {
				text += line(id, (k+id)%4)
				if (k+id)%4 == 0 {
					text += five
				}
				text += "\n"
			}
		}
		return text
	}
	values := func(id, k int) (string, string, string) {
		return fmt.Sprint(float64(k) + float64(id)/100), fmt.Sprint(k), fmt.Sprint(4 - k)
	}
	sparse := func(id, k int) string {
		one, two, three := values(id, k)
		return fmt.Sprintf("%d qid:%d 1:%s 2:%s 3:%s", k, id, one, two, three)
	}
	training := write("train.txt", lists(" 5:0.5", sparse))
	dir := t.TempDir() + "/run"
	args := small(training)
	var out, notes strings.Builder
	if code := run(slices.Concat(args, []string{"--out", dir, "--quiet", "--engine", "go"}), &out, &notes); code != 0 {
		t.Fatal(notes.String())
	}
	d := openDoors(t, dir, args...)
	plain := write("plain.txt", lists(" 5:0", sparse))
	query := strings.Repeat("4\n", 12)
	d.put(t, plain, []form{
		{name: "without the last feature", file: "x.txt", text: lists("", sparse), same: true},
		{name: "features in any order", file: "x.txt", text: lists("", func(id, k int) string {
			one, two, three := values(id, k)
			return fmt.Sprintf("%d qid:%d 3:%s 1:%s 2:%s", k, id, three, one, two)
		}), same: true},
		{name: "a feature twice", file: "x.txt", text: "1 qid:1 1:1 2:1 3:3\n0 qid:1 2:0 1:0 2:7\n", said: "x.txt:2: feature 2 is there twice"},
		{name: "a feature that is new", file: "x.txt", text: lists(" 9:1", sparse), said: "has feature 9, the model knows 1 to 5"},
		{name: "sizes in a file of their own", file: "x.txt", query: query, same: true, text: lists("", func(id, k int) string {
			one, two, three := values(id, k)
			return fmt.Sprintf("%d 1:%s 2:%s 3:%s", k, one, two, three)
		})},
		// They name the items, so that orders are told in names.
		{name: "comments, and sizes in a file of their own", file: "x.txt", query: query, same: true, but: []string{"order", "sample"}, text: lists("", func(id, k int) string {
			one, two, three := values(id, k)
			return fmt.Sprintf("%d 1:%s 2:%s 3:%s # document %d", k, one, two, three, k)
		})},
		{name: "sizes that do not add up", file: "x.txt", query: query + "1\n", said: "its sets have 49 items in all, wanted 48", text: lists("", func(id, k int) string {
			return fmt.Sprintf("%d 1:%d", k, k)
		})},
		{name: "numbered from 0", file: "x.txt", text: lists("", func(id, k int) string {
			one, two, three := values(id, k)
			return fmt.Sprintf("%d qid:%d 0:%s 1:%s 2:%s", k, id, one, two, three)
		}), said: "feature 0"},
		{name: "LightGBM's table", file: "x.csv", query: query, same: true, but: []string{"serve order", "serve sample", "serve score"}, text: lists("", func(id, k int) string {
			one, two, three := values(id, k)
			return fmt.Sprintf("%d,%s,%s,%s,0,0", k, one, two, three)
		})},
	})
}
