package engine

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/riffle-ml/riffle/internal/hint"
)

// setHome makes a home without plugins.
func setHome(t *testing.T) string {
	t.Helper()
	home := t.TempDir()
	for name, value := range map[string]string{"HOME": home, "XDG_DATA_HOME": "", "PJRT_PLUGIN_LIBRARY_PATH": "", "GOMLX_BACKEND": ""} {
		t.Setenv(name, value)
	}
	return home
}

func TestOpenErrors(t *testing.T) {
	setHome(t)
	for spec, want := range map[string]string{
		"tpu":                 "unknown, wanted auto, go, xla, xla:PATH or cuda",
		"cuda":                "no plugin found in",
		"xla:/does/not/exist": "no such file",
		"go:no_such_option":   `engine "go:no_such_option": unknown, wanted auto, go, xla, xla:PATH or cuda`,
		"xla:engine_test.go":  "engine_test.go: is no shared library\nhint: make xla installs one",
		"xla:.":               ": is no file, wanted a shared library\nhint: ",
	} {
		e, err := Open(spec)
		if err == nil || !strings.Contains(hint.Text(err), want) {
			t.Errorf("%s: %v, %v, wanted an error with %q", spec, e, err, want)
		}
	}
}

// What the system's loader says of a library is told once, the path first.
func TestBrokenLibrary(t *testing.T) {
	if !xlaBuilt {
		t.Skip("built without XLA")
	}
	path := filepath.Join(t.TempDir(), "broken.so")
	if err := os.WriteFile(path, []byte("\x7fELF and no more"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := Open("xla:" + path)
	text := hint.Text(err)
	if err == nil || !strings.HasPrefix(text, "engine xla: plugin: "+path+": ") || strings.Count(text, path) > 1 || strings.Contains(text, "PJRT") {
		t.Errorf("%s", text)
	}
}

func TestGoIsAlwaysThere(t *testing.T) {
	setHome(t)
	e, err := Open("go")
	if err != nil || e.Kind != "go" || !strings.HasPrefix(e.String(), "go (") {
		t.Fatalf("%v, %v", e, err)
	}
	list := List()
	if last := list[len(list)-1]; last.Name != "go" {
		t.Errorf("the list ends with %+v", last)
	}
}

// A plugin that cannot be opened does not keep auto from working.
func TestAutoPassesOverBrokenPlugins(t *testing.T) {
	home := setHome(t)
	dir := filepath.Join(home, ".local", "share", "riffle", "plugins")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	broken := filepath.Join(dir, "xla_cuda_plugin.so")
	if err := os.WriteFile(broken, []byte("not a library"), 0o644); err != nil {
		t.Fatal(err)
	}
	found := plugins()
	if len(found) == 0 || found[0] != (plugin{"cuda", broken}) {
		t.Fatalf("found %v, wanted %s first", found, broken)
	}
	e, err := openAuto(found[:1])
	if err != nil || e.Kind != "go" {
		t.Fatalf("%v, %v", e, err)
	}
	if xlaBuilt && (len(e.Warnings) == 0 || !strings.Contains(e.Warnings[0], broken)) {
		t.Errorf("warnings %q do not name %s", e.Warnings, broken)
	}
}

// CUDA comes before CPU, and a folder named by the environment first.
func TestPluginOrder(t *testing.T) {
	home := setHome(t)
	other := t.TempDir()
	t.Setenv("PJRT_PLUGIN_LIBRARY_PATH", other)
	user := filepath.Join(home, ".local", "share", "riffle", "plugins")
	if err := os.MkdirAll(user, 0o755); err != nil {
		t.Fatal(err)
	}
	want := []plugin{
		{"cuda", filepath.Join(user, "xla_cuda_plugin.so")},
		{"xla", filepath.Join(other, "pjrt_c_api_cpu_plugin.so")},
		{"xla", filepath.Join(user, "pjrt_c_api_cpu_plugin.so")},
	}
	for _, p := range want {
		if err := os.WriteFile(p.path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(user, "pjrt_c_api_cpu_plugin.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	got := plugins()
	for i, p := range want {
		if i >= len(got) || got[i] != p {
			t.Fatalf("got %v, wanted first %v", got, want)
		}
	}
}
