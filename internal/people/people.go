// Package people words errors for people at a terminal.
package people

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"
)

// Text is what a person reads of an error whose text, perhaps with hints, is given. Of a system's error
// it says the path and what is wrong with it, not the call that met it. It has no control character of a
// name or a file, which a terminal would obey. args are those of the command line: one that holds an end
// of a line stays in its line.
func Text(err error, text string, args []string) string {
	eachPathError(err, func(pe *fs.PathError) {
		text = strings.ReplaceAll(text, pe.Error(), pathText(pe))
	})
	for _, arg := range args {
		if strings.ContainsAny(arg, "\n\t") {
			text = strings.ReplaceAll(text, arg, visible(arg, ""))
		}
	}
	return visible(text, "\n\t")
}

// eachPathError calls f with each error about a path in the tree of err.
func eachPathError(err error, f func(*fs.PathError)) {
	switch e := err.(type) { //nolint:errorlint // this walks the tree
	case *fs.PathError:
		f(e)
	case *os.LinkError:
		f(&fs.PathError{Op: e.Op, Path: e.Old + " " + e.New, Err: e.Err}) // it prints as the other does
	case interface{ Unwrap() error }:
		if inner := e.Unwrap(); inner != nil {
			eachPathError(inner, f)
		}
	case interface{ Unwrap() []error }:
		for _, inner := range e.Unwrap() {
			eachPathError(inner, f)
		}
	}
}

// longestPath is how many bytes of a path are printed.
const longestPath = 200

// pathText says what is wrong with a path.
func pathText(pe *fs.PathError) string {
	name := pe.Path
	if len(name) > longestPath {
		name = strings.ToValidUTF8(name[:60], "") + "…"
	}
	if name = visible(name, ""); strings.TrimSpace(name) != name || name == "" {
		name = strconv.Quote(name)
	}
	switch {
	case errors.Is(pe.Err, syscall.EISDIR):
		return name + ": is a folder, wanted a file"
	case errors.Is(pe.Err, syscall.ENOTDIR):
		// The part of the path that is a file.
		for part := filepath.Clean(pe.Path); ; part = filepath.Dir(part) {
			if info, err := os.Stat(part); err == nil && !info.IsDir() {
				return visible(part, "") + ": is a file, wanted a folder"
			} else if part == filepath.Dir(part) {
				break
			}
		}
	}
	return name + ": " + pe.Err.Error()
}

// visible writes control characters but those of kept, and what is not UTF-8, by their numbers.
func visible(text, kept string) string {
	if utf8.ValidString(text) && strings.IndexFunc(text, func(r rune) bool { return unicode.IsControl(r) && !strings.ContainsRune(kept, r) }) < 0 {
		return text
	}
	var b strings.Builder
	for i, r := range text {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD"):
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case unicode.IsControl(r) && !strings.ContainsRune(kept, r):
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
