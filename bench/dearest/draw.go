package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"math"
	"math/rand/v2"
	"net/http"
	"strings"
)

// served is what the server says of a model.
type served struct {
	Name  string `json:"name"`
	Items string `json:"items"`
	Rows  int    `json:"rows"`
}

// models asks the server what there is.
func (p *process) models() ([]*served, error) {
	r, err := http.Get(p.url + "/v1/models")
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Body.Close() }() // only read from
	var out struct{ Models []*served }
	return out.Models, json.NewDecoder(r.Body).Decode(&out)
}

// log draws from 1 to most, small numbers as often as large ones.
func log(rng *rand.Rand, most int) int {
	return int(math.Exp(rng.Float64()*math.Log(float64(most)))) + rng.IntN(2)
}

// wish is a request to be: what it asks for, which can be made less.
type wish struct {
	kind, ruled   string
	n, spread     int // sets have n items, up to spread more
	sets          int
	method        string
	beam, inner   int
	top, count    int
	ordered       bool
	rows, columns int // of a puzzle
	height, width int // of a tile, in pixels
	side          int // of an image, in pixels, 0 for most of 28
	seed1, seed2  uint64
}

// subjects are what a search can be about; "" is all but tours, which have no model.
var subjects = []string{"", "rules", "puzzles", "pictures", "beams", "sizes", "samples", "scores", "tours"}

// takes tells whether a model has requests about a subject.
func (m *served) takes(about string) bool {
	switch about {
	case "puzzles":
		return m.Rows > 0
	case "pictures":
		return m.Items == "image"
	}
	return true
}

// draw makes a wish about a subject at random, often for more than the limits.
func (m *served) draw(rng *rand.Rand, about string) *wish {
	w := m.any(rng, about == "puzzles")
	switch about {
	case "rules":
		w.ruled = []string{"pairs", "one", "chain", "forbid", "pins"}[rng.IntN(5)]
		if w.kind == "score" {
			w.kind = "sample"
		}
	case "pictures":
		w.side = log(rng, 2048)
		w.n, w.sets, w.spread = min(w.n, max(1, 1<<22/(w.side*w.side))), 1, 0
		if w.kind == "puzzle" {
			w.height, w.width = 2048/w.rows, 2048/w.columns
		}
	case "beams":
		if w.kind != "puzzle" {
			w.kind = "order"
		}
		w.method, w.beam, w.inner = "beam", log(rng, 1<<16), min(1024, log(rng, 1024))
	case "sizes":
		w.spread, w.sets = 256, 8+rng.IntN(57)
		if w.kind == "puzzle" {
			w.kind = "order"
		}
	case "samples", "scores":
		w.kind = strings.TrimSuffix(about, "s")
		w.ordered = true
		if w.kind == "score" {
			w.ruled = ""
		}
	case "tours":
		w.kind = "tour"
	}
	return w
}

// any makes a wish about anything.
func (m *served) any(rng *rand.Rand, puzzle bool) *wish {
	w := &wish{n: min(256, 1+log(rng, 256)), sets: log(rng, 64), seed1: rng.Uint64(), seed2: rng.Uint64(), top: 1}
	if rng.IntN(3) == 0 {
		w.sets = 1
	}
	if rng.IntN(3) == 0 {
		w.spread = log(rng, 256)
	}
	w.kind = []string{"order", "order", "sample", "score"}[rng.IntN(4)]
	w.ordered = w.kind == "score" || rng.IntN(4) == 0
	if w.kind != "score" && rng.IntN(3) == 0 {
		w.ruled = []string{"pairs", "one", "chain", "forbid", "pins"}[rng.IntN(5)]
	}
	if m.Rows > 0 && (rng.IntN(3) > 0 || puzzle) {
		w.kind = "puzzle"
		w.rows, w.columns = 1+log(rng, 16), 1+log(rng, 16)
		w.height, w.width = min(2048/w.rows, log(rng, 128)), min(2048/w.columns, log(rng, 128))
	}
	w.count = log(rng, 1<<20)
	switch rng.IntN(5) {
	case 0:
		w.method = "greedy"
	case 1:
		w.top = log(rng, 1<<16)
	default:
		w.method, w.beam, w.inner = "beam", log(rng, 1<<16), min(1024, log(rng, 1024))
	}
	return w
}

