package resolve

import (
	"context"
	"os"
	"path/filepath"
	"regexp/syntax"
	"strings"
	"testing"
	"time"

	"lspi/internal/source"
	"lspi/internal/testkit"
	"lspi/lsp/spec"
	"lspi/tools/ask"
	"lspi/tools/symbol"
)

func TestMatchesWords(t *testing.T) {
	for query, want := range map[string]string{
		"assert": "ASSERT_TRUE LevelAssert assert", "at": "ASSERT_TRUE", "ssert": "", "la": "LevelAssert",
		"ASSERT_TRUE_": "", "tru": "ASSERT_TRUE",
		"astr": "ASSERT_TRUE", "sertr": "", "größe": "",
	} {
		var out []string
		for _, name := range []string{"ASSERT_TRUE", "LevelAssert", "assert"} {
			if MatchesWords(query, name) {
				out = append(out, name)
			}
		}
		testkit.Diff(t, strings.Join(out, " "), want, query)
	}
}

func TestWordsOfAnExpression(t *testing.T) {
	for expression, want := range map[string][2]string{ // the longest word, the longest in the bare name
		"Load":            {"Load", ""},
		"Load$":           {"Load", "Load"},
		"^Load$":          {"Load", "Load"},
		`\.Load$`:         {"Load", "Load"},
		`Widget\.dr.*w$`:  {"Widget", "w"},
		`Widget::draw$`:   {"Widget", "draw"},
		`Widget\.$`:       {"Widget", ""},
		`^get[A-Z]\w*$`:   {"get", "get"},
		`^get[A-Z].*$`:    {"get", ""},
		`^get[^x]*Name$`:  {"Name", "Name"},
		`(Load|Store)All`: {"All", ""},
		`Load|Store`:      {"", ""},
		`(?i)LOAD$`:       {"load", "load"},
		`Lo+ad$`:          {"ad", "ad"},
		`(Widget){2}x$`:   {"x", "x"},
		`(?:Open)?File$`:  {"File", "File"},
		`.*`:              {"", ""},
		``:                {"", ""},
		`größe$`:          {"größe", "größe"},
		`a b$`:            {"a", "b"},
	} {
		parsed, err := syntax.Parse(expression, syntax.Perl)
		testkit.Must(t, err)
		items := Sequence(parsed, nil)
		if got := [2]string{LongestWord(items), TailWord(items)}; got != want {
			t.Errorf("%s: %q instead of %q", expression, got, want)
		}
	}
}

func TestSpelled(t *testing.T) {
	for name, want := range map[string]string{"Load": "Load", "ns::Widget::~Widget": "Widget", "operator<": "operator",
		"operator bool": "operator", "(*T).Hello": "Hello", "$scope": "scope"} {
		testkit.Diff(t, FileWord(symbol.Components(name)), want, name)
	}
}

// What could not be read counts as holding the word.
func TestSpellingIsBounded(t *testing.T) {
	dir := testkit.Project(t, map[string]string{"a.w": "one\n", "b.w": "two\n"})
	paths := []string{filepath.Join(dir, "a.w"), filepath.Join(dir, "b.w"), filepath.Join(dir, "gone.w"), dir}
	testkit.Diff(t, FirstHolding(t.Context(), paths, "three"), "", "none")
	testkit.Diff(t, FirstHolding(t.Context(), paths, "two"), paths[1], "second")
	testkit.Must(t, os.Truncate(paths[0], source.MaxBytes+1))
	testkit.Diff(t, FirstHolding(t.Context(), paths, "three"), paths[0], "too large")
	w := &ask.WorkspaceWalk{Roots: []*ask.RootFiles{{Files: paths[1:]}}}
	w.Roots[0].Route.Spec = &spec.Spec{}
	testkit.Diff(t, RootsHolding(t.Context(), w, "three", time.Minute)[w.Roots[0]], "", "in time")
	testkit.Diff(t, RootsHolding(t.Context(), w, "three", 0)[w.Roots[0]], paths[1], "out of time")
}

// What the time did not suffice for is told, and what the server says of it stays.
func TestMacrosOutOfTime(t *testing.T) {
	dir := testkit.Project(t, map[string]string{"a.h": "#define MAC_A 1\n"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	q := Question{Match: "exact", Want: []string{"MAC_A"}}
	found, read, failed := q.Macros(ctx, []string{dir + "/a.h"})
	if len(found) > 0 || len(read) > 0 || failed != (unsearched{Path: dir + "/a.h"}) {
		t.Errorf("%v %v %v", found, read, failed)
	}
}
