package run

import (
	"bufio"
	"bytes"
	"encoding/json/jsontext"
	json "encoding/json/v2"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"
)

// StepLine is what metrics.jsonl says of one training step. It holds no time, so that runs
// of one configuration, resumed or not, have the same lines.
type StepLine struct {
	Step     int     // counted from 1
	Loss     float64 // mean −log p a state, nats; NaN where it was not finite
	GradNorm float64 // before clipping; NaN where it was not finite
	LR       float64 // learning rate
	Items    float64 // of ranked lists the items of one, mean over the batch; 0 elsewhere
}

// Event is anything else that happened in a run.
type Event struct {
	Event   string         // "validation", "checkpoint", "skipped", "resume" or "finished"
	Step    int            // training steps made by then
	Elapsed float64        // seconds of training by then, over all resumptions
	Fields  map[string]any // the event's own; read back as JSON gives them
}

// flushAfter is how long a line may wait in memory.
const flushAfter = time.Second

// Metrics appends to a run's metrics.jsonl. Lines are kept in memory for a second at most;
// an error in writing them is returned by the next call. Calls may come from several
// goroutines.
type Metrics struct {
	mu    sync.Mutex
	file  *os.File
	buf   *bufio.Writer
	timer *time.Timer // set while lines wait
	err   error
}

// OpenMetrics opens the log of a run directory for going on after a step. Lines of later
// steps and a torn last line are cut off, by a new file that takes the old one's name.
// Warnings tell of lines in the middle that cannot be read, and go too, and of steps that
// have no line.
func OpenMetrics(dir string, afterStep int) (m *Metrics, warnings []string, err error) {
	path := filepath.Join(dir, MetricsFile)
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	var keep []byte
	steps := 0
	warnings, _ = scanMetrics(path, old, func(line []byte, l metricsLine) {
		if l.Step <= afterStep {
			keep = append(append(keep, line...), '\n')
			if l.Event == "" {
				steps++
			}
		}
	})
	if steps != afterStep {
		warnings = append(warnings, fmt.Sprintf("%s: wanted a line for each of the first %d steps (got %d)", path, afterStep, steps))
	}
	if !bytes.Equal(old, keep) {
		if err := WriteFile(path, func(w io.Writer) error { _, err := w.Write(keep); return err }); err != nil {
			return nil, nil, err
		}
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return nil, nil, err
	}
	return &Metrics{file: f, buf: bufio.NewWriterSize(f, 1<<16)}, warnings, nil
}

// Step appends the line of a training step. A value that is not finite is written as null.
func (m *Metrics) Step(s StepLine) error {
	b := append(make([]byte, 0, 128), `{"step":`...)
	b = strconv.AppendInt(b, int64(s.Step), 10)
	b = appendFloat(append(b, `,"loss":`...), s.Loss)
	b = appendFloat(append(b, `,"grad_norm":`...), s.GradNorm)
	b = appendFloat(append(b, `,"lr":`...), s.LR)
	if s.Items > 0 {
		b = appendFloat(append(b, `,"items":`...), s.Items)
	}
	return m.append(append(b, '}'))
}

// Event appends the line of an event. Its fields must have other names than event, step
// and elapsed; of their values, those not finite are written as null.
func (m *Metrics) Event(e Event) error {
	if e.Event == "" {
		return errors.New("metrics: an event without a name")
	}
	name, err := jsontext.AppendQuote([]byte(`{"event":`), e.Event)
	if err != nil {
		return err
	}
	b := strconv.AppendInt(append(name, `,"step":`...), int64(e.Step), 10)
	b = appendFloat(append(b, `,"elapsed":`...), e.Elapsed)
	fields := map[string]any{}
	for k, v := range e.Fields {
		if k == "event" || k == "step" || k == "elapsed" {
			return fmt.Errorf("metrics: event %s: field %q is taken", e.Event, k)
		}
		if f, ok := v.(float64); ok && (math.IsNaN(f) || math.IsInf(f, 0)) {
			v = nil
		}
		fields[k] = v
	}
	if len(fields) > 0 {
		more, err := json.Marshal(fields, json.Deterministic(true))
		if err != nil {
			return fmt.Errorf("metrics: event %s: %w", e.Event, err)
		}
		return m.append(append(append(b, ','), more[1:]...))
	}
	return m.append(append(b, '}'))
}

