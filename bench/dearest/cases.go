package main

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"time"
)

// request is a POST of JSON.
type request struct {
	path string
	body func() io.Reader
}

func text(path, body string) request {
	return request{path, func() io.Reader { return strings.NewReader(body) }}
}

// one is a case of a single request.
func one(path, body string) []request { return []request{text(path, body)} }

// hostile are requests that once took far more than they may, by kind; five and more of each.
func hostile() map[string][][]request {
	return map[string][][]request{
		"long names":         longNames(),
		"scans of a JPEG":    scans(),
		"sizes":              sizes(),
		"wide beams":         beams(),
		"many small values":  values(),
		"integers":           integers(),
		"rules":              rules(),
		"behind another":     batches(),
		"slow bodies":        slow(),
		"orders in parallel": together(),
	}
}

func longNames() (all [][]request) {
	name := strings.Repeat("x", 150_000)
	ab := strings.Repeat("ab", 75_000)
	return [][]request{
		one("/v1/order", `{"model": "tours", "sets": [{"items": [{"point": [0, 0], "`+name+`": 1}]}]}`),
		one("/v1/order", `{"model": "tours", "`+ab+`": 1}`),
		one("/v1/order", `{"model": "`+name+`", "sets": [{"items": [{}]}]}`),
		one("/v1/sample", `{"model": "tours", "sets": [{"items": [{"point": [0, 0]}], "constraints": {"`+ab+`": []}}]}`),
		one("/v1/order", `{"model": "tours", "sets": [{"items": [{"point": [0, 0]}], "`+strings.Repeat(name, 20)+`": 1}]}`),
		one("/v1/order", `{"model": "tours", "sets": [{"items": [{"id": "`+name+`", "point": [0, 0]}, {"id": "a", "point": [0, 1]}], "constraints": {"pin": ["`+ab+`=0"]}}]}`),
	}
}

// progressive is a JPEG of side × side pixels whose scans each have one coefficient of all blocks,
// all zero, or, with a run of blocks at once, hardly any bytes.
func progressive(side, count int, runs bool) []byte {
	var b bytes.Buffer
	b.Write([]byte{0xff, 0xd8, 0xff, 0xdb, 0, 67, 0})
	b.Write(bytes.Repeat([]byte{16}, 64))
	b.Write([]byte{0xff, 0xc2, 0, 11, 8, byte(side >> 8), byte(side), byte(side >> 8), byte(side), 1, 1, 0x11, 0})
	table := func(class, symbol byte) {
		b.Write([]byte{0xff, 0xc4, 0, 20, class << 4, 1})
		b.Write(make([]byte, 15))
		b.WriteByte(symbol)
	}
	table(0, 0)
	table(1, 0xe0) // a run of 2^14 blocks and more, as 14 bits say
	blocks := (side / 8) * (side / 8)
	b.Write([]byte{0xff, 0xda, 0, 8, 1, 1, 0, 0, 0, 1})
	b.Write(make([]byte, (blocks+7)/8))
	for range count {
		if runs {
			b.Write([]byte{0xff, 0xda, 0, 8, 1, 1, 0, 1, 63, 0})
			var bits []byte
			for left := blocks; left > 0; left -= 32767 {
				bits = append(bits, 0)
				for range 14 {
					bits = append(bits, 1)
				}
			}
			for at := 0; at < len(bits); at += 8 {
				v := byte(0)
				for j := range 8 {
					v <<= 1
					if at+j < len(bits) {
						v |= bits[at+j]
					} else {
						v |= 1
					}
				}
				if b.WriteByte(v); v == 0xff {
					b.WriteByte(0)
				}
			}
		} else {
			b.Write([]byte{0xff, 0xda, 0, 8, 1, 1, 0, 0, 0, 0x10}) // a bit of every block
			b.Write(make([]byte, (blocks+7)/8))
		}
	}
	b.Write([]byte{0xff, 0xd9})
	return b.Bytes()
}

func scans() (all [][]request) {
	for _, c := range []struct{ side, count int }{{2048, 6000}, {2048, 3000}, {1024, 20_000}, {256, 100_000}} {
		all = append(all, one("/v1/order", `{"model": "sort", "sets": [{"items": [{"image": "`+base64.StdEncoding.EncodeToString(progressive(c.side, c.count, true))+`"}]}]}`))
	}
	return append(all,
		one("/v1/puzzle", `{"model": "puzzle", "rows": 2, "columns": 2, "picture": "`+base64.StdEncoding.EncodeToString(progressive(2048, 12_000, true))+`"}`),
		one("/v1/puzzle", `{"model": "puzzle", "rows": 2, "columns": 2, "picture": "`+base64.StdEncoding.EncodeToString(progressive(2048, 1400, false))+`"}`))
}