// dear lists the numbers that make a request dear, and the most that each may be.
func (w *wish) dear() map[*int]int {
	all := map[*int]int{}
	if w.kind != "puzzle" && w.kind != "tour" {
		all[&w.sets], all[&w.spread] = 64, 256
	}
	switch {
	case w.kind == "sample" || w.kind == "score":
		all[&w.count] = 1 << 30
	case w.kind == "tour" || w.method == "greedy":
	case w.method == "beam":
		all[&w.beam], all[&w.inner] = 1<<16, 1024
	default:
		all[&w.top] = 1 << 16
	}
	return all
}

// double makes a request dearer, where it can: one of the numbers that it has.
func (w *wish) double(rng *rand.Rand) {
	if x, most := w.pick(rng, func(x, most int) bool { return x > 0 && x < most }); x != nil {
		*x = min(most, 2**x)
	}
}

// less halves one of the numbers that make a request dear; it reports false where none is left.
func (w *wish) less(rng *rand.Rand) bool {
	x, _ := w.pick(rng, func(x, _ int) bool { return x > 1 })
	if x == nil {
		return false
	}
	*x = (*x + 1) / 2
	return true
}

// pick draws one of the dear numbers that will do, nil where there is none.
func (w *wish) pick(rng *rand.Rand, will func(x, most int) bool) (x *int, most int) {
	dear := w.dear()
	var many []*int
	for _, x := range []*int{&w.sets, &w.spread, &w.beam, &w.inner, &w.top, &w.count} {
		if most, ok := dear[x]; ok && will(*x, most) {
			many = append(many, x)
		}
	}
	if len(many) == 0 {
		return nil, 0
	}
	x = many[rng.IntN(len(many))]
	return x, dear[x]
}

func (w *wish) String() string {
	what := fmt.Sprintf("%s of %d sets of %d", w.kind, w.sets, w.n)
	if w.spread > 0 {
		what += fmt.Sprintf(" to %d", min(256, w.n+w.spread))
	}
	switch w.kind {
	case "tour":
		return fmt.Sprintf("tour of %d points", w.n)
	case "puzzle":
		what = fmt.Sprintf("puzzle of %d×%d tiles of %d×%d pixels", w.rows, w.columns, w.height, w.width)
	}
	return what + w.choices() + map[bool]string{true: ", rules: " + w.ruled}[w.ruled != ""]
}

// choices are how a request wants its answers, "" or with a comma before.
func (w *wish) choices() string {
	switch {
	case w.kind == "sample":
		return fmt.Sprintf(`, "count": %d`, w.count)
	case w.kind == "score":
		return fmt.Sprintf(`, "draws": %d`, w.count)
	case w.method == "greedy":
		return `, "decode": "greedy"`
	case w.method == "":
		return fmt.Sprintf(`, "top": %d`, w.top)
	}
	return fmt.Sprintf(`, "decode": "beam", "beam": %d, "inner": %d`, w.beam, w.inner)
}

// request is the wish put into JSON for a model.
func (w *wish) request(m *served) request {
	rng := rand.New(rand.NewPCG(w.seed1, w.seed2))
	switch w.kind {
	case "tour":
		list := make([]string, w.n)
		for i := range list {
			list[i] = fmt.Sprintf("[%g, %g]", rng.NormFloat64(), math.Floor(8*rng.Float64()))
		}
		return text("/v1/tour", `{"points": [`+strings.Join(list, ",")+`]}`)
	case "puzzle":
		rules := ""
		if w.ruled != "" && w.rows*w.columns > 3 {
			rules = `, "constraints": ` + rule(rng, w.rows*w.columns, w.ruled)
		}
		picture := base64.StdEncoding.EncodeToString(noise(rng, w.rows*w.height, w.columns*w.width))
		return text("/v1/puzzle", fmt.Sprintf(`{"model": %q, "picture": %q, "rows": %d, "columns": %d%s%s}`, m.Name, picture, w.rows, w.columns, w.choices(), rules))
	}
	var sets []string
	for range w.sets {
		n := w.n
		if w.spread > 0 {
			n = min(256, n+rng.IntN(w.spread+1))
		}
		sets = append(sets, m.set(rng, n, w))
	}
	return text("/v1/"+w.kind, fmt.Sprintf(`{"model": %q%s, "sets": [%s]}`, m.Name, w.choices(), strings.Join(sets, ",")))
}

