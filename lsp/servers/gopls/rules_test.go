package gopls

import (
	"go/build"
	"testing"

	"lspi/internal/lang"
	"lspi/internal/testkit"

	"lspi/lsp"
)

func linuxBuild(cgo bool, tags ...string) *goBuild {
	g := &goBuild{here: build.Default}
	g.here.GOOS, g.here.GOARCH, g.here.CgoEnabled, g.here.BuildTags = "linux", "amd64", cgo, tags
	g.none = build.Context{Compiler: "gc"}
	return g
}

// What gopls 0.23.0 with go 1.26 reads below a module, tried folder by folder.
func TestPlacesOfGoSources(t *testing.T) {
	for rel, want := range map[string]exclusion{
		"x.go": included, "a/x.go": included, "a+b/x.go": included, "~t/x.go": included, "internal/x.go": included,
		"with space/x.go": byPath, "ha#sh/x.go": byPath, "pct%41/x.go": byPath, "at@b/x.go": byPath,
		"eq=b/x.go":   byPath,
		"com,ma/x.go": byPath, "par(a)/x.go": byPath, "q'q/x.go": byPath, "dot./x.go": byPath, "con/x.go": byPath,
		"unié/x.go": byPath,
		"_x/x.go":   byDesign, ".x/x.go": byDesign, "a/testdata/b/x.go": byDesign, "vendor/v/x.go": byDesign,
		"a/_x.go": byDesign,
		"a/.x.go": byDesign,
	} {
		testkit.Equal(t, (&goBuild{}).place(rel), want, rel)
	}
}

func TestGoBuildConstraints(t *testing.T) {
	plain := "package x\n"
	for _, c := range []struct {
		g                *goBuild
		base, text       string
		excluded, varies bool
	}{
		{linuxBuild(true), "x.go", plain, false, false},
		{linuxBuild(true), "a_b.go", plain, false, false},
		{linuxBuild(true), "x_linux.go", plain, false, true},
		{linuxBuild(true), "x_windows.go", plain, true, true},
		{linuxBuild(true), "x_windows_test.go", plain, true, true},
		{linuxBuild(true), "x_arm64.go", plain, true, true},
		{linuxBuild(true), "x.go", "// License\n\n//go:build windows\n\n" + plain, true, true},
		{linuxBuild(true), "x.go", "//go:build !windows\n\n" + plain, false, true},
		{linuxBuild(true), "x.go", "//go:build ignore\n\n" + plain, true, true},
		{linuxBuild(true), "x.go", "// +build ignore\n\n" + plain, true, true},
		{linuxBuild(true), "x.go", "//go:build custom\n\n" + plain, true, true},
		{linuxBuild(true, "custom"), "x.go", "//go:build custom\n\n" + plain, false, true},
		{linuxBuild(true), "x.go", "//go:build go1.18\n\n" + plain, false, true},
		{linuxBuild(true), "x.go", "package x\n\n/* int f(); */\nimport \"C\"\n", false, true},
		{linuxBuild(false), "x.go", "package x\n\n/* int f(); */\nimport \"C\"\n", true, true},
		{linuxBuild(false), "x.go", "package x\n\nvar C = \"C\"\n", false, false},
	} {
		excluded, varies := c.g.excluded("/p/"+c.base, c.text)
		if excluded != c.excluded || varies != c.varies {
			t.Errorf("%s %q: %v %v", c.base, c.text, excluded, varies)
		}
	}
}

func TestWhoMayUseWhatIsDeclaredOutside(t *testing.T) {
	g := &goBuild{}
	for _, c := range []struct {
		dir, line string
		imports   []string
		want      bool
	}{
		{"/usr/local/go/src/log", "func Fatal(v ...any) {", []string{"log"}, true},
		{"/usr/local/go/src/log", "func Fatal(v ...any) {", []string{"fmt", "og"}, false},
		{"/usr/local/go/src/log", "func (l *Logger) Fatal(v ...any) {", []string{"fmt"}, true},
		{"/go/pkg/mod/ex.com/m@v1.2.0/sub", "func Fatal() {", []string{"ex.com/m/sub"}, true},
		{"/go/pkg/mod/ex.com/m@v1.2.0/sub", "func Fatal() {", []string{"ex.com/m"}, false},
		{"/go/pkg/mod/ex.com/!m@v1.2.0", "func Fatal() {", []string{"ex.com/M"}, true},
	} {
		m := &lang.Mentions{Imports: map[string]bool{}}
		for _, path := range c.imports {
			m.Imports[path] = true
		}
		testkit.Equal(t, g.mayUseOutside(m, c.dir, lsp.Place{Line: c.line}), c.want, c.dir, "with", c.imports)
	}
}

func TestWhoMayUseADeclaration(t *testing.T) {
	g, projects := &goBuild{}, []string{"ex.com/gp"}
	for _, c := range []struct {
		name, line string
		imports    []string
		private    bool
		mayUse     bool
	}{
		{"Foo", "func Foo() {", []string{"ex.com/gp/a"}, false, true},
		{"Foo", "func Foo() {", []string{"ex.com/gp/b"}, false, false},
		{"Foo", "func (T) Foo() {", []string{"ex.com/gp/b"}, false, true},
		{"Foo", "func (T) Foo() {", []string{"fmt", "ex.com/gpx"}, false, false},
		{"Foo", "\tFoo = 1 // in a group", []string{"ex.com/gp/b"}, false, true},
		{"foo", "\tfoo := \"x\"", nil, true, false},
		{"a", "package a", []string{"ex.com/gp/b"}, false, false},
		{"a", "package a", []string{"ex.com/gp/a"}, false, true},
		{"a", "\t\"ex.com/gp/a\"", []string{"ex.com/gp/a"}, false, true},
		{"x", "import x \"ex.com/gp/a\"", []string{"ex.com/gp/a"}, false, true},
	} {
		m := &lang.Mentions{Imports: map[string]bool{}}
		for _, path := range c.imports {
			m.Imports[path] = true
		}
		declared := lsp.Place{Line: c.line}
		if private, may := g.private(c.name, declared),
			g.mayUse(m, "ex.com/gp/a", declared, projects); private != c.private || may != c.mayUse {
			t.Errorf("%q with %v: %v %v", c.line, c.imports, private, may)
		}
	}
}
