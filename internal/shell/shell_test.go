package shell

import "testing"

func TestQuote(t *testing.T) {
	for word, want := range map[string]string{
		"runs/a-1.txt": "runs/a-1.txt", "größe": "größe", "": "''", "my runs": "'my runs'", "it's": `'it'\''s'`, "[0,9]": "'[0,9]'", "$HOME": "'$HOME'",
	} {
		if got := Quote(word); got != want {
			t.Errorf("%q is quoted as %s, wanted %s", word, got, want)
		}
	}
}
