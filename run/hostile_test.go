package run

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/riffle-ml/riffle/internal/fuzztest"
	"github.com/riffle-ml/riffle/presets"
)

// within holds the reading of a file of this package to 4 MiB and 1,024 bytes for each of its
// own, freed memory counted too.
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

// What is kept of a log, with the lines that cannot be read left out, is read in full.
func FuzzReadMetrics(f *testing.F) {
	for _, s := range []string{
		"{\"step\":1,\"loss\":0.1,\"grad_norm\":2,\"lr\":0.001}\n{\"event\":\"finished\",\"step\":1,\"elapsed\":3}\n", "{\"step\":2,\"loss\":null}\n{\"step\":",
		"{\"step\":1e400}\n", "{\"step\":1,\"step\":2}\n", "{\"event\":\"x\",\"step\":1,\"a\":" + strings.Repeat("[", 20_000) + "\n", "\n\n\n", "{\"event\":\"\xff\"}\n", "NaN\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		read := func(data []byte) (log metricsLog, warnings []string) {
			warnings, torn, err := scanMetrics("m", bytes.NewReader(data), log.add)
			if err != nil {
				t.Skip(err)
			}
			return log, log.warn("m", warnings, torn)
		}
		within(t, len(data), func() { read(data) })
		var keep []byte
		lines := 0
		_, _, _ = scanMetrics("m", bytes.NewReader(data), func(line []byte, _ metricsLine) {
			keep = append(append(keep, line...), '\n')
			lines++
		})
		log, warnings := read(keep)
		if len(log.steps)+len(log.events) != lines || warnings != nil {
			t.Fatalf("%d steps and %d events of %d lines, %v", len(log.steps), len(log.events), lines, warnings)
		}
	})
}

// A state is what was written, or an error; none leads out of its directory.
func FuzzReadState(f *testing.F) {
	for _, s := range []State{generation(3).State, {SHA256: map[string]string{ModelFile: "00"}}, {SHA256: map[string]string{"../x": zeroHash}}} {
		if s.SHA256 == nil {
			s.SHA256 = map[string]string{}
		}
		data, err := encodeState(s)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(`{"step":1e400,"sha256":null}`))
	f.Add([]byte(`{"sha256":` + strings.Repeat(`{"a":`, 20_000)))
	f.Add([]byte(`{"sha256":{"state.json":""}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m := newMemory()
		d := &Dir{Path: "runs/x", Config: *testConfig(), disk: m, lock: os.Stdin, most: mostTensors}
		m.names[StateFile] = &inode{data: data}
		within(t, len(data), func() { _, _, _, _ = d.LoadModel() })
		s, err := d.readState("")
		if err != nil {
			return
		}
		for file := range s.SHA256 {
			if strings.ContainsAny(file, `/\`) || file == ".." {
				t.Fatalf("the state names the file %q", file)
			}
		}
	})
}

// The names of a checkpoint's files come from a file, which may come from anywhere.
func TestStateNamesNoOtherFolder(t *testing.T) {
	for _, name := range []string{"../../victim", "/etc/victim", "..", "a/b", ""} {
		data, err := encodeState(State{SHA256: map[string]string{name: zeroHash[1:]}})
		if err != nil {
			t.Fatal(err)
		}
		d, m := testDir(t)
		m.names[filepath.Join(nextDir, StateFile)] = &inode{data: data}
		if _, err := d.readState(nextDir); err == nil || !strings.HasSuffix(err.Error(), "is not the name of a file of a checkpoint") {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// Configurations and logs without an end are given up, or told in few words.
func TestLongFiles(t *testing.T) {
	long := bytes.Repeat([]byte("#\n"), maxConfig)
	if _, err := ParseConfig(long, "x.toml"); err == nil || err.Error() != "x.toml: has more than 65536 bytes, which no configuration has" {
		t.Errorf("a long configuration: %v", err)
	}
	c := Default()
	if err := c.Set("title=" + string(long)); err == nil || !strings.HasSuffix(err.Error(), "wanted at most 65536") {
		t.Errorf("a long assignment: %v", err)
	}
	warnings, _, err := scanMetrics("m", bytes.NewReader(bytes.Repeat([]byte("x\n"), 1000)), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(warnings) != 11 || warnings[10] != "m: 990 more lines left out" {
		t.Errorf("%d warnings, the last %q", len(warnings), warnings[len(warnings)-1])
	}
}
