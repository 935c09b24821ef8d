package config

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/riffle-ml/riffle/reverse"
	"github.com/riffle-ml/riffle/shuffle"
)

// entry is a key as the tags of its field describe it:
//
//	comment, doc  what it means; doc is that of a table of keys
//	default       its value where nothing says another one
//	fill          the same, of a key whose zero stands for it
//	range         the numbers that it takes: "1..", "1..64", "0..<1", ">0", ".." for any finite
//	values        the texts that it takes, "a|b"; an empty one stands for unsaid
//	for           with what it has an effect: "task.name=sort|delta; method=diffusion"
//	product       the keys whose product it is where it has no effect: "task.rows*task.columns"
//	data          the tasks for which it is as the data has it where it is zero
//
// The tags of task.name say what is peculiar to some tasks: mixed, that sets have several sizes, and
// first, that orders begin with object 0.
type entry struct {
	name          string
	field         reflect.StructField
	limits        *limits
	values        []string
	uses          []use  // those of the tables that it is in, too
	standard, own string // default and fill
}

// A use says that a key has an effect only where another key has one of some values.
type use struct {
	with   string
	values []string
}

// table has every key and every table of keys, in the order of config.toml.
var table = func() []*entry {
	var all []*entry
	inherited := map[string][]use{}
	for name, f := range fieldsOf(reflect.TypeFor[Config](), "") {
		e := &entry{name: name, field: f, standard: f.Tag.Get("default"), own: f.Tag.Get("fill")}
		if v, ok := f.Tag.Lookup("values"); ok {
			e.values = strings.Split(v, "|")
		}
		if r, ok := f.Tag.Lookup("range"); ok {
			e.limits = parseLimits(r)
		}
		if at := strings.LastIndex(name, "."); at >= 0 {
			e.uses = slices.Clip(inherited[name[:at]])
		}
		var own []use
		for part := range strings.SplitSeq(f.Tag.Get("for"), ";") {
			if with, values, ok := strings.Cut(strings.TrimSpace(part), "="); ok {
				own = append(own, use{with, strings.Split(values, "|")})
			}
		}
		e.uses = append(own, e.uses...)
		inherited[name] = e.uses
		all = append(all, e)
		switch name { // laws register themselves
		case "process.forward":
			for _, law := range shuffle.Laws() {
				e.values = append(e.values, law.Name())
			}
		case "process.reverse":
			for _, law := range reverse.Laws() {
				e.values = append(e.values, law.Name())
			}
		}
	}
	return all
}()

// names reads a tag that lists names of tasks, and tells whether that of c is one.
func (e *entry) names(tag string, c *Config) bool {
	list, ok := e.field.Tag.Lookup(tag)
	return ok && slices.Contains(strings.Split(list, "|"), c.Task.Name)
}

// owned are the uses of the key itself, without those of the tables that it is in.
func (e *entry) owned() []use {
	count := 0
	for part := range strings.SplitSeq(e.field.Tag.Get("for"), ";") {
		if strings.Contains(part, "=") {
			count++
		}
	}
	return e.uses[:count]
}

// entriesOf lists the keys of a table, those of tables in it too.
func entriesOf(name string) (out []*entry) {
	for _, e := range table {
		if strings.HasPrefix(e.name, name+".") {
			out = append(out, e)
		}
	}
	return out
}

// entries finds an entry by the name of its key.
var entries = func() map[string]*entry {
	m := map[string]*entry{}
	for _, e := range table {
		m[e.name] = e
	}
	return m
}()

// limits are the numbers that a key takes. Bounds are infinite where there are none.
type limits struct {
	low, high         float64
	openLow, openHigh bool // the bound itself is no value
}

// parseLimits reads the tag "range"; it is code, and panics where it is wrong.
func parseLimits(tag string) *limits {
	l := &limits{low: math.Inf(-1), high: math.Inf(1)}
	low, high, both := strings.Cut(tag, "..")
	low, l.openLow = strings.CutPrefix(low, ">")
	high, l.openHigh = strings.CutPrefix(high, "<")
	for _, b := range []struct {
		text string
		to   *float64
	}{{low, &l.low}, {high, &l.high}} {
		if b.text == "" {
			continue
		}
		v, err := strconv.ParseFloat(b.text, 64)
		if err != nil {
			panic(fmt.Sprintf("range %q: %v", tag, err))
		}
		*b.to = v
	}
	if !both && !l.openLow {
		panic(fmt.Sprintf("range %q: wanted .. or >", tag))
	}
	return l
}

