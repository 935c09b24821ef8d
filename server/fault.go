package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/riffle-ml/riffle/internal/hint"
	"github.com/riffle-ml/riffle/learn"
)

// fault is an error with its HTTP status. Reason is one word for programs.
type fault struct {
	status int
	reason string
	error
}

// Unwrap returns what is wrong.
func (f *fault) Unwrap() error { return f.error }

func faultf(status int, reason, format string, args ...any) *fault {
	return &fault{status, reason, fmt.Errorf(format, args...)}
}

// help gives a fault a hint.
func (f *fault) help(text string) *fault {
	f.error = hint.With(f.error, text)
	return f
}

// malformed is for a body that is not what its type says.
func malformed(format string, args ...any) *fault {
	return faultf(http.StatusBadRequest, "body", format, args...)
}

// tooLarge is for what is over a limit.
func tooLarge(limit, format string, args ...any) *fault {
	return faultf(http.StatusRequestEntityTooLarge, limit, format, args...)
}

// unfit is for a request that is well formed but has no answer.
func unfit(reason, format string, args ...any) *fault {
	return faultf(http.StatusUnprocessableEntity, reason, format, args...)
}

// busy is for what may go well a little later.
func busy(reason, format string, args ...any) *fault {
	return faultf(http.StatusTooManyRequests, reason, format, args...)
}

var errStopping = faultf(http.StatusServiceUnavailable, "stopping", "the server is stopping")

// faultBody is what an error looks like on the wire.
type faultBody struct {
	Error struct {
		Status  int    `json:"status"`
		Reason  string `json:"reason"`
		Message string `json:"message"`
		Hint    string `json:"hint,omitempty"`
	} `json:"error"`
}

// asFault finds the fault in an error, or makes one of a refusal. Any other error is the server's
// own. The message is that of the whole error, with what wraps the fault.
func asFault(err error) *fault {
	if f, ok := errors.AsType[*fault](err); ok {
		return &fault{f.status, f.reason, err}
	}
	if r, ok := errors.AsType[*learn.Refusal](err); ok {
		switch r.Kind {
		case learn.Usage:
			return &fault{http.StatusUnprocessableEntity, "field", err}
		case learn.Unfit:
			return &fault{http.StatusUnprocessableEntity, r.Option, err}
		case learn.TooMuch:
			return &fault{http.StatusRequestEntityTooLarge, r.Option, err}
		}
	}
	return faultf(http.StatusInternalServerError, "internal", "the server failed; its log says why")
}

// mostSaid is how long a message may be. What is wrong with a request may quote any length of it.
const mostSaid = 2000

// short is a message, cut where it is too long.
func short(message string) string {
	if len(message) <= mostSaid {
		return message
	}
	return strings.ToValidUTF8(message[:mostSaid], "") + " …"
}

// refuse writes an error.
func refuse(w http.ResponseWriter, err error) {
	f := asFault(err)
	var b faultBody
	b.Error.Status, b.Error.Reason, b.Error.Message = f.status, f.reason, short(f.Error())
	b.Error.Hint = short(strings.Join(hint.Of(f), "; "))
	switch f.status {
	case http.StatusTooManyRequests:
		w.Header().Set("Retry-After", "1")
	case http.StatusUnauthorized:
		w.Header().Set("WWW-Authenticate", `Bearer realm="riffle"`)
	case http.StatusRequestEntityTooLarge: // what is left of the body is not read
		w.Header().Set("Connection", "close")
	}
	reply(w, f.status, b)
}

// reply writes JSON.
func reply(w http.ResponseWriter, status int, v any) {
	data, err := json.Marshal(v)
	if err != nil { // of what cannot be written no part is
		refuse(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(data, '\n'))
}
