package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/riffle-ml/riffle/dataset"
)

// used are the lines of README's section Use, without what is said of them.
func used(readme string) (commands []string) {
	_, use, _ := strings.Cut(readme, "\n## Use\n")
	use, _, _ = strings.Cut(use, "\n## ")
	for line := range strings.Lines(use) {
		if command, ok := strings.CutPrefix(line, "    riffle "); ok {
			command, _, _ = strings.Cut(command, "  ")
			commands = append(commands, "riffle "+command)
		}
	}
	return commands
}

// served starts a server, waits until it is there, and ends it.
const served = `%s --addr 127.0.0.1:0 >serve.log 2>&1 &
trap "kill $!" EXIT
for i in $(seq 600); do grep -q 'http://127' serve.log && exit 0; sleep 0.1; done
cat serve.log; exit 1`

// The lines of README's section Use work in their order in a fresh clone. Trainings are shorter here.
func TestReadmeUse(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	commands := used(string(text))
	if len(commands) < 10 {
		t.Fatalf("%d lines, wanted ten and more: %q", len(commands), commands)
	}
	shorter := regexp.MustCompile(`(--time|--budget) \S+`)
	script := "env PATH=$WORK/bin:$PATH\n"
	for i, command := range commands {
		command = shorter.ReplaceAllString(command, "$1 1s --engine go")
		if strings.HasPrefix(command, "riffle serve ") {
			command = fmt.Sprintf(served, command)
		}
		script += fmt.Sprintf("line %d\n", i)
		commands[i] = command
	}
	scripts := t.TempDir()
	if err := os.WriteFile(filepath.Join(scripts, "use.txtar"), []byte(script), 0o666); err != nil {
		t.Fatal(err)
	}
	mnist, noMNIST := dataset.FindMNIST()
	testscript.Run(t, testscript.Params{
		Dir: scripts,
		Setup: func(env *testscript.Env) error {
			return freshClone(env, root, mnist, noMNIST == nil)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"line": func(ts *testscript.TestScript, _ bool, args []string) {
				var i int
				_, err := fmt.Sscan(args[0], &i)
				ts.Check(err)
				ts.Check(ts.Exec("bash", "-c", commands[i]))
			},
		},
	})
}
