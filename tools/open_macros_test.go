package tools

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"lspi/coverage"
	"lspi/internal/testkit"
	"lspi/internal/testkit/sessions"
	"lspi/resolve"
)

// macroFiles define macros in each way that a source can; clangd 22.1.8 names those of the files that were opened, and no others.
var macroFiles = map[string]string{
	"a.h": "#ifndef MAC_GUARD_H\n#define MAC_GUARD_H\n#define MAC_ONE 1\n#  define MAC_CALL(x) (x)\n#ifdef NOPE\n#define MAC_OFF 1\n" +
		"#else\n#define MAC_ON 1\n#endif\n/* #define MAC_BLOCK 1\n#define MAC_INSIDE 1\n*/\n// #define MAC_LINE 1 \\\n#define MAC_LINE_TOO\n" +
		"#define MAC_TWO 1\n#undef MAC_TWO\n#define MAC_TWO 2\n#define MAC_EMPTY\n#define\tMAC_TAB \\\n  MAC_ONE\n" +
		" /* x */ #define MAC_AFTER 1\n# \\\ndefine MAC_SPLIT 1\nint macaroni();\n#endif\n",
	"a.cc":       "#include \"a.h\"\n#define MAC_LOCAL 1\nint macaroni() { return MAC_ONE; }\n",
	"b.cc":       "#define MAC_OTHER 1\n#define mixedMacName 1\n#define smacker 1\nint b() { return MAC_OTHER; }\n",
	"lone.h":     "#define MAC_LONE 1\nconst char *text = R\"(\n#define MAC_TEXT 1\n)\";\n",
	"once.h":     "#pragma once\n#define MAC_ONCE_H\n",
	"sub/late.h": "#ifndef MAC_LATE\n#define MAC_LATE 2\n#endif\n",
}

// A search names the macros that the sources of a project define, and the same ones after files were opened.
func TestMacrosOfFilesThatAreNotOpen(t *testing.T) {
	t.Parallel()
	needServer(t, "clangd")
	dir := project(t, macroFiles)
	compileCommands(t, dir, "a.cc", "b.cc")
	env := sessions.Real(t, dir, "clangd")
	header := "MAC_ONE@a.h:3 MAC_CALL@a.h:4 MAC_OFF@a.h:6 MAC_ON@a.h:8 MAC_TWO@a.h:15 MAC_TWO@a.h:17 MAC_EMPTY@a.h:18 MAC_TAB@a.h:19 " +
		"MAC_AFTER@a.h:21 MAC_SPLIT@a.h:23 "
	guarded := "MAC_GUARD_H@a.h:2 " + header
	others := "MAC_OTHER@b.cc:1 MAC_LONE@lone.h:1 MAC_ONCE_H@once.h:2 MAC_LATE@sub/late.h:2"
	for _, opened := range []string{"nothing", "all"} {
		for _, c := range []struct {
			arguments map[string]any
			want      string
		}{
			{map[string]any{"query": "MAC"}, "MAC_LOCAL@a.cc:2 macaroni@a.cc:3 " + header + others + " mixedMacName@b.cc:2"},
			{map[string]any{"query": "mclon"}, ""}, // the c begins no word
			{map[string]any{"query": "mlon"}, "MAC_LONE@lone.h:1"},
			{map[string]any{"query": "MAC_GUARD_H"}, "MAC_GUARD_H@a.h:2"},
			{map[string]any{"query": "MAC_ONE", "match": "exact"}, "MAC_ONE@a.h:3"},
			{map[string]any{"query": "MAC_LONE", "match": "exact"}, "MAC_LONE@lone.h:1"},
			{map[string]any{"query": "N::MAC_LONE", "match": "exact"}, ""},
			{map[string]any{"query": "MAC_GUARD_H", "match": "exact"}, "MAC_GUARD_H@a.h:2"},
			{map[string]any{"query": "MAC_INSIDE", "match": "exact"}, ""},
			{map[string]any{"query": "^MAC_", "match": "regex"}, "MAC_LOCAL@a.cc:2 " + guarded + others},
			{map[string]any{"query": "MAC", "kinds": []string{"function"}}, "macaroni@a.cc:3"},
			{map[string]any{"query": "MAC", "kinds": []string{"string"}, "path": "sub"}, "MAC_LATE@sub/late.h:2"},
			{map[string]any{"query": "MAC_OTHER", "file_path": "a.cc", "match": "exact"}, "MAC_OTHER@b.cc:1"},
			{map[string]any{"query": "MAC_LONE", "server_id": "clangd", "match": "exact"}, "MAC_LONE@lone.h:1"},
		} {
			a := run(t, env, "search_workspace_symbols", c.arguments)
			equal(t, fmt.Sprint(c.arguments, ", opened: ", opened), foundNames(a), c.want)
			testkit.Equal(t, a["completeness"], "complete", c.arguments, "opened", opened, a["warnings"])
		}
		for name, want := range map[string]string{"MAC_ONE": "a.h:3", "MAC_LOCAL": "a.cc:2", "MAC_OTHER": "b.cc:1", "macaroni": "a.cc:3"} {
			a := run(t, env, "find_definition", map[string]any{"symbol_name": name})
			d := firstOf(a, "definitions")
			equal(t, fmt.Sprint("definition of ", name, ", opened: ", opened), fmt.Sprint(d["file_path"], ":", d["line"]), want)
		}
		for file := range macroFiles {
			run(t, env, "get_document_symbols", map[string]any{"file_path": file})
		}
	}
}

// A source that is too large to be read makes the answer partial where it may define such a macro, and only there.
func TestMacrosOfALargeFile(t *testing.T) {
	t.Parallel()
	needServer(t, "clangd")
	dir := project(t, map[string]string{"a.cc": "int a() { return 1; }\n", "large.h": "#define MAC_LARGE 1\n" + strings.Repeat("//"+strings.Repeat("x", 1<<20)+"\n", 33)})
	compileCommands(t, dir, "a.cc")
	env := sessions.Real(t, dir, "clangd")
	for name, want := range map[string]string{"MAC_LARGE": "partial", "MAC_SMALL": "complete"} {
		a := run(t, env, "search_workspace_symbols", map[string]any{"query": name, "match": "exact"})
		if a["completeness"] != want || strings.Contains(fmt.Sprint(a["warnings"]), "could not search large.h for macros") != (want == "partial") {
			t.Errorf("%s: %v %v", name, a["completeness"], a["warnings"])
		}
	}
}

// What the time did not suffice for is told, and what the server says of it stays.
func TestMacrosOutOfTime(t *testing.T) {
	dir := project(t, map[string]string{"a.h": "#define MAC_A 1\n"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	q := resolve.Question{Match: "exact", Want: []string{"MAC_A"}}
	found, read, failed := q.Macros(ctx, []string{dir + "/a.h"})
	if len(found) > 0 || len(read) > 0 || failed != (coverage.Unsearched{Path: dir + "/a.h"}) {
		t.Errorf("%v %v %v", found, read, failed)
	}
}

func TestMatchesWords(t *testing.T) {
	for query, want := range map[string]string{
		"assert": "ASSERT_TRUE LevelAssert assert", "at": "ASSERT_TRUE", "ssert": "", "la": "LevelAssert", "ASSERT_TRUE_": "", "tru": "ASSERT_TRUE",
		"astr": "ASSERT_TRUE", "sertr": "", "größe": "",
	} {
		var out []string
		for _, name := range []string{"ASSERT_TRUE", "LevelAssert", "assert"} {
			if resolve.MatchesWords(query, name) {
				out = append(out, name)
			}
		}
		equal(t, query, strings.Join(out, " "), want)
	}
}
