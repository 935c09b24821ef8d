package server

import (
	"fmt"
	"time"

	"github.com/riffle-ml/riffle/question"
)

// Limits are what one request may ask for and what all may take together.
type Limits struct {
	// Body is the most bytes of a request's body, else 413.
	Body int64 `json:"body_bytes"`
	// Limits are those of a question; else 413. Requests of several models share WorkBytes, and wait for
	// each other.
	question.Limits
	// Queue is how many requests a model may have, waiting or in work; else 429.
	Queue int `json:"queue"`
	// Time is how long a request may wait for its answer; else 503.
	Time time.Duration `json:"-"`
	// Busy is how long a model may be at work on a request, or on those that it answers
	// together; else 503.
	Busy time.Duration `json:"-"`
	// Memory is how many bytes of bodies and pictures there may be at a time; else 429.
	Memory int64 `json:"-"`
}

// DefaultLimits fit a machine with 2 GB of memory.
func DefaultLimits() Limits {
	return Limits{
		Body: 16 << 20, Limits: question.Limits{Sets: 64, Items: 256, Pixels: 1 << 22, Work: 200_000, WorkBytes: 256 << 20, Inner: 1024},
		Queue: 64, Time: 30 * time.Second, Busy: 15 * time.Second, Memory: 512 << 20,
	}
}

// LimitError says that a limit has a value that nothing could pass.
type LimitError struct {
	// Limit is which one: body, sets, items, pixels, work, work-bytes, queue, time, busy or memory.
	Limit string
	Got   string
	// Least is the limit that it must not be below, and AtLeast the value of that limit, in bytes.
	// Least is "" where it must only be more than 0.
	Least   string
	AtLeast int64
}

func (e *LimitError) Error() string { return e.Calling("limit of ") }

// Calling is the error with the names of limits after a prefix, such as that of a flag.
func (e *LimitError) Calling(prefix string) string {
	wanted := "more than 0"
	if e.Least != "" {
		wanted = fmt.Sprintf("at least %s%s, %d bytes", prefix, e.Least, e.AtLeast)
	}
	return fmt.Sprintf("%s%s: must be %s (got %s)", prefix, e.Limit, wanted, e.Got)
}

// Validate reports a limit that nothing could pass, as a [LimitError].
func (l Limits) Validate() error {
	for _, x := range []struct {
		name  string
		value int64
	}{
		{"body", l.Body},
		{"sets", int64(l.Sets)},
		{"items", int64(l.Items)},
		{"pixels", int64(l.Pixels)},
		{"work", int64(l.Work)},
		{"work-bytes", l.WorkBytes},
		{"queue", int64(l.Queue)},
		{"memory", l.Memory},
	} {
		if x.value < 1 {
			return &LimitError{Limit: x.name, Got: fmt.Sprint(x.value)}
		}
	}
	if l.Time <= 0 {
		return &LimitError{Limit: "time", Got: l.Time.String()}
	}
	if l.Busy <= 0 {
		return &LimitError{Limit: "busy", Got: l.Busy.String()}
	}
	if l.Memory < l.Body {
		return &LimitError{Limit: "memory", Got: fmt.Sprint(l.Memory), Least: "body", AtLeast: l.Body}
	}
	return nil
}

// pixelBytes is what a pixel takes while a picture of a format is decoded and copied. The worst is a progressive
// JPEG of four colours, whose coefficients are kept beside. After that comes a PNG of 16 bits a colour.
func pixelBytes(format string) int64 {
	if format == "jpeg" {
		return 32
	}
	return 16
}

// reserved is the part of the memory that one request has taken.
type reserved struct {
	s     *Server
	bytes int64
}

// take reserves bytes, or gives the fault of a server that has no more.
func (r *reserved) take(bytes int64) error {
	if r.s.memory.Add(bytes) > r.s.limits.Memory {
		r.s.memory.Add(-bytes)
		return busy("memory", "the bodies and pictures of other requests fill the memory, %d bytes", r.s.limits.Memory)
	}
	r.bytes += bytes
	return nil
}

func (r *reserved) free() { r.s.memory.Add(-r.bytes) }