// holds tells whether v is within the limits; of numbers with a point, as the engines' float32
// sees it, NaN never.
func (l *limits) holds(v float64, whole bool) bool {
	if !whole {
		if !(math.Abs(v) <= math.MaxFloat32) {
			return false
		}
		if l.openLow && float64(float32(v)) <= l.low || l.openHigh && float64(float32(v)) >= l.high {
			return false
		}
	}
	return v >= l.low && v <= l.high && !(l.openLow && v == l.low) && !(l.openHigh && v == l.high)
}

// words say what is wanted.
func (l *limits) words(whole bool) string {
	number := func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
	from, to := "", ""
	switch {
	case math.IsInf(l.low, -1):
	case l.openLow:
		from = "above " + number(l.low)
	case math.IsInf(l.high, 1) || l.openHigh:
		from = number(l.low) + " or more"
	default:
		from = number(l.low)
	}
	switch {
	case math.IsInf(l.high, 1) && !whole:
		to = "finite"
	case math.IsInf(l.high, 1):
	case l.openHigh:
		to = "below " + number(l.high)
	default:
		to = number(l.high)
	}
	switch {
	case from == "" || to == "":
		return "must be " + from + to
	case math.IsInf(l.high, 1) || l.openHigh || l.openLow:
		return "must be " + from + " and " + to
	}
	return "must be " + from + " to " + to
}

// check says what is wrong with a key's value in c, nil for nothing. A key without an effect has
// no value.
func (e *entry) check(c *Config) error {
	if strings.HasPrefix(e.name, "paper") {
		return e.checkPaper(c.Paper)
	}
	v := c.field(e.name)
	if !c.used(e.name) {
		return nil
	}
	switch v.Kind() {
	case reflect.String:
		if e.values != nil && !slices.Contains(e.values, v.String()) {
			wanted := slices.DeleteFunc(slices.Clone(e.values), func(s string) bool { return s == "" })
			if v.String() == "" {
				return Errorf(e.name, "is missing, wanted %s", list(wanted))
			}
			return Errorf(e.name, "unknown %q, wanted %s", v.String(), list(wanted))
		}
	case reflect.Int:
		if e.limits != nil && !e.limits.holds(float64(v.Int()), true) {
			return Errorf(e.name, "%s (got %d)", e.limits.words(true), v.Int())
		}
	case reflect.Float64:
		if e.limits != nil && !e.limits.holds(v.Float(), false) {
			return Errorf(e.name, "%s (got %g)", e.limits.words(false), v.Float())
		}
	}
	return nil
}

// checkPaper is [entry.check] of the paper's figures, which may not be there.
func (e *entry) checkPaper(p *Paper) error {
	if p == nil || e.limits == nil {
		return nil
	}
	v, _ := reflect.ValueOf(*p).FieldByName(e.field.Name).Interface().(*float64)
	if v != nil && !e.limits.holds(*v, false) { // JSON has neither NaN nor infinities
		return Errorf(e.name, "%s (got %g)", e.limits.words(false), *v)
	}
	return nil
}

// list writes "a, b or c".
func list(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

// set gives a key the value that a tag writes.
func (e *entry) set(c *Config, value string) {
	v := c.field(e.name)
	switch v.Kind() {
	case reflect.String:
		v.SetString(value)
	case reflect.Int:
		v.SetInt(must(strconv.ParseInt(value, 10, 64)))
	case reflect.Uint64:
		v.SetUint(must(strconv.ParseUint(value, 10, 64)))
	case reflect.Float64:
		v.SetFloat(must(strconv.ParseFloat(value, 64)))
	default:
		panic("config: " + e.name + ": a default of another kind")
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err) // it is in a tag
	}
	return v
}

// Default is what a configuration leaves unsaid.
func Default() Config {
	var c Config
	for _, e := range table {
		if e.standard != "" {
			e.set(&c, e.standard)
		}
	}
	return c
}
