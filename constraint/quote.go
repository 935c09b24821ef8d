package constraint

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/riffle-ml/riffle/internal/hint"
)

// Quote writes a name so that it can be told from its neighbours in a list, and be given in a rule.
// Where it is empty or has a blank, a comma or a quotation mark, it is in quotation marks, those
// within twice, as CSV has it. Else it is as it is.
func Quote(name string) string {
	if name != "" && !strings.ContainsFunc(name, func(r rune) bool { return r == ',' || r == '"' || unicode.IsSpace(r) || unicode.IsControl(r) }) {
		return name
	}
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}

// QuoteAll is [Quote] of each name.
func QuoteAll(names []string) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = Quote(name)
	}
	return out
}

// word is an item as a rule has it: a name or a number, in quotation marks a name for certain.
type word struct {
	text   string
	quoted bool
}

var (
	errUnclosed = errors.New("a quotation mark is missing")
	errAfter    = errors.New("wanted a comma behind a quotation mark that closes; one within a name is written twice")
)

// words reads items with commas between.
func words(list string) (out []word, err error) {
	rest, more := list, true
	for more {
		var w word
		if start := strings.TrimLeftFunc(rest, unicode.IsSpace); strings.HasPrefix(start, `"`) {
			w.quoted = true
			if w.text, rest, err = unquote(start); err != nil {
				return nil, err
			}
			var behind string
			if behind, rest, more = strings.Cut(rest, ","); strings.TrimSpace(behind) != "" {
				return nil, errAfter
			}
		} else {
			w.text, rest, more = strings.Cut(rest, ",")
			if w.text = strings.TrimSpace(w.text); w.text == "" {
				return nil, errNoName
			}
		}
		out = append(out, w)
	}
	return out, nil
}

// unquote reads a text in quotation marks at the beginning of another.
func unquote(text string) (name, rest string, err error) {
	var b strings.Builder
	for rest = text[1:]; ; rest = rest[1:] {
		within, behind, closed := strings.Cut(rest, `"`)
		if !closed {
			return "", "", errUnclosed
		}
		b.WriteString(within)
		if rest = behind; !strings.HasPrefix(rest, `"`) {
			return b.String(), rest, nil
		}
		b.WriteByte('"')
	}
}

// single reads one item; a comma is part of its name, and so are quotation marks that are not
// around it, or that a name has.
func (r reader) single(text string) word {
	text = strings.TrimSpace(text)
	if _, whole := r.index[text]; !whole && strings.HasPrefix(text, `"`) {
		if name, rest, err := unquote(text); err == nil && rest == "" {
			return word{name, true}
		}
	}
	return word{text, false}
}

// mostCompared bounds the words that [reader.split] compares, so that names of many commas do not take long.
const mostCompared = 1 << 20

// split finds a name of several unquoted words with commas between: they may be meant as one.
func (r reader) split(list []word) error {
	compared := 0
	for from, w := range list {
		for _, name := range r.commas[w.text] {
			if w.quoted || len(name.list) > len(list)-from {
				continue
			}
			same := 1
			for same < len(name.list) && !list[from+same].quoted && list[from+same].text == name.list[same] {
				same++
			}
			if same == len(name.list) {
				k := name.item
				return hint.Errorf(fmt.Sprintf("write it as '%s', and items beside it in quotation marks too", Quote(r.names[k])), "a comma separates items, and %q is the name of one", r.names[k])
			}
			if compared += same; compared > mostCompared {
				return hint.Errorf("put all items in quotation marks", "too many names of items have commas to tell them from lists of items")
			}
		}
	}
	return nil
}
