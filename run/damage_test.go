package run

import (
	"slices"
	"strings"
	"testing"
)

// Whichever byte of a checkpoint changes, and wherever one of its files ends early, it is found,
// and the checkpoint before is used and said so.
func TestEveryDamageIsFound(t *testing.T) {
	d, m := testDir(t, 1, 2)
	check := func(name, how string, at int) {
		t.Helper()
		step, warnings := load(t, d)
		if step != 1 || len(warnings) != 1 || !strings.Contains(warnings[0], name) || !strings.HasSuffix(warnings[0], "; the checkpoint of step 1 is used instead") {
			t.Fatalf("%s: %s at %d: step %d, %q", name, how, at, step, warnings)
		}
	}
	for _, name := range []string{ModelFile, AdamMFile, AdamVFile, StateFile} {
		file := m.names[name]
		whole := file.data
		if len(whole) < 100 {
			t.Fatalf("%s: only %d bytes", name, len(whole))
		}
		for at := range len(whole) {
			for bit := range 8 {
				if name != StateFile && bit != at%8 { // their hash is all that guards them
					continue
				}
				file.data = slices.Clone(whole)
				file.data[at] ^= 1 << bit
				check(name, "a bit", 8*at+bit)
			}
			file.data = whole[:at]
			check(name, "an end", at)
		}
		file.data = whole
	}
	if step, warnings := load(t, d); step != 2 || warnings != nil {
		t.Errorf("whole again: step %d, %v", step, warnings)
	}
}
