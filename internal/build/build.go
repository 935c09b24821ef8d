// Package build says what this program was built from.
package build

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
)

// Info is what a program was built from and with.
type Info struct {
	// Version is that of the module, "devel" where the build does not say.
	Version string `json:"version"`
	// Commit is that of the source, "" where the build does not say.
	Commit string `json:"commit,omitempty"`
	// Changed is whether files of the source were not those of the commit.
	Changed bool `json:"changed,omitempty"`
	// Go is the toolchain, with its experiments, such as "go1.27.3-X:simd".
	Go string `json:"go"`
	// Platform is the operating system and the processor, such as "linux/amd64".
	Platform string `json:"platform"`
}

// Read returns what this program was built from.
func Read() Info {
	b, _ := debug.ReadBuildInfo()
	return of(b)
}

// of reads what a build says of itself, nil where it says nothing.
func of(b *debug.BuildInfo) Info {
	i := Info{Version: "devel", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if b == nil {
		return i
	}
	if b.Main.Version != "" && b.Main.Version != "(devel)" {
		i.Version = b.Main.Version
	}
	for _, s := range b.Settings {
		switch s.Key {
		case "vcs.revision":
			i.Commit = s.Value
		case "vcs.modified":
			i.Changed = s.Value == "true"
		}
	}
	return i
}

// String is one line for people. The commit is left out where the version ends in it.
func (i Info) String() string {
	commit, short := "", i.Commit[:min(len(i.Commit), 12)]
	if !strings.Contains(i.Version, short) {
		commit = ", commit " + short
		if i.Changed {
			commit += " with changes"
		}
	}
	return fmt.Sprintf("riffle %s%s, %s, %s", i.Version, commit, i.Go, i.Platform)
}
