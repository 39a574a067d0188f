package tools

import (
	"fmt"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/tools/toolstest"
)

// macroFiles define macros in each way that a source can; clangd 22.1.8 names those of the files that were opened,
// and no others.
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
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "clangd")
	dir := project(t, macroFiles)
	compileCommands(t, dir, "a.cc", "b.cc")
	session := toolstest.Real(t, dir, "clangd")
	header := "MAC_ONE@a.h:3 MAC_CALL@a.h:4 MAC_OFF@a.h:6 MAC_ON@a.h:8 MAC_TWO@a.h:15 MAC_TWO@a.h:17 MAC_EMPTY@a.h:18 MAC_TAB@a.h:19 " +
		"MAC_AFTER@a.h:21 MAC_SPLIT@a.h:23 "
	guarded := "MAC_GUARD_H@a.h:2 " + header
	others := "MAC_OTHER@b.cc:1 MAC_LONE@lone.h:1 MAC_ONCE_H@once.h:2 MAC_LATE@sub/late.h:2"
	for _, opened := range []string{"nothing", "all"} {
		for _, c := range []struct {
			arguments map[string]any
			want      string
		}{
			{map[string]any{"query": "MAC"}, "MAC_LOCAL@a.cc:2 macaroni@a.cc:3 " + header + others +
				" mixedMacName@b.cc:2"},
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
			a := run(t, session, "search_workspace_symbols", c.arguments)
			equal(t, fmt.Sprint(c.arguments, ", opened: ", opened), foundNames(a), c.want)
			testkit.Equal(t, a["completeness"], "complete", c.arguments, "opened", opened, a["warnings"])
		}
		for name, want := range map[string]string{"MAC_ONE": "a.h:3", "MAC_LOCAL": "a.cc:2", "MAC_OTHER": "b.cc:1",
			"macaroni": "a.cc:3"} {
			a := run(t, session, "find_definition", map[string]any{"symbol_name": name})
			d := firstOf(a, "definitions")
			equal(t, fmt.Sprint("definition of ", name, ", opened: ", opened),
				fmt.Sprint(d["file_path"], ":", d["line"]), want)
		}
		for file := range macroFiles {
			run(t, session, "get_document_symbols", map[string]any{"file_path": file})
		}
	}
}

// A source that is too large to be read makes the answer partial where it may define such a macro, and only there.
func TestMacrosOfALargeFile(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "clangd")
	dir := project(t, map[string]string{"a.cc": "int a() { return 1; }\n", "large.h": "#define MAC_LARGE 1\n" +
		strings.Repeat("//"+strings.Repeat("x", 1<<20)+"\n", 33)})
	compileCommands(t, dir, "a.cc")
	session := toolstest.Real(t, dir, "clangd")
	for name, want := range map[string]string{"MAC_LARGE": "partial", "MAC_SMALL": "complete"} {
		a := run(t, session, "search_workspace_symbols", map[string]any{"query": name, "match": "exact"})
		if a["completeness"] != want || strings.Contains(fmt.Sprint(a["warnings"]),
			"could not search large.h for macros") != (want == "partial") {
			t.Errorf("%s: %v %v", name, a["completeness"], a["warnings"])
		}
	}
}

