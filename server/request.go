package server

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json/jsontext"
	json "encoding/json/v2"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/internal/nearest"
)

// parse reads a JSON object strictly: a field that is unknown or there twice is an error.
func parse(body []byte, into any) error {
	err := json.Unmarshal(body, into, json.RejectUnknownMembers(true))
	if err == nil {
		return nil
	}
	var semantic *json.SemanticError
	var syntax *jsontext.SyntacticError
	switch {
	case errors.Is(err, json.ErrUnknownName) && errors.As(err, &semantic):
		name := semantic.JSONPointer.LastToken()
		known := reflect.TypeOf(into).Elem()
		for token := range semantic.JSONPointer.Parent().Tokens() {
			for _, f := range reflect.VisibleFields(known) {
				if fieldName(f) == token {
					known = f.Type
					break
				}
			}
		}
		return unfit("field", "unknown field %.100q%s", name, nearest.Hint(strings.ToLower(name), fields(known)))
	case errors.As(err, &semantic):
		at := strings.ReplaceAll(strings.TrimPrefix(string(semantic.JSONPointer), "/"), "/", ".")
		if at == "" {
			at = "the body"
		}
		if errors.Is(err, errPoint) {
			return unfit("points", "%s: %w", at, errPoint)
		}
		return unfit("field", "%s: is %s, wanted %s", at, describeKind(semantic.JSONKind, semantic.GoType), describeType(semantic.GoType))
	case errors.As(err, &syntax):
		rest := bytes.TrimLeft(body[min(int(syntax.ByteOffset), len(body)):], " \t\r\n-+")
		for _, word := range []string{"NaN", "nan", "Infinity", "Inf", "inf"} {
			if bytes.HasPrefix(rest, []byte(word)) {
				return malformed("byte %d: is %s, wanted a finite number", syntax.ByteOffset, word)
			}
		}
		if !errors.Is(err, io.ErrUnexpectedEOF) {
			return malformed("byte %d: %v", syntax.ByteOffset, syntax.Err)
		}
	}
	return malformed("byte %d: the JSON ends early", len(body))
}

// fields lists the names of an object's fields.
func fields(object reflect.Type) (names []string) {
	for _, f := range reflect.VisibleFields(object) {
		if name := fieldName(f); name != "" && !f.Anonymous {
			names = append(names, name)
		}
	}
	return names
}

func fieldName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

func describeKind(k jsontext.Kind, wanted reflect.Type) string {
	switch k {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "text"
	case '0':
		switch describeType(wanted) {
		case "a finite number":
			return "a number out of range"
		case "an integer", "an integer, 0 or more":
			return "a number out of range or no integer"
		}
		return "a number"
	}
	return k.String()
}

func describeType(t reflect.Type) string {
	if t == nil {
		return "something else"
	}
	switch t.Kind() {
	case reflect.Struct:
		return "an object"
	case reflect.Slice:
		return "a list"
	case reflect.String:
		return "text"
	case reflect.Bool:
		return "true or false"
	case reflect.Float64:
		return "a finite number"
	case reflect.Uint64:
		return "an integer, 0 or more"
	case reflect.Pointer:
		return describeType(t.Elem())
	}
	return "an integer"
}

// model finds the model that a request names. Where there is only one, the request need not name
// it.
func (s *Server) model(name string) (*hosted, error) {
	if h := s.byName[name]; h != nil {
		return h, nil
	}
	var names []string
	for _, h := range s.models {
		names = append(names, h.name)
	}
	if name == "" {
		if len(s.models) == 1 {
			return s.models[0], nil
		}
		return nil, unfit("model", "model: is missing, wanted one of %s", strings.Join(names, ", "))
	}
	return nil, unfit("model", "model: there is no %.100q%s", name, nearest.Hint(name, names))
}

// sets reads a request's sets for a model and checks that it can take them.
func (s *Server) sets(ctx context.Context, values []jsontext.Value, info *Info, room *reserved) ([]*dataset.Set, error) {
	if err := s.limits.CheckSets(len(values)); err != nil {
		return nil, err
	}
	sets := make([]*dataset.Set, len(values))
	pixels := 0
	for i, v := range values {
		set, err := dataset.ParseSet(v, dataset.Options{Empty: true}) // the model says whether it takes empty features
		if err == nil {
			err = info.about.Fits(set, s.limits.Limits)
		}
		if err == nil && set.Kind == dataset.KindImage {
			for k := range set.Items {
				it := &set.Items[k]
				if it.Picture, err = s.picture(ctx, it.Image, &pixels, room); err != nil {
					err = fmt.Errorf("item %d: image: %w", k, err)
					break
				}
				it.Image = fmt.Sprintf("image %d", k) // what warnings call it
				if it.ID != "" {
					it.Image = it.ID
				}
			}
		}
		if err != nil {
			return nil, inSet(i, err)
		}
		if set.ID == "" { // as learn calls it, whatever it is batched with
			set.ID = fmt.Sprint(i + 1)
		}
		sets[i] = set
	}
	return sets, nil
}

// inSet says in which set a fault is. An error that is no fault yet becomes one of the set.
func inSet(i int, err error) error {
	if asFault(err).status == http.StatusInternalServerError {
		return unfit("set", "sets[%d]: %w", i, err)
	}
	return fmt.Errorf("sets[%d]: %w", i, err)
}

// picture decodes a PNG or JPEG file in base64, with or without "data:image/…;base64," before
// it. pixels counts those of the request.
func (s *Server) picture(ctx context.Context, text string, pixels *int, room *reserved) (*dataset.Picture, error) {
	const help = "the file itself, in base64; names of files and addresses are not read"
	if strings.HasPrefix(text, "data:") {
		head, rest, ok := strings.Cut(text, ",")
		if !ok || !strings.HasSuffix(head, ";base64") {
			return nil, unfit("picture", "wanted data:image/png;base64,… or data:image/jpeg;base64,…")
		}
		text = rest
	}
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(data) == 0 {
		return nil, unfit("picture", "is no base64").help(help)
	}
	rows, columns, format, err := dataset.PictureSize(bytes.NewReader(data))
	if err != nil || format != "png" && format != "jpeg" {
		return nil, unfit("picture", "is no PNG or JPEG").help(help)
	}
	left := s.limits.Pixels - *pixels
	if rows > left || columns > left/max(1, rows) {
		return nil, tooLarge("pixels", "has %d×%d pixels (rows×columns), wanted at most %d in a request", rows, columns, s.limits.Pixels)
	}
	*pixels += rows * columns
	if err := room.take(int64(rows*columns) * pixelBytes(format)); err != nil {
		return nil, err
	}
	p, err := dataset.DecodePicture(ctx, bytes.NewReader(data), s.limits.Pixels)
	if ctx.Err() != nil {
		return nil, s.late()
	}
	if err != nil {
		return nil, unfit("picture", "%w", err)
	}
	return p, nil
}
