package run

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/internal/hint"
)

// ErrConfigChanged is returned where the configuration of a run is not what it was trained with.
var ErrConfigChanged = errors.New("is not what the training began with")

// fixed reports whether a training cannot go on with another value of a key: it would not be the
// same training. How long it is may change, and so may where data lie and how results are made.
func fixed(key string) bool {
	if key == config.TaskData || key == config.TaskTest || key == "title" {
		return false
	}
	if table, name, ok := strings.Cut(key, "."); ok {
		switch table {
		case "paper", "eval", "decode":
			return false
		case "train":
			return !slices.Contains([]string{"steps", "time", "checkpoint", "validate", "patience"}, name)
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
	for _, c := range config.Changes(state.Config, now) {
		if c.Was == "" && c.Is == config.Unsaid(c.Key) { // the key is newer than the run, or was written out
			continue
		}
		if refuse(c.Key) {
			bad = append(bad, c.String())
		} else {
			harmless = append(harmless, c.String())
		}
	}
	if len(bad) > 0 {
		return nil, hint.Errorf(fmt.Sprintf("put back what was; or riffle train %s --out DIR trains anew", d.File(ConfigFile)), "%s: %w: %s", d.File(ConfigFile), ErrConfigChanged, strings.Join(bad, "; "))
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

// Reconfigure replaces the configuration: with another length of the training, say.
func (d *Dir) Reconfigure(c *config.Config) error {
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