// askedFiles is a project in which clangd (22.1.8) lists no use in the text of a macro, in code that is left out,
// or through a using declaration, also when it is asked there.
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
	session := toolstest.Real(t, dir, "clangd")
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
		{"m.h", 5, "IsEq", true, "partial", "m.h:3 m.h:5 m.h:7 use.cc:2 use.cc:2 use.cc:2",
			"sees no symbol at IsEq in line 5 of m.h"},
		{"m.h", 7, "IsEq", true, "partial", "m.h:3 m.h:5 m.h:7 use.cc:2 use.cc:2 use.cc:2", "line 7 of m.h"},
		{"m.h", 3, "IsEq", true, "complete", "m.h:3 m.h:5 m.h:7 use.cc:2 use.cc:2 use.cc:2", ""},
		{"c.cc", 3, "Kind", true, "complete", kinds, ""},
		{"c.cc", 2, "Kind", true, "complete", kinds, ""},
		{"opt.h", 3, "Kind", true, "complete", kinds, ""},
		{"opt.h", 3, "Kind", false, "complete", strings.Replace(kinds, " opt.h:3", "", 1), ""},
		{"d.cc", 2, "Kind", true, "complete", kinds, ""},
		{"d.cc", 2, "take", true, "complete", "c.cc:4 d.cc:2 opt.h:4", ""},
		{"off.cc", 3, "unheard", true, "partial", "", "line 3 lies in code that is not built"},
		{"off.cc", 6, "Most", true, "partial", "", "line 6 lies in code that is not built"},
		{"off.cc", 3, "Kind", true, "partial", strings.Replace(kinds, " opt.h", " off.cc:3 opt.h", 1),
			"line 3 lies in code that is not built"},
	} {
		a := run(t, session, "find_references", map[string]any{"file_path": c.file, "line": c.line,
			"symbol_name": c.name, "include_declaration": c.declaration})
		what := fmt.Sprint(c.file, ":", c.line, " ", c.name)
		testkit.Equal(t, lines(a["files"], "references"), c.places, what)
		equal(t, what, fmt.Sprint(a["completeness"]), c.completeness)
		w := warningAbout(a, "unresolved_name")
		if (w == "") != (c.words == "") || !strings.Contains(w, c.words) {
			t.Errorf("%s: %q; %v", what, w, a["warnings"])
		}
	}
	for _, tool := range []string{"hover", "find_definition", "symbol_bundle"} {
		a := run(t, session, tool, map[string]any{"file_path": "off.cc", "line": 3, "symbol_name": "unheard"})
		if w := warningAbout(a, "unresolved_name"); a["completeness"] != "partial" ||
			!strings.Contains(w, "line 3 lies in code that is not built") {
			t.Errorf("%s: %v", tool, a)
		}
	}
}

var keywordProject = sharing("keyword", &realProject{server: "typescript-language-server",
	program: "typescript-language-server", files: map[string]string{
		"tsconfig.json": smallLib, "a.ts": "export const one = 1;\n",
		"b.ts": "import * as z from './a';\nexport { z };\n"}})[0]

// Asked at a contextual keyword tsserver gives the references of the name beside it, to which the keyword does not
// belong.
func TestReferencesAtAContextualKeyword(t *testing.T) {
	t.Parallel()
	a := run(t, keywordProject.session(t), "find_references",
		keywordProject.in(map[string]any{"file_path": "b.ts", "line": 1, "character": 10}))
	equal(t, "places", keywordProject.shown(lines(a["files"], "references")), "b.ts:1 b.ts:2")
	equal(t, "completeness", a["completeness"], any("complete"))
}

// The three of leveldb, where the macros of a header have 520 uses.
func TestReferencesHaveTheAskedPlaceInLeveldb(t *testing.T) {
	testkit.Always(t, "leveldb", "none")
	needServer(t, "clangd")
	session := toolstest.Real(t, testkit.Corpus(t, "leveldb"), "clangd")
	ask := func(file string, line int, name string) reply {
		return run(t, session, "find_references", map[string]any{"file_path": file, "line": line, "symbol_name": name,
			"include_snippet": false, "max_results": 600})
	}
	for range 8 { // the index of all sources takes its time
		if ask("util/testharness.h", 87, "IsEq")["completeness"] == "complete" {
			break
		}
	}
	a := ask("util/testharness.h", 107, "IsEq")
	if a["total"] != 521. || a["completeness"] != "partial" || !strings.Contains(warningAbout(a, "unresolved_name"),
		"line 107") {
		t.Errorf("%.2000v", a)
	}
	a = ask("db/c.cc", 450, "CompressionType")
	if got := lines(a["files"], "references"); a["completeness"] != "complete" ||
		!strings.Contains(got, "db/c.cc:21 db/c.cc:450 ") {
		t.Errorf("%v %s", a["completeness"], got)
	}
	for _, c := range []struct {
		file string
		line int
		name string
	}{{"port/port_posix.h", 119, "MaxCompressedLength"}, {"db/db_iter.cc", 20, "DumpInternalIter"},
		{"port/atomic_pointer.h", 59, "OSMemoryBarrier"}} {
		a := ask(c.file, c.line, c.name)
		if w := warningAbout(a, "unresolved_name"); a["completeness"] != "partial" ||
			!strings.Contains(w, "lies in code that is not built") {
			t.Errorf("%s: %v", c.name, a)
		}
	}
}
