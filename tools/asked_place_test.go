package tools

import (
	"fmt"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/internal/testkit/sessions"
)

// askedFiles is a project in which clangd (22.1.8) lists no use in the text of a macro, in code that is left out, or through a
// using declaration, also when it is asked there.
var askedFiles = map[string]string{
	"m.h": "#pragma once\nstruct Tester {\n  int IsEq(int a, int b) { return a == b; }\n};\n" +
		"#define ASSERT_EQ(a, b) Tester().IsEq((a), (b))\n#define ASSERT_SAME(a, b) \\\n  Tester().IsEq((a), (b))\n",
	"use.cc": "#include \"m.h\"\nint use() { return ASSERT_EQ(1, 2) + ASSERT_EQ(3, 4) + ASSERT_SAME(5, 6); }\n",
	"opt.h":  "#pragma once\nnamespace n {\nenum Kind { One, Two };\nint take(Kind k);\n}  // namespace n\n",
	"c.cc":   "#include \"opt.h\"\nusing n::Kind;\nint f(int t) { return static_cast<Kind>(t); }\nint g(Kind k) { return n::take(k); }\n",
	"d.cc":   "#include \"opt.h\"\nint h(n::Kind k) { return n::take(k); }\n",
	"off.cc": "#include \"opt.h\"\n#if 0\nint gone(n::Kind k) { return unheard(k); }\n#endif\n" +
		"#ifdef HAVE_SNAPPY\nint more() { return snappy::Most(1); }\n#else\nint more() { return 0; }\n#endif\n",
}

func TestReferencesHaveTheAskedPlace(t *testing.T) {
	t.Parallel()
	needServer(t, "clangd")
	dir := project(t, askedFiles)
	compileCommands(t, dir, "use.cc", "c.cc", "d.cc", "off.cc")
	env := sessions.Real(t, dir, "clangd")
	kinds := "c.cc:2 c.cc:3 c.cc:4 d.cc:2 opt.h:3 opt.h:4"
	for _, c := range []struct {
		file         string
		line         int
		name         string
		declaration  bool
		completeness string
		places       string
		words        string // of the warning unresolved_name
	}{
		{"m.h", 5, "IsEq", true, "partial", "m.h:3 m.h:5 use.cc:2 use.cc:2 use.cc:2", "sees no symbol at IsEq in line 5 of m.h"},
		{"m.h", 7, "IsEq", true, "partial", "m.h:3 m.h:7 use.cc:2 use.cc:2 use.cc:2", "line 7 of m.h"},
		{"m.h", 3, "IsEq", true, "complete", "m.h:3 use.cc:2 use.cc:2 use.cc:2", ""},
		{"c.cc", 3, "Kind", true, "complete", kinds, ""},
		{"c.cc", 2, "Kind", true, "complete", kinds, ""},
		{"opt.h", 3, "Kind", true, "complete", kinds, ""},
		{"opt.h", 3, "Kind", false, "complete", strings.Replace(kinds, " opt.h:3", "", 1), ""},
		{"d.cc", 2, "Kind", true, "complete", kinds, ""},
		{"d.cc", 2, "take", true, "complete", "c.cc:4 d.cc:2 opt.h:4", ""},
		{"off.cc", 3, "unheard", true, "partial", "", "line 3 lies in code that is not built"},
		{"off.cc", 6, "Most", true, "partial", "", "line 6 lies in code that is not built"},
		{"off.cc", 3, "Kind", true, "partial", strings.Replace(kinds, " opt.h", " off.cc:3 opt.h", 1), "line 3 lies in code that is not built"},
	} {
		a := run(t, env, "find_references", map[string]any{"file_path": c.file, "line": c.line, "symbol_name": c.name, "include_declaration": c.declaration})
		what := fmt.Sprint(c.file, ":", c.line, " ", c.name)
		testkit.Equal(t, lines(a["files"], "references"), c.places, what)
		equal(t, what, fmt.Sprint(a["completeness"]), c.completeness)
		w := warningAbout(a, "unresolved_name")
		if (w == "") != (c.words == "") || !strings.Contains(w, c.words) {
			t.Errorf("%s: %q; %v", what, w, a["warnings"])
		}
	}
	for _, tool := range []string{"hover", "find_definition", "symbol_bundle"} {
		a := run(t, env, tool, map[string]any{"file_path": "off.cc", "line": 3, "symbol_name": "unheard"})
		if w := warningAbout(a, "unresolved_name"); a["completeness"] != "partial" || !strings.Contains(w, "line 3 lies in code that is not built") {
			t.Errorf("%s: %v", tool, a)
		}
	}
}

var keywordProject = sharing("keyword", &realProject{server: "typescript-language-server", program: "typescript-language-server", files: map[string]string{
	"tsconfig.json": "{}", "a.ts": "export const one = 1;\n", "b.ts": "import * as z from './a';\nexport { z };\n"}})[0]

// Asked at a contextual keyword tsserver gives the references of the name beside it, to which the keyword does not belong.
func TestReferencesAtAContextualKeyword(t *testing.T) {
	t.Parallel()
	a := run(t, keywordProject.session(t), "find_references", keywordProject.in(map[string]any{"file_path": "b.ts", "line": 1, "character": 10}))
	equal(t, "places", keywordProject.shown(lines(a["files"], "references")), "b.ts:1 b.ts:2")
	equal(t, "completeness", a["completeness"], any("complete"))
}

// The three of leveldb, where the macros of a header have 520 uses.
func TestReferencesHaveTheAskedPlaceInLeveldb(t *testing.T) {
	testkit.Always(t, "leveldb", "none")
	needServer(t, "clangd")
	env := sessions.Real(t, testkit.Corpus(t, "leveldb"), "clangd")
	ask := func(file string, line int, name string) reply {
		return run(t, env, "find_references", map[string]any{"file_path": file, "line": line, "symbol_name": name, "include_snippet": false, "max_results": 600})
	}
	for range 8 { // the index of all sources takes its time
		if ask("util/testharness.h", 87, "IsEq")["completeness"] == "complete" {
			break
		}
	}
	a := ask("util/testharness.h", 107, "IsEq")
	if a["total"] != 521. || a["completeness"] != "partial" || !strings.Contains(warningAbout(a, "unresolved_name"), "line 107") {
		t.Errorf("%.2000v", a)
	}
	a = ask("db/c.cc", 450, "CompressionType")
	if got := lines(a["files"], "references"); a["completeness"] != "complete" || !strings.Contains(got, "db/c.cc:21 db/c.cc:450 ") {
		t.Errorf("%v %s", a["completeness"], got)
	}
	for _, c := range []struct {
		file string
		line int
		name string
	}{{"port/port_posix.h", 119, "MaxCompressedLength"}, {"db/db_iter.cc", 20, "DumpInternalIter"}, {"port/atomic_pointer.h", 59, "OSMemoryBarrier"}} {
		a := ask(c.file, c.line, c.name)
		if w := warningAbout(a, "unresolved_name"); a["completeness"] != "partial" || !strings.Contains(w, "lies in code that is not built") {
			t.Errorf("%s: %v", c.name, a)
		}
	}
}
