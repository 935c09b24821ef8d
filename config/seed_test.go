package config

import (
	"flag"

	_ "pgregory.net/rapid" // whose flag this is
)

// Random tests draw the same cases every time; -rapid.seed draws others.
func init() { _ = flag.Set("rapid.seed", "1") }
