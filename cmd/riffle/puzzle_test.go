package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/riffle-ml/riffle/constraint"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/question"
)

// All draws of a picture obey, and the picture that is put together does too. They do so with the
// grid that the model knows and with another, under each kind of rule.
func TestPuzzleObeys(t *testing.T) {
	model, seven := filepath.Join("..", "..", "models", "puzzle"), filepath.Join("..", "..", "examples", "seven.png")
	for _, c := range []struct {
		grid  string
		rules []string
		set   constraint.Rules
	}{
		{"2x2", []string{"--pin", "0=2"}, constraint.Rules{Pins: []constraint.Place{{Item: 0, Position: 2}}}},
		{"2x2", []string{"--forbid", "0=0", "--forbid", "3=3"}, constraint.Rules{Forbids: []constraint.Place{{Item: 0, Position: 0}, {Item: 3, Position: 3}}}},
		{"2x2", []string{"--before", "3,1,0"}, constraint.Rules{Befores: []constraint.Before{{A: 3, B: 1}, {A: 1, B: 0}}}},
		{"2x2", []string{"--first", "2:2,3"}, constraint.Rules{Firsts: []constraint.Among{{Items: []int{2, 3}, Count: 2}}}},
		{"3x3", []string{"--crop", "--pin", "8=0", "--forbid", "4=4", "--before", "7,1", "--first", "3:5"}, constraint.Rules{
			Pins: []constraint.Place{{Item: 8, Position: 0}}, Forbids: []constraint.Place{{Item: 4, Position: 4}},
			Befores: []constraint.Before{{A: 7, B: 1}}, Firsts: []constraint.Among{{Items: []int{5}, Count: 3}},
		}},
	} {
		ask := func(into any, args ...string) {
			t.Helper()
			args = append(append(args, "--grid", c.grid, "--json", "--engine", "go"), c.rules...)
			var stdout, stderr strings.Builder
			if code := run(args, &stdout, &stderr); code != 0 {
				t.Fatalf("riffle %s: exit code %d\n%s", strings.Join(args, " "), code, &stderr)
			}
			if err := json.Unmarshal([]byte(stdout.String()), into); err != nil {
				t.Fatal(err)
			}
		}
		var drawn question.Sampled
		ask(&drawn, "sample", model, seven, "--count", "100")
		var restored puzzleResult
		ask(&restored, "order", model, seven, "--out", filepath.Join(t.TempDir(), "seven.png"))
		if len(drawn.Samples) != 100 {
			t.Errorf("%v: %d draws, wanted 100", c.rules, len(drawn.Samples))
		}
		for _, o := range append([]perm.Order{restored.Order}, drawn.Samples...) {
			if err := o.Validate(); err != nil {
				t.Fatal(err)
			}
			if err := c.set.Check(o); err != nil {
				t.Errorf("%v: order %v: %v", c.rules, o, err)
			}
		}
	}
}

// A phone's picture has 640 × 427 pixels as it is stored, and EXIF turns it by 90°. It is put
// together as a viewer shows it: 426 × 640, cropped for two columns.
func TestPuzzleOrientation(t *testing.T) {
	stored, err := os.ReadFile(filepath.Join("..", "..", "examples", "photos", "rocket.jpg"))
	if err != nil {
		t.Fatal(err)
	}
	// A segment APP1 of 34 bytes: a TIFF directory of one entry, tag 0x0112, a SHORT, 6.
	exif := "\xff\xe1\x00\x22Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00\x06\x00\x00\x00\x00\x00\x00"
	dir := t.TempDir()
	phone, out := filepath.Join(dir, "phone.jpg"), filepath.Join(dir, "b.png")
	if err := os.WriteFile(phone, slices.Concat(stored[:2], []byte(exif), stored[2:]), 0o666); err != nil {
		t.Fatal(err)
	}
	args := []string{"order", filepath.Join("..", "..", "models", "puzzle"), phone, "--grid", "2x2", "--shuffle", "1", "--crop", "--out", out, "--engine", "go"}
	var stdout, stderr strings.Builder
	if code := run(args, &stdout, &stderr); code != 0 {
		t.Fatalf("riffle %s: exit code %d\n%s", strings.Join(args, " "), code, &stderr)
	}
	p, err := dataset.LoadImage(t.Context(), out)
	if err != nil || p.Cols != 426 || p.Rows != 640 {
		t.Errorf("%v, %d × %d pixels, wanted 426 × 640", err, p.Cols, p.Rows)
	}
}
