package clangd

import (
	"maps"
	"slices"
	"testing"

	"lspi/internal/source"
	"lspi/internal/testkit"
)

func TestSourcesThatNobodyIncludes(t *testing.T) {
	for path, want := range map[string]bool{"/p/a.cc": true, "/p/A.CPP": true, "/p/a.c++": true, "/p/a.mm": true,
		"/p/a.h": false, "/p/a.inc": false, "/p/vector": false} {
		testkit.Equal(t, isSource(path), want, path)
	}
	for line, want := range map[string]bool{`#include "a.h"`: true, "#  include <vector>": true, "#pragma once": true,
		"#pragma pack": false, "#define X": false} {
		testkit.Equal(t, isInclude(line), want, line)
	}
	before, after := source.New("/p/a.cc", "#include \"a.h\"\n"),
		source.New("/p/a.cc", "#include \"a.h\"\n#include <sub/b.h>\n")
	testkit.Diff(t, brings(before, after), []string{"b.h"})
	testkit.Equal(t, len(brings(after, before)), 0)
}

// A file sees what it includes, over others too; a header that no include names may be seen by all, a source only
// by itself.
func TestWhoMaySeeAFile(t *testing.T) {
	texts := []*source.Text{
		source.New("/p/a.cc", "#include \"a.h\"\n"), source.New("/p/b.cc", "#include \"b.h\"\n"),
		source.New("/p/a.h", "#include \"base.h\"\n"),
		source.New("/p/b.h", ""), source.New("/p/base.h", "#include \"a.h\"\n"), // a ring
	}
	files := []string{"/p/a.cc", "/p/b.cc", "/p/a.h"}
	for _, c := range []struct {
		changed string
		want    []string
	}{
		{"/p/base.h", []string{"/p/a.cc", "/p/a.h"}}, {"/p/b.h", []string{"/p/b.cc"}}, {"/p/flags.h", files},
		{"/p/b.cc", nil},
	} {
		got := map[string]bool{}
		for _, f := range (&Process{}).maySee(texts, files, []string{c.changed}) {
			got[f.Path] = true
			testkit.Equal(t, f.Included, f.Path == "/p/a.h", c.changed, f.Path)
			if f.Path == "/p/a.cc" && !f.Reached["base.h"] {
				t.Errorf("%s reaches %v", f.Path, f.Reached)
			}
		}
		testkit.Diff(t, slices.Sorted(maps.Keys(got)), slices.Sorted(slices.Values(c.want)), c.changed)
	}
}

// A header that only sources include which are not in the list is not known either.
func TestHeadersOfSources(t *testing.T) {
	dir := testkit.Project(t, testkit.Pairs("a.cc", "#include \"x.h\"\n", "x.h", "#include \"deep/y.h\"\n", "deep/y.h",
		"", "other.h", ""))
	headers := []string{dir + "/deep/y.h", dir + "/other.h", dir + "/x.h"}
	testkit.Diff(t, includedBy([]string{dir + "/a.cc", dir + "/gone.cc"}, headers),
		[]string{dir + "/x.h", dir + "/deep/y.h"})
}
