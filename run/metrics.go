package run

import (
	"bufio"
	"encoding/json/jsontext"
	json "encoding/json/v2"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/riffle-ml/riffle/internal/hint"
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
	path  string
	buf   *bufio.Writer
	timer *time.Timer // set while lines wait
	err   error
}

// OpenMetrics opens the log of a run directory for going on after a step. What is there is
// copied to a new file that takes the old one's name, without lines of later steps and a torn last
// line. Warnings tell of lines in the middle that cannot be read, and go too, and of steps that
// have no line.
func (d *Dir) OpenMetrics(afterStep int) (m *Metrics, warnings []string, err error) {
	f, isFolder := d.disk.(*folder)
	if !isFolder || d.lock == nil {
		return nil, nil, fmt.Errorf("%s: is open for reading only", d.Path)
	}
	path := d.File(MetricsFile)
	var keep []byte
	steps := 0
	warnings, _, err = f.scanLog(func(line []byte, l metricsLine) {
		if l.Step <= afterStep {
			keep = append(append(keep, line...), '\n')
			if l.Event == "" {
				steps++
			}
		}
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	if steps != afterStep {
		warnings = append(warnings, fmt.Sprintf("%s: wanted a line for each of the first %d steps (got %d)", path, afterStep, steps))
	}
	if err := d.writeFile(MetricsFile, func(w io.Writer) error { _, err := w.Write(keep); return err }); err != nil {
		return nil, nil, err
	}
	file, err := f.root.OpenFile(MetricsFile, os.O_WRONLY|os.O_APPEND|noFollow, 0)
	if err != nil {
		return nil, nil, f.named("open", MetricsFile, err)
	}
	return &Metrics{file: file, path: path, buf: bufio.NewWriterSize(file, 1<<16)}, warnings, nil
}

// scanLog is [scanMetrics] of the log of a run directory.
func (f *folder) scanLog(each func(line []byte, l metricsLine)) (warnings []string, torn bool, err error) {
	file, _, err := f.open(MetricsFile)
	if err != nil {
		return nil, false, err
	}
	defer func() { _ = file.Close() }() // only read from
	return scanMetrics(f.file(MetricsFile), file, each)
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
		m.err = diskError(m.path, err)
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

// ReadMetrics reads the log of a run. A line that cannot be read, such as the last one of a
// run that was killed, is left out and told by a warning.
func (d *Dir) ReadMetrics() (steps []StepLine, events []Event, warnings []string, err error) {
	f, isFolder := d.disk.(*folder)
	if !isFolder {
		return nil, nil, nil, fs.ErrNotExist
	}
	var log metricsLog
	warnings, torn, err := f.scanLog(log.add)
	return log.steps, log.events, log.warn(f.file(MetricsFile), warnings, torn), err
}

// ReadMetrics reads a metrics.jsonl as [Dir.ReadMetrics] does that of a run.
func ReadMetrics(path string) (steps []StepLine, events []Event, warnings []string, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, nil, err
	}
	defer func() { _ = file.Close() }() // only read from
	var log metricsLog
	warnings, torn, err := scanMetrics(path, file, log.add)
	return log.steps, log.events, log.warn(path, warnings, torn), err
}

// metricsLog is what is read of a log.
type metricsLog struct {
	steps  []StepLine
	events []Event
}

func (m *metricsLog) add(line []byte, l metricsLine) {
	if l.Event == "" {
		m.steps = append(m.steps, StepLine{l.Step, number(l.Loss), number(l.GradNorm), number(l.LR), l.Items})
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
	m.events = append(m.events, e)
}

func (m *metricsLog) warn(path string, warnings []string, torn bool) []string {
	if torn {
		warnings = append(warnings, path+": the last line is torn and left out")
	}
	return warnings
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

const (
	maxWarnings = 10        // lines that cannot be read that are told one by one
	maxUnread   = 100_000   // lines that cannot be read of what is a log at all
	maxLine     = 1 << 16   // bytes
	maxMetrics  = 256 << 20 // bytes of a log, which are two million steps
)

// scanMetrics calls f with each whole line, without its end; f must not keep it. Lines that cannot
// be read give warnings; torn says whether the last one has no end.
func scanMetrics(path string, r io.Reader, f func(line []byte, l metricsLine)) (warnings []string, torn bool, err error) {
	unread := 0
	defer func() {
		if more := unread - maxWarnings; more > 0 && err == nil {
			warnings = append(warnings, fmt.Sprintf("%s: %d more lines left out", path, more))
		}
	}()
	const help = "move it away; training goes on without, only pictures are made of it"
	in := bufio.NewReaderSize(r, maxLine)
	for n, size := 1, 0; ; n++ {
		line, err := in.ReadSlice('\n')
		size += len(line)
		switch {
		case errors.Is(err, io.EOF):
			return warnings, len(line) > 0, nil
		case errors.Is(err, bufio.ErrBufferFull):
			return nil, false, hint.Errorf(help, "%s:%d: has more than %d bytes, wanted a line of a log", path, n, maxLine)
		case err != nil:
			return nil, false, err
		case size > maxMetrics:
			return nil, false, hint.Errorf(help, "%s: has more than %d bytes", path, maxMetrics)
		case unread > maxUnread:
			return nil, false, hint.Errorf(help, "%s: has more than %d lines that riffle does not write there", path, maxUnread)
		}
		line = line[:len(line)-1]
		var l metricsLine
		what := ""
		if json.Unmarshal(line, &l) != nil {
			what = "is not what riffle writes there"
		} else if l.Event == "" && l.Step < 1 {
			what = "neither a step nor an event"
		}
		if what == "" {
			f(line, l)
			continue
		}
		if unread++; unread <= maxWarnings {
			warnings = append(warnings, fmt.Sprintf("%s:%d: left out: %v", path, n, what))
		}
	}
}