// appendFloat writes the shortest text that reads back as v.
func appendFloat(b []byte, v float64) []byte {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return append(b, "null"...)
	}
	return strconv.AppendFloat(b, v, 'g', -1, 64)
}

func (m *Metrics) append(line []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err != nil {
		return m.err
	}
	if m.timer == nil {
		m.timer = time.AfterFunc(flushAfter, func() {
			m.mu.Lock()
			defer m.mu.Unlock()
			m.flush()
		})
	}
	_, err := m.buf.Write(append(line, '\n'))
	m.fail(err)
	return m.err
}

func (m *Metrics) flush() {
	if m.timer != nil {
		m.timer.Stop()
		m.timer = nil
	}
	if m.err == nil {
		m.fail(m.buf.Flush())
	}
}

func (m *Metrics) fail(err error) {
	if err != nil {
		m.err = diskError(m.file.Name(), err)
	}
}

// Sync returns when all lines are on the disk. Call it before [Dir.SaveCheckpoint], so that
// a run that goes on from the checkpoint finds all lines up to it.
func (m *Metrics) Sync() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.flush()
	if m.err == nil {
		m.fail(m.file.Sync())
	}
	return m.err
}

// Close writes what waits and closes the file.
func (m *Metrics) Close() error {
	return errors.Join(m.Sync(), m.file.Close())
}

// ReadMetrics reads a metrics.jsonl. A line that cannot be read, such as the last one of a
// run that was killed, is left out and told by a warning.
func ReadMetrics(path string) (steps []StepLine, events []Event, warnings []string, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, nil, err
	}
	steps, events, warnings = parseMetrics(path, data)
	return steps, events, warnings, nil
}

func parseMetrics(path string, data []byte) (steps []StepLine, events []Event, warnings []string) {
	warnings, torn := scanMetrics(path, data, func(line []byte, l metricsLine) {
		if l.Event == "" {
			steps = append(steps, StepLine{l.Step, number(l.Loss), number(l.GradNorm), number(l.LR), l.Items})
			return
		}
		e := Event{Event: l.Event, Step: l.Step, Elapsed: number(l.Elapsed)}
		fields := map[string]any{}
		_ = json.Unmarshal(line, &fields) // scanMetrics has read it
		for _, own := range []string{"event", "step", "elapsed"} {
			delete(fields, own)
		}
		if len(fields) > 0 {
			e.Fields = fields
		}
		events = append(events, e)
	})
	if torn {
		warnings = append(warnings, path+": the last line is torn and left out")
	}
	return steps, events, warnings
}

// metricsLine is a line of either kind.
type metricsLine struct {
	Event    string   `json:"event"`
	Step     int      `json:"step"`
	Loss     *float64 `json:"loss"`
	GradNorm *float64 `json:"grad_norm"`
	LR       *float64 `json:"lr"`
	Items    float64  `json:"items"`
	Elapsed  *float64 `json:"elapsed"`
}

func number(v *float64) float64 {
	if v == nil {
		return math.NaN()
	}
	return *v
}

// maxWarnings is how many lines that cannot be read are told one by one.
const maxWarnings = 10

// scanMetrics calls f with each whole line, without its end. Lines that cannot be read give
// warnings; torn says whether the last one has no end.
func scanMetrics(path string, data []byte, f func(line []byte, l metricsLine)) (warnings []string, torn bool) {
	more := 0 // lines that nothing is said of
	defer func() {
		if more > 0 {
			warnings = append(warnings, fmt.Sprintf("%s: %d more lines left out", path, more))
		}
	}()
	for n := 1; len(data) > 0; n++ {
		line, rest, whole := bytes.Cut(data, []byte("\n"))
		if !whole {
			return warnings, true
		}
		data = rest
		var l metricsLine
		err := json.Unmarshal(line, &l)
		switch {
		case err != nil:
			err = errors.New("is not what riffle writes there")
		case l.Event == "" && l.Step < 1:
			err = errors.New("neither a step nor an event")
		}
		switch {
		case err == nil:
			f(line, l)
		case len(warnings) < maxWarnings:
			warnings = append(warnings, fmt.Sprintf("%s:%d: left out: %v", path, n, err))
		default:
			more++
		}
	}
	return warnings, false
}
