package config

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/riffle-ml/riffle/internal/nearest"
)

// keyTypes maps every key of a [Config], dotted ("train.batch"), to its type; knownKeys
// lists them in the order of the struct.
var keyTypes, knownKeys = func() (map[string]reflect.Type, []string) {
	types, names := map[string]reflect.Type{}, []string(nil)
	for _, e := range table {
		types[e.name] = e.field.Type
		if e.field.Type.Kind() == reflect.Pointer {
			types[e.name] = e.field.Type.Elem()
		}
		names = append(names, e.name)
	}
	return types, names
}()

// fieldsOf yields the keys of a table and of those in it, dotted, with their fields.
func fieldsOf(table reflect.Type, prefix string) iter.Seq2[string, reflect.StructField] {
	return func(yield func(string, reflect.StructField) bool) {
		for f := range table.Fields() {
			if !f.IsExported() {
				continue
			}
			name, t := prefix+tomlName(f), f.Type
			if !yield(name, f) {
				return
			}
			if t.Kind() == reflect.Pointer {
				t = t.Elem()
			}
			if t.Kind() != reflect.Struct {
				continue
			}
			for name, f := range fieldsOf(t, name+".") {
				if !yield(name, f) {
					return
				}
			}
		}
	}
}

func tomlName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("toml"), ",")
	return name
}

// unknownKey is the error for a key that no field has. A key that only stands in the wrong
// table is told by its last part; other keys by the fewest edits.
func unknownKey(key string) error {
	candidates := slices.Collect(func(yield func(string) bool) {
		last := "." + key[strings.LastIndex(key, ".")+1:]
		for _, k := range knownKeys {
			if strings.HasSuffix("."+k, last) && !yield(k) {
				return
			}
		}
	})
	if len(candidates) == 0 {
		candidates = knownKeys
	}
	near := ""
	if name := nearest.Of(key, candidates); name != "" {
		near = " (nearest known: " + name + ")"
	}
	return &KeyError{Key: fmt.Sprintf("%.100s", key), Problem: "unknown key" + near}
}

// checker compares a TOML document with keyTypes. The decoder takes keys in any case and reports
// types by their Go names. This names line, key, got and wanted.
type checker struct {
	parser unstable.Parser
	data   []byte
	where  string   // before the line number
	keys   []string // that have a value
	lines  []int    // where they stand
	errs   []error
}

// checkTOML returns which keys have a value in the document, their lines, and what is wrong
// with them.
func checkTOML(data []byte, where string) (keys []string, lines []int, err error) {
	c := &checker{data: data, where: where}
	c.parser.Reset(data)
	var table []string
	for c.parser.NextExpression() && !c.full() {
		switch e := c.parser.Expression(); e.Kind {
		case unstable.Table, unstable.ArrayTable:
			var offset int
			table, offset = path(nil, e.Key())
			if t := c.resolve(table, offset); t != nil && (t.Kind() != reflect.Struct || e.Kind == unstable.ArrayTable) {
				c.mismatch(table, offset, t, map[bool]string{true: "a list of tables", false: "a table"}[e.Kind == unstable.ArrayTable])
			}
		case unstable.KeyValue:
			c.keyValue(table, e)
		}
	}
	return c.keys, c.lines, errors.Join(c.errs...) // errors of the syntax are left to the decoder
}

// path appends the parts of a key to a prefix; offset is where the key starts.
func path(prefix []string, it unstable.Iterator) (parts []string, offset int) {
	parts, offset = slices.Clip(prefix), -1
	for it.Next() {
		if offset < 0 {
			offset = int(it.Node().Raw.Offset)
		}
		parts = append(parts, string(it.Node().Data))
	}
	return parts, offset
}

// mostErrors is how many faults of a document are told.
const mostErrors = 10

