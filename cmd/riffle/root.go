package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/riffle-ml/riffle/internal/nearest"
)

// usageError is a wrong command line: exit code 2.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// app is what the subcommands share: results go to out, progress and messages to err.
type app struct {
	out, err io.Writer
	json     bool
}

// run is the whole program: exit code 0, 1 when it failed, 2 for a wrong command line.
func run(args []string, stdout, stderr io.Writer) int {
	a := &app{out: stdout, err: stderr}
	root := a.root()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	ctx, stop := interruptible()
	defer stop()
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	if errors.Is(err, context.Canceled) {
		err = errors.New("interrupted")
	}
	fmt.Fprintln(stderr, "riffle:", err)
	var usage usageError
	if errors.As(err, &usage) || strings.HasPrefix(err.Error(), "unknown command") {
		return 2
	}
	return 1
}

// interruptible returns a context that the first Ctrl-C ends; a second one ends the process.
func interruptible() (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "riffle",
		Short: "learn distributions over orders",
		Long: `riffle learns in what order objects belong: it shuffles ordered sets like cards,
trains a network to undo the shuffles step by step, and then orders new sets,
draws samples and gives likelihoods (SymmetricDiffusers, ICLR 2025).`,
		Example: `  riffle presets                                 what there is to train
  riffle train sort-3-quick --out runs/sort3     train it
  riffle eval runs/sort3                         judge it on new sets
  riffle order runs/sort3 images/                order a folder of images`,
		SilenceUsage: true, SilenceErrors: true,
		Args: known,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.PersistentFlags().BoolVar(&a.json, "json", false, "print the result as JSON")
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(
		a.presetsCommand(), a.trainCommand(), a.evalCommand(), a.orderCommand(), a.sampleCommand(), a.scoreCommand(),
		a.scheduleCommand(), a.plotCommand(), a.exportCommand(), a.enginesCommand(), a.citeCommand(), a.benchCommand(), a.reproduceCommand(),
		a.tspCommand(), a.dataCommand(), a.docsCommand(), a.serveCommand(),
	)
	return root
}

// known is for commands that have subcommands alone: an argument is none of their names.
func known(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		var names []string
		for _, c := range cmd.Commands() {
			names = append(names, c.Name())
		}
		return usagef("unknown command %q, the nearest is %q\nhint: %s --help lists them", args[0], nearest.Of(args[0], names), cmd.CommandPath())
	}
	return nil
}

// flagError is a usage error that names the nearest flag where there is none of the name.
func flagError(cmd *cobra.Command, err error) error {
	if m := badValue.FindStringSubmatch(err.Error()); m != nil {
		if f := cmd.Flags().Lookup(m[2]); f != nil {
			return usagef("%s: --%s: wanted %s (got %s)", cmd.Name(), m[2], wantedValue(f.Value.Type()), m[1])
		}
	}
	if name, missing := strings.CutPrefix(err.Error(), "flag needs an argument: "); missing {
		return usagef("%s: %s: its value is missing\nhint: %s --help", cmd.Name(), name, cmd.CommandPath())
	}
	name, unknown := strings.CutPrefix(err.Error(), "unknown flag: --")
	if !unknown {
		return usageError{fmt.Errorf("%s: %w", cmd.Name(), err)}
	}
	var names []string
	for _, word := range strings.Fields(cmd.Flags().FlagUsages()) {
		if flag, ok := strings.CutPrefix(word, "--"); ok {
			names = append(names, flag)
		}
	}
	return usagef("%s: unknown flag --%s, the nearest is --%s", cmd.Name(), name, nearest.Of(name, names))
}

// badValue is what the flags' package says of a value that it cannot read.
var badValue = regexp.MustCompile(`(?s)^invalid argument (".*") for "(?:-\w, )?--([^"]+)" flag: `)

// wantedValue says what a flag of a type takes.
func wantedValue(kind string) string {
	switch kind {
	case "int", "int64":
		return "an integer"
	case "uint64":
		return "an integer, 0 or more"
	case "float64":
		return "a number"
	case "duration":
		return "a time such as 90s or 30m"
	case "intSlice":
		return "integers with commas between, such as 0,5,9"
	case "bool":
		return "true or false"
	}
	return "a " + kind
}

// exactly is cobra.ExactArgs with an error that is a usage error and names what is missing.
func exactly(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < len(names) {
			return usagef("%s: %s is missing\nhint: %s", cmd.Name(), names[len(args)], cmd.UseLine())
		}
		if len(args) > len(names) {
			return usagef("%s: one argument too many: %q\nhint: %s", cmd.Name(), args[len(names)], cmd.UseLine())
		}
		for i, arg := range args {
			if arg == "" {
				return usagef("%s: %s is empty\nhint: %s", cmd.Name(), names[i], cmd.UseLine())
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

// printLine writes a result as one line of JSON.
func (a *app) printLine(v any) error { return json.NewEncoder(a.out).Encode(v) }

// note writes a message for people.
func (a *app) note(format string, args ...any) { fmt.Fprintf(a.err, format+"\n", args...) }

// warn shows warnings, each once.
func (a *app) warn(warnings []string) {
	seen := map[string]bool{}
	for _, w := range warnings {
		if !seen[w] {
			a.note("warning: %s", w)
		}
		seen[w] = true
	}
}
