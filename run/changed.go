package run

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// ErrConfigChanged is returned where the configuration of a run is not what it was trained with.
var ErrConfigChanged = errors.New("is not what the training began with")

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

// fixed reports whether a training cannot go on with another value of a key: it would not be the
// same training. How long it is may change, and so may where data lie and how results are made.
func fixed(key string) bool {
	if key == "task.data" || key == "task.test" || key == "title" {
		return false
	}
	if table, name, ok := strings.Cut(key, "."); ok {
		switch table {
		case "paper", "eval", "decode":
			return false
		case "train":
			return !slices.Contains([]string{"steps", "time", "checkpoint", "validate"}, name)
		}
	}
	return true
}

// essential reports whether a trained model means something else with another value of a key.
func essential(key string) bool { return fixed(key) && !strings.HasPrefix(key, "train.") }

// checkConfig compares the configuration with the one that a checkpoint was trained with, and the
// items, if these are known. A change of a key that refuse is true for is an error, others are warnings.
func (d *Dir) checkConfig(state State, refuse func(key string) bool) (warnings []string, err error) {
	if state.SHA256[ItemsFile] != "" {
		if _, err := d.ReadFile(ItemsFile); err != nil {
			return nil, err
		}
	}
	if state.Config == nil {
		return nil, nil
	}
	now, err := d.values()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.File(ConfigFile), err)
	}
	var bad, harmless []string
	for _, c := range Changes(state.Config, now) {
		if c.Was == "" && c.Is == unsaid(c.Key) { // the key is newer than the run, or was written out
			continue
		}
		if refuse(c.Key) {
			bad = append(bad, c.String())
		} else {
			harmless = append(harmless, c.String())
		}
	}
	if len(bad) > 0 {
		return nil, fmt.Errorf("%s: %w: %s\nhint: put back what was; or riffle train %[1]s --out DIR trains anew", d.File(ConfigFile), ErrConfigChanged, strings.Join(bad, "; "))
	}
	if len(harmless) > 0 {
		warnings = []string{fmt.Sprintf("%s: was changed since the training began: %s", d.File(ConfigFile), strings.Join(harmless, "; "))}
	}
	return warnings, nil
}

// values are those of the configuration, kept as long as it stays the same.
func (d *Dir) values() (map[string]string, error) {
	if d.known.values == nil || !reflect.DeepEqual(d.known.of, d.Config) {
		values, err := d.Config.Values()
		if err != nil {
			return nil, err
		}
		d.known.of, d.known.values = d.Config, values
	}
	return d.known.values, nil
}

// unsaid is what a key that is not there stands for, in TOML.
func unsaid(key string) string {
	if key == "model.points" { // in runs from before it was written
		return "'unit'"
	}
	c := Default()
	text, err := toml.Marshal(map[string]any{"x": c.field(key).Interface()})
	if err != nil {
		return ""
	}
	return strings.TrimPrefix(strings.TrimSpace(string(text)), "x = ")
}

// Reconfigure replaces the configuration: with another length of the training, say.
func (d *Dir) Reconfigure(c *Config) error {
	if d.lock == nil {
		return fmt.Errorf("%s: is open for reading only", d.Path)
	}
	text, err := c.TOML()
	if err != nil {
		return err
	}
	if err := d.writeFile(ConfigFile, func(w io.Writer) error { _, err := w.Write(text); return err }); err != nil {
		return err
	}
	d.Config = *c
	return nil
}
