package server

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// Every path of the document is served as it says, its examples are answered, and answers
// and errors fit their schemas. What is served is in the document.
func TestOpenAPI(t *testing.T) {
	_, web := start(t, nil, "delta", "jigsaw")
	var doc document
	if err := json.Unmarshal(openAPI, &doc); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for path, methods := range doc.Paths {
		for method, op := range methods {
			seen[strings.ToUpper(method)+" "+path] = true
			var r *http.Response
			var err error
			if method == "get" {
				r, err = web.Client().Get(web.URL + path) //nolint:bodyclose // by check
			} else {
				for kind, c := range op.RequestBody.Content {
					body, text := c.Example.(string)
					if !text {
						data, err := json.Marshal(c.Example)
						if err != nil {
							t.Fatal(err)
						}
						body = string(data)
					}
					if err := doc.fits(c.Schema, c.Example, path); err != nil {
						t.Errorf("the example: %v", err)
					}
					r, err = web.Client().Post(web.URL+path, kind, strings.NewReader(body)) //nolint:bodyclose // by check
					if err != nil {
						t.Fatal(err)
					}
				}
				// An empty body of the wrong type is an error of the documented form.
				bad, err := web.Client().Post(web.URL+path, "text/html", strings.NewReader(""))
				if err != nil {
					t.Fatal(err)
				}
				doc.check(t, op, bad, path, "415")
			}
			if err != nil {
				t.Fatal(err)
			}
			doc.check(t, op, r, path, "200")
		}
	}
	for _, route := range []string{"POST /v1/order", "POST /v1/sample", "POST /v1/score", "POST /v1/puzzle", "POST /v1/sets", "POST /v1/tour", "GET /v1/models", "GET /v1/openapi.json", "GET /healthz", "GET /readyz", "GET /metrics"} {
		if !seen[route] {
			t.Errorf("%s is not in the document", route)
		}
	}
	if len(seen) != 11 {
		t.Errorf("the document has %d operations, wanted 11", len(seen))
	}
}

type document struct {
	Paths      map[string]map[string]operation
	Components struct{ Schemas map[string]any }
}

type operation struct {
	RequestBody struct {
		Content map[string]struct {
			Schema  any
			Example any
		}
	}
	Responses map[string]struct {
		Content map[string]struct{ Schema any }
	}
}

// check holds a response against what the document says of its status.
func (d *document) check(t *testing.T, op operation, r *http.Response, path, status string) {
	t.Helper()
	defer r.Body.Close()
	data, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(r.StatusCode); got != status {
		t.Errorf("%s: status %s, wanted %s\n%s", path, got, status, data)
		return
	}
	kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	c, known := op.Responses[status].Content[kind]
	if !known {
		t.Errorf("%s: %s is not said to answer %s", path, status, kind)
		return
	}
	var v any = string(data)
	if kind == "application/json" {
		if err := json.Unmarshal(data, &v); err != nil {
			t.Errorf("%s: %v", path, err)
			return
		}
	}
	if err := d.fits(c.Schema, v, path); err != nil {
		t.Errorf("%v\n%s", err, data)
	}
}

// fits checks a value against a schema, by the keywords that the document uses. Any other keyword
// is an error, so that none is believed to be checked.
func (d *document) fits(schema, v any, at string) error {
	s := schema.(map[string]any)
	for key, x := range s {
		switch key {
		case "description":
		case "$ref":
			to, ok := d.Components.Schemas[strings.TrimPrefix(x.(string), "#/components/schemas/")]
			if !ok {
				return fmt.Errorf("%s: no schema %v", at, x)
			}
			if err := d.fits(to, v, at); err != nil {
				return err
			}
		case "type":
			types, several := x.([]any)
			if !several {
				types = []any{x}
			}
			if !slices.ContainsFunc(types, func(name any) bool { return is(v, name.(string)) }) {
				return fmt.Errorf("%s: %v is no %v", at, v, x)
			}
		case "enum":
			if !slices.Contains(x.([]any), v) {
				return fmt.Errorf("%s: %v is none of %v", at, v, x)
			}
		case "minimum":
			if v.(float64) < x.(float64) {
				return fmt.Errorf("%s: %v is less than %v", at, v, x)
			}
		case "maximum":
			if v.(float64) > x.(float64) {
				return fmt.Errorf("%s: %v is more than %v", at, v, x)
			}
		case "minItems", "maxItems":
			if n := float64(len(v.([]any))); key == "minItems" && n < x.(float64) || key == "maxItems" && n > x.(float64) {
				return fmt.Errorf("%s: has %v items, %s is %v", at, n, key, x)
			}
		case "items":
			for i, e := range v.([]any) {
				if err := d.fits(x, e, fmt.Sprintf("%s[%d]", at, i)); err != nil {
					return err
				}
			}
		case "required":
			for _, name := range x.([]any) {
				if _, there := v.(map[string]any)[name.(string)]; !there {
					return fmt.Errorf("%s: no %v", at, name)
				}
			}
		case "properties":
			for name, e := range v.(map[string]any) {
				if p, known := x.(map[string]any)[name]; known {
					if err := d.fits(p, e, at+"."+name); err != nil {
						return err
					}
				}
			}
		case "additionalProperties":
			for name := range v.(map[string]any) {
				if _, known := s["properties"].(map[string]any)[name]; !known {
					return fmt.Errorf("%s: %s is not in the schema", at, name)
				}
			}
		default:
			return fmt.Errorf("%s: the test does not know the keyword %s", at, key)
		}
	}
	return nil
}

func is(v any, name string) bool {
	switch v := v.(type) {
	case nil:
		return name == "null"
	case bool:
		return name == "boolean"
	case string:
		return name == "string"
	case float64:
		return name == "number" || name == "integer" && v == math.Trunc(v)
	case []any:
		return name == "array"
	case map[string]any:
		return name == "object"
	}
	return false
}
