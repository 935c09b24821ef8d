package run

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"testing"
)

// A key that a run's state does not know, as it is newer, stands for what it is by default.
func TestKeysNewerThanARun(t *testing.T) {
	d, _ := testDir(t, 1)
	state, err := d.LoadState()
	if err != nil {
		t.Fatal(err)
	}
	for key, value := range map[string]string{"train.clip": "1.0", "model.positions": "'sinusoid'", "decode.inner": "200"} {
		older := state
		older.Config = maps.Clone(state.Config)
		if older.Config[key] != value {
			t.Fatalf("%s is %s, wanted %s", key, older.Config[key], value)
		}
		delete(older.Config, key)
		if warnings, err := d.checkConfig(older, fixed); err != nil || warnings != nil {
			t.Errorf("%s: %v, %v", key, warnings, err)
		}
	}
	older := state
	older.Config = maps.Clone(state.Config)
	delete(older.Config, "train.clip")
	d.Config.Train.Clip = 2
	if _, err := d.checkConfig(older, fixed); !errors.Is(err, ErrConfigChanged) {
		t.Errorf("a clip of 2 where there was none: %v", err)
	}
	if warnings, err := d.checkConfig(older, essential); err != nil || len(warnings) != 1 {
		t.Errorf("for answers: %v, %v", warnings, err)
	}
}

// The models that are shipped say what configuration and what items they were trained with, so that a change of
// either is found.
func TestShippedModelsAreCovered(t *testing.T) {
	for _, name := range []string{"sort", "puzzle", "tours", "rankings"} {
		d, err := Open(filepath.Join("..", "models", name))
		if err != nil {
			t.Fatal(err)
		}
		state, err := d.LoadState()
		if err != nil {
			t.Fatal(err)
		}
		if state.Config == nil {
			t.Errorf("%s: state.json has no configuration", name)
		}
		if _, err := os.Stat(d.File(ItemsFile)); err == nil && state.SHA256[ItemsFile] == "" {
			t.Errorf("%s: state.json has no hash of %s", name, ItemsFile)
		}
	}
}
