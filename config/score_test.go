package config

import (
	"slices"
	"testing"

	"github.com/riffle-ml/riffle/internal/hint"
	"github.com/riffle-ml/riffle/shuffle"
)

const sortPL = "[task]\nname = \"sort\"\nn = 9\ndigits = 1\n[model]\nencoder = \"cnn\"\nchannels = [2]\nkernel = 5\n"

// Direct scores do not see the time: the rule gives them one step, from noise by as many shuffles as
// the rule takes for nine cards.
func TestDirectScoresTakeOneStep(t *testing.T) {
	rule, err := shuffle.NewSchedule(9)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		score string
		want  []int
	}{{"direct", []int{0, rule.T}}, {"sum", rule.Steps}} {
		c, err := ParseConfig([]byte(sortPL+"[process]\nreverse = \"pl\""), "x.toml")
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Set("model.score=" + x.score); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Resolve(); err != nil || !slices.Equal(c.Process.Schedule, x.want) {
			t.Errorf("%s: schedule %v, wanted %v (%v)", x.score, c.Process.Schedule, x.want, err)
		}
	}
}

func TestScoreRefusals(t *testing.T) {
	for _, x := range []struct{ process, score, want string }{
		{"reverse = \"pl\"\nschedule = [0, 4, 9]", "direct", "model.score: direct scores do not know the time, wanted a schedule of one denoising step (got [0 4 9])\nhint: process.schedule = [0, 9], or model.score = \"sum\""},
		{"reverse = \"pl\"\nschedule = [0, 4, 9]", "sum", ""},
		{"reverse = \"gpl\"", "direct of diffsort", ""}, // which has no process
		{"reverse = \"pl\"\nschedule = [0, 9]", "both", `model.score: unknown "both", wanted context, direct or sum`},
		{"reverse = \"gpl\"", "direct", "model.score: has no effect with process.reverse \"gpl\"\nhint: leave it out; it is for process.reverse pl"},
	} {
		c, err := ParseConfig([]byte(sortPL+"[process]\n"+x.process), "x.toml")
		if err == nil && x.score == "direct of diffsort" {
			x.score, err = "direct", c.Set("method=diffsort")
		}
		if err == nil {
			err = c.Set("model.score=" + x.score)
		}
		if err == nil {
			_, err = c.Resolve()
		}
		if err != nil && hint.Text(err) != x.want || err == nil && x.want != "" {
			t.Errorf("%s with %s: got %v, wanted %s", x.score, x.process, err, x.want)
		}
	}
}
