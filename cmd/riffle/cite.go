package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/riffle-ml/riffle"
)

func (a *app) citeCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "cite",
		Short: "the BibTeX entry of the paper behind this program",
		Args:  exactly(),
		RunE: func(*cobra.Command, []string) error {
			return a.print(map[string]string{"bibtex": riffle.Citation}, func() { fmt.Fprint(a.out, riffle.Citation) })
		},
	}
}
