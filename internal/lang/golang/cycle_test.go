package golang

import (
	"maps"
	"os"
	"path/filepath"
	"testing"

	"lspi/internal/testkit"
)

func TestImportsItself(t *testing.T) {
	t.Parallel()
	base := map[string]string{
		"go.mod":         "module ex.com/m\n",
		"a/a.go":         "package a\n\nimport _ \"ex.com/m/b\"\n",
		"b/b.go":         "package b\n\nimport _ \"ex.com/m/c\"\n",
		"c/c.go":         "package c\n\nimport _ \"ex.com/mother/a\"\n",
		"c/c_test.go":    "package c_test\n\nimport _ \"ex.com/m/a\"\n",
		"c/c_other.go":   "//go:build never\n\npackage c\n\nimport _ \"ex.com/m/a\"\n",
		"sub/go.mod":     "module ex.com/m/sub\n",
		"none/x.go":      "package none\n",
		"broken/x.go":    "package",
		"own/go.mod":     "module top\n",
		"own/x.go":       "package top\n\nimport _ \"top/in\"\n",
		"own/in/in.go":   "package in\n\nimport _ \"top\"\n",
		"a/in_test.go":   "package a\n\nimport _ \"ex.com/m/d\"\n",
		"a/out_test.go":  "package a_test\n\nimport _ \"ex.com/m/d\"\n",
		"d/d.go":         "package d\n\nimport _ \"ex.com/m/a\"\n",
		"self/self.go":   "package self\n\nimport _ \"ex.com/m/self\"\n",
		"gone/g.go":      "package gone\n\nimport _ \"ex.com/m/nothing/there\"\n",
		"root.go":        "package m\n\nimport _ \"ex.com/m/r\"\n",
		"r/r.go":         "package r\n\nimport _ \"ex.com/m\"\n",
		"std/fmt/fmt.go": "package fmt\n\nimport _ \"fmt\"\n",
	}
	for _, c := range []struct {
		file string
		with map[string]string
		want bool
	}{
		{"a/a.go", nil, false},
		{"a/a.go", map[string]string{"c/c.go": "package c\n\nimport _ \"ex.com/m/a\"\n"}, true},
		{"c/c.go", map[string]string{"c/c.go": "package c\n\nimport _ \"ex.com/m/a\"\n"}, true},
		{"c/c_test.go", nil, false},
		{"a/in_test.go", nil, true},
		{"a/out_test.go", nil, false},
		{"own/x.go", nil, true},
		{"self/self.go", nil, true},
		{"gone/g.go", nil, false},
		{"root.go", nil, true},
		{"none/x.go", nil, false},
		{"self/main.go", map[string]string{
			"self/main.go": "//go:build ignore\n\npackage main\n\nimport _ \"ex.com/m/self\"\n"}, false},
		{"self/x_plan9.go", map[string]string{"self/x_plan9.go": "package self\n\nimport _ \"ex.com/m/self\"\n"}, true},
		{"broken/x.go", nil, false},
		{"std/fmt/fmt.go", nil, false},
	} {
		dir := t.TempDir()
		texts := maps.Clone(base)
		maps.Copy(texts, c.with)
		for name, text := range texts {
			path := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		read := func(path string) string { text, _ := os.ReadFile(path); return string(text) }
		if got := ImportsItself(Build(func(string) string {
			return ""
		}), filepath.Join(dir, c.file), read); got != c.want {
			t.Errorf("%s with %v: %v", c.file, c.with, got)
		}
	}
}

// What the build of the session takes in counts, not that of this process.
func TestImportsItselfInItsBuild(t *testing.T) {
	t.Parallel()
	dir := testkit.Project(t, map[string]string{
		"go.mod":       "module ex.com/m\n",
		"a/a.go":       "package a\n\nimport _ \"ex.com/m/b\"\n",
		"b/b_plan9.go": "package b\n\nimport _ \"ex.com/m/a\"\n",
	})
	read := func(path string) string { text, _ := os.ReadFile(path); return string(text) }
	for _, system := range []string{"linux", "plan9"} {
		in := Build(func(name string) string { return map[string]string{"GOOS": system}[name] })
		testkit.Equal(t, ImportsItself(in, filepath.Join(dir, "a", "a.go"), read), system == "plan9", system)
	}
}
