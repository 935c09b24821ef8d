package question

import (
	"os"
	"path/filepath"
	"testing"
)

// The ids of lines of answers are read back, whatever characters they have.
func TestTextID(t *testing.T) {
	for id, want := range map[string]string{
		"1": "1", "League X": "League X", "naïve": "naïve", "": "", "it's": "it's", `a "b"`: `a "b"`,
		"a\tb": `"a\tb"`, "a\nb": `"a\nb"`, `"a"`: `"\"a\""`, `"`: `"\""`, "{a}": `"{a}"`, "\"a\tb": `"\"a\tb"`,
	} {
		text := TextID(id)
		if text != want {
			t.Errorf("%q: %s, wanted %s", id, text, want)
		}
		path := filepath.Join(t.TempDir(), "answers")
		if err := os.WriteFile(path, []byte(text+"\tA B\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		if ids, err := ReadDone(path); err != nil || len(ids) != 1 || !ids[id] {
			t.Errorf("%q: read as %v, %v", id, ids, err)
		}
	}
}
