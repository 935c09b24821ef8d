// Package engine opens the tensor engine that runs the networks.
//
// There are two. "go" is written in Go, is always there and needs nothing. "xla" runs Google's XLA
// compiler through a PJRT plugin, a shared library that the user installs (`make xla`). It runs on
// the CPU or, with a CUDA plugin, on an NVIDIA GPU. The same weights and inputs give the same
// scores on both to about 1e-5. Nothing is ever downloaded.
//
// On Linux a program saves a tenth to a quarter of a step on XLA's CPU if it calls
// [github.com/riffle-ml/riffle/engine/blocks.Keep] once XLA is open. The command does.
package engine

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/gobackend"

	"github.com/riffle-ml/riffle/internal/hint"
)

// Engine is an open tensor engine.
type Engine struct {
	compute.Backend
	// Kind is "go", "xla" or "cuda".
	Kind string
	// Path is the plugin file of an XLA engine, "" for the go engine.
	Path string
	// Warnings are things the user should know about this choice.
	Warnings []string
}

// String says which engine this is, in one line.
func (e *Engine) String() string {
	switch {
	case e.Kind == "go" && vectors() != "":
		return fmt.Sprintf("go (pure Go with %s, %d threads)", vectors(), runtime.GOMAXPROCS(0))
	case e.Kind == "go":
		return fmt.Sprintf("go (pure Go without SIMD, %d threads)", runtime.GOMAXPROCS(0))
	}
	return fmt.Sprintf("%s (%s)", e.Kind, e.Path)
}

// slow says why the go engine's products have no SIMD here, "" where they have some.
func slow() string {
	switch {
	case !simdEnabled:
		return "this binary was built without GOEXPERIMENT=simd"
	case vectors() != "":
		return ""
	case runtime.GOARCH == "amd64":
		return "this processor has neither AVX-512 nor AVX2"
	}
	return "there are fast products for amd64 alone"
}

// Parts are what engines this program was built with.
type Parts struct {
	// Engines are the kinds that it can open: "go", and "xla" and "cuda" where it was built with cgo.
	Engines []string `json:"engines"`
	// SIMD are the instructions that the go engine's products use on this processor, such as
	// "AVX-512"; "" for none.
	SIMD string `json:"simd"`
}

// Built returns what engines this program was built with.
func Built() Parts {
	p := Parts{Engines: []string{"go"}, SIMD: vectors()}
	if xlaBuilt {
		p.Engines = append(p.Engines, "xla", "cuda")
	}
	return p
}

// Available is one engine this machine could open.
type Available struct {
	Name    string `json:"name"`             // what --engine takes
	Path    string `json:"path,omitempty"`   // the plugin file
	Default bool   `json:"default"`          // what auto takes
	Reason  string `json:"reason,omitempty"` // why it cannot be opened
}

// ErrUnknown is returned by [Open] for a name that is none of an engine.
var ErrUnknown = errors.New("unknown, wanted auto, go, xla, xla:PATH or cuda")

// Open opens the engine that spec names:
//
//	auto      the first plugin of [List] that opens (CUDA first), else go; what did not
//	          open is told in Warnings
//	go        pure Go
//	xla       the first CPU plugin that [List] shows
//	xla:PATH  this plugin file
//	cuda      the first CUDA plugin that [List] shows
//
// With auto, the variable GOMLX_BACKEND ("go" or "xla:PATH") is obeyed where set.
func Open(spec string) (*Engine, error) {
	if spec == "" {
		spec = "auto"
	}
	if spec == "auto" {
		env := os.Getenv("GOMLX_BACKEND")
		if env == "" {
			return openAuto(plugins())
		}
		e, err := open(env)
		if err != nil {
			err = fmt.Errorf("$GOMLX_BACKEND: %w", err)
		}
		return e, err
	}
	return open(spec)
}

// Auto returns the kind of engine that auto takes here, "go", "xla" or "cuda"; "" where
// GOMLX_BACKEND says it.
func Auto() string {
	if os.Getenv("GOMLX_BACKEND") != "" {
		return ""
	}
	for _, x := range List() {
		if x.Default {
			return x.Name
		}
	}
	return "go"
}

// open is [Open] but for auto.
func open(spec string) (*Engine, error) {
	kind, path, _ := strings.Cut(spec, ":")
	switch kind {
	case "go":
		return openGo(path)
	case "xla", "cuda":
		if path != "" {
			if kind == "xla" && isCUDA(path) {
				kind = "cuda"
			}
			return openPlugin(kind, path)
		}
		for _, p := range plugins() {
			if p.kind == kind {
				return openPlugin(kind, p.path)
			}
		}
		return nil, hint.Errorf(installHint(kind), "engine %q: no plugin found in %s", spec, strings.Join(pluginDirs(), ", "))
	}
	return nil, fmt.Errorf("engine %q: %w", spec, ErrUnknown)
}