func points(rng *rand.Rand, n int) string {
	items := make([]string, n)
	for i := range items {
		items[i] = fmt.Sprintf(`{"point": [%.3f, %.3f]}`, rng.Float64(), rng.Float64())
	}
	return `{"items": [` + strings.Join(items, ", ") + `]`
}

func clubs(rng *rand.Rand, n int) string {
	items := make([]string, n)
	for i := range items {
		f := make([]string, 10)
		for j := range f {
			f[j] = fmt.Sprintf("%.3f", rng.Float64())
		}
		items[i] = `{"features": [` + strings.Join(f, ", ") + `]}`
	}
	return `{"items": [` + strings.Join(items, ", ") + `]`
}

func counted(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprint(i)
	}
	return strings.Join(list, ",")
}

// many are sets of each size.
func many(set func(*rand.Rand, int) string, rest func(n int) string, sizes ...int) string {
	rng := rand.New(rand.NewPCG(1, 2))
	var sets []string
	for _, n := range sizes {
		s := set(rng, n)
		if rest != nil {
			s += rest(n)
		}
		sets = append(sets, s+"}")
	}
	return `"sets": [` + strings.Join(sets, ", ") + `]`
}

func from(first, count, step int) (out []int) {
	for i := range count {
		out = append(out, first+i*step)
	}
	return out
}

func sizes() [][]request {
	order := func(n int) string { return `, "order": [` + counted(n) + `]` }
	return [][]request{
		one("/v1/order", `{"model": "tours", "decode": "greedy", `+many(points, nil, from(193, 64, 1)...)+`}`),
		one("/v1/order", `{"model": "rankings", "decode": "greedy", `+many(clubs, nil, from(2, 64, 1)...)+`}`),
		one("/v1/order", `{"model": "tours", "beam": 2, "inner": 2, `+many(points, nil, from(2, 64, 1)...)+`}`),
		one("/v1/score", `{"model": "rankings", "draws": 2, `+many(clubs, order, from(2, 64, 1)...)+`}`),
		one("/v1/sample", `{"model": "rankings", "count": 1, `+many(clubs, nil, from(2, 64, 2)...)+`}`),
		one("/v1/sample", `{"model": "tours", "count": 3, `+many(points, nil, from(2, 64, 1)...)+`}`),
	}
}

func beams() [][]request {
	return [][]request{
		one("/v1/order", `{"model": "rankings", "decode": "beam", "beam": 16384, "inner": 1024, `+many(clubs, nil, 16)+`}`),
		one("/v1/order", `{"model": "rankings", "decode": "beam", "beam": 4096, "inner": 1024, `+many(clubs, nil, 64)+`}`),
		one("/v1/order", `{"model": "rankings", "decode": "beam", "beam": 1024, "inner": 1, `+many(clubs, nil, 256)+`}`),
		one("/v1/order", `{"model": "rankings", "decode": "beam", "beam": 8192, "inner": 1024, `+many(clubs, nil, 32)+`}`),
		one("/v1/order", `{"model": "tours", "decode": "beam", "beam": 1024, "inner": 1024, `+many(points, nil, 256)+`}`),
		one("/v1/order", `{"model": "tours", "decode": "beam", "beam": 8192, "inner": 16, `+many(points, nil, 32)+`}`),
		one("/v1/order", `{"model": "rankings", "decode": "beam", "beam": 64, "inner": 1024, `+many(clubs, nil, from(64, 64, 0)...)+`}`),
		one("/v1/order", `{"model": "rankings", "top": 30000, `+many(clubs, nil, 8)+`}`),
		one("/v1/sample", `{"model": "rankings", "count": 4000, `+many(clubs, nil, 65)+`}`),
		one("/v1/score", `{"model": "rankings", "draws": 512, `+many(clubs, func(n int) string { return `, "order": [` + counted(n) + `]` }, 256)+`}`),
	}
}

func values() [][]request {
	filled := func(head, unit, tail string) string {
		return head + strings.Repeat(unit, (16<<20-len(head)-len(tail)-4)/len(unit)) + tail
	}
	return [][]request{
		one("/v1/order", filled(`{"model": "tours", "sets": [{"items": [`, `{},`, `{}]}]}`)),
		one("/v1/order", filled(`{"model": "tours", "sets": [`, `{},`, `{}]}`)),
		one("/v1/order", filled(`{"model": "rankings", "sets": [{"items": [{"features": [`, `1,`, `1]}]}]}`)),
		one("/v1/score", filled(`{"model": "rankings", "sets": [{"items": [], "levels": [`, `[1],`, `[0]]}]}`)),
		one("/v1/sample", filled(`{"model": "rankings", "sets": [{"items": [], "constraints": {"pin": [`, `"",`, `""]}}]}`)),
		one("/v1/puzzle", filled(`{"model": "puzzle", "picture": "", "rows": 2, "columns": 2, "constraints": {"pin": [`, `"",`, `""]}}`)),
		one("/v1/order", filled(`{"model": "tours", "sets": [{"items": [`, `[[]],`, `{}]}]}`)),
	}
}

