//go:build unix

package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	runs "github.com/riffle-ml/riffle/run"
)

// stranger is a run directory that may come from anywhere.
type stranger struct {
	t   *testing.T
	dir string
	out string // a folder beside the run, which nothing may change
}

func (s *stranger) path(name string) string { return filepath.Join(s.dir, name) }

func (s *stranger) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *stranger) read(name string) []byte {
	s.t.Helper()
	data, err := os.ReadFile(s.path(name))
	s.must(err)
	return data
}

func (s *stranger) write(name string, data []byte) {
	s.t.Helper()
	s.must(os.MkdirAll(filepath.Dir(s.path(name)), 0o777))
	s.must(os.WriteFile(s.path(name), data, 0o666))
}

// link puts a link in the place of what is there.
func (s *stranger) link(name, to string) {
	s.t.Helper()
	s.must(os.RemoveAll(s.path(name)))
	s.must(os.MkdirAll(filepath.Dir(s.path(name)), 0o777))
	s.must(os.Symlink(to, s.path(name)))
}

func (s *stranger) pipe(name string) {
	s.t.Helper()
	s.must(os.RemoveAll(s.path(name)))
	s.must(os.MkdirAll(filepath.Dir(s.path(name)), 0o777))
	s.must(syscall.Mkfifo(s.path(name), 0o666))
}

// sparse makes a file of 20 GB that takes no room.
func (s *stranger) sparse(name string) {
	s.t.Helper()
	s.write(name, nil)
	s.must(os.Truncate(s.path(name), 20<<30))
}

// state changes state.json and makes its hashes right, those of the files included, as anybody can.
func (s *stranger) state(change func(state map[string]any)) {
	s.t.Helper()
	var state map[string]any
	s.must(json.Unmarshal(s.read(runs.StateFile), &state))
	hashes := state["sha256"].(map[string]any)
	for name := range hashes {
		if data, err := os.ReadFile(s.path(name)); err == nil {
			hashes[name] = fmt.Sprintf("%x", sha256.Sum256(data))
		}
	}
	if change != nil {
		change(state)
	}
	own := strings.Repeat("0", 64)
	hashes[runs.StateFile] = own
	text, err := json.Marshal(state)
	s.must(err)
	sum := sha256.Sum256(text)
	at := bytes.LastIndex(text, []byte(own))
	s.write(runs.StateFile, slices.Concat(text[:at], []byte(hex.EncodeToString(sum[:])), text[at+len(own):]))
}

// config changes a key of config.toml, and has the state say that this is what was trained.
func (s *stranger) config(key, value string) {
	s.t.Helper()
	table, name, _ := strings.Cut(key, ".")
	var out []string
	in, done := "", false
	for line := range strings.Lines(string(s.read(runs.ConfigFile))) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			if in == table && !done {
				out, done = append(out, name+" = "+value), true
			}
			in = strings.Trim(line, "[]")
		}
		if in == table && strings.HasPrefix(line, name+" = ") {
			line, done = name+" = "+value, true
		}
		out = append(out, line)
	}
	s.write(runs.ConfigFile, []byte(strings.Join(out, "\n")))
	s.state(func(state map[string]any) { delete(state, "config") })
}

// model changes the header of model.safetensors and what follows it.
func (s *stranger) model(change func(header map[string]any, names []string, body []byte) []byte) {
	s.t.Helper()
	data := s.read(runs.ModelFile)
	n := binary.LittleEndian.Uint64(data)
	var header map[string]any
	s.must(json.Unmarshal(data[8:8+n], &header))
	delete(header, "__metadata__")
	body := change(header, slices.Sorted(maps.Keys(header)), data[8+n:])
	text, err := json.Marshal(header)
	s.must(err)
	s.tensors(text, body)
}

// tensors writes a model.safetensors.
func (s *stranger) tensors(header, body []byte) {
	s.t.Helper()
	s.write(runs.ModelFile, slices.Concat(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header, body))
	s.state(nil)
}

func entry(header map[string]any, name string) map[string]any { return header[name].(map[string]any) }