// openAuto opens the first of some plugins that can be opened, else the go engine.
func openAuto(found []plugin) (*Engine, error) {
	var warnings []string
	for _, p := range found {
		if !xlaBuilt {
			break
		}
		e, err := openPlugin(p.kind, p.path)
		if err == nil {
			e.Warnings = append(warnings, e.Warnings...)
			return e, nil
		}
		warnings = append(warnings, err.Error())
	}
	e, err := openGo("")
	if err == nil {
		e.Warnings = append(warnings, e.Warnings...)
	}
	return e, err
}

func installHint(kind string) string {
	if kind == "cuda" {
		return "put the plugin of jax-cuda13-pjrt (xla_cuda_plugin.so) there, or name it: --engine xla:/path/to/xla_cuda_plugin.so"
	}
	return "make xla installs one; or name yours: --engine xla:/path/to/plugin.so; or use --engine go"
}

func openGo(config string) (*Engine, error) {
	b, err := gobackend.New(config)
	if err != nil && config != "" { // the library's own words are about its source
		return nil, fmt.Errorf("engine %q: %w", "go:"+config, ErrUnknown)
	}
	if err != nil {
		return nil, fmt.Errorf("engine go: %w", err)
	}
	e := &Engine{Backend: b, Kind: "go"}
	if why := slow(); why != "" {
		e.Warnings = append(e.Warnings, why+": a step on the go engine takes 5 to 10 times as long")
	}
	return e, nil
}

// openPlugin opens an XLA plugin by its file.
func openPlugin(kind, path string) (*Engine, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("engine %s: %w", kind, err)
	}
	if err := isLibrary(abs); err != nil {
		return nil, hint.Errorf(installHint(kind), "engine %s: plugin: %w", kind, err)
	}
	b, err := openXLA(abs)
	if err != nil {
		return nil, hint.Errorf(installHint(kind), "engine %s: plugin: %w", kind, err)
	}
	return &Engine{Backend: b, Kind: kind, Path: abs}, nil
}

// isLibrary returns an error unless the file is there and begins as shared libraries do: of
// another the system's loader says less clearly what is wrong.
func isLibrary(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s: is no file, wanted a shared library", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // only read from
	head := make([]byte, 4)
	_, _ = io.ReadFull(f, head) // a shorter file is none
	switch string(head) {
	case "\x7fELF", // Linux
		"\xcf\xfa\xed\xfe", "\xca\xfe\xba\xbe": // macOS: of one processor, of several
		return nil
	}
	return fmt.Errorf("%s: is no shared library", path)
}

type plugin struct{ kind, path string }

func isCUDA(path string) bool {
	return strings.Contains(strings.ToLower(filepath.Base(path)), "cuda")
}

// pluginDirs returns the folders that plugins are looked for in, first first.
func pluginDirs() []string {
	var dirs []string
	if d := os.Getenv("PJRT_PLUGIN_LIBRARY_PATH"); d != "" {
		dirs = append(dirs, filepath.SplitList(d)...)
	}
	home, _ := os.UserHomeDir()
	data := os.Getenv("XDG_DATA_HOME")
	if data == "" && home != "" {
		data = filepath.Join(home, ".local", "share")
	}
	if data != "" {
		dirs = append(dirs, filepath.Join(data, "riffle", "plugins"))
	}
	if home != "" { // where go-xla's own installer puts them
		dirs = append(dirs, filepath.Join(home, ".local", "lib", "go-xla"), filepath.Join(home, "Library", "Application Support", "go-xla"))
	}
	return append(dirs, "/usr/local/lib/go-xla")
}

// plugins lists the plugin files found, CUDA before CPU, then by folder and name.
func plugins() []plugin {
	var out []plugin
	for _, dir := range pluginDirs() {
		for _, pattern := range []string{"*pjrt*plugin*", "*xla*plugin*"} {
			names, _ := filepath.Glob(filepath.Join(dir, pattern))
			for _, name := range names {
				if ext := filepath.Ext(name); ext != ".so" && ext != ".dylib" && ext != ".dll" {
					continue
				}
				p := plugin{"xla", name}
				if isCUDA(name) {
					p.kind = "cuda"
				}
				if !slices.Contains(out, p) {
					out = append(out, p)
				}
			}
		}
	}
	slices.SortStableFunc(out, func(a, b plugin) int { return strings.Compare(a.kind, b.kind) })
	return out
}

// List returns the engines found on this machine; the one that auto takes is marked.
func List() []Available {
	var out []Available
	for _, p := range plugins() {
		a := Available{Name: p.kind, Path: p.path}
		if !xlaBuilt {
			a.Reason = "this binary was built without cgo"
		}
		out = append(out, a)
	}
	goEngine := Available{Name: "go"}
	if why := slow(); why != "" {
		goEngine.Reason = "slow: " + why
	}
	out = append(out, goEngine)
	for i := range out {
		if out[i].Path == "" || xlaBuilt {
			out[i].Default = true
			break
		}
	}
	return out
}
