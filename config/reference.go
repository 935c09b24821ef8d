package config

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Key describes a key of a configuration, or a table of keys.
type Key struct {
	Name    string // "train.batch"
	Table   bool
	Type    string // of a value, in words: "a whole number"
	Default string // as TOML writes it, "" for 0, false, an empty text and an empty list
	Meaning string
	Values  string // which it takes, in words: "1 to 64", "greedy or beam"; "" for any
	// Uses are the keys and values with which this one has an effect, all of them; with
	// others it is an error. None where it always has one.
	Uses []Use
}

// Use is a key and those of its values that another key is for.
type Use struct {
	Key    string
	Values []string
}

// Keys lists all keys of a [Config], tables before what is in them.
func Keys() []Key {
	var keys []Key
	for _, e := range table {
		k := Key{Name: e.name, Meaning: e.field.Tag.Get("comment")}
		for _, u := range e.uses {
			k.Uses = append(k.Uses, Use{u.with, u.values})
		}
		if keyTypes[e.name].Kind() == reflect.Struct {
			k.Table, k.Meaning = true, e.field.Tag.Get("doc")
		} else {
			k.Type, k.Default, k.Values = typeName(keyTypes[e.name]), defaultOf(k), e.wanted()
		}
		keys = append(keys, k)
	}
	return keys
}

// wanted says in words which values a key takes, "" where any of its type.
func (e *entry) wanted() string {
	if e.values != nil {
		return list(slices.DeleteFunc(slices.Clone(e.values), func(s string) bool { return s == "" }))
	}
	if e.limits == nil || math.IsInf(e.limits.low, -1) {
		return ""
	}
	return strings.TrimPrefix(e.limits.words(keyTypes[e.name].Kind() == reflect.Int), "must be ")
}

// defaultOf is what a key is where it has an effect and a file leaves it out.
func defaultOf(k Key) string {
	c := Default()
	for _, u := range k.Uses {
		c.field(u.Key).SetString(u.Values[0])
	}
	c.fillUsed()
	v := c.field(k.Name)
	switch {
	case v.IsZero():
		return ""
	case v.Kind() == reflect.String:
		return strconv.Quote(v.String())
	}
	return fmt.Sprint(v.Interface())
}
