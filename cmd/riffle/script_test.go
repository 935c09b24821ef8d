package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/riffle-ml/riffle/dataset"
	runs "github.com/riffle-ml/riffle/run"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"riffle": main, "deaf": deaf})
}

// deaf is a program that ends by itself only long after the first Ctrl-C, and then well. It
// makes the file ready where it can be interrupted, and the file told at the first.
func deaf() {
	ctx, stop := interruptible()
	defer stop()
	for _, name := range []string{"ready", "told"} {
		if err := os.WriteFile(name, nil, 0o666); err != nil {
			panic(err)
		}
		<-ctx.Done()
	}
	time.Sleep(20 * time.Second)
}

// TestScripts runs testdata/script. Beside the usual commands of testscript, a script has
// those of scriptCommands, and these runs, trained once and copied for each script:
//
//	delta    one permutation of 5, 40 steps, on the go engine
//	jigsaw   pieces of the picture photos/scene.png in four tiles, 30 steps
//	sort     three one-digit MNIST numbers, 30 steps; only under [mnist]
//
// with their configurations delta.toml, jigsaw.toml and sort.toml.
func TestScripts(t *testing.T) {
	mnist, noMNIST := dataset.FindMNIST()
	if noMNIST != nil {
		t.Logf("what needs MNIST is left out: %v", noMNIST)
	}
	base := t.TempDir()
	photos := filepath.Join(base, "photos")
	if err := os.Mkdir(photos, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := writeScene(filepath.Join(photos, "scene.png"), 260, 320); err != nil {
		t.Fatal(err)
	}
	trained := []string{"delta", "jigsaw"}
	if noMNIST == nil {
		trained = append(trained, "sort")
	}
	for _, name := range trained {
		config := filepath.Join("testdata", name+".toml")
		args := []string{"train", config, "--out", filepath.Join(base, name), "--engine", "go", "--quiet"}
		switch name {
		case "sort":
			args = append(args, "--set", "task.data="+mnist)
		case "jigsaw":
			args = append(args, "--set", "task.data="+photos)
		}
		var stderr strings.Builder
		if code := run(args, io.Discard, &stderr); code != 0 {
			t.Fatalf("riffle %s: exit code %d\n%s", strings.Join(args, " "), code, &stderr)
		}
	}
	testscript.Run(t, testscript.Params{
		Dir:                filepath.Join("testdata", "script"),
		Cmds:               scriptCommands,
		RequireUniqueNames: true,
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "mnist":
				return noMNIST == nil, nil
			case "root":
				return os.Geteuid() == 0, nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("XDG_DATA_HOME", filepath.Join(env.WorkDir, "data"))
			env.Setenv("GOMLX_BACKEND", "go")
			env.Setenv("MNIST", mnist)
			for _, name := range trained {
				if err := os.CopyFS(filepath.Join(env.WorkDir, name), os.DirFS(filepath.Join(base, name))); err != nil {
					return err
				}
			}
			env.Setenv("PHOTOS", photos)
			for _, name := range []string{"delta.toml", "jigsaw.toml", "sort.toml"} {
				data, err := os.ReadFile(filepath.Join("testdata", name))
				if err == nil {
					err = os.WriteFile(filepath.Join(env.WorkDir, name), data, 0o666)
				}
				if err != nil {
					return err
				}
			}
			return nil
		},
	})
}

