package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"lspi/internal/testkit"
	"lspi/tools/answer"
	"lspi/tools/session"
	"lspi/tools/toolstest"
)

// outline writes nodes as "symbol@file:line[call lines]" with what is below them in braces.
func outline(t testing.TB, v any) string {
	t.Helper()
	if v == nil {
		return "absent"
	}
	out, level := "", 0
	for i, n := range testkit.Nodes(t, v) {
		out += strings.Repeat("}", max(level-n.Level, 0))
		switch {
		case n.Level > level:
			out += "{"
		case i > 0:
			out += " "
		}
		level = n.Level
		out += fmt.Sprintf("%s@%s:%d", n.Symbol, n.Path, n.Line)
		if n.Calls != nil {
			out += strings.ReplaceAll(fmt.Sprint(n.Calls), " ", ",")
		}
		if n.Seen {
			out += " seen"
		}
		if n.More > 0 {
			out += fmt.Sprintf("+%d", n.More)
		}
	}
	return out + strings.Repeat("}", level)
}

func kinds(a reply) string {
	var out []string
	for _, w := range a["warnings"].([]any) {
		out = append(out, w.(map[string]any)["kind"].(string))
	}
	return strings.Join(out, " ")
}

func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	testkit.Diff(t, got, want, what)
}

func TestCallHierarchyClosesCycles(t *testing.T) {
	session := toolstest.Open(t, project(t, map[string]string{
		"a.w": "def ping\n  pong\n  pong\ndef pong\n  ping\n  leaf\ndef leaf\n",
		"b.w": "def main\n  ping\n  main\n",
	}), toolstest.Fake(t, "words", `{"language":"words"}`))
	a := run(t, session, "call_hierarchy", map[string]any{"file_path": "a.w", "symbol_name": "ping",
		"direction": "both", "max_depth": 6})
	equal(t, "incoming", outline(t, a["incoming"]),
		"pong@a.w:4[5]{ping@a.w:1[2,3] seen} main@b.w:1[2]{main@b.w:1[3] seen}")
	equal(t, "outgoing", outline(t, a["outgoing"]),
		"pong@a.w:4[2,3]{ping@a.w:1[5] seen leaf@a.w:7[6]}")
	equal(t, "root", a["root"], any("a.w:1 function ping"))
	equal(t, "completeness", a["completeness"], any("complete"))
	a = run(t, session, "call_hierarchy", map[string]any{"file_path": "a.w", "symbol_name": "leaf"})
	equal(t, "one level", outline(t, a["incoming"]), "pong@a.w:4[6]")
	if a["outgoing"] != nil {
		t.Errorf("not asked for: %v", a["outgoing"])
	}
}

func manyCallers(n int) string {
	var b strings.Builder
	b.WriteString("def target\n")
	for i := range n {
		fmt.Fprintf(&b, "def caller%02d\n  target\n", i)
	}
	return b.String()
}

func TestCallHierarchyBreadth(t *testing.T) {
	session := toolstest.Open(t, project(t, map[string]string{"a.w": manyCallers(30)}),
		toolstest.Fake(t, "words", `{"language":"words"}`))
	arguments := map[string]any{"file_path": "a.w", "symbol_name": "target", "max_breadth": 5}
	a := run(t, session, "call_hierarchy", arguments)
	equal(t, "shown", len(a["incoming"].([]any)), 5)
	equal(t, "left out", a["more_incoming"], any(25.0))
	equal(t, "warnings", kinds(a), "truncated")
	equal(t, "completeness", a["completeness"], any("partial"))
	equal(t, "truncated", a["truncated"], any(true))
	first := fmt.Sprint(a["incoming"])
	step := a["next_steps"].([]any)[0].(map[string]any)
	a = run(t, session, step["tool"].(string), step["arguments"].(map[string]any))
	equal(t, "the others", len(a["incoming"].([]any)), 25)
	equal(t, "completeness", a["completeness"], any("complete"))
	for _, n := range a["incoming"].([]any) {
		if _, symbol, _ := strings.Cut(n.(string), "function "); strings.Contains(first, symbol+" ") {
			t.Errorf("%s is shown twice", n)
		}
	}
	arguments["offset"] = 30
	a = run(t, session, "call_hierarchy", arguments)
	testkit.Equal(t, fmt.Sprint(a["incoming"], a["total"], a["returned"]), "[] 30 0", "behind the end")
}

