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
	Name     string `json:"name"`
	Task     string `json:"task"`
	Items    string `json:"items"`
	N        int    `json:"n"`
	Rows     int    `json:"rows"`
	Schedule []int  `json:"schedule"`
	Features int    `json:"-"`
}

// models asks the server what there is.
func (p *process) models() ([]*served, error) {
	r, err := http.Get(p.url + "/v1/models")
	if err != nil {
		return nil, err
	}
	defer r.Body.Close()
	var out struct{ Models []*served }
	return out.Models, json.NewDecoder(r.Body).Decode(&out)
}

// log draws from 1 to most, small numbers as often as large ones.
func log(rng *rand.Rand, most int) int {
	return int(math.Exp(rng.Float64()*math.Log(float64(most)))) + rng.IntN(2)
}

// draw makes a request at random, within or near the limits.
func (m *served) draw(rng *rand.Rand) (name string, r request) {
	if m.Rows > 0 && rng.IntN(3) > 0 {
		return m.puzzle(rng)
	}
	n, count := min(256, 1+log(rng, 256)), log(rng, 64)
	if rng.IntN(3) == 0 {
		count = 1
	}
	sizes, named := make([]int, count), fmt.Sprintf("%d sets of %d", count, n)
	spread := 0
	if rng.IntN(4) == 0 {
		spread = log(rng, n)
		named += fmt.Sprintf(" to %d", min(256, n+spread-1))
	}
	for i := range sizes {
		sizes[i] = n
		if spread > 0 {
			sizes[i] = min(256, n+rng.IntN(spread))
		}
	}
	kind := []string{"order", "order", "sample", "score"}[rng.IntN(4)]
	rest, ruled := "", ""
	if kind == "score" || rng.IntN(4) == 0 {
		rest = "order"
	}
	if kind != "score" && rng.IntN(3) == 0 {
		ruled = []string{"pairs", "one", "chain", "forbid"}[rng.IntN(4)]
		named += " with rules: " + ruled
	}
	more := choices(rng, kind)
	var sets []string
	for _, n := range sizes {
		sets = append(sets, m.set(rng, n, rest, ruled))
	}
	body := fmt.Sprintf(`{"model": %q%s, "sets": [%s]}`, m.Name, more, strings.Join(sets, ","))
	return kind + more + ": " + named, text("/v1/"+kind, body)
}

// choices are how a request wants its answers, "" or with a comma before.
func choices(rng *rand.Rand, kind string) string {
	switch kind {
	case "sample":
		return fmt.Sprintf(`, "count": %d`, log(rng, 20_000))
	case "score":
		return fmt.Sprintf(`, "draws": %d`, log(rng, 20_000))
	}
	switch rng.IntN(4) {
	case 0:
		return `, "decode": "greedy"`
	case 1:
		return fmt.Sprintf(`, "top": %d`, log(rng, 20_000))
	}
	return fmt.Sprintf(`, "decode": "beam", "beam": %d, "inner": %d`, log(rng, 20_000), min(1024, log(rng, 1024)))
}

// set is one of n items of the model's kind.
func (m *served) set(rng *rand.Rand, n int, rest, ruled string) string {
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
			side := 28
			if i == 0 && rng.IntN(4) == 0 {
				side = log(rng, 700)
			}
			b.WriteString(`{"image": "` + base64.StdEncoding.EncodeToString(noise(rng, side, side)) + `"}`)
		default:
			b.WriteString("{}")
		}
	}
	b.WriteByte(']')
	if rest == "order" {
		b.WriteString(`, "order": [` + counted(n) + `]`)
	}
	if ruled != "" && n > 3 {
		b.WriteString(`, "constraints": ` + rule(rng, n, ruled))
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

// puzzle is a picture of noise, cut in tiles.
func (m *served) puzzle(rng *rand.Rand) (string, request) {
	rows, columns := 1+log(rng, 16), 1+log(rng, 16)
	height, width := rows*min(2048/rows, log(rng, 128)), columns*min(2048/columns, log(rng, 128))
	more, ruled := choices(rng, "order"), ""
	if rng.IntN(3) == 0 && rows*columns > 3 {
		ruled = []string{"pairs", "one", "chain", "forbid"}[rng.IntN(4)]
		more += `, "constraints": ` + rule(rng, rows*columns, ruled)
	}
	body := fmt.Sprintf(`{"model": %q, "picture": %q, "rows": %d, "columns": %d%s}`, m.Name, base64.StdEncoding.EncodeToString(noise(rng, height, width)), rows, columns, more)
	return fmt.Sprintf("puzzle of %d×%d tiles, %d×%d pixels, rules: %s%.60s", rows, columns, height, width, ruled, more), text("/v1/puzzle", body)
}

// noise is a PNG of grey pixels.
func noise(rng *rand.Rand, height, width int) []byte {
	m := image.NewGray(image.Rect(0, 0, width, height))
	for i := range m.Pix {
		m.Pix[i] = byte(rng.Uint32())
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		panic(err) // a buffer takes everything
	}
	return b.Bytes()
}