var scriptCommands = map[string]func(ts *testscript.TestScript, neg bool, args []string){
	// fails CODE ARG…: riffle ARG… ends with this code and prints no result.
	"fails": func(ts *testscript.TestScript, _ bool, args []string) {
		want, err := strconv.Atoi(args[0])
		ts.Check(err)
		err = ts.Exec("riffle", args[1:]...)
		got := 0
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			got = exit.ExitCode()
		} else {
			ts.Check(err)
		}
		if got != want {
			ts.Fatalf("riffle %s: exit code %d, wanted %d", strings.Join(args[1:], " "), got, want)
		}
		if out := ts.ReadFile("stdout"); out != "" {
			ts.Fatalf("riffle %s failed but printed a result:\n%s", strings.Join(args[1:], " "), out)
		}
	},
	// json FILE COUNT KEY…: FILE holds COUNT objects, alone, on lines or in a list, each
	// with exactly these keys; one that ends in ? may be absent.
	"json": func(ts *testscript.TestScript, _ bool, args []string) {
		objects := jsonObjects(ts, args[0])
		if want := args[1]; fmt.Sprint(len(objects)) != want {
			ts.Fatalf("%s: %d objects, wanted %s", args[0], len(objects), want)
		}
		for _, o := range objects {
			allowed := map[string]bool{}
			for _, key := range args[2:] {
				name, optional := strings.CutSuffix(key, "?")
				allowed[name] = true
				if _, there := o[name]; !there && !optional {
					ts.Fatalf("%s: no key %q, only %v", args[0], name, slices.Sorted(maps.Keys(o)))
				}
			}
			for key := range o {
				if !allowed[key] {
					ts.Fatalf("%s: key %q is not wanted", args[0], key)
				}
			}
		}
	},
	// samejson A B KEY…: A and B hold equal objects, numbers to 1e-5, but for these keys.
	"samejson": func(ts *testscript.TestScript, neg bool, args []string) {
		a, b := jsonObjects(ts, args[0]), jsonObjects(ts, args[1])
		for _, objects := range [][]map[string]any{a, b} {
			for _, o := range objects {
				for _, key := range args[2:] {
					delete(o, key)
				}
			}
		}
		if cmp.Equal(a, b, cmpopts.EquateApprox(0, 1e-5)) == neg {
			ts.Fatalf("%s and %s: equal is %v\n%v\n%v", args[0], args[1], !neg, a, b)
		}
	},
	// samesteps A B: the logs A and B have the same training steps, byte for byte.
	"samesteps": func(ts *testscript.TestScript, neg bool, args []string) {
		var logs [2]string
		for i := range logs {
			for line := range strings.Lines(ts.ReadFile(args[i])) {
				if !strings.HasPrefix(line, `{"event"`) {
					logs[i] += line
				}
			}
		}
		if logs[0] == "" || (logs[0] == logs[1]) == neg {
			ts.Fatalf("steps of %s and %s: equal is %v\n%s\n%s", args[0], args[1], !neg, logs[0], logs[1])
		}
	},
	// pictures DIR N: makes the images 1.png … N.png, 28 pixels high, grey, in a new DIR.
	"pictures": func(ts *testscript.TestScript, _ bool, args []string) {
		n, err := strconv.Atoi(args[1])
		ts.Check(err)
		ts.Check(os.MkdirAll(ts.MkAbs(args[0]), 0o777))
		rng := rand.New(rand.NewPCG(1, 1))
		for i := range n {
			m := image.NewGray(image.Rect(0, 0, 28, 28))
			x, y := 4+rng.IntN(8), 4+rng.IntN(8)
			for k := range 14 { // a stroke across and one down
				m.SetGray(x+k, y+6, color.Gray{Y: 0xff})
				m.SetGray(x+rng.IntN(12), y+k, color.Gray{Y: 0xff})
			}
			f, err := os.Create(filepath.Join(ts.MkAbs(args[0]), fmt.Sprintf("%d.png", i+1)))
			ts.Check(err)
			ts.Check(errors.Join(png.Encode(f, m), f.Close()))
		}
	},
	// scene FILE ROWS COLUMNS: makes a colour picture of so many pixels.
	"scene": func(ts *testscript.TestScript, _ bool, args []string) {
		rows, err := strconv.Atoi(args[1])
		ts.Check(err)
		cols, err := strconv.Atoi(args[2])
		ts.Check(err)
		ts.Check(writeScene(ts.MkAbs(args[0]), rows, cols))
	},
	// tiles PICTURE DIR ROWS COLUMNS: cuts a picture into 1.png, 2.png, … in a new DIR.
	"tiles": func(ts *testscript.TestScript, _ bool, args []string) {
		p, err := dataset.LoadImage(context.Background(), ts.MkAbs(args[0]))
		ts.Check(err)
		rows, err := strconv.Atoi(args[2])
		ts.Check(err)
		cols, err := strconv.Atoi(args[3])
		ts.Check(err)
		tiles, err := p.Cut(rows, cols)
		ts.Check(err)
		ts.Check(os.MkdirAll(ts.MkAbs(args[1]), 0o777))
		for i, tile := range tiles {
			ts.Check(writePNG(filepath.Join(ts.MkAbs(args[1]), fmt.Sprintf("%d.png", i+1)), tile.Image()))
		}
	},
	// sametiles A B ROWS COLUMNS: two pictures of one size are of the same tiles, in any order.
	"sametiles": func(ts *testscript.TestScript, neg bool, args []string) {
		rows, err := strconv.Atoi(args[2])
		ts.Check(err)
		cols, err := strconv.Atoi(args[3])
		ts.Check(err)
		var all [2][]string
		for i := range all {
			p, err := dataset.LoadImage(context.Background(), ts.MkAbs(args[i]))
			ts.Check(err)
			tiles, err := p.Cut(rows, cols)
			ts.Check(err)
			for _, tile := range tiles {
				all[i] = append(all[i], fmt.Sprintf("%d×%d×%d:%s", tile.Rows, tile.Cols, tile.Channels, tile.Pix))
			}
			slices.Sort(all[i])
		}
		if slices.Equal(all[0], all[1]) == neg {
			ts.Fatalf("%s and %s: same tiles is %v", args[0], args[1], !neg)
		}
	},
	// flip FILE: turns one bit in the middle of FILE.
	"flip": func(ts *testscript.TestScript, _ bool, args []string) {
		data := []byte(ts.ReadFile(args[0]))
		data[len(data)/2] ^= 4
		ts.Check(os.WriteFile(ts.MkAbs(args[0]), data, 0o666))
	},
	// widen FILE: makes the network of a configuration wider.
	"widen": func(ts *testscript.TestScript, _ bool, args []string) {
		ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Replace(ts.ReadFile(args[0]), "dim = 8", "dim = 16", 1)), 0o666))
	},
	// cut FILE: leaves the first half of FILE.
	"cut": func(ts *testscript.TestScript, _ bool, args []string) {
		data := ts.ReadFile(args[0])
		ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(data[:len(data)/2]), 0o666))
	},
	// tensors A B: two safetensors files hold the same arrays.
	"tensors": func(ts *testscript.TestScript, _ bool, args []string) {
		a, _, err := runs.ReadTensors([]byte(ts.ReadFile(args[0])))
		ts.Check(err)
		b, _, err := runs.ReadTensors([]byte(ts.ReadFile(args[1])))
		ts.Check(err)
		if len(a) == 0 || !reflect.DeepEqual(a, b) {
			ts.Fatalf("%s and %s: the tensors differ", args[0], args[1])
		}
	},
	// madeby DIR ENGINE: has the run's last checkpoint say that this engine made it.
	"madeby": func(ts *testscript.TestScript, _ bool, args []string) {
		dir, err := runs.Resume(ts.MkAbs(args[0]))
		ts.Check(err)
		c, _, err := dir.LoadCheckpoint()
		ts.Check(err)
		c.State.Engine = args[1]
		ts.Check(errors.Join(dir.SaveCheckpoint(c), dir.Close()))
	},
	// await FILE: waits until FILE is there.
	"await": func(ts *testscript.TestScript, _ bool, args []string) {
		for range 60_000 {
			if _, err := os.Stat(ts.MkAbs(args[0])); err == nil {
				return
			}
			time.Sleep(time.Millisecond)
		}
		ts.Fatalf("%s: is not there after a minute", args[0])
	},
	// awaitlines FILE COUNT: waits until FILE has so many lines.
	"awaitlines": func(ts *testscript.TestScript, _ bool, args []string) {
		for range 60_000 {
			data, _ := os.ReadFile(ts.MkAbs(args[0]))
			if fmt.Sprint(strings.Count(string(data), "\n")) == args[1] {
				return
			}
			time.Sleep(time.Millisecond)
		}
		ts.Fatalf("%s: has not %s lines after a minute", args[0], args[1])
	},
	// picture FILE: FILE is a PNG or SVG picture, as its name says.
	"picture": func(ts *testscript.TestScript, _ bool, args []string) {
		data := ts.ReadFile(args[0])
		if filepath.Ext(args[0]) == ".svg" {
			if !strings.Contains(data, "<svg") || !strings.HasSuffix(strings.TrimSpace(data), "</svg>") {
				ts.Fatalf("%s is no whole SVG", args[0])
			}
			return
		}
		m, err := png.Decode(strings.NewReader(data))
		ts.Check(err)
		if m.Bounds().Dx() < 100 || m.Bounds().Dy() < 100 {
			ts.Fatalf("%s: size %v", args[0], m.Bounds())
		}
	},
}

