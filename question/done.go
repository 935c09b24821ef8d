package question

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"unicode"

	"github.com/riffle-ml/riffle/internal/hint"
)

// ReadDone reads the ids of the sets that a file of answers has. Its lines are JSON with an "id"
// or, as riffle order prints them, begin with the id and a tab. A line that was cut off is an
// error, since what is written behind it would be lost. A file that is not there yet has no ids.
func ReadDone(path string) (ids map[string]bool, err error) {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return map[string]bool{}, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read from
	ids = map[string]bool{}
	in := bufio.NewReader(f)
	for number := 1; ; number++ {
		line, err := in.ReadString('\n')
		if errors.Is(err, io.EOF) && line == "" {
			return ids, nil
		}
		cut := errors.Is(err, io.EOF)
		if err != nil && !cut {
			return nil, fmt.Errorf("%s:%d: %w", path, number, err)
		}
		id, ok := answeredID(line)
		if cut || !ok {
			what := "is no answer: wanted a line of JSON with an id, or an id and a tab"
			if cut {
				what = "is cut off"
			}
			return nil, hint.Errorf("take that line away", "%s:%d: %s (begins with %.40q)", path, number, what, line)
		}
		ids[id] = true
	}
}

// TextID is an id as lines of answers begin with it: as it is, but quoted as Go quotes texts where it has a control
// character, such as a tab, or begins with a quote or a brace. [ReadDone] reads it back.
func TextID(id string) string {
	if strings.ContainsFunc(id, unicode.IsControl) || strings.HasPrefix(id, `"`) || strings.HasPrefix(id, "{") {
		return strconv.Quote(id)
	}
	return id
}

func answeredID(line string) (id string, ok bool) {
	if quoted, err := strconv.QuotedPrefix(line); err == nil && line[0] == '"' && strings.HasPrefix(line[len(quoted):], "\t") {
		id, err = strconv.Unquote(quoted)
		return id, err == nil
	}
	if !strings.HasPrefix(line, "{") {
		id, _, ok = strings.Cut(line, "\t")
		return id, ok
	}
	var answer struct {
		ID *string `json:"id"`
	}
	if json.Unmarshal([]byte(line), &answer) != nil || answer.ID == nil {
		return "", false
	}
	return *answer.ID, true
}
