package gopls

import (
	"fmt"
	"testing"
)

func TestWhatBuildsAGoFile(t *testing.T) {
	flagged := linuxBuild(true, "have")
	flagged.flagged = true
	for _, c := range []struct {
		g          *goBuild
		base, line string
		have, tags string
	}{
		{linuxBuild(true), "x.go", "//go:build integration", `env = { GOFLAGS = "-tags=integration" }`,
			"[integration]"},
		{linuxBuild(true, "have"), "x.go", "//go:build a && b && !c", `env = { GOFLAGS = "-tags=have,a,b" }`, "[a b]"},
		{linuxBuild(true), "x.go", "//go:build a || b", `env = { GOFLAGS = "-tags=a" }`, "[a]"},
		{linuxBuild(true), "x.go", "// +build a\n// +build b", `env = { GOFLAGS = "-tags=a,b" }`, "[a b]"},
		{flagged, "x.go", "//go:build a", `workspace_configuration = { gopls = { buildFlags = ["-tags=have,a"] } }`,
			"[a]"},
		{linuxBuild(true), "x.go", "//go:build a && windows", `env = { GOOS = "windows", GOFLAGS = "-tags=a" }`, "[a]"},
		{linuxBuild(true), "x_windows.go", "//go:build a", `env = { GOOS = "windows", GOFLAGS = "-tags=a" }`, "[a]"},
		{linuxBuild(true), "x.go", "//go:build ignore", "", "[]"},
		{linuxBuild(true), "x.go", "//go:build linux && !linux", "", "[]"},
	} {
		u := c.g.explain(byBuild, c.base, c.line+"\n\npackage x\n")
		if u.Remedy != c.have || fmt.Sprint(u.Tags) != c.tags || u.Why == "" {
			t.Errorf("%s: %+v", c.line, u)
		}
	}
}