// writeScene writes a picture with a bright sky and a hill, no two pixels' rows alike.
func writeScene(path string, rows, cols int) error {
	m := image.NewRGBA(image.Rect(0, 0, cols, rows))
	rng := rand.New(rand.NewPCG(5, 5))
	for y := range rows {
		for x := range cols {
			c := color.RGBA{uint8(80 + x*100/cols), uint8(120 + y*100/rows), 230, 255}
			if y > rows*2/3-(x*x/cols)%(rows/3) {
				c = color.RGBA{uint8(30 + rng.IntN(40)), uint8(90 + y*60/rows), 40, 255}
			}
			m.Set(x, y, c)
		}
	}
	return writePNG(path, m)
}

func writePNG(path string, m image.Image) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(png.Encode(f, m), f.Close())
}

func jsonObjects(ts *testscript.TestScript, file string) (objects []map[string]any) {
	dec := json.NewDecoder(strings.NewReader(ts.ReadFile(file)))
	for {
		var v any
		err := dec.Decode(&v)
		if err == io.EOF {
			return objects
		}
		ts.Check(err)
		list, ok := v.([]any)
		if !ok {
			list = []any{v}
		}
		for _, e := range list {
			o, ok := e.(map[string]any)
			if !ok {
				ts.Fatalf("%s: %v is no object", file, e)
			}
			objects = append(objects, o)
		}
	}
}
