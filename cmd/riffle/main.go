// Command riffle learns distributions over orders and uses them.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/riffle-ml/riffle/internal/hint"
	"github.com/riffle-ml/riffle/internal/nearest"
	"github.com/riffle-ml/riffle/internal/text"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/presets"
)

// usageError is a wrong command line: exit code 2.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// usageHint is [usagef] with a hint.
func usageHint(help, format string, args ...any) error {
	return hint.With(usagef(format, args...), help)
}

// app is what the subcommands share: results go to out, progress and messages to err.
type app struct {
	out, err io.Writer
	json     bool
	stderr   io.Writer // for an error of a process that is else silent
}

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run is the whole program: exit code 0, 1 when it failed, 2 for a wrong command line.
func run(args []string, stdout, stderr io.Writer) int {
	out := &results{Writer: stdout}
	a := &app{out: out, err: stderr, stderr: stderr}
	root := a.root()
	root.SetArgs(args)
	root.SetOut(out)
	root.SetErr(stderr)
	ctx, stop := interruptible()
	defer stop()
	err := root.ExecuteContext(ctx)
	if err == nil {
		err = out.failed
	}
	if err == nil {
		return 0
	}
	if errors.Is(err, context.Canceled) {
		err = errors.New("interrupted")
	}
	fmt.Fprintln(stderr, "riffle:", message(err, args))
	_, usage := errors.AsType[usageError](err)
	_, unknown := errors.AsType[*presets.UnknownError](err)
	if usage || unknown {
		return 2
	}
	return 1
}

// results remembers that a result could not be written, as when the disk is full. Most printing
// does not look at that error.
type results struct {
	io.Writer
	failed error
}

func (r *results) Write(p []byte) (int, error) {
	n, err := r.Writer.Write(p)
	if r.failed == nil {
		r.failed = err
	}
	return n, err
}

// interruptible returns a context that the first Ctrl-C ends; a second one ends the process.
func interruptible() (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

func (a *app) root() *cobra.Command {
	var version bool
	root := &cobra.Command{
		Use:   "riffle",
		Short: "learn distributions over orders",
		Long: `riffle learns in what order objects belong. It shuffles ordered sets like cards and trains a network
to undo the shuffles step by step. Then it orders new sets, draws samples and gives likelihoods
(SymmetricDiffusers, ICLR 2025).`,
		Example: `  riffle presets                                 what there is to train
  riffle train sort-3-quick --out runs/sort3     train it
  riffle eval runs/sort3                         judge it on new sets
  riffle order runs/sort3 images/                order a folder of images`,
		SilenceUsage: true, SilenceErrors: true,
		Args: known,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if version {
				return a.printVersion()
			}
			return cmd.Help()
		},
	}
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		return excluded(cmd, cmd.ValidateFlagGroups())
	}
	root.Flags().BoolVar(&version, "version", false, "print the version, as riffle version does")
	root.PersistentFlags().BoolVar(&a.json, "json", false, "print the result as JSON")
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(
		a.presetsCommand(), a.trainCommand(), a.evalCommand(), a.orderCommand(), a.sampleCommand(), a.scoreCommand(),
		a.scheduleCommand(), a.plotCommand(), a.exportCommand(), a.enginesCommand(), a.citeCommand(), a.benchCommand(), a.reproduceCommand(),
		a.fitCommand(), a.importanceCommand(), a.tspCommand(), a.dataCommand(), a.docsCommand(), a.serveCommand(), a.healthCommand(), a.objectsCommand(), a.versionCommand(),
	)
	strict(root)
	return root
}

// strict has the library's own commands refuse names that they do not know. They would else print
// the help of all commands.
func strict(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "help":
			c.Args = func(_ *cobra.Command, args []string) error {
				of, rest, err := root.Find(args)
				if err == nil && len(rest) > 0 {
					err = known(of, rest)
				}
				return err
			}
		case "completion":
			c.Args, c.RunE = known, func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		}
	}
}

// name is what a command is called in errors: "tsp check", "" for riffle itself.
func name(cmd *cobra.Command) string {
	_, rest, _ := strings.Cut(cmd.CommandPath(), " ")
	return rest
}

