// Package shell writes words as a shell takes them, for commands that are printed to be copied.
package shell

import "strings"

// Quote returns a word as a shell takes it: itself, or in single quotes.
func Quote(word string) string {
	if word != "" && strings.IndexFunc(word, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("_-./=:,+@%", r) && r <= 127
	}) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
