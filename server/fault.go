package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// fault is an error with its HTTP status. Reason is one word for programs.
type fault struct {
	status  int
	reason  string
	message string
}

func (f *fault) Error() string { return f.message }

func faultf(status int, reason, format string, args ...any) *fault {
	return &fault{status, reason, fmt.Sprintf(format, args...)}
}

// malformed is for a body that is not what its type says.
func malformed(format string, args ...any) *fault {
	return faultf(http.StatusBadRequest, "body", format, args...)
}

// tooLarge is for what is over a limit.
func tooLarge(limit, format string, args ...any) *fault {
	return faultf(http.StatusRequestEntityTooLarge, limit, format, args...)
}

// unfit is for a request that is well formed and asks what has no answer.
func unfit(reason, format string, args ...any) *fault {
	return faultf(http.StatusUnprocessableEntity, reason, format, args...)
}

// busy is for what may go well a little later.
func busy(reason, format string, args ...any) *fault {
	return faultf(http.StatusTooManyRequests, reason, format, args...)
}

var errStopping = &fault{http.StatusServiceUnavailable, "stopping", "the server is stopping"}

// faultBody is what an error looks like on the wire.
type faultBody struct {
	Error struct {
		Status  int    `json:"status"`
		Reason  string `json:"reason"`
		Message string `json:"message"`
		Hint    string `json:"hint,omitempty"`
	} `json:"error"`
}

// asFault finds the fault in an error; any other is the server's own.
func asFault(err error) *fault {
	if f, ok := errors.AsType[*fault](err); ok {
		return f
	}
	return &fault{http.StatusInternalServerError, "internal", "the server failed; its log says why"}
}

// refuse writes an error.
func refuse(w http.ResponseWriter, err error) {
	f := asFault(err)
	var b faultBody
	b.Error.Status, b.Error.Reason = f.status, f.reason
	b.Error.Message, b.Error.Hint, _ = strings.Cut(f.message, "\nhint: ")
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
