package rustanalyzer

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"lspi/internal/testkit"
)

func TestParse(t *testing.T) {
	const text = `
[package]
name = "app"
[dependencies]
serde = "1"
near = { path = "../near" }
other = { path = "x", package = "renamed" }
remote = { version = "1", git = "https://example.org/r" }
[dev_dependencies.tests]
path = "tests-of"
[target.'cfg(unix)'.build-dependencies]
make = { path = "make" }
[patch.crates-io]
fixed = { path = "fixed" }
[workspace]
members = ["a/*"]
exclude = ["b"]
[workspace.dependencies]
shared = { path = "shared" }
`
	m, err := Parse("/w/app", []byte(text))
	testkit.Must(t, err)
	var got []string
	for _, p := range m.Paths {
		got = append(got, p.Crate+" "+filepath.ToSlash(p.Folder))
	}
	slices.Sort(got)
	want := "[fixed /w/app/fixed make /w/app/make near /w/near renamed /w/app/x shared /w/app/shared tests /w/app/tests-of]"
	if fmt.Sprint(got) != want || m.Name != "app" || fmt.Sprint(*m.Workspace) != "{[a/*] [b]}" {
		t.Errorf("%v, %+v", got, m)
	}
	if m, err := Parse("/w", []byte("[dependencies]\nx = { path = 1 }\n")); err != nil || m.Workspace != nil ||
		len(m.Paths) != 0 {
		t.Errorf("%+v, %v", m, err)
	}
	if _, err := Parse("/w", []byte("[workspace]\nmembers = [")); err == nil {
		t.Error("half a manifest is read")
	}
}