// values puts one value into all weights.
func values(v float32) func(map[string]any, []string, []byte) []byte {
	return func(_ map[string]any, _ []string, body []byte) []byte {
		for i := 0; i < len(body); i += 4 {
			binary.LittleEndian.PutUint32(body[i:], math.Float32bits(v))
		}
		return body
	}
}

// strangers are what a run directory may hold that none of Riffle's does.
func strangers() map[string]func(s *stranger) {
	all := map[string]func(s *stranger){}
	for _, name := range []string{
		runs.ConfigFile, runs.StateFile, runs.ModelFile, runs.AdamMFile, runs.AdamVFile, runs.ItemsFile, runs.MetricsFile, runs.EvalFile,
		runs.ProbeFile, runs.CalibrationFile, ".lock", ".next/state.json", ".next/model.safetensors", "previous/state.json", "previous/model.safetensors",
	} {
		all["a link out at "+name] = func(s *stranger) { s.link(name, filepath.Join(s.out, "victim")) }
		all["a pipe at "+name] = func(s *stranger) { s.pipe(name) }
	}
	for _, name := range []string{runs.ConfigFile, runs.StateFile, runs.ModelFile, runs.ItemsFile, runs.MetricsFile, ".lock"} {
		all["/dev/zero at "+name] = func(s *stranger) { s.link(name, "/dev/zero") }
		all["a folder at "+name] = func(s *stranger) { s.must(os.RemoveAll(s.path(name))); s.must(os.Mkdir(s.path(name), 0o777)) }
	}
	for _, name := range []string{".next", "previous", runs.FiguresDir} {
		all["a link out at "+name] = func(s *stranger) { s.link(name, s.out) }
		all["a link to itself at "+name] = func(s *stranger) { s.link(name, ".") }
		all["a file at "+name] = func(s *stranger) { s.must(os.RemoveAll(s.path(name))); s.write(name, nil) }
	}
	for _, name := range []string{runs.ConfigFile, runs.StateFile, runs.ModelFile} {
		all["20 GB at "+name] = func(s *stranger) { s.sparse(name) }
		all["nothing in "+name] = func(s *stranger) { s.write(name, nil) }
	}
	all["a link of the same content"] = func(s *stranger) {
		s.must(os.Rename(s.path(runs.ModelFile), filepath.Join(filepath.Dir(s.dir), "model")))
		s.link(runs.ModelFile, "../model")
	}
	for _, name := range []string{"../out/victim", "/etc/passwd", "sub/model.safetensors", "..", "", "config.toml", ".lock", "model-1-of-2.safetensors", "model-00001-of-00002.safetensors/../../out/victim"} {
		all[fmt.Sprintf("the state names %q", name)] = func(s *stranger) {
			s.state(func(state map[string]any) { state["sha256"].(map[string]any)[name] = strings.Repeat("1", 64) })
		}
	}
	all["many parts"] = func(s *stranger) {
		s.state(func(state map[string]any) {
			for i := range 9000 {
				state["sha256"].(map[string]any)[fmt.Sprintf("model-%05d-of-09000.safetensors", i)] = strings.Repeat("1", 64)
			}
		})
	}
	all["parts that are not there"] = func(s *stranger) {
		s.state(func(state map[string]any) {
			hashes := state["sha256"].(map[string]any)
			delete(hashes, runs.ModelFile)
			for i := range 100 {
				hashes[fmt.Sprintf("model-%05d-of-00100.safetensors", i)] = strings.Repeat("1", 64)
			}
		})
	}
	for key, value := range map[string]any{"engine": "xla:/tmp/evil_plugin.so", "step": -5, "elapsed_seconds": -1e300, "skipped": 1 << 40} {
		all[fmt.Sprintf("%s is %v", key, value)] = func(s *stranger) { s.state(func(state map[string]any) { state[key] = value }) }
	}
	for key, value := range map[string]any{"step": "many", "sha256": []int{1}, "config": "x"} {
		all[fmt.Sprintf("the type of %s", key)] = func(s *stranger) {
			var state map[string]any
			s.must(json.Unmarshal(s.read(runs.StateFile), &state))
			state[key] = value
			text, err := json.Marshal(state)
			s.must(err)
			s.write(runs.StateFile, text)
		}
	}
	all["a deep state"] = func(s *stranger) { s.write(runs.StateFile, bytes.Repeat([]byte(`{"sha256":`), 90_000)) }
	all["a long state"] = func(s *stranger) { s.write(runs.StateFile, bytes.Repeat([]byte(" "), 2<<20)) }
	all["a deep configuration"] = func(s *stranger) {
		s.write(runs.ConfigFile, append([]byte("x = "), bytes.Repeat([]byte("["), 60_000)...))
	}
	all["a long configuration"] = func(s *stranger) { s.write(runs.ConfigFile, bytes.Repeat([]byte("#\n"), 1<<20)) }
	all["a configuration of many keys"] = func(s *stranger) { s.write(runs.ConfigFile, bytes.Repeat([]byte("a.b=1\n"), 10_000)) }
	all["wide embeddings"] = func(s *stranger) { s.config("model.dim", "65536") }
	all["wide layers"] = func(s *stranger) { s.config("model.feed_forward", "65536") }
	all["too wide embeddings"] = func(s *stranger) { s.config("model.dim", "2147483648") }
	all["many layers"] = func(s *stranger) { s.config("model.layers", "1099511627776") }
	all["some layers"] = func(s *stranger) { s.config("model.layers", "1000") }
	all["many objects"] = func(s *stranger) { s.config("task.n", "65536") }
	all["many features"] = func(s *stranger) { s.config("task.features", "1073741824") }
	all["some features"] = func(s *stranger) { s.config("task.features", "1000000") }
	all["many shuffles"] = func(s *stranger) { s.config("process.schedule", "[0, 9000000000000000000]") }
	all["a long schedule"] = func(s *stranger) {
		s.config("process.schedule", "["+strings.Join(strings.Fields(fmt.Sprint(make([]int, 20_000))), ",")+"]")
	}
	all["many sets at a time"] = func(s *stranger) { s.config("eval.batch", "2147483648") }
	all["a wide beam"] = func(s *stranger) { s.config("decode.beam", "1099511627776") }
	all["data of another's"] = func(s *stranger) { s.config("task.data", "'/dev/zero'"); s.config("task.n", "0") }
	all["data from a terminal"] = func(s *stranger) { s.config("task.data", "'/dev/stdin'"); s.config("task.items", "''") }
	all["another configuration"] = func(s *stranger) { // by hand
		s.write(runs.ConfigFile, bytes.Replace(s.read(runs.ConfigFile), []byte("heads = 2"), []byte("heads = 4"), 1))
	}
	for name, v := range map[string]float64{"NaN": math.NaN(), "infinite": math.Inf(-1), "absurd": 3e38} {
		all[name+" weights"] = func(s *stranger) { s.model(values(float32(v))) }
	}
	for name, text := range map[string]string{
		"negated": `{"mean":[0,0],"deviation":[-1,-1]}`, "other": `{"mean":[5,5],"deviation":[1,1]}`, "NaN": `{"mean":[NaN,0],"deviation":[1,1]}`, "short": `{"mean":[0],"deviation":[1]}`, "deep": `{"names":` + strings.Repeat("[", 100_000),
	} {
		all[name+" items"] = func(s *stranger) { s.write(runs.ItemsFile, []byte(text)) }
	}
	all["negated items that the state knows"] = func(s *stranger) {
		s.write(runs.ItemsFile, []byte(`{"mean":[0,0],"deviation":[-1,-1]}`))
		s.state(nil)
	}
	all["no items"] = func(s *stranger) { s.must(os.Remove(s.path(runs.ItemsFile))) }
	maps.Copy(all, strangersTensors())
	return all
}

