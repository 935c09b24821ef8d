package config

import "testing"

// A run from before a key was there has, of the keys that are filled in, what it is filled with now: such runs go on.
func TestUnsaidIsWhatIsFilledIn(t *testing.T) {
	c, err := LoadConfig("../presets/jigsaw-3x3.toml")
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Set("train.objective=latent"); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Resolve(); err != nil {
		t.Fatal(err)
	}
	values, err := c.Values()
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{"train.pixel_sd": "1.0", "train.samples": "10", "train.entropy": "0.05", "train.ema_rate": "0.995", "model.gpl_rows": "'dummies'"} {
		if got := Unsaid(key); got != want || values[key] != want {
			t.Errorf("%s: not there it stands for %s, a run of now has %s; wanted %s", key, got, values[key], want)
		}
	}
	if got := Unsaid("model.points"); got != "'unit'" { // which is filled with spread since then
		t.Errorf("model.points: %s", got)
	}
}