func integers() (all [][]request) {
	sets := many(points, func(n int) string { return `, "order": [` + counted(n) + `]` }, 2)
	for _, c := range [][2]string{
		{"/v1/score", `"draws": 4611686018427387904`},
		{"/v1/score", `"draws": 9223372036854775807`},
		{"/v1/sample", `"count": 4611686018427387904`},
		{"/v1/order", `"top": 65537`},
		{"/v1/order", `"top": 4611686018427387904`},
		{"/v1/order", `"beam": 9223372036854775807, "inner": 1`},
		{"/v1/order", `"beam": 131072`},
	} {
		all = append(all, one(c[0], `{"model": "tours", `+c[1]+`, `+sets+`}`))
	}
	return all
}

// gray is a PNG of side × side pixels of noise.
func gray(side int) string {
	rng := rand.New(rand.NewPCG(3, 4))
	return base64.StdEncoding.EncodeToString(noise(rng, side, side))
}

func rules() [][]request {
	jig := func(tiles int, more string) []request {
		return one("/v1/puzzle", fmt.Sprintf(`{"model": "jig", "picture": %q, "rows": %d, "columns": %d, %s}`, gray(28*tiles), tiles, tiles, more))
	}
	with := func(rule string) func(int) string { return func(int) string { return `, "constraints": ` + rule } }
	odd := func(n int) string {
		var list []string
		for i := 0; i+1 < n; i += 2 {
			list = append(list, fmt.Sprintf(`"%d,%d"`, i+1, i))
		}
		return `, "constraints": {"before": [` + strings.Join(list, ",") + `]}`
	}
	return [][]request{
		jig(16, `"decode": "beam", "beam": 1024, "inner": 1024, "constraints": {"before": ["1,2"]}`),
		jig(16, `"decode": "beam", "beam": 1024, "inner": 1024`),
		jig(12, `"decode": "beam", "beam": 512, "inner": 1024, "constraints": {"pin": ["0=1"]}`),
		jig(16, `"decode": "beam", "beam": 256, "inner": 16, "constraints": {"forbid": ["0=1"]}`),
		one("/v1/order", `{"model": "rankings", "beam": 64, "inner": 1024, `+many(clubs, with(`{"before": ["1,2"]}`), 128)+`}`),
		one("/v1/sample", `{"model": "rankings", "count": 64, `+many(clubs, odd, 150)+`}`),
		one("/v1/sample", `{"model": "tours", "count": 64, `+many(points, with(`{"before": ["9,8,7,6,5,4,3,2,1"]}`), 150)+`}`),
	}
}

func batches() (all [][]request) {
	short := text("/v1/order", `{"model": "rankings", "beam": 300, "inner": 300, `+many(clubs, nil, 60)+`}`)
	for _, c := range []struct {
		beam, n, sets int
	}{{400, 64, 10}, {128, 256, 8}, {16, 256, 64}, {4000, 64, 1}, {512, 128, 4}} {
		row := []request{short}
		for range 8 {
			row = append(row, text("/v1/order", fmt.Sprintf(`{"model": "rankings", "decode": "beam", "beam": %d, "inner": 1024, `, c.beam)+many(clubs, nil, from(c.n, c.sets, 0)...)+`}`))
		}
		all = append(all, row)
	}
	return all
}

// dripping is a body that says so little in so long, a byte in pauses.
type dripping struct {
	left  int
	pause time.Duration
}

func (d *dripping) Read(p []byte) (int, error) {
	if d.left == 0 {
		return 0, io.EOF
	}
	time.Sleep(d.pause)
	d.left--
	p[0] = ' '
	return 1, nil
}

func slow() (all [][]request) {
	for _, c := range []struct {
		count, bytes int
		pause        time.Duration
	}{{32, 60, time.Second}, {64, 60, time.Second}, {128, 60, time.Second}, {64, 10, 4 * time.Second}, {64, 1, time.Minute}} {
		row, count := []request{}, c.count
		for range count {
			row = append(row, request{"/v1/order", func() io.Reader { return &dripping{c.bytes, c.pause} }})
		}
		row = append(row, text("/v1/order", `{"model": "tours", `+many(points, nil, 5)+`}`))
		row[0], row[count] = row[count], row[0]
		all = append(all, row)
	}
	return all
}

// together are one dear request to each model at a time.
func together() (all [][]request) {
	return [][]request{
		{
			text("/v1/order", `{"model": "tours", "decode": "beam", "beam": 64, "inner": 64, `+many(points, nil, from(20, 64, 0)...)+`}`),
			text("/v1/order", `{"model": "rankings", "decode": "beam", "beam": 128, "inner": 200, `+many(clubs, nil, from(32, 64, 0)...)+`}`),
			text("/v1/sample", `{"model": "rankings", "count": 1000, `+many(clubs, nil, 200)+`}`),
		},
	}
}
