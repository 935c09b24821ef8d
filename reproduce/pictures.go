package reproduce

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/riffle-ml/riffle/run"
)

// drawn is how many test sets of a row are in its picture.
const drawn = 3

// Pictures has draw draw test sets of the rows that tables show, in a folder beside the report. draw
// takes the run dir and a file. Pictures returns the Markdown of each table. What was drawn after the
// row was run stays.
func Pictures(base, report string, draw func(dir, file string, sets int) error) (map[string]string, error) {
	folder := strings.TrimSuffix(report, filepath.Ext(report))
	all := map[string]string{}
	for _, t := range Tables() {
		for _, r := range t.Rows {
			dir := Folder(base, t, r)
			ran, err := os.Stat(filepath.Join(dir, run.EvalFile))
			if err != nil || !slices.Contains(t.Pictures, r.Name) {
				continue
			}
			file := filepath.Join(folder, t.Name+"-"+r.Name+".png")
			old, missing := os.Stat(file)
			_, err = os.Stat(filepath.Join(dir, run.ConfigFile))
			switch outcomeAlone := err != nil; { // as docs/rows has it, without the model
			case outcomeAlone && missing != nil:
				continue
			case !outcomeAlone && (missing != nil || old.ModTime().Before(ran.ModTime())):
				if err := os.MkdirAll(folder, 0o777); err != nil {
					return nil, err
				}
				if err := draw(dir, file, drawn); err != nil {
					return nil, err
				}
			}
			what := fmt.Sprintf("%s, n = %d: %d test sets from noise to order", r.Label, r.N, drawn)
			all[t.Name] += fmt.Sprintf("%s:\n\n![%[1]s](%s/%s)\n\n", what, filepath.Base(folder), filepath.Base(file))
		}
	}
	return all, nil
}
