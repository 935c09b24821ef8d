package learn

import (
	"fmt"
	"strings"
)

// RefusalKind says why a question has no answer.
type RefusalKind int

// The kinds of refusals.
const (
	Usage   RefusalKind = iota // an option has a value that no question may have
	Unfit                      // the question is well formed, and not one for this model or these sets
	TooMuch                    // it would take more than a limit allows
)

// Refusal says why a question has no answer. The command and the server say it in their words: a
// command line calls options by its flags.
type Refusal struct {
	Kind RefusalKind
	// Option is what is at fault. Of Usage it is the option, as fields of requests are called (top,
	// decode, beam, inner, symmetries, count, draws, …). Else it is what a question is made of
	// (model, sets, items, order, constraints, picture, …) or the limit (sets, items, work).
	Option string
	Wrong  string // see [Opt]
	Hint   string // what may help, "" for nothing
	cause  error
	flag   string // Wrong where options are flags, "" where it is the same
}

// Opt is the name of an option in [Refusal].Wrong. [Refusal.Calling] writes it as the command or
// the server calls it.
func Opt(option string) string { return mark + option }

const mark = "\x00"

// Refuse returns a [Refusal].
func Refuse(kind RefusalKind, option, format string, args ...any) *Refusal {
	err := fmt.Errorf(format, args...)
	return &Refusal{Kind: kind, Option: option, Wrong: err.Error(), cause: err}
}

// RefuseWord refuses a word that is none of those wanted. what says what the word names.
func RefuseWord(option, what, word, wanted string) *Refusal {
	return Refuse(Usage, option, "unknown %s %.100q, wanted %s", what, word, wanted).Flagged("unknown %s %.100q, wanted %s", Opt(option), word, wanted)
}

// Flagged gives it other words for where options are flags.
func (r *Refusal) Flagged(format string, args ...any) *Refusal {
	r.flag = fmt.Sprintf(format, args...)
	return r
}

// WithHint gives it a hint.
func (r *Refusal) WithHint(help string) *Refusal {
	r.Hint = help
	return r
}

func (r *Refusal) Error() string { return r.Calling("") }

// Calling is the error with a prefix before the names of options, such as that of flags.
func (r *Refusal) Calling(prefix string) string {
	text := strings.ReplaceAll(r.Wrong, mark, prefix)
	switch {
	case r.flag != "" && prefix != "":
		return strings.ReplaceAll(r.flag, mark, prefix)
	case r.Kind != Usage || strings.Contains(r.Wrong, Opt(r.Option)):
		return text
	case prefix == "":
		return r.Option + ": " + text
	}
	return prefix + r.Option + " " + text
}

// Help returns the hint.
func (r *Refusal) Help() string { return r.Hint }

// Unwrap returns what is wrong.
func (r *Refusal) Unwrap() error { return r.cause }

// InRange refuses a number out of 1 to most.
func InRange(option string, value, most int) error {
	if value < 1 || value > most {
		return Refuse(Usage, option, "must be 1 to %d (got %d)", most, value)
	}
	return nil
}

// SetError is an error of a set, which it names.
type SetError struct {
	ID string // what the set is called
	error
}

// Unwrap returns the error.
func (e *SetError) Unwrap() error { return e.error }

// InSet says of which set an error is; nil stays nil.
func InSet(id string, err error) error {
	if err == nil {
		return nil
	}
	return &SetError{id, fmt.Errorf("set %s: %w", id, err)}
}