// set is one of n items of the model's kind.
func (m *served) set(rng *rand.Rand, n int, w *wish) string {
	var b strings.Builder
	b.WriteString(`{"items": [`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		switch m.Items {
		case "point":
			fmt.Fprintf(&b, `{"point": [%.4f, %.4f]}`, rng.NormFloat64(), rng.NormFloat64())
		case "features":
			b.WriteString(`{"features": [`)
			for j := range 10 {
				if j > 0 {
					b.WriteByte(',')
				}
				fmt.Fprintf(&b, "%.3f", rng.NormFloat64())
			}
			b.WriteString("]}")
		case "image":
			picture, side := noise, max(28, w.side)
			switch {
			case w.side > 0:
				picture = []func(*rand.Rand, int, int) []byte{noise, deep, scanned}[rng.IntN(3)]
			case i == 0 && rng.IntN(4) == 0:
				side = log(rng, 700)
			}
			b.WriteString(`{"image": "` + base64.StdEncoding.EncodeToString(picture(rng, side, side)) + `"}`)
		default:
			b.WriteString("{}")
		}
	}
	b.WriteByte(']')
	if w.ordered {
		b.WriteString(`, "order": [` + counted(n) + `]`)
	}
	if w.ruled != "" && n > 3 {
		b.WriteString(`, "constraints": ` + rule(rng, n, w.ruled))
	}
	b.WriteByte('}')
	return b.String()
}

// rule is constraints of a kind on n items that do not contradict each other.
func rule(rng *rand.Rand, n int, kind string) string {
	var list []string
	switch kind {
	case "one":
		return `{"before": ["1,2"]}`
	case "chain":
		for i := range min(n, 2+rng.IntN(n)) {
			list = append(list, fmt.Sprint(n-1-i))
		}
		return `{"before": ["` + strings.Join(list, ",") + `"]}`
	case "pins":
		for i := range min(n, 1+rng.IntN(n)) {
			list = append(list, fmt.Sprintf(`"%d=%d"`, i, n-1-i))
		}
		return `{"pin": [` + strings.Join(list, ",") + `]}`
	case "pairs":
		for i := 0; i+1 < n; i += 2 {
			list = append(list, fmt.Sprintf(`"%d,%d"`, i+1, i))
		}
		return `{"before": [` + strings.Join(list, ",") + `]}`
	}
	for i := range n / 2 {
		list = append(list, fmt.Sprintf(`"%d=%d"`, i, (i+1+rng.IntN(n-1))%n))
	}
	return `{"forbid": [` + strings.Join(list, ",") + `]}`
}

// noise is a PNG of grey pixels.
func noise(rng *rand.Rand, height, width int) []byte {
	m := image.NewGray(image.Rect(0, 0, width, height))
	for i := range m.Pix {
		m.Pix[i] = byte(rng.Uint32())
	}
	return encoded(m)
}

// deep is a PNG of 16 bits a colour, nearly all of them 0, so that the file is small.
func deep(rng *rand.Rand, height, width int) []byte {
	m := image.NewNRGBA64(image.Rect(0, 0, width, height))
	m.Pix[rng.IntN(len(m.Pix))] = 1
	return encoded(m)
}

// scanned is a progressive JPEG of as many scans as are allowed.
func scanned(_ *rand.Rand, height, width int) []byte {
	return progressive(max(8, min(height, width)&^7), 99, true)
}

func encoded(m image.Image) []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		panic(err) // a buffer takes everything
	}
	return b.Bytes()
}
