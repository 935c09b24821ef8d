package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/riffle-ml/riffle/dataset"
)

// shortened is what the test adds to every command that trains. A few steps on the go engine take
// seconds. They show that the command works, not what a model learns.
const shortened = " --engine go --quiet --steps 3 --set eval.examples=20 --set train.validate=0 --set train.batch=8"

// TestTutorials runs the commands of docs/tutorials in their order. These are the lines of
// ```console blocks that begin with "$ ". Each file has a folder of its own with bin/riffle, models
// and examples, as a fresh clone after make build. Commands that git, cd and make begin with are
// left out.
//
// Below a command stands what it prints to standard output. A line "…" is any number of lines; at
// the end of a line "…" is the rest of it. Some commands use a run that the test has trained itself
// with [shortened], under runs/. There numbers and spaces may be others. All else is compared word
// by word.
//
// With RIFFLE_TUTORIALS=write what commands that use no such run print is written into the
// files, where there is no "…", instead of held: after make models, say.
func TestTutorials(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	paths, err := filepath.Glob(filepath.Join(root, "docs/tutorials/*.md"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no tutorials: %v", err)
	}
	write := os.Getenv("RIFFLE_TUTORIALS") == "write"
	mnist, noMNIST := dataset.FindMNIST()
	scripts := t.TempDir()
	tutorials := map[string]*tutorial{}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".md")
		text, err := readTutorial(path)
		if err != nil {
			t.Fatal(err)
		}
		if len(text.commands) < 3 {
			t.Errorf("%s: %d commands, wanted some", path, len(text.commands))
		}
		tutorials[name] = text
		script := ""
		if noMNIST != nil && text.mentions("MNIST") {
			script = "skip 'needs MNIST'\n"
		}
		for i, c := range text.commands {
			script += fmt.Sprintf("# line %d: %s\nconsole %s %d\n", c.line, c.command, name, i)
		}
		if err := os.WriteFile(filepath.Join(scripts, name+".txtar"), []byte(script), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { // after the scripts, which run side by side
		if write && !t.Failed() {
			for name, text := range tutorials {
				if err := text.write(); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
	})
	testscript.Run(t, testscript.Params{
		Dir: scripts,
		Setup: func(env *testscript.Env) error {
			return freshClone(env, root, mnist, noMNIST == nil)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			// console NAME I: runs command I of a tutorial and holds what it prints.
			"console": func(ts *testscript.TestScript, _ bool, args []string) {
				i, err := strconv.Atoi(args[1])
				ts.Check(err)
				c := &tutorials[args[0]].commands[i]
				command := c.command
				if strings.Contains(command, "riffle train ") {
					command += shortened
				}
				ts.Check(ts.Exec("bash", "-c", command))
				got := strings.Split(strings.TrimRight(ts.ReadFile("stdout"), "\n"), "\n")
				if got[0] == "" {
					got = nil
				}
				c.printed = c.want
				want, have := c.want, got
				if strings.Contains(command, "runs/") {
					want, have = masked(want), masked(have)
				} else if write && !slices.Contains(want, "…") {
					c.printed = got
					return
				}
				if !held(want, have) {
					ts.Fatalf("%s:%d: %s prints\n%s\nwanted\n%s", args[0], c.line, c.command, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
				}
			},
		},
	})
}

// freshClone makes the folder of a script like a fresh clone of root after make build. It has bin/riffle, models
// and examples, with MNIST where that is there.
func freshClone(env *testscript.Env, root, mnist string, hasMNIST bool) error {
	data := filepath.Join(env.WorkDir, "data")
	env.Setenv("HOME", env.WorkDir)
	env.Setenv("XDG_DATA_HOME", data)
	env.Setenv("GOMLX_BACKEND", "go")
	if err := errors.Join(os.Mkdir(filepath.Join(env.WorkDir, "bin"), 0o777), os.MkdirAll(filepath.Join(data, "riffle"), 0o777)); err != nil {
		return err
	}
	if hasMNIST {
		if err := os.Symlink(mnist, filepath.Join(data, "riffle/mnist")); err != nil {
			return err
		}
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	return errors.Join(
		os.Symlink(program, filepath.Join(env.WorkDir, "bin/riffle")),
		os.CopyFS(filepath.Join(env.WorkDir, "models"), os.DirFS(filepath.Join(root, "models"))),
		os.CopyFS(filepath.Join(env.WorkDir, "examples"), os.DirFS(filepath.Join(root, "examples"))))
}

// A tutorial is a page with commands.
type tutorial struct {
	path     string
	lines    []string
	commands []consoleCommand
}

// consoleCommand is a command on a line, from 1, and the lines that stand below it.
type consoleCommand struct {
	command       string
	line          int
	want, printed []string
}

func readTutorial(path string) (*tutorial, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	t := &tutorial{path: path, lines: strings.Split(string(data), "\n")}
	console, run := false, false
	for i, line := range t.lines {
		switch {
		case strings.HasPrefix(line, "```"):
			console, run = line == "```console", false
		case !console:
		case strings.HasPrefix(line, "$ "):
			command := strings.TrimPrefix(line, "$ ")
			first, _, _ := strings.Cut(command, " ")
			if run = !slices.Contains([]string{"git", "cd", "make"}, first); run {
				t.commands = append(t.commands, consoleCommand{command: command, line: i + 1})
			}
		case run:
			c := &t.commands[len(t.commands)-1]
			c.want = append(c.want, line)
		}
	}
	return t, nil
}

func (t *tutorial) mentions(word string) bool {
	return slices.ContainsFunc(t.lines, func(line string) bool { return strings.Contains(line, word) })
}

// write puts what the commands printed below them.
func (t *tutorial) write() error {
	lines := t.lines
	for _, c := range slices.Backward(t.commands) { // from below, so that line numbers stay right
		lines = slices.Replace(lines, c.line, c.line+len(c.want), c.printed...)
	}
	return os.WriteFile(t.path, []byte(strings.Join(lines, "\n")), 0o666)
}

// held reports whether lines are those wanted, where "…" is any number of lines, and at the end
// of a line the rest of it.
func held(want, got []string) bool {
	switch {
	case len(want) == 0:
		return len(got) == 0
	case want[0] == "…":
		return held(want[1:], got) || len(got) > 0 && held(want, got[1:])
	}
	if len(got) == 0 {
		return false
	}
	begin, open := strings.CutSuffix(want[0], "…")
	return (want[0] == got[0] || open && strings.HasPrefix(got[0], begin)) && held(want[1:], got[1:])
}

var (
	numbers = regexp.MustCompile(`-?[0-9][0-9.,:]*`)
	spaces  = regexp.MustCompile(`\s+`)
)

// masked returns lines without what a shorter training changes.
func masked(lines []string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = spaces.ReplaceAllString(numbers.ReplaceAllString(line, "0"), " ")
	}
	return out
}

// What holds the pages must itself find what is wrong.
func TestHeld(t *testing.T) {
	for _, c := range []struct {
		want, got []string
		held      bool
	}{
		{nil, nil, true},
		{nil, []string{"a"}, false},
		{[]string{"a"}, nil, false},
		{[]string{"a", "b"}, []string{"a", "c"}, false},
		{[]string{"…"}, nil, true},
		{[]string{"a", "…", "c"}, []string{"a", "b", "b", "c"}, true},
		{[]string{"a", "…", "c"}, []string{"a", "b"}, false},
		{[]string{"…", "c"}, []string{"a", "c", "d"}, false},
		{[]string{"gap …"}, []string{"gap 3"}, true},
		{[]string{"gap …"}, []string{"gas 3"}, false},
	} {
		if got := held(c.want, c.got); got != c.held {
			t.Errorf("held(%q, %q) = %v", c.want, c.got, got)
		}
	}
	got := masked([]string{"exact %    90.00  88.10 to 91.90", "tau  -0.5", "runs/a.png"})
	want := []string{"exact % 0 0 to 0", "tau 0", "runs/a.png"}
	if !slices.Equal(got, want) {
		t.Errorf("masked: %q", got)
	}
	page := filepath.Join(t.TempDir(), "page.md")
	text := "# A\n\n```console\n$ make build\nbuilt\n$ echo b\nold\n$ echo c\n```\n\nafter\n"
	if err := os.WriteFile(page, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	p, err := readTutorial(page)
	if err != nil || len(p.commands) != 2 {
		t.Fatalf("%+v, %v", p, err)
	}
	for i := range p.commands {
		out, err := exec.Command("sh", "-c", p.commands[i].command).Output()
		if err != nil {
			t.Fatal(err)
		}
		p.commands[i].printed = []string{"new", strings.TrimSpace(string(out))}
	}
	if err := p.write(); err != nil {
		t.Fatal(err)
	}
	after, err := os.ReadFile(page)
	if want := strings.NewReplacer("old", "new\nb", "echo c\n", "echo c\nnew\nc\n").Replace(text); err != nil || string(after) != want {
		t.Errorf("%s, %v, wanted\n%s", after, err, want)
	}
}
