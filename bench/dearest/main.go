// Command dearest looks for requests to riffle serve that take more than one request may:
//
//	go run ./bench/dearest [-riffle bin/riffle] [-for 10m] [-seed 1] MODEL…   requests at random
//	go run ./bench/dearest -about rules -seed 2 MODEL…                       of one subject
//	go run ./bench/dearest -hostile MODEL…                                    known kinds of hostile ones
//	go run ./bench/dearest -file FILE MODEL…                                  one of your own, as in JSON
//
// It serves the models in a process of its own and reads that process's processor time and
// resident memory from /proc, so it needs Linux. A line a request is printed as JSON, and a
// table at the end, worst first. The exit status is 1 where a request took more than -seconds
// or -megabytes.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"
)

type options struct {
	riffle, file, args, only, about string
	hostile                         bool
	long                            time.Duration
	seed                            uint64
	most, caps                      caps
}

func main() {
	var o options
	flag.StringVar(&o.riffle, "riffle", "bin/riffle", "the program")
	flag.StringVar(&o.args, "args", "", "more arguments of riffle serve")
	flag.StringVar(&o.file, "file", "", "send this file; its name tells the path: FILE#/v1/score")
	flag.StringVar(&o.only, "only", "", "one kind of the hostile requests")
	flag.StringVar(&o.about, "about", "", "draw requests about one of"+strings.Join(subjects, " "))
	flag.BoolVar(&o.hostile, "hostile", false, "send the known hostile requests")
	flag.DurationVar(&o.long, "for", time.Minute, "how long to look")
	flag.Uint64Var(&o.seed, "seed", 1, "of the requests drawn")
	flag.Float64Var(&o.most.seconds, "seconds", 35, "processor seconds that one may take")
	flag.Float64Var(&o.most.megabytes, "megabytes", 2000, "resident memory that the process may take")
	flag.Float64Var(&o.caps.seconds, "kill-seconds", 120, "processor seconds after which the process is killed")
	flag.Float64Var(&o.caps.megabytes, "kill-megabytes", 8000, "resident memory after which it is killed")
	flag.Parse()
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "dearest: MODEL is missing")
		os.Exit(2)
	}
	if !slices.Contains(subjects, o.about) {
		fmt.Fprintf(os.Stderr, "dearest: -about: wanted one of%s (got %q)\n", strings.Join(subjects, " "), o.about)
		os.Exit(2)
	}
	within, err := run(o, flag.Args(), os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "dearest:", err)
		os.Exit(1)
	}
	if !within {
		os.Exit(1)
	}
}

// found is what one case took.
type found struct {
	Model string `json:"model"` // or the kind of a hostile one
	Case  string `json:"case"`
	taken
}

// trial is a server under requests.
type trial struct {
	options
	models []string
	out    io.Writer
	server *process
	all    []found
	within bool
}

func run(o options, models []string, out io.Writer) (within bool, err error) {
	p, err := serve(o.riffle, strings.Fields(o.args), models)
	if err != nil {
		return false, err
	}
	t := &trial{options: o, models: models, out: out, server: p, within: true}
	defer func() { t.server.kill() }()
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-interrupted
		t.server.kill()
		os.Exit(1)
	}()
	fmt.Fprintf(out, "# before: %.0f MB\n", p.megabytes("VmHWM"))
	switch {
	case o.file != "":
		err = t.askFile()
	case o.hostile:
		err = t.askHostile()
	default:
		err = t.search()
	}
	if err != nil {
		return false, err
	}
	report(out, t.all)
	return t.within, nil
}

// try measures a case, and starts another server where that one has ended.
func (t *trial) try(model, name string, requests []request) (err error) {
	f := found{model, name, t.server.measure(requests, t.caps)}
	t.all = append(t.all, f)
	if f.Seconds > t.most.seconds || f.Megabytes > t.most.megabytes || f.Status == 0 || f.Status == 500 {
		t.within = false
	}
	if f.Status != http.StatusRequestEntityTooLarge || t.hostile || t.file != "" {
		if err := json.NewEncoder(t.out).Encode(f); err != nil {
			return err
		}
	}
	if !f.Ended {
		t.server, err = serve(t.riffle, strings.Fields(t.args), t.models)
	}
	return err
}

func (t *trial) askFile() error {
	name, path, ok := strings.Cut(t.file, "#")
	if !ok {
		path = "/v1/order"
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	return t.try("file", name, one(path, string(data)))
}

func (t *trial) askHostile() error {
	kinds := hostile()
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		if t.only != "" && kind != t.only {
			continue
		}
		for i, requests := range kinds[kind] {
			if err := t.try(kind, fmt.Sprint(i+1), requests); err != nil {
				return err
			}
		}
	}
	return nil
}

// search draws requests that grow, for as long as it may.
func (t *trial) search() error {
	known, err := t.server.models()
	if err != nil {
		return err
	}
	known = slices.DeleteFunc(known, func(m *served) bool { return !m.takes(t.about) })
	if len(known) == 0 {
		return fmt.Errorf("none of the models has requests about %s", t.about)
	}
	rng := rand.New(rand.NewPCG(t.seed, 1))
	for end := time.Now().Add(t.long); time.Now().Before(end); {
		m := known[rng.IntN(len(known))]
		w := m.draw(rng, t.about)
		for range rng.IntN(16) {
			w.double(rng)
		}
		for { // what is refused as too much is asked for less of, until it is not
			if err := t.try(m.Name, w.String(), []request{w.request(m)}); err != nil {
				return err
			}
			if t.all[len(t.all)-1].Status != http.StatusRequestEntityTooLarge || !w.less(rng) {
				break
			}
			t.all = t.all[:len(t.all)-1]
		}
	}
	return nil
}

// report prints the worst of each model, or kind, in time and in memory.
func report(out io.Writer, all []found) {
	by := map[string][]found{}
	for _, f := range all {
		by[f.Model] = append(by[f.Model], f)
	}
	fmt.Fprintln(out, "\n| model or kind | requests | answered | refused | most processor seconds | most MB | longest wait, s |")
	fmt.Fprintln(out, "|---|--:|--:|--:|--:|--:|--:|")
	for _, name := range slices.Sorted(maps.Keys(by)) {
		var seconds, megabytes, wait float64
		answered, statuses := 0, map[int]int{}
		for _, f := range by[name] {
			seconds, megabytes, wait = max(seconds, f.Seconds), max(megabytes, f.Megabytes), max(wait, f.Wait)
			if f.Status == 200 {
				answered++
			} else {
				statuses[f.Status]++
			}
		}
		var refused []string
		for _, s := range slices.Sorted(maps.Keys(statuses)) {
			refused = append(refused, fmt.Sprintf("%d × %d", statuses[s], s))
		}
		fmt.Fprintf(out, "| %s | %d | %d | %s | %.1f | %.0f | %.1f |\n", name, len(by[name]), answered, strings.Join(refused, ", "), seconds, megabytes, wait)
	}
}
