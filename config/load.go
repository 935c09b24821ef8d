package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// LoadConfig reads a configuration from a TOML file.
func LoadConfig(path string) (Config, error) {
	if info, err := os.Stat(path); err == nil && info.Mode()&os.ModeNamedPipe != 0 { // it might have no writer
		return Config{}, fmt.Errorf("%s: is a pipe, wanted a file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return Config{}, err
	}
	defer func() { _ = f.Close() }() // only read from
	// Not all of it: what is no configuration, such as a device, may have no end.
	data, err := io.ReadAll(io.LimitReader(f, maxConfig+1))
	if err != nil {
		return Config{}, err
	}
	return ParseFile(data, path)
}

// ParseFile is [ParseConfig] of a file, which is not empty.
func ParseFile(data []byte, path string) (Config, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return Config{}, fmt.Errorf("%s: is empty", path)
	}
	return ParseConfig(data, path)
}

// MaxFile is the most bytes of a configuration that is read.
const MaxFile = maxConfig

// maxConfig is the longest configuration, in bytes; a complete one has three thousand. Readers
// of TOML, this one too, take time and memory that grow faster than the document.
const maxConfig = 1 << 16

// ParseConfig reads a configuration from TOML of at most 64 KiB; what it leaves unsaid is as in [Default].
// name stands for the file in errors. An unknown key is an error that names the line and the nearest known
// key. A value of a wrong type is an error that names the line, the key, what was wanted and what was
// there. So is a key that has no effect with what the file says of task, encoder and reverse law. Keys are
// not resolved: see [Config.Resolve].
func ParseConfig(data []byte, name string) (Config, error) {
	if len(data) > maxConfig {
		return Config{}, fmt.Errorf("%s: has more than %d bytes, which no configuration has", name, maxConfig)
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")) // some editors begin a file with it
	c := Default()
	keys, lines, err := checkTOML(data, name)
	if err != nil {
		return Config{}, err
	}
	if err := toml.Unmarshal(data, &c); err != nil {
		return Config{}, decodeError(err, name)
	}
	where := func(i int) string { return fmt.Sprintf("%s:%d", name, lines[i]) }
	if err := errors.Join(c.checkUsed(keys, where), c.checkFilled(keys, where)); err != nil {
		return Config{}, err
	}
	c.dropUnused() // defaults
	c.fillSize()
	return c, nil
}

// decodeError puts name:line: and the key before a decoder's error.
func decodeError(err error, name string) error {
	de, ok := errors.AsType[*toml.DecodeError](err)
	if !ok {
		return fmt.Errorf("%s: %w", name, err)
	}
	line, _ := de.Position()
	message := strings.TrimPrefix(de.Error(), "toml: ")
	message = strings.NewReplacer("character U+000A", "end of the line", "basic strings", "texts in quotes", "basic string", "text in quotes",
		"decimal number is too large to fit in a 64-bit signed integer", "is too large").Replace(message)
	if key := strings.Join(de.Key(), "."); key != "" {
		message = key + ": " + message
	}
	return fmt.Errorf("%s:%d: %s", name, line, message)
}

// TOML returns the whole configuration with its comments, without the keys that have no
// effect in it. Read again by [ParseConfig] that of a resolved one gives an equal one; a
// value that would not come back is an error.
func (c *Config) TOML() ([]byte, error) {
	if c.Seed > math.MaxInt64 {
		return nil, fmt.Errorf("seed: must be at most %d, the largest integer of TOML (got %d)", math.MaxInt64, c.Seed)
	}
	used := *c
	used.dropUnused()
	data, err := toml.Marshal(used)
	if err != nil {
		return nil, err
	}
	again, err := ParseConfig(data, "config.toml")
	if err != nil {
		return nil, err
	}
	again.dropUnused() // what follows from other keys
	if back, err := toml.Marshal(again); err != nil || !bytes.Equal(data, back) {
		return nil, errors.Join(errors.New("config.toml: a value would be another one when it is read again"), err)
	}
	return data, nil
}

// Set changes one key: "train.batch=32", "process.schedule=[0,9]", "task.name=sort". The
// value is TOML; a text may go without quotes. The configuration is unchanged on error. A
// key that has no effect in the end is an error of [Config.Resolve].
func (c *Config) Set(assignment string) error {
	key, value, ok := strings.Cut(assignment, "=")
	key, value = strings.TrimSpace(key), strings.TrimSpace(value)
	if !ok || key == "" {
		return fmt.Errorf("%q: wanted key=value", assignment)
	}
	if len(assignment) > maxConfig {
		return fmt.Errorf("%.40s…: has %d bytes, wanted at most %d", assignment, len(assignment), maxConfig)
	}
	t := keyTypes[key]
	if t == nil {
		return unknownKey(key)
	}
	if t.Kind() == reflect.Struct {
		return fmt.Errorf("%s: is a table, wanted one of its keys such as %s.%s", key, key, tomlName(t.Field(0)))
	}
	var fresh Config
	if t.Kind() == reflect.String && !strings.HasPrefix(value, `"`) && !strings.HasPrefix(value, "'") {
		fresh.field(key).SetString(value)
	} else {
		// Decoded apart: the decoder writes into slices that are there, and c may share its own.
		document := []byte(key + " = " + value + "\n")
		keys, _, err := checkTOML(document, "--set")
		if err == nil {
			err = toml.Unmarshal(document, &fresh)
		}
		if _, number := strconv.ParseInt(value, 10, 64); (t.Kind() == reflect.Int || t.Kind() == reflect.Uint64) && errors.Is(number, strconv.ErrRange) {
			return fmt.Errorf("%s: is too large (got %s)", key, value)
		}
		if err != nil || len(keys) > 1 {
			return typeError(key, t, strconv.Quote(value))
		}
	}
	c.field(key).Set(fresh.field(key))
	c.set = append(slices.Clip(c.set), key)
	return nil
}

// field returns the field of a known key. Tables that are pointers are copied or made, so
// that setting a field changes no other configuration.
func (c *Config) field(key string) reflect.Value {
	v := reflect.ValueOf(c).Elem()
	for part := range strings.SplitSeq(key, ".") {
		for f, fv := range v.Fields() {
			if tomlName(f) != part {
				continue
			}
			if fv.Kind() == reflect.Pointer {
				own := reflect.New(fv.Type().Elem())
				if !fv.IsNil() {
					own.Elem().Set(fv.Elem())
				}
				fv.Set(own)
				fv = own.Elem()
			}
			v = fv
			break
		}
	}
	return v
}
