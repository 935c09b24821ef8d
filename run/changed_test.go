package run

import (
	"errors"
	"maps"
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
