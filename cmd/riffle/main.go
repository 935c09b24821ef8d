// Command riffle learns distributions over orders and uses them.
package main

import (
	"os"

	"github.com/riffle-ml/riffle/engine/blocks"
)

func main() {
	blocks.Keep() // where it cannot, XLA is slower, no more
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}
