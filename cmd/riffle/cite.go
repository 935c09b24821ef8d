package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

const citation = `@inproceedings{zhang2025symmetricdiffusers,
  title     = {{SymmetricDiffusers}: Learning Discrete Diffusion on Finite Symmetric Groups},
  author    = {Zhang, Yongxing and Yang, Donglin and Liao, Renjie},
  booktitle = {International Conference on Learning Representations},
  year      = {2025}
}
`

func (a *app) citeCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "cite",
		Short: "the BibTeX entry of the paper behind this program",
		Args:  exactly(),
		RunE: func(*cobra.Command, []string) error {
			return a.print(map[string]string{"bibtex": citation}, func() { fmt.Fprint(a.out, citation) })
		},
	}
}
