package main

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/png"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/riffle-ml/riffle/dataset"
)

// turnedPNG is a file whose pixels are stored so that EXIF's orientation o shows the picture. Without the
// tag it is one that a program which takes no notice of EXIF sees.
func turnedPNG(t *testing.T, shown image.Image, o int, tag bool) []byte {
	t.Helper()
	h, w := shown.Bounds().Dy(), shown.Bounds().Dx()
	rows, cols := h, w
	if o >= 5 {
		rows, cols = w, h
	}
	stored := image.NewRGBA(image.Rect(0, 0, cols, rows))
	for y := range h {
		for x := range w {
			// Row and column of what is shown at y, x, by the standard's table.
			at := [8][2]int{{y, x}, {y, cols - 1 - x}, {rows - 1 - y, cols - 1 - x}, {rows - 1 - y, x}, {x, y}, {rows - 1 - x, y}, {rows - 1 - x, cols - 1 - y}, {x, cols - 1 - y}}[o-1]
			stored.Set(at[1], at[0], shown.At(shown.Bounds().Min.X+x, shown.Bounds().Min.Y+y))
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, stored); err != nil {
		t.Fatal(err)
	}
	if !tag {
		return b.Bytes()
	}
	// A TIFF directory of one entry: tag 0x0112, a SHORT, once.
	chunk := append([]byte("eXIfMM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00"), byte(o), 0, 0, 0, 0, 0, 0)
	chunk = slices.Concat(binary.BigEndian.AppendUint32(nil, uint32(len(chunk)-4)), chunk, binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(chunk)))
	end := b.Len() - 12
	return slices.Concat(b.Bytes()[:end], chunk, b.Bytes()[end:])
}

// turnings are how the eight pictures of a folder are stored. "plain" is as they are shown.
// "turned" has the k-th as EXIF's orientation k + 1 says. "untold" is like that, but without the
// tag.
var turnings = map[string]func(t *testing.T, shown image.Image, k int) []byte{
	"plain":  func(t *testing.T, shown image.Image, _ int) []byte { return turnedPNG(t, shown, 1, false) },
	"turned": func(t *testing.T, shown image.Image, k int) []byte { return turnedPNG(t, shown, k+1, true) },
	"untold": func(t *testing.T, shown image.Image, k int) []byte { return turnedPNG(t, shown, k+1, false) },
}

// folders writes eight pictures as each of turnings has them.
func folders(t *testing.T, pictures []image.Image) map[string]string {
	t.Helper()
	dirs := map[string]string{}
	for name, stored := range turnings {
		dir := filepath.Join(t.TempDir(), "pictures")
		err := os.Mkdir(dir, 0o777)
		for k, p := range pictures {
			err = errors.Join(err, os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.png", k)), stored(t, p, k), 0o666))
		}
		if err != nil {
			t.Fatal(err)
		}
		dirs[name] = dir
	}
	return dirs
}

// holdTurned asks about what is plain, turned and untold. The first two have one answer, and the last, which
// shows that the door could tell, another.
func holdTurned(t *testing.T, door string, ask func(name string) string) {
	t.Helper()
	plain := ask("plain")
	if got := ask("turned"); got != plain {
		t.Errorf("%s: pictures that EXIF turns have the answer\n%.400s\nwanted\n%.400s", door, got, plain)
	}
	if ask("untold") == plain {
		t.Errorf("%s: pictures that are stored turned have the answer of those that are not, which shows nothing", door)
	}
}

// answered is what a command prints.
func answered(t *testing.T, args ...string) string {
	t.Helper()
	if args[0] != "objects" { // which needs none
		args = append(args, "--engine", "go")
	}
	var out, notes strings.Builder
	if code := run(args, &out, &notes); code != 0 {
		t.Fatalf("riffle %s: exit code %d\n%s", strings.Join(args, " "), code, &notes)
	}
	return out.String()
}

// eightNumbers are pictures of examples/numbers, some of them again.
func eightNumbers(t *testing.T) (all []image.Image) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "examples", "numbers", "*.png"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for k := range 8 {
		p, err := dataset.LoadImage(t.Context(), files[k%len(files)])
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p.Image())
	}
	return all
}

// Pictures to sort are seen as EXIF says, whichever of its eight orientations they have, in every door.
func TestTurnedPictures(t *testing.T) {
	model := filepath.Join("..", "..", "models", "sort")
	dirs := folders(t, eightNumbers(t))
	lists := map[string]string{} // of the same pictures, in lines of JSON
	requests := map[string]string{}
	for name, dir := range dirs {
		var items, images []map[string]any
		for k := range 8 {
			file := filepath.Join(dir, fmt.Sprintf("%d.png", k))
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			items = append(items, map[string]any{"image": filepath.Base(file)})
			images = append(images, map[string]any{"id": filepath.Base(file), "image": base64.StdEncoding.EncodeToString(data)})
		}
		for text, of := range map[*map[string]string][]map[string]any{&lists: items, &requests: images} {
			line, err := json.Marshal(map[string]any{"id": "eight", "items": of, "order": identity(8)})
			if err != nil {
				t.Fatal(err)
			}
			(*text)[name] = string(line)
		}
		lists[name] = writingIn(t, dir, "sets.jsonl", lists[name]+"\n")
	}
	for door, ask := range map[string]func(name string) string{
		"order":        func(name string) string { return answered(t, "order", model, dirs[name], "--top", "2", "--json") },
		"order JSONL":  func(name string) string { return answered(t, "order", model, lists[name], "--top", "2", "--json") },
		"sample":       func(name string) string { return answered(t, "sample", model, dirs[name], "--count", "100", "--json") },
		"sample JSONL": func(name string) string { return answered(t, "sample", model, lists[name], "--count", "100", "--json") },
		"score JSONL":  func(name string) string { return answered(t, "score", model, lists[name], "--draws", "8", "--json") },
		"objects": func(name string) string {
			file := filepath.Join(t.TempDir(), "o.safetensors")
			answered(t, "objects", model, dirs[name], file)
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			return string(data)
		},
	} {
		holdTurned(t, door, ask)
	}
	d := openDoors(t, model)
	for _, command := range []string{"order", "sample", "score"} {
		extra := map[string]string{"order": `, "top": 2`, "sample": `, "count": 100`, "score": `, "draws": 8`}[command]
		holdTurned(t, "serve "+command, func(name string) string {
			return d.answer(t, "/v1/"+command, `{"sets": [`+requests[name]+`]`+extra+`}`)
		})
	}
}