// strangersTensors are files of tensors.
func strangersTensors() map[string]func(s *stranger) {
	all := map[string]func(s *stranger){}
	header := func(name string, change func(h map[string]any, names []string)) {
		all["tensors: "+name] = func(s *stranger) {
			s.model(func(h map[string]any, names []string, body []byte) []byte { change(h, names); return body })
		}
	}
	header("overlapping", func(h map[string]any, names []string) {
		entry(h, names[1])["data_offsets"], entry(h, names[1])["shape"] = entry(h, names[0])["data_offsets"], entry(h, names[0])["shape"]
	})
	header("huge axes", func(h map[string]any, names []string) { entry(h, names[0])["shape"] = []int{1 << 40, 1 << 40} })
	header("a product that overflows to its size", func(h map[string]any, names []string) {
		entry(h, names[0])["shape"] = []uint64{1 << 32, 1 << 32, 4}
	})
	header("a negative axis", func(h map[string]any, names []string) { entry(h, names[0])["shape"] = []int{-1, -4} })
	header("offsets backwards", func(h map[string]any, names []string) { entry(h, names[0])["data_offsets"] = []int{8, 0} })
	header("offsets beyond the end", func(h map[string]any, names []string) { entry(h, names[0])["data_offsets"] = []int{0, 1 << 50} })
	header("a type that is none", func(h map[string]any, names []string) { entry(h, names[0])["dtype"] = "F16" })
	header("a shape that is none", func(h map[string]any, names []string) { entry(h, names[0])["shape"] = "wide" })
	header("an entry that is none", func(h map[string]any, names []string) { h[names[0]] = 7 })
	header("a name too many", func(h map[string]any, _ []string) {
		h["../../victim"] = map[string]any{"dtype": "F32", "shape": []int{0}, "data_offsets": []int{0, 0}}
	})
	header("a long name", func(h map[string]any, names []string) { h[strings.Repeat("x", 1<<20)] = h[names[0]] })
	header("a name less", func(h map[string]any, names []string) { delete(h, names[len(names)-1]) })
	header("transposed", func(h map[string]any, names []string) {
		for _, name := range names {
			if shape := entry(h, name)["shape"].([]any); len(shape) == 2 && shape[0] != shape[1] {
				slices.Reverse(shape)
				return
			}
		}
	})
	all["tensors: a header longer than all"] = func(s *stranger) {
		s.write(runs.ModelFile, append(binary.LittleEndian.AppendUint64(nil, 1<<62), "{}"...))
		s.state(nil)
	}
	all["tensors: a deep header"] = func(s *stranger) { s.tensors(bytes.Repeat([]byte("["), 1<<20), nil) }
	all["tensors: many"] = func(s *stranger) {
		var b bytes.Buffer
		for i := range 100_000 {
			fmt.Fprintf(&b, `,"%d":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}`, i)
		}
		b.WriteByte('}')
		text := b.Bytes()
		text[0] = '{'
		s.tensors(text, nil)
	}
	all["tensors: the same name twice"] = func(s *stranger) {
		one := `"a":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}`
		s.tensors([]byte("{"+one+","+one+"}"), nil)
	}
	return all
}

