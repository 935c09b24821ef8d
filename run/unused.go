package run

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/riffle-ml/riffle/reverse"
)

// A use says that a key has an effect only where another key has one of some values.
type use struct {
	key, with string
	values    []string
}

var uses = []use{
	{"task.digits", "task.name", []string{"sort"}},
	{"task.data", "task.name", []string{"sort"}},
	{"task.augment", "task.name", []string{"sort"}},
	{"task.target", "task.name", []string{"delta"}},
	{"model.channels", "model.encoder", []string{"cnn", "window"}},
	{"model.kernel", "model.encoder", []string{"cnn"}},
	{"model.hidden", "model.encoder", []string{"cnn", "window", "features"}},
	{"model.encoder_dropout", "model.encoder", []string{"window"}},
	{"model.gpl_rows", "process.reverse", []string{"gpl"}},
}

// choices are all values of the keys that decide: of any other value nothing is known here,
// and what checks the key itself says more.
var choices = func() map[string][]string {
	m := map[string][]string{
		"task.name":     {"sort", "delta"},
		"model.encoder": {"table", "cnn", "window", "points", "features"},
	}
	for _, law := range reverse.Laws() {
		m["process.reverse"] = append(m["process.reverse"], law.Name())
	}
	return m
}()

// none tells whether the key has no effect in c.
func (u use) none(c *Config) bool {
	value := c.field(u.with).String()
	return slices.Contains(choices[u.with], value) && !slices.Contains(u.values, value)
}

// checkUsed returns an error for keys that were given and have no effect in c; where puts
// what is known of the place of keys[i] before it.
func (c *Config) checkUsed(keys []string, where func(i int) string) error {
	var errs []error
	for _, u := range uses {
		i := slices.IndexFunc(keys, func(key string) bool { return strings.HasPrefix(key+".", u.key+".") })
		if i >= 0 && u.none(c) {
			errs = append(errs, fmt.Errorf("%s%s: has no effect with %s %q\nhint: leave it out; it is for %s %s",
				where(i), keys[i], u.with, c.field(u.with).String(), u.with, strings.Join(u.values, ", ")))
		}
	}
	return errors.Join(errs...)
}

// dropUnused makes the keys that have no effect zero: they are not written to config.toml,
// and two configurations that only differ in them become equal.
func (c *Config) dropUnused() {
	for _, u := range uses {
		if u.none(c) {
			c.field(u.key).SetZero()
		}
	}
}
