package run

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/riffle-ml/riffle/internal/fuzztest"
)

// within holds the reading of a file of this package to 4 MiB and 1,024 bytes for each of its
// own, freed memory counted too.
func within(t testing.TB, size int, read func()) {
	t.Helper()
	fuzztest.Within(t, 4<<20, 1<<10, size, read)
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

// A log without an end is told in few words.
func TestLongLog(t *testing.T) {
	warnings, _, err := scanMetrics("m", bytes.NewReader(bytes.Repeat([]byte("x\n"), 1000)), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(warnings) != 11 || warnings[10] != "m: 990 more lines left out" {
		t.Errorf("%d warnings, the last %q", len(warnings), warnings[len(warnings)-1])
	}
}