// tree is all that is below a folder, by name: what kind it is and what it holds.
func tree(t *testing.T, root string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		what := info.Mode().String()
		if info.Mode().IsRegular() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			what += fmt.Sprintf(" %x %s", sha256.Sum256(data), info.ModTime())
		}
		all[path] = what
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// strangerRun trains the run that each stranger is a copy of: lists of items of two features.
func strangerRun(t *testing.T) (dir, input string) {
	t.Helper()
	base := t.TempDir()
	var csv strings.Builder
	csv.WriteString("set,item,rank,a,b\n")
	for set := range 20 {
		for item := range 3 {
			fmt.Fprintf(&csv, "%d,%c,%d,%d,%d\n", set, 'x'+item, item+1, item*10+set%5, set)
		}
	}
	input, dir = filepath.Join(base, "lists.csv"), filepath.Join(base, "run")
	if err := os.WriteFile(input, []byte(csv.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	args := []string{"train", "ranking", "--out", dir, "--engine", "go", "--quiet", "--steps", "3", "--set", "task.data=" + input}
	for _, set := range []string{"model.dim=8", "model.heads=2", "model.layers=1", "model.feed_forward=8", "model.hidden=[4]", "train.batch=2", "eval.examples=2", "train.validate=0"} {
		args = append(args, "--set", set)
	}
	if code := run(args, &stderr, &stderr); code != 0 {
		t.Fatal(stderr.String())
	}
	return dir, input
}

// A run directory from a stranger is refused by everything that opens one, in bounded memory and
// without waiting for ever. Nothing outside it, nor what it holds, is changed.
func TestStrangers(t *testing.T) {
	whole, input := strangerRun(t)
	doors := map[string]func(dir, out string) []string{
		"order":       func(dir, _ string) []string { return []string{"order", dir, input, "--engine", "go"} },
		"sample":      func(dir, _ string) []string { return []string{"sample", dir, input, "--count", "2", "--engine", "go"} },
		"score":       func(dir, _ string) []string { return []string{"score", dir, input, "--engine", "go"} },
		"eval":        func(dir, _ string) []string { return []string{"eval", dir, "--engine", "go"} },
		"calibration": func(dir, _ string) []string { return []string{"eval", dir, "--calibration", "--engine", "go"} },
		"plot":        func(dir, _ string) []string { return []string{"plot", dir, "--engine", "go"} },
		"serve":       func(dir, _ string) []string { return []string{"serve", dir, "--addr", "127.0.0.1:0", "--engine", "go"} },
		"bench":       func(dir, _ string) []string { return []string{"bench", dir, "--decode", "greedy", "--engine", "go"} },
		"resume": func(dir, _ string) []string {
			return []string{"train", "--out", dir, "--resume", "--steps", "5", "--engine", "go", "--quiet"}
		},
		"export tensors": func(dir, out string) []string { return []string{"export", dir, filepath.Join(out, "w.safetensors")} },
		"export onnx": func(dir, out string) []string {
			return []string{"export", dir, filepath.Join(out, "onnx"), "--format", "onnx"}
		},
		"export run": func(dir, out string) []string {
			return []string{"export", dir, filepath.Join(out, "copy"), "--format", "run"}
		},
	}
	unread := map[string]bool{"negated items that the state knows": true} // what is exported is not looked into
	all := strangers()
	if len(all) < 59 {
		t.Fatalf("only %d strangers", len(all))
	}
	t.Logf("%d directories, %d doors", len(all), len(doors))
	for name, spoil := range all {
		t.Run(name, func(t *testing.T) {
			base := t.TempDir()
			s := &stranger{t, filepath.Join(base, "run"), filepath.Join(base, "out")}
			s.must(os.CopyFS(s.dir, os.DirFS(whole)))
			s.must(os.Mkdir(s.out, 0o777))
			s.must(os.WriteFile(filepath.Join(s.out, "victim"), []byte("precious"), 0o666))
			s.must(os.WriteFile(filepath.Join(s.out, runs.ModelFile), []byte("precious"), 0o666))
			spoil(s)
			outside := tree(t, s.out)
			for _, door := range slices.Sorted(maps.Keys(doors)) {
				stderr, code := within(t, doors[door](s.dir, t.TempDir()))
				if exports := unread[name] && strings.HasPrefix(door, "export"); code == 0 && !exports {
					t.Errorf("%s: takes it: %s", door, stderr)
				}
				if code != 0 && !strings.Contains(stderr, s.dir) {
					t.Errorf("%s: does not name the run: %s", door, stderr)
				}
				if len(stderr) > 2000 {
					t.Errorf("%s: %d bytes of error", door, len(stderr))
				}
			}
			if after := tree(t, s.out); !maps.Equal(outside, after) {
				t.Errorf("outside the run:\nbefore %v\nafter  %v", outside, after)
			}
		})
	}
}

// within runs a command. It must end in less than a minute, however busy the machine is, and
// allocate less than 200 MB, freed memory counted too.
func within(t *testing.T, args []string) (stderr string, code int) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var out, errors bytes.Buffer
	done := make(chan int, 1)
	go func() { done <- run(args, &out, &errors) }()
	select {
	case code = <-done:
	case <-time.After(time.Minute):
		t.Fatalf("%q does not end", args)
	}
	runtime.ReadMemStats(&after)
	if taken := after.TotalAlloc - before.TotalAlloc; taken > 200<<20 {
		t.Errorf("%q took %d MB", args, taken>>20)
	}
	return errors.String(), code
}
