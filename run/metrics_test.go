package run

import (
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

func openMetrics(t *testing.T, dir string, afterStep int, wantWarnings ...string) *Metrics {
	t.Helper()
	m, warnings, err := onDisk(t, dir).OpenMetrics(afterStep)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(wantWarnings, warnings, cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
	return m
}

// line is a step's line, a function of the step as in training.
func line(step int) StepLine {
	x := float64(step)
	return StepLine{Step: step, Loss: math.Exp(-x / 7), GradNorm: math.Sqrt(x) / 3, LR: 1e-3 / x}
}

func writeSteps(t *testing.T, m *Metrics, from, to int) {
	t.Helper()
	for s := from; s <= to; s++ {
		if err := m.Step(line(s)); err != nil {
			t.Fatal(err)
		}
	}
}

func TestMetricsLines(t *testing.T) {
	dir := t.TempDir()
	m := openMetrics(t, dir, 0)
	nan, inf := math.NaN(), math.Inf(1)
	err := errors.Join(
		m.Step(StepLine{1, 0.1, 2, 1e-3, 0}),
		m.Step(StepLine{2, nan, inf, 1e-10, 6.5}),
		m.Event(Event{Event: "validation", Step: 2, Elapsed: 1.5, Fields: map[string]any{"kendall_tau": 0.25, "exact": nan, "by": "us"}}),
		m.Event(Event{Event: "finished", Step: 2, Elapsed: 3}),
		m.Close(),
	)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, MetricsFile)
	wantText(t, path, `{"step":1,"loss":0.1,"grad_norm":2,"lr":0.001}
{"step":2,"loss":null,"grad_norm":null,"lr":1e-10,"items":6.5}
{"event":"validation","step":2,"elapsed":1.5,"by":"us","exact":null,"kendall_tau":0.25}
{"event":"finished","step":2,"elapsed":3}
`)
	steps, events, warnings, err := ReadMetrics(path)
	if err != nil || warnings != nil {
		t.Fatal(err, warnings)
	}
	wantSteps := []StepLine{{1, 0.1, 2, 1e-3, 0}, {2, nan, nan, 1e-10, 6.5}}
	wantEvents := []Event{
		{"validation", 2, 1.5, map[string]any{"kendall_tau": 0.25, "exact": nil, "by": "us"}},
		{"finished", 2, 3, nil},
	}
	if d := cmp.Diff(wantSteps, steps, cmpopts.EquateNaNs()) + cmp.Diff(wantEvents, events); d != "" {
		t.Error(d)
	}
	for want, e := range map[string]Event{
		"metrics: an event without a name":              {Step: 1},
		`metrics: event skipped: field "step" is taken`: {Event: "skipped", Fields: map[string]any{"step": 1}},
		// encoding/json/v2 words its errors differently from process to process.
		`metrics: event skipped: json: `: {Event: "skipped", Fields: map[string]any{"f": func() {}}},
	} {
		if err := m.Event(e); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, wanted %s", err, want)
		}
	}
	if _, _, _, err := ReadMetrics(filepath.Join(dir, "none")); !os.IsNotExist(err) {
		t.Errorf("no file: %v", err)
	}
}

func TestMetricsFloatsRoundTrip(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		want := StepLine{rapid.IntRange(1, math.MaxInt).Draw(rt, "step"), rapid.Float64().Draw(rt, "a"), rapid.Float64().Draw(rt, "b"), rapid.Float64().Draw(rt, "c"), rapid.Float64Min(0).Draw(rt, "d")}
		m, _, err := onDisk(t, dir).OpenMetrics(0)
		if err != nil {
			rt.Fatal(err)
		}
		if err := errors.Join(m.Step(want), m.Close()); err != nil {
			rt.Fatal(err)
		}
		steps, _, _, err := ReadMetrics(filepath.Join(dir, MetricsFile))
		if err != nil || len(steps) != 1 || steps[0] != want && !math.IsInf(want.Loss+want.GradNorm+want.LR, 0) {
			rt.Errorf("wrote %v, read %v, %v", want, steps, err)
		}
	})
}

// TestMetricsResume kills a run after every number of bytes, goes on from its checkpoint at
// step 5, and compares with a run that never stopped.
func TestMetricsResume(t *testing.T) {
	const checkpoint, end = 5, 9
	unbroken := t.TempDir()
	m := openMetrics(t, unbroken, 0)
	writeSteps(t, m, 1, checkpoint)
	if err := m.Sync(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(unbroken, MetricsFile)
	synced, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Event(Event{Event: "checkpoint", Step: checkpoint, Elapsed: 1}); err != nil {
		t.Fatal(err)
	}
	writeSteps(t, m, checkpoint+1, end)
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	broken := t.TempDir()
	path = filepath.Join(broken, MetricsFile)
	for cut := len(synced); cut <= len(whole); cut++ {
		if err := os.WriteFile(path, whole[:cut], 0o666); err != nil {
			t.Fatal(err)
		}
		m := openMetrics(t, broken, checkpoint)
		if err := m.Event(Event{Event: "resume", Step: checkpoint, Elapsed: 1}); err != nil {
			t.Fatal(err)
		}
		writeSteps(t, m, checkpoint+1, end)
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(stepLines(got), stepLines(whole)) {
			t.Fatalf("cut at %d:\n%s", cut, got)
		}
	}
	if got := files(t, broken); len(got) != 1 {
		t.Errorf("left behind: %v", got)
	}
}

func stepLines(data []byte) (lines []byte) {
	for l := range bytes.Lines(data) {
		if bytes.HasPrefix(l, []byte(`{"step"`)) {
			lines = append(lines, l...)
		}
	}
	return lines
}

func TestMetricsDamage(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, MetricsFile)
	good := `{"step":1,"loss":1,"grad_norm":1,"lr":1}` + "\n"
	if err := os.WriteFile(path, []byte(good+"\x00\x00\n{}\n"+`{"step":2,"los`), 0o666); err != nil {
		t.Fatal(err)
	}
	steps, _, warnings, err := ReadMetrics(path)
	if err != nil || len(steps) != 1 || len(warnings) != 3 {
		t.Fatalf("%v, %q, %v", steps, warnings, err)
	}
	for i, want := range []string{path + ":2: left out: ", path + ":3: left out: neither a step nor an event", path + ": the last line is torn and left out"} {
		if !strings.HasPrefix(warnings[i], want) {
			t.Errorf("got %s, wanted %s", warnings[i], want)
		}
	}
	m, warnings, err := onDisk(t, dir).OpenMetrics(3)
	if err != nil {
		t.Fatal(err)
	}
	if want := path + ": wanted a line for each of the first 3 steps (got 1)"; len(warnings) != 3 || warnings[2] != want {
		t.Errorf("got %q, wanted %s", warnings, want)
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	wantText(t, path, good)
}

func TestMetricsFlush(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		path := filepath.Join(dir, MetricsFile)
		m := openMetrics(t, dir, 0)
		for step := 1; step <= 3; step++ {
			writeSteps(t, m, step, step)
			time.Sleep(flushAfter / 2)
			if steps, _, _, err := ReadMetrics(path); err != nil || len(steps) != step-1 {
				t.Errorf("half a second after step %d: %v, %v", step, steps, err)
			}
			time.Sleep(flushAfter)
			if steps, _, _, err := ReadMetrics(path); err != nil || len(steps) != step {
				t.Errorf("a second and a half after step %d: %v, %v", step, steps, err)
			}
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
		if err := errors.Join(m.Step(line(4)), m.Sync()); !errors.Is(err, os.ErrClosed) {
			t.Errorf("after the end: %v", err)
		}
	})
}
