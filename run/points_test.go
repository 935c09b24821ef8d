package run

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/riffle-ml/riffle/config"
)

// New runs spread points. A run whose config.toml has no word of it was trained on the unit square,
// and keeps to that. A preset or a file of the user's without the key is a new run.
func TestPointsOfOldRuns(t *testing.T) {
	c := config.Default()
	c.Task.Name, c.Task.N, c.Model.Encoder = "tsp", 5, "points"
	if _, err := c.Resolve(); err != nil {
		t.Fatal(err)
	}
	data, err := c.TOML()
	if err != nil {
		t.Fatal(err)
	}
	var without []string
	for line := range strings.Lines(string(data)) {
		if !strings.HasPrefix(line, "points = ") {
			without = append(without, line)
		}
	}
	old := strings.Join(without, "")
	if len(old) == len(data) {
		t.Fatalf("no points in\n%s", data)
	}
	for text, want := range map[string]string{string(data): "spread", old: "unit"} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, ConfigFile), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		d, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := d.Config.Resolve(); err != nil || d.Config.Model.Points != want {
			t.Errorf("model.points %q, %v, wanted %q", d.Config.Model.Points, err, want)
		}
		fresh, err := config.LoadConfig(filepath.Join(dir, ConfigFile))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := fresh.Resolve(); err != nil || fresh.Model.Points != "spread" {
			t.Errorf("as a file of its own: model.points %q, %v, wanted spread", fresh.Model.Points, err)
		}
	}
	c.Model.Points = "cube"
	if _, err := c.Resolve(); err == nil || err.Error() != `model.points: unknown "cube", wanted spread or unit` {
		t.Errorf("got %v", err)
	}
}
