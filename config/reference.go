package config

import (
	"fmt"
	"reflect"
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
	for name, f := range fieldsOf(reflect.TypeFor[Config](), "") {
		k := Key{Name: name, Meaning: f.Tag.Get("comment")}
		for _, u := range uses {
			if strings.HasPrefix(name+".", u.key+".") {
				k.Uses = append(k.Uses, Use{u.with, u.values})
			}
		}
		if keyTypes[name].Kind() == reflect.Struct {
			k.Table, k.Meaning = true, f.Tag.Get("doc")
		} else {
			k.Type, k.Default = typeName(keyTypes[name]), defaultOf(k)
		}
		keys = append(keys, k)
	}
	return keys
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