func TestCallHierarchyWithinItsCap(t *testing.T) {
	session := toolstest.Open(t, project(t, map[string]string{"a.w": manyCallers(30)}),
		toolstest.Fake(t, "words", `{"language":"words"}`))
	for _, limit := range []int{700, 800, 1000} {
		raw, _ := json.Marshal(map[string]any{"file_path": "a.w", "symbol_name": "target", "max_breadth": 80,
			"max_total_chars": limit})
		r := Run(context.Background(), session, nil, answer.Request{Tool: "call_hierarchy", Arguments: raw})
		var a reply
		if err := json.Unmarshal(r.Structured, &a); err != nil || !r.OK {
			t.Fatalf("%v %s", err, r.Structured)
		}
		if n := utf8.RuneCount(r.Structured); n > limit {
			t.Errorf("%d characters, at most %d", n, limit)
		}
		if shown := len(a["incoming"].([]any)); shown == 0 || a["returned"] != float64(shown) || a["total"] != 30.0 {
			t.Errorf("%d shown: %v", shown, a)
		}
		equal(t, "completeness", a["completeness"], any("partial"))
	}
}

// Pages that follow each other by the step of the answer have every node once, each below its own caller.
func TestCallHierarchyPages(t *testing.T) {
	var b strings.Builder
	b.WriteString("def target\n")
	for i := range 12 {
		fmt.Fprintf(&b, "def near%02d\n  target\n", i)
		for j := range 5 {
			fmt.Fprintf(&b, "def far%02d_%d\n  near%02d\n", i, j, i)
		}
	}
	session := toolstest.Open(t, project(t, map[string]string{"a.w": b.String()}),
		toolstest.Fake(t, "words", `{"language":"words"}`))
	for breadth, atLeast := range map[int]int{20: 3, 2: 3} {
		callHierarchyPages(t, session, map[string]any{"file_path": "a.w", "symbol_name": "target", "max_depth": 2,
			"max_breadth": breadth, "max_total_chars": 1300}, atLeast)
	}
	callHierarchyPages(t, session, map[string]any{"file_path": "a.w", "symbol_name": "target", "max_depth": 2,
		"max_breadth": 2}, 2)
}

// callHierarchyPages follows the steps of a call hierarchy of TestCallHierarchyPages.
func callHierarchyPages(t *testing.T, session *session.Session, arguments map[string]any, atLeast int) {
	t.Helper()
	seen := map[string]int{}
	pages := 0
	for ; arguments != nil && pages < 40; pages++ {
		a := run(t, session, "call_hierarchy", arguments)
		near := ""
		returned := 0
		for _, n := range testkit.Nodes(t, a["incoming"]) {
			if n.Level == 0 {
				near = n.Symbol
			} else if !strings.HasPrefix(n.Symbol, "far"+near[len("near"):]) {
				t.Errorf("%s below %s", n.Symbol, near)
			}
			if !n.Earlier {
				seen[n.Symbol]++
				returned++
			}
		}
		arguments = nil
		if a["completeness"] == "partial" {
			if a["returned"] != nil {
				equal(t, "returned", a["returned"], any(float64(returned)))
			}
			testkit.Equal(t, len(a["next_steps"].([]any)), 1, "steps")
			arguments = firstOf(a, "next_steps")["arguments"].(map[string]any)
		}
	}
	equal(t, "nodes", len(seen), 12+12*5)
	for symbol, n := range seen {
		testkit.Equal(t, n, 1, symbol)
	}
	if pages < atLeast {
		t.Errorf("%d pages", pages)
	}
}

func TestCallHierarchyPartFails(t *testing.T) {
	session := toolstest.Open(t, project(t, map[string]string{
		"a.w": "def target\ndef one\n  target\ndef two\n  target\ndef three\n  one\n  two\n",
	}), toolstest.Fake(t, "words", `{"language":"words","rules":[
		{"method":"callHierarchy/incomingCalls","contains":"\"name\":\"two\"","actions":[{"error":{"code":-32603,"message":"boom"}}]}]}`))
	a := run(t, session, "call_hierarchy", map[string]any{"file_path": "a.w", "symbol_name": "target", "max_depth": 3})
	equal(t, "incoming", outline(t, a["incoming"]), "one@a.w:2[3]{three@a.w:6[7]} two@a.w:4[5]")
	equal(t, "warnings", kinds(a), "part_failed")
	equal(t, "completeness", a["completeness"], any("partial"))
	a = run(t, session, "call_hierarchy", map[string]any{"file_path": "a.w", "symbol_name": "two"})
	equal(t, "the first level", a["ok"], any(false))
	a = run(t, session, "call_hierarchy", map[string]any{"file_path": "a.w", "symbol_name": "two", "direction": "both"})
	equal(t, "one direction", outline(t, a["incoming"])+" "+outline(t, a["outgoing"]), "absent target@a.w:1[5]")
	equal(t, "completeness", a["completeness"], any("partial"))
}

