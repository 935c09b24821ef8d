package config

import (
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// Values returns each key of the configuration that has an effect, dotted, with its value in TOML.
func (c *Config) Values() (map[string]string, error) {
	own := *c
	own.fillUsed()
	text, err := own.TOML()
	if err != nil {
		return nil, err
	}
	values, table := map[string]string{}, ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "["); ok {
			table = strings.TrimSuffix(name, "]") + "."
		} else if key, value, ok := strings.Cut(line, " = "); ok && !strings.HasPrefix(line, "#") {
			values[table+key] = value
		}
	}
	return values, nil
}

// Change is a key with another value than it had.
type Change struct {
	Key, Was, Is string // in TOML, "" where it is not there
}

func (c Change) String() string {
	value := func(v string) string {
		switch {
		case v == "":
			return "not there"
		case len(v) > 60:
			return fmt.Sprintf("%.57s…", v)
		}
		return v
	}
	return fmt.Sprintf("%s was %s, is %s", c.Key, value(c.Was), value(c.Is))
}

// Changes lists what is different between the values of two configurations, in the order of
// [Keys].
func Changes(was, is map[string]string) []Change {
	var changes []Change
	for _, key := range knownKeys {
		if was[key] != is[key] {
			changes = append(changes, Change{key, was[key], is[key]})
		}
	}
	return changes
}

// Unsaid is what a key that is not there stands for, in TOML.
func Unsaid(key string) string {
	if key == "model.points" { // in runs from before it was written
		return "'unit'"
	}
	c := Default()
	if e := entries[key]; e != nil && e.own != "" { // what it is filled with stands in config.toml
		e.set(&c, e.own)
	}
	text, err := toml.Marshal(map[string]any{"x": c.field(key).Interface()})
	if err != nil {
		return ""
	}
	return strings.TrimPrefix(strings.TrimSpace(string(text)), "x = ")
}