// known is for commands that only have subcommands: an argument is then none of their names.
func known(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		var names []string
		for _, c := range cmd.Commands() {
			names = append(names, c.Name())
		}
		near := nearest.Near(args[0], names)
		if near != "" {
			near = fmt.Sprintf(", the nearest is %q", near)
		}
		return usageHint(fmt.Sprintf("%s --help lists them", cmd.CommandPath()), "unknown command %q%s", args[0], near)
	}
	return nil
}

// flagError is a usage error that names the nearest flag where there is none of the name.
func flagError(cmd *cobra.Command, err error) error {
	help, command := cmd.CommandPath()+" --help", name(cmd)
	if command != "" {
		command += ": "
	}
	if bad, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		return usagef("%s--%s: %s (got %q)", command, bad.GetFlag().Name, wantedValue(bad.GetFlag().Value.Type(), bad.GetValue()), bad.GetValue())
	}
	if missing, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		return usageHint(help, "%s--%s: its value is missing", command, missing.GetSpecifiedName())
	}
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok {
		return usageHint(help+" lists them", "%s%w", command, err)
	}
	given, dashes := unknown.GetSpecifiedName(), "--"
	if short := unknown.GetSpecifiedShortnames(); short != "" {
		given, dashes = short, "-"
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if near := nearest.Near(given, names); near != "" {
		return usagef("%sunknown flag %s%s, the nearest is --%s", command, dashes, given, near)
	}
	return usageHint(help+" lists them", "%sunknown flag %s%s", command, dashes, given)
}

// wantedValue says what a flag of a type takes, or that a value is too large.
func wantedValue(kind, value string) string {
	switch kind {
	case "int", "int64", "uint64":
		if _, err := strconv.ParseInt(value, 10, 64); errors.Is(err, strconv.ErrRange) {
			return "is too large"
		}
		if kind == "uint64" {
			return "wanted an integer, 0 or more"
		}
		return "wanted an integer"
	case "float64":
		return "wanted a number"
	case "duration":
		return "wanted a time such as 90s or 30m"
	case "intSlice":
		return "wanted integers with commas between, such as 0,5,9"
	case "bool":
		return "wanted true or false"
	}
	return "wanted a " + kind
}

// exactly is cobra.ExactArgs with an error that is a usage error and names what is missing.
func exactly(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < len(names) {
			return usageHint(cmd.UseLine(), "%s: %s is missing", name(cmd), names[len(args)])
		}
		if len(args) > len(names) {
			return usageHint(cmd.UseLine(), "%s: one argument too many: %q", name(cmd), args[len(names)])
		}
		for i, arg := range args {
			if arg == "" {
				return usageHint(cmd.UseLine(), "%s: %s is empty", name(cmd), names[i])
			}
		}
		return nil
	}
}

// printJSON writes a result as JSON.
func (a *app) printJSON(v any) error {
	enc := json.NewEncoder(a.out)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// print writes a result as JSON, or else as text does.
func (a *app) print(v any, text func()) error {
	if a.json {
		return a.printJSON(v)
	}
	text()
	return nil
}

// printLine writes a result as one line of JSON.
func (a *app) printLine(v any) error { return json.NewEncoder(a.out).Encode(v) }

// lines prints keys with their values.
func (a *app) lines(all [][2]string) {
	for _, l := range all {
		fmt.Fprintf(a.out, "%-10s %s\n", l[0], l[1])
	}
}

// Note writes a message for people.
func (a *app) Note(format string, args ...any) { fmt.Fprintf(a.err, format+"\n", args...) }

// Warn shows warnings, each once.
func (a *app) Warn(warnings []string) {
	seen := map[string]bool{}
	for _, w := range warnings {
		if !seen[w] {
			a.Note("warning: %s", w)
		}
		seen[w] = true
	}
}

// compiled says how many shapes an engine compiled for a model, if any.
func (a *app) compiled(m *learn.Model) {
	if shapes, took := m.Compiled(); shapes > 0 {
		a.Note("compiled %s in %.1f s", text.Count(shapes, "shape"), took.Seconds())
	}
}

// warnOf warns of what is odd about a file.
func (a *app) warnOf(name string) func(warnings []string) {
	return func(warnings []string) {
		for _, w := range warnings {
			a.Warn([]string{name + ": " + w})
		}
	}
}