func TestCallHierarchyGoesThroughTheDefinition(t *testing.T) {
	files := map[string]string{"a.w": "def target\ndef one\n  target\n"}
	// Null, or an error, at a use; the definition is asked as usual.
	for _, answer := range []string{`{"result":null}`, `{"error":{"code":-32603,"message":"no identifier"}}`} {
		session := toolstest.Open(t, project(t, files), toolstest.Fake(t, "words", `{"language":"words","rules":[
			{"method":"textDocument/prepareCallHierarchy","contains":"\"line\":2","actions":[`+answer+`]}]}`))
		a := run(t, session, "call_hierarchy", map[string]any{"file_path": "a.w", "line": 3, "character": 4})
		equal(t, "incoming", outline(t, a["incoming"]), "one@a.w:2[3]")
	}
}

func TestCallHierarchyOfNothing(t *testing.T) {
	session := toolstest.Open(t, project(t, map[string]string{"a.w": "def target\nother target\n"}),
		toolstest.Fake(t, "words", `{"language":"words"}`))
	a := run(t, session, "call_hierarchy", map[string]any{"file_path": "a.w", "line": 2, "symbol_name": "other"})
	equal(t, "root", a["root"], nil)
	equal(t, "incoming", outline(t, a["incoming"]), "")
	step := a["next_steps"].([]any)[0].(map[string]any)
	if a := run(t, session, step["tool"].(string), step["arguments"].(map[string]any)); a["ok"] != true {
		t.Errorf("the step fails: %v", a)
	}
}

func TestCallHierarchyOfOverloads(t *testing.T) {
	dir := project(t, map[string]string{"a.w": "def first\ndef second\ndef one\n  first\n  second\n"})
	item := func(name string, line int) string {
		return fmt.Sprintf(`{"name":%q,"kind":12,"uri":"file://%s/a.w","range":{"start":{"line":%d,"character":0},"end":{"line":%d,"character":9}},
			"selectionRange":{"start":{"line":%d,"character":4},"end":{"line":%d,"character":10}}}`, name, dir, line, line, line, line)
	}
	session := toolstest.Open(t, dir, toolstest.Fake(t, "words", `{"language":"words","rules":[{"method":"textDocument/prepareCallHierarchy",
		"actions":[{"result":[`+item("first", 0)+","+item("second", 1)+`]}]}]}`))
	a := run(t, session, "call_hierarchy", map[string]any{"file_path": "a.w", "symbol_name": "first"})
	equal(t, "incoming", outline(t, a["incoming"]), "one@a.w:3[4,5]")
	equal(t, "other roots", outline(t, a["other_roots"]), "second@a.w:2")
}

func TestCallHierarchyUnsupported(t *testing.T) {
	session := toolstest.Open(t, project(t, map[string]string{"a.w": "def target\n"}),
		toolstest.Fake(t, "words", `{"language":"words","capabilities_patch":{"callHierarchyProvider":null}}`))
	a := run(t, session, "call_hierarchy", map[string]any{"file_path": "a.w", "symbol_name": "target", "max_depth": 2})
	equal(t, "kind", a["error"].(map[string]any)["kind"], any("unsupported"))
	step := a["next_steps"].([]any)[0].(map[string]any)
	equal(t, "step", step["tool"], any("find_references"))
	if a := run(t, session, "find_references", step["arguments"].(map[string]any)); a["ok"] != true {
		t.Errorf("the step fails: %v", a)
	}
}

// gopls calls the initializer of every package variable init; its name is on its line, also where the callers are
// in more files than are asked for their symbols.
func TestInitializersHaveTheNameOfTheirVariable(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "gopls")
	files := map[string]string{"go.mod": "module m\n\ngo 1.24\n",
		"aim.go": "package m\n\nfunc aim() int { return 1 }\n"}
	for i := range maxQualifiedFiles + 5 {
		files[fmt.Sprintf("f%d.go", i)] = fmt.Sprintf("package m\n\nvar v%d = aim()\n", i)
	}
	session := toolstest.Real(t, project(t, files), "gopls")
	a := run(t, session, "call_hierarchy", map[string]any{"file_path": "aim.go", "symbol_name": "aim",
		"max_breadth": 80})
	callers := testkit.Nodes(t, a["incoming"])
	equal(t, "callers", len(callers), maxQualifiedFiles+5)
	for _, c := range callers {
		testkit.Equal(t, c.Symbol, "v"+strings.TrimSuffix(strings.TrimPrefix(c.Path, "f"), ".go"), c)
	}
}
