package packages

import (
	"fmt"
	"strings"
	"testing"

	"lspi/internal/testkit"
)

// The languages that a name may be a package of, and names that are none.
func TestOf(t *testing.T) {
	for name, want := range map[string]string{
		"golang.org/x/tools/go/packages": "go", "net/http": "go typescript", "serde::de": "rust", "zod": "go rust python typescript cpp",
		"@scope/name": "typescript", "node:fs": "typescript", "os.path": "python", "<vector>": "cpp", "leveldb/db.h": "cpp",
	} {
		var got []string
		for _, f := range Of(name) {
			got = append(got, f.languages[0])
		}
		testkit.Equal(t, strings.Join(got, " "), want, name)
		testkit.Equal(t, MayName(name), true, name)
	}
	for _, name := range []string{"src/a.go", "../a", "golang.org/../../etc", "<../../../etc/passwd>", "a b", ""} {
		testkit.Equal(t, MayName(name), false, name)
	}
}

// Where a source imports a package.
func TestSite(t *testing.T) {
	for _, c := range []struct {
		path, text, name, want string
	}{
		{"a.go", "package a\n\nimport (\n\t\"x/net/http\"\n\tweb \"net/http\"\n)\n", "net/http", "http\"\n)"},
		{"a.go", "package a\n\n// import \"net/http\"\n", "net/http", ""},
		{"a.py", "import os\nfrom a.b import c\n", "a.b", "b import"},
		{"a.py", "from a.bc import c\n", "a.b", ""},
		{"a.ts", "import { z } from 'zod';\n", "zod", "zod';"},
		{"a.ts", "const z = require(\"zod/v4\");\n", "zod/v4", "v4\")"},
		{"a.rs", "use serde::de::Error;\n", "serde::de", "de::Error"},
		{"a.cc", "#include <vector>\n", "<vector>", "vector>"},
	} {
		f := Of(c.name)[0]
		for _, other := range Of(c.name) {
			if other.Serves(c.path) {
				f = other
			}
		}
		at := f.Site(c.path, c.text, c.name)
		if c.want == "" {
			testkit.Equal(t, at, -1, c.text)
		} else if at < 0 || !strings.HasPrefix(c.text[at:], c.want) {
			t.Errorf("%s in %q: %d", c.name, c.text, at)
		}
	}
}

// What a file passes on from others.
func TestPasses(t *testing.T) {
	for _, c := range []struct {
		passes     func(path, text string) []Passed
		text, want string
	}{
		{scriptPasses, "export * from './a';\nexport { b, type c as d } from \"./e\";\nexport { f };\n", "*./a b d"},
		{rustPasses, "pub use a::b;\npub use c::{d, e::{f as g, h}};\npub use i::*;\nuse j::k;\npub use l::{self, m};\n",
			"b d g h *i m"},
		{pythonPasses, "from .a import b, _c\nfrom .d import (\n    e as f,  # why\n    g,\n)\nfrom other import h\n" +
			"from other import *\nfrom own.m import n\nfrom listed import o, p\n__all__ = [\"o\", 'q']\ntry:\n    from .i import j\nexcept ImportError:\n    pass\ndef k():\n    from .l import m\n",
			"b f g *r n o j"},
		{headerPasses, "#include <bits/stl_vector.h>\n#include <new>\n", "*bits/stl_vector.h"},
	} {
		var got []string
		for _, p := range c.passes("/own/__init__.py", c.text) {
			one := p.Name
			if p.All {
				one = "*" + strings.FieldsFunc(c.text[p.At:], func(r rune) bool { return strings.ContainsRune(" '\":>;\n", r) })[0]
			}
			got = append(got, one)
		}
		testkit.Equal(t, strings.Join(got, " "), c.want, fmt.Sprint(c.text))
	}
}
