package build

import (
	"runtime"
	"runtime/debug"
	"testing"
)

func TestString(t *testing.T) {
	with := ", " + runtime.Version() + ", " + runtime.GOOS + "/" + runtime.GOARCH
	commit := debug.BuildSetting{Key: "vcs.revision", Value: "0123456789abcdef0123456789abcdef01234567"}
	for _, c := range []struct {
		build *debug.BuildInfo
		want  string
	}{
		{nil, "riffle devel"},
		{&debug.BuildInfo{Main: debug.Module{Version: "(devel)"}}, "riffle devel"},
		{&debug.BuildInfo{Main: debug.Module{Version: "v1.2.3"}}, "riffle v1.2.3"},
		{&debug.BuildInfo{Settings: []debug.BuildSetting{commit, {Key: "vcs.modified", Value: "false"}}}, "riffle devel, commit 0123456789ab"},
		{&debug.BuildInfo{Settings: []debug.BuildSetting{commit, {Key: "vcs.modified", Value: "true"}}}, "riffle devel, commit 0123456789ab with changes"},
		{&debug.BuildInfo{Main: debug.Module{Version: "v0.0.0-20260102030405-0123456789ab+dirty"}, Settings: []debug.BuildSetting{commit, {Key: "vcs.modified", Value: "true"}}}, "riffle v0.0.0-20260102030405-0123456789ab+dirty"},
	} {
		if got := of(c.build).String(); got != c.want+with {
			t.Errorf("%q, wanted %q", got, c.want+with)
		}
	}
	if i := of(&debug.BuildInfo{Settings: []debug.BuildSetting{commit}}); i.Commit != commit.Value {
		t.Errorf("commit %q, wanted it whole", i.Commit)
	}
}
