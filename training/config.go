package training

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/presets"
)

// ReadConfig reads a TOML file or a preset.
func ReadConfig(name string) (config.Config, error) {
	if strings.HasSuffix(name, ".toml") {
		cfg, err := config.LoadConfig(name)
		if err == nil {
			return cfg, nil
		}
		if _, preset := presets.Get(strings.TrimSuffix(name, ".toml")); !preset || !errors.Is(err, os.ErrNotExist) {
			return config.Config{}, err
		}
	}
	data, err := presets.Find(name)
	if err != nil {
		return config.Config{}, err
	}
	return config.ParseConfig(data, strings.TrimSuffix(name, ".toml")+".toml")
}

// SetError is an error of a change key=value.
type SetError struct{ error }

// Unwrap returns what is wrong.
func (e *SetError) Unwrap() error { return e.error }

// Change makes changes of a configuration, key=value each. It fails with a [SetError].
func Change(cfg *config.Config, set []string) error {
	for _, s := range set {
		if err := cfg.Set(s); err != nil {
			return &SetError{err}
		}
	}
	return nil
}

// Alter makes changes of the configuration called from, and holds what comes of them to the rules of all
// configurations.
func Alter(cfg *config.Config, from string, set []string) error {
	was := cfg.Task
	if err := Change(cfg, set); err != nil {
		return err
	}
	if !sameObjects(was, cfg.Task) && !slices.ContainsFunc(set, func(s string) bool { return strings.HasPrefix(strings.TrimSpace(s), "paper.") }) {
		cfg.Paper = nil // its figures are of other sets
	}
	_, err := cfg.Resolve()
	return Blame(from, set, err)
}

// sameObjects reports whether sets of two tasks are as hard: of as many objects, of the same kind. Where the data lie
// does not matter.
func sameObjects(a, b config.Task) bool {
	for _, t := range []*config.Task{&a, &b} {
		t.Data, t.Test, t.Instances, t.Augment = "", "", 0, config.Augment{}
	}
	return reflect.DeepEqual(a, b)
}

// Blame says where the key that an error is about is from: changes, which is a [SetError], or else the
// configuration called from. An error about no key stays, and so does nil.
func Blame(from string, set []string, err error) error {
	wrong, ok := errors.AsType[*config.KeyError](err)
	if !ok || wrong.Where != "" {
		return err
	}
	for _, s := range set {
		key, _, _ := strings.Cut(s, "=")
		if key = strings.TrimSpace(key); wrong.Key == key || strings.HasPrefix(wrong.Key, key+"[") {
			return &SetError{err}
		}
	}
	return fmt.Errorf("%s: %w", from, err)
}

// Preset is what a list of presets says of one.
type Preset struct {
	Name  string        `json:"name"`
	Title string        `json:"title"`
	N     int           `json:"n"`
	Paper *config.Paper `json:"paper,omitempty"`
}

// Presets lists the paper's presets, or the others.
func Presets(paper bool) (all []Preset, err error) {
	for _, name := range presets.Names() {
		if strings.HasPrefix(name, "paper/") != paper {
			continue
		}
		cfg, err := ReadConfig(name)
		if err != nil {
			return nil, err
		}
		all = append(all, Preset{name, cfg.Title, cfg.Task.N, cfg.Paper})
	}
	return all, nil
}