// answer is what the server says.
func (d *doors) answer(t *testing.T, path, body string) string {
	t.Helper()
	r, err := http.Post(d.url+path, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	var text bytes.Buffer
	if _, err := text.ReadFrom(r.Body); err != nil || r.StatusCode != http.StatusOK {
		t.Fatal(r.StatusCode, err, text.String())
	}
	return text.String()
}

// writingIn writes a file into a folder.
func writingIn(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// So are pictures and tiles to put together, and photos to train on and to be judged by.
func TestTurnedPuzzles(t *testing.T) {
	model := filepath.Join("..", "..", "models", "puzzle")
	seven, err := dataset.LoadImage(t.Context(), filepath.Join("..", "..", "examples", "seven.png"))
	if err != nil {
		t.Fatal(err)
	}
	d := openDoors(t, model)
	for o := 2; o <= 8; o++ {
		files := map[string][]byte{}
		for name, stored := range turnings {
			files[name] = stored(t, seven.Image(), o-1)
		}
		dir := t.TempDir()
		path := func(name string) string { // all of one name, which is in the answer
			return writingIn(t, dir, "seven.png", string(files[name]))
		}
		out := filepath.Join(dir, "out.png")
		for door, ask := range map[string]func(name string) string{
			"order --grid": func(name string) string {
				text := answered(t, "order", model, path(name), "--grid", "2x2", "--json", "--out", out)
				p, err := os.ReadFile(out)
				if err != nil {
					t.Fatal(err)
				}
				return text + string(p)
			},
			"sample --grid": func(name string) string {
				return answered(t, "sample", model, path(name), "--grid", "2x2", "--count", "200", "--json")
			},
			"serve": func(name string) string {
				return d.answer(t, "/v1/puzzle", `{"picture": "`+base64.StdEncoding.EncodeToString(files[name])+`", "rows": 2, "columns": 2, "top": 24}`)
			},
		} {
			holdTurned(t, fmt.Sprintf("%s, orientation %d", door, o), ask)
		}
	}

	tiles, err := seven.Cut(2, 4)
	if err != nil {
		t.Fatal(err)
	}
	var cut []image.Image
	for _, tile := range tiles {
		cut = append(cut, tile.Image())
	}
	dirs := folders(t, cut)
	out := filepath.Join(t.TempDir(), "out.png")
	if tiles[0].Rows == tiles[0].Cols { // tiles of other sizes are refused
		t.Fatal("tiles are square: they could be taken as they are stored")
	}
	if plain, turned := answered(t, "order", model, dirs["plain"], "--grid", "2x4", "--json", "--out", out), answered(t, "order", model, dirs["turned"], "--grid", "2x4", "--json", "--out", out); plain != turned {
		t.Errorf("order --grid of a folder: %s, wanted %s", turned, plain)
	}

	// Photos: the losses of a training, and the figures of a judgement, are those of the pictures as they are shown.
	var photos []image.Image
	for k := range 8 {
		path := filepath.Join(t.TempDir(), "scene.png")
		if err := writeScene(path, 230+k, 260); err != nil {
			t.Fatal(err)
		}
		p, err := dataset.LoadImage(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		photos = append(photos, p.Image())
	}
	dirs = folders(t, photos)
	trained := func(name string) (log, run string) {
		run = filepath.Join(t.TempDir(), "run")
		answered(t, "train", filepath.Join("testdata", "jigsaw.toml"), "--steps", "4", "--quiet", "--out", run, "--set", "task.data="+dirs[name])
		text, err := os.ReadFile(filepath.Join(run, "metrics.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if !strings.HasPrefix(line, `{"event"`) {
				log += line
			}
		}
		return log, run
	}
	holdTurned(t, "train", func(name string) string { log, _ := trained(name); return log })
	_, run := trained("plain")
	holdTurned(t, "eval", func(name string) string { // photos are read once a process
		for k := range photos {
			file := fmt.Sprintf("%d.png", k)
			data, err := os.ReadFile(filepath.Join(dirs[name], file))
			if err != nil {
				t.Fatal(err)
			}
			if name != "plain" {
				writingIn(t, dirs["plain"], file, string(data))
			}
		}
		text, err := exec.CommandContext(t.Context(), "riffle", "eval", run, "--json", "--engine", "go").Output()
		var r map[string]any
		if err := errors.Join(err, json.Unmarshal(text, &r)); err != nil {
			t.Fatal(err)
		}
		delete(r, "seconds")
		delete(r, "sets_per_second")
		return fmt.Sprint(r)
	})
}
