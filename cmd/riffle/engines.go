package main

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/riffle-ml/riffle/engine"
	"github.com/riffle-ml/riffle/engine/blocks"
	"github.com/riffle-ml/riffle/learn"
)

func (a *app) enginesCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "engines",
		Short: "the tensor engines that this machine has",
		Long: `engines lists what --engine can take here. "go" is always there. "xla" and "cuda" need a plugin.
make xla installs one for the CPU. A plugin is never downloaded by this program.`,
		Args: exactly(),
		RunE: func(*cobra.Command, []string) error {
			list := engine.List()
			return a.print(list, func() {
				for _, e := range list {
					mark, reason := "", ""
					if e.Default {
						mark = "auto"
					}
					if e.Reason != "" {
						reason = " (" + e.Reason + ")"
					}
					fmt.Fprintf(a.out, "%-5s %-5s %s%s\n", e.Name, mark, cmp.Or(e.Path, "in this program"), reason)
				}
			})
		},
	}
}

// openEngine opens an engine and says which one it is.
func (a *app) openEngine(spec string) (*engine.Engine, error) {
	e, err := engine.Open(spec)
	if errors.Is(err, engine.ErrUnknown) {
		return nil, usageError{err}
	}
	if err != nil {
		return nil, err
	}
	if e.Path != "" {
		blocks.Keep() // where it cannot, XLA is slower, and no more is wrong
	}
	a.Note("engine: %s", e)
	a.Warn(e.Warnings)
	return e, nil
}

// EngineFor opens the engine of a model that was made without one. With auto it takes go or XLA on
// the CPU, whichever is faster for the work at hand.
func (a *app) EngineFor(m *learn.Model, spec string, faster func() learn.Choice) (err error) {
	if (spec == "auto" || spec == "") && engine.Auto() == "xla" {
		c := faster()
		if c.Kind == "go" {
			spec = "go"
		}
		a.Note("engine auto: %s; --engine names one", c.Why)
	}
	m.Engine, err = a.openEngine(spec)
	return err
}