func (c *checker) errorAt(offset int, err error) {
	if c.full() {
		return
	}
	where := fmt.Sprintf("%s:%d", c.where, c.line(offset))
	if e, ok := errors.AsType[*KeyError](err); ok {
		e.Where = where
	} else {
		err = fmt.Errorf("%s: %w", where, err)
	}
	c.errs = append(c.errs, err)
}

// full tells whether what else is wrong is not told.
func (c *checker) full() bool { return len(c.errs) == mostErrors }

func (c *checker) line(offset int) int { return 1 + bytes.Count(c.data[:offset], []byte("\n")) }

func (c *checker) mismatch(parts []string, offset int, wanted reflect.Type, got string) {
	c.errorAt(offset, typeError(strings.Join(parts, "."), wanted, got))
}

func typeError(key string, wanted reflect.Type, got string) error {
	return Errorf(key, "wanted %s (got %s)", typeName(wanted), got)
}

// resolve returns the type of a key, or nil after it has noted why there is none.
func (c *checker) resolve(parts []string, offset int) reflect.Type {
	for i := range parts[:len(parts)-1] {
		if t := keyTypes[strings.Join(parts[:i+1], ".")]; t != nil && t.Kind() != reflect.Struct {
			c.mismatch(parts[:i+1], offset, t, "a table")
			return nil
		}
	}
	key := strings.Join(parts, ".")
	t := keyTypes[key]
	if t == nil && !c.full() {
		c.errorAt(offset, unknownKey(key))
	}
	return t
}

func (c *checker) keyValue(table []string, e *unstable.Node) {
	parts, offset := path(table, e.Key())
	c.keys, c.lines = append(c.keys, strings.Join(parts, ".")), append(c.lines, c.line(offset))
	if t := keyTypes[strings.Join(table, ".")]; len(table) > 0 && (t == nil || t.Kind() != reflect.Struct) {
		return // the table is noted already
	}
	t := c.resolve(parts, offset)
	if t == nil {
		return
	}
	value := e.Value()
	if t.Kind() == reflect.Struct && value.Kind == unstable.InlineTable {
		for it := value.Children(); it.Next(); {
			if it.Node().Kind == unstable.KeyValue {
				c.keyValue(parts, it.Node())
			}
		}
		return
	}
	if t.Kind() == reflect.Slice && value.Kind == unstable.Array {
		for it := value.Children(); it.Next(); {
			if n := it.Node(); n.Kind != unstable.Comment && !fits(t.Elem().Kind(), n.Kind) {
				c.mismatch(parts, offset, t, c.show(n)+" in it")
				return
			}
		}
		return
	}
	if !fits(t.Kind(), value.Kind) {
		c.mismatch(parts, offset, t, c.show(value))
	}
}

// show returns a value as it is written, or what it is where that is long.
func (c *checker) show(n *unstable.Node) string {
	switch n.Kind {
	case unstable.Array:
		return "a list"
	case unstable.InlineTable:
		return "a table"
	}
	raw := c.parser.Raw(n.Raw)
	if len(raw) > 40 || bytes.ContainsAny(raw, "\r\n") {
		return map[bool]string{true: "a long text", false: "a long value"}[n.Kind == unstable.String]
	}
	return string(raw)
}

func fits(k reflect.Kind, v unstable.Kind) bool {
	switch k {
	case reflect.String:
		return v == unstable.String
	case reflect.Bool:
		return v == unstable.Bool
	case reflect.Float64:
		return v == unstable.Float || v == unstable.Integer
	case reflect.Int, reflect.Uint64:
		return v == unstable.Integer
	}
	return false
}

func typeName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a text in quotes"
	case reflect.Bool:
		return "true or false"
	case reflect.Float64:
		return "a number"
	case reflect.Int:
		return "a whole number"
	case reflect.Uint64:
		return "a whole number, 0 or more"
	case reflect.Slice:
		return map[reflect.Kind]string{reflect.Int: "a list of whole numbers", reflect.Float64: "a list of numbers", reflect.String: "a list of texts"}[t.Elem().Kind()]
	}
	return "a table"
}
