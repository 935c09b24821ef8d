package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// process is a served process that is watched by what the system says of it.
type process struct {
	cmd *exec.Cmd
	url string
}

// serve starts riffle serve on a free port of this machine.
func serve(riffle string, args, models []string) (*process, error) {
	all := append([]string{"serve", "--addr", "127.0.0.1:0", "--json"}, args...)
	p := &process{cmd: exec.Command(riffle, append(all, models...)...)}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	var first struct{ Address string }
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &first)
	}
	if err != nil {
		p.kill()
		return nil, fmt.Errorf("%s serve: %w", riffle, err)
	}
	p.url = "http://" + first.Address
	return p, nil
}

func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
}

func (p *process) file(name string) string {
	data, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(p.cmd.Process.Pid), name))
	if err != nil {
		return ""
	}
	return string(data)
}

// seconds is the processor time that the process has taken.
func (p *process) seconds() float64 {
	_, rest, _ := strings.Cut(p.file("stat"), ") ") // behind the name
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0
	}
	const ticks = 100 // a second, on Linux
	user, _ := strconv.ParseFloat(fields[11], 64)
	system, _ := strconv.ParseFloat(fields[12], 64)
	return (user + system) / ticks
}

// megabytes is the resident memory, now or its most since forget.
func (p *process) megabytes(field string) float64 {
	_, rest, _ := strings.Cut(p.file("status"), field+":")
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return 0
	}
	kb, _ := strconv.ParseFloat(fields[0], 64)
	return kb / 1e3
}

// forget starts the most of the memory anew.
func (p *process) forget() {
	_ = os.WriteFile(filepath.Join("/proc", strconv.Itoa(p.cmd.Process.Pid), "clear_refs"), []byte("5"), 0o200)
}

// taken is what requests took, from the first byte until the process rests again.
type taken struct {
	Status    int     `json:"status"`  // of the first, 0 where there was no answer
	Seconds   float64 `json:"seconds"` // of processors
	Megabytes float64 `json:"megabytes"`
	Wait      float64 `json:"wait"` // for the last answer, s
	// Ended is false where the process was killed, as it took more than the caps.
	Ended  bool   `json:"ended"`
	Answer string `json:"answer"` // its beginning
}

// caps are where a measurement is given up.
type caps struct{ seconds, megabytes float64 }

// measure sends requests, the first a little before the others, and watches the process until it
// rests. One that goes over the caps is killed.
func (p *process) measure(requests []request, c caps) taken {
	p.forget()
	before, began := p.seconds(), time.Now()
	type reply struct {
		at     int
		status int
		text   string
	}
	replies := make(chan reply, len(requests))
	for i, r := range requests {
		go func() {
			if i > 0 {
				time.Sleep(150 * time.Millisecond)
			}
			status, text := p.send(r)
			replies <- reply{i, status, text}
		}()
	}
	t := taken{Ended: true}
	waiting, still, last := len(requests), 0, before
	for waiting > 0 || still < 6 {
		select {
		case r := <-replies:
			waiting--
			t.Wait = time.Since(began).Seconds()
			if r.at == 0 || t.Status == 0 {
				t.Status, t.Answer = r.status, r.text
			}
		case <-time.After(100 * time.Millisecond):
		}
		now := p.seconds()
		if still++; now-last > .02 || waiting > 0 || still == 5 && p.working() {
			still = 0
		}
		last = now
		t.Seconds, t.Megabytes = now-before, p.megabytes("VmHWM")
		if len(requests) == 1 && waiting == 0 && t.Status == http.StatusRequestEntityTooLarge && t.Seconds < .5 {
			return t // it was not begun
		}
		if t.Seconds > c.seconds || t.Megabytes > c.megabytes || p.file("stat") == "" {
			t.Ended = false
			p.kill()
			return t
		}
	}
	return t
}

// working tells whether a model has requests, as the server counts them. On a busy machine a
// process that waits for a processor looks like one that rests.
func (p *process) working() bool {
	client := &http.Client{Timeout: 5 * time.Second}
	r, err := client.Get(p.url + "/metrics")
	if err != nil {
		return true
	}
	defer func() { _ = r.Body.Close() }() // only read from
	lines := bufio.NewScanner(r.Body)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "riffle_queue_requests") && !strings.HasSuffix(lines.Text(), " 0") {
			return true
		}
	}
	return false
}

func (p *process) send(r request) (status int, text string) {
	client := &http.Client{Timeout: 20 * time.Minute}
	reply, err := client.Post(p.url+r.path, "application/json", r.body())
	if err != nil {
		return 0, err.Error()
	}
	defer func() { _ = reply.Body.Close() }() // only read from
	text = ""
	head := make([]byte, 300)
	n, _ := reply.Body.Read(head)
	text = string(head[:n])
	buffer := make([]byte, 1<<16)
	for {
		if _, err := reply.Body.Read(buffer); err != nil {
			return reply.StatusCode, text
		}
	}
}
