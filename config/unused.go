package config

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// none tells whether the key has no effect in c. Of a key that has none itself the value does not count.
func (u use) none(c *Config) bool {
	if !c.used(u.with) {
		return false
	}
	value := c.field(u.with).String()
	return value != "" && slices.Contains(entries[u.with].values, value) && !slices.Contains(u.values, value)
}

// used tells whether a key has an effect in c.
func (c *Config) used(key string) bool {
	return !slices.ContainsFunc(entries[key].uses, func(u use) bool { return u.none(c) })
}

// checkUsed returns an error for keys that were given and have no effect in c; where puts
// what is known of the place of keys[i] before it.
func (c *Config) checkUsed(keys []string, where func(i int) string) error {
	var errs []error
	for _, e := range table {
		i := slices.IndexFunc(keys, func(key string) bool { return strings.HasPrefix(key+".", e.name+".") })
		if i < 0 {
			continue
		}
		for _, u := range e.owned() {
			if u.none(c) {
				errs = append(errs, &KeyError{
					Key: keys[i], Problem: fmt.Sprintf("has no effect with %s %q", u.with, c.field(u.with).String()),
					Hint: fmt.Sprintf("leave it out; it is for %s %s", u.with, strings.Join(u.values, ", ")), Where: where(i),
				})
			}
		}
	}
	return errors.Join(errs...)
}

// checkFilled returns an error for keys that were given as zero where that is no value of theirs;
// where is as in [Config.checkUsed].
func (c *Config) checkFilled(keys []string, where func(i int) string) error {
	for i, key := range keys {
		e := entries[key]
		if e == nil || e.own == "" || e.field.Tag.Get("zero") == "fill" || !c.field(key).IsZero() {
			continue
		}
		problem := "must be above 0 (got 0)"
		if c.field(key).Kind() == reflect.String {
			problem = "is empty"
		}
		return &KeyError{Key: key, Problem: problem, Hint: "leave it out for what it is by default", Where: where(i)}
	}
	return nil
}

// fillUsed gives keys that have an effect, but that were left out where they had none, what
// they have by default.
func (c *Config) fillUsed() {
	defer c.fillSize()
	if c.used("process.reverse") { // what was dropped while the method was another one
		c.restore("process.forward", "process.reverse")
		c.restore("decode.method", "decode.beam", "decode.inner")
		if c.Train.Objective == "" {
			c.restore("train.objective")
			c.restore("train.trajectories")
		}
	}
	for _, e := range table {
		if e.own != "" && c.field(e.name).IsZero() && c.used(e.name) {
			e.set(c, e.own)
		}
	}
}

// restore gives keys their defaults where none of them has a value.
func (c *Config) restore(keys ...string) {
	if slices.ContainsFunc(keys, func(key string) bool { return !c.field(key).IsZero() }) {
		return
	}
	for _, key := range keys {
		entries[key].set(c, entries[key].standard)
	}
}

// fillSize computes the number of objects where it follows from other keys.
func (c *Config) fillSize() {
	for _, e := range table {
		product, ok := e.field.Tag.Lookup("product")
		if !ok || c.used(e.name) {
			continue
		}
		n := int64(1)
		for key := range strings.SplitSeq(product, "*") {
			n *= c.field(key).Int()
		}
		c.field(e.name).SetInt(n)
	}
}

// dropUnused makes the keys that have no effect zero: they are not written to config.toml,
// and two configurations that only differ in them become equal.
func (c *Config) dropUnused() {
	for _, e := range table {
		if slices.ContainsFunc(e.owned(), func(u use) bool { return u.none(c) }) {
			c.field(e.name).SetZero()
		}
	}
}
