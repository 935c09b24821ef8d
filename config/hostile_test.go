package config

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/riffle-ml/riffle/internal/fuzztest"
	"github.com/riffle-ml/riffle/presets"
)

// within holds the reading of a configuration to 4 MiB and 1,024 bytes for each of its own, freed
// memory counted too.
func within(t testing.TB, size int, read func()) {
	t.Helper()
	fuzztest.Within(t, 4<<20, 1<<10, size, read)
}

// A configuration that is read can be written and read again.
func FuzzParseConfig(f *testing.F) {
	for i, name := range presets.Names() {
		if i%10 == 0 { // a few, of all kinds: a fuzzer runs all seeds before it begins
			data, _ := presets.Get(name)
			f.Add(data)
		}
	}
	for _, s := range []string{
		"seed = 18446744073709551615\n", "seed = -1\n", "title = \"\xff\"\n", "[train]\nlr = nan\n", "[train]\nlr = inf\nlr = 1\n", "[[task]]\n",
		"task = {name = \"delta\", n = 3}\n", "[process]\nschedule = [0, 1.5, 99999999999999999999]\n", "a.b.c.d.e = 1\n", "[task.augment.rotate]\n",
		"[process]\nschedule = " + strings.Repeat("[", 20_000), "x = " + strings.Repeat("{a = ", 10_000), "\xef\xbb\xbftitle = 1979-05-27\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var c Config
		var err error
		within(t, len(data), func() { c, err = ParseConfig(data, "x.toml") })
		if err != nil {
			return
		}
		text, err := c.TOML()
		if err != nil {
			return // says why it cannot be written
		}
		if _, err := ParseConfig(text, "x.toml"); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
	})
}

// A key that cannot be set leaves a configuration as it was.
func FuzzSet(f *testing.F) {
	for _, s := range []string{
		"train.batch=32", "process.schedule=[0,9]", "task.name=sort", `task.name="a\u0000"`, "train.lr=nan", "seed=1e3", "paper.exact=1", "task=1",
		"title='x'\nseed = 2", "model.hidden=[1,2", "model.hidden=" + strings.Repeat("[", 20_000), "train.batch=0x10", "eval.examples=1_000", "x", "=", "title=\xff",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, assignment string) {
		c := Default()
		var err error
		within(t, len(assignment), func() { err = c.Set(assignment) })
		if err != nil && !reflect.DeepEqual(c, Default()) {
			t.Fatalf("%v, and the configuration is another", err)
		}
	})
}

// A configuration without an end is given up.
func TestLongConfig(t *testing.T) {
	long := bytes.Repeat([]byte("#\n"), maxConfig)
	if _, err := ParseConfig(long, "x.toml"); err == nil || err.Error() != "x.toml: has more than 65536 bytes, which no configuration has" {
		t.Errorf("a long configuration: %v", err)
	}
	c := Default()
	if err := c.Set("title=" + string(long)); err == nil || !strings.HasSuffix(err.Error(), "wanted at most 65536") {
		t.Errorf("a long assignment: %v", err)
	}
}
