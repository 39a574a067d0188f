package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"lspi/contract"
	"lspi/tools/answer"
	"lspi/tools/session"
	"lspi/tools/toolstest"
)

// bundleFiles are a symbol with 2*n uses, half of them in callers, and n implementations.
func bundleFiles(n int) map[string]string {
	var uses, impls strings.Builder
	for i := range n {
		fmt.Fprintf(&uses, "def caller%02d\n  target and some more words on the line of its call\ntarget\n", i)
		fmt.Fprintf(&impls, "impl target number%02d\n", i)
	}
	return map[string]string{"a.w": "def target\n  body\ndef body\n", "b.w": uses.String(), "c.w": impls.String()}
}

func TestSymbolBundle(t *testing.T) {
	session := toolstest.Open(t, project(t, bundleFiles(2)), toolstest.Fake(t, "words", `{"language":"words"}`))
	a := run(t, session, "symbol_bundle", map[string]any{"file_path": "a.w", "symbol_name": "target"})
	equal(t, "target", a["target"],
		any(map[string]any{"symbol": "target", "kind": "function", "file_path": "a.w", "line": 1.0, "character": 5.0}))
	equal(t, "counts", a["counts"], any(map[string]any{"references": 7.0, "implementations": 2.0, "callers": 2.0}))
	equal(t, "completeness", a["completeness"], any("complete"))
	for part, tool := range map[string]string{"references": "find_references",
		"implementations": "find_implementations"} {
		alone := run(t, session, tool, map[string]any{"file_path": "a.w", "symbol_name": "target"})
		equal(t, part, a[part], alone["files"])
	}
	alone := run(t, session, "hover", map[string]any{"file_path": "a.w", "symbol_name": "target",
		"include_snippet": true})
	for name, v := range a["hover"].(map[string]any) {
		equal(t, name, v, alone[name])
	}
	equal(t, "callers", outline(t, a["call_hierarchy"].(map[string]any)["incoming"]),
		"caller00@b.w:1[2] caller01@b.w:4[5]")
	a = run(t, session, "symbol_bundle", map[string]any{"file_path": "a.w", "symbol_name": "target",
		"references_limit": 0, "implementations_limit": 0, "call_max_depth": 0})
	equal(t, "hover alone", a["counts"], any(map[string]any{}))
	equal(t, "nothing cut", a["completeness"], any("complete"))
}

func TestSymbolBundleParts(t *testing.T) {
	t.Parallel()
	boom := `"actions":[{"error":{"code":-32603,"message":"boom"}}]`
	for _, c := range []struct{ name, script, warnings, completeness, missing string }{
		{"not offered", `{"language":"words","capabilities_patch":{"implementationProvider":null}}`, "not_offered",
			"complete", "implementations"},
		{"failing", `{"language":"words","rules":[{"method":"textDocument/references",` + boom + `}]}`, "part_failed",
			"partial", "references"},
		{"no callers",
			`{"language":"words","rules":[{"method":"textDocument/prepareCallHierarchy","actions":[{"result":null}]}]}`, "", "complete", "call_hierarchy"},
	} {
		session := toolstest.Open(t, project(t, bundleFiles(2)), toolstest.Fake(t, "words", c.script))
		a := run(t, session, "symbol_bundle", map[string]any{"file_path": "a.w", "symbol_name": "target"})
		equal(t, c.name, kinds(a), c.warnings)
		equal(t, c.name, a["completeness"], any(c.completeness))
		for _, part := range []string{"hover", "references", "implementations", "call_hierarchy"} {
			if v, there := a[part]; !there || (v == nil) != (part == c.missing) {
				t.Errorf("%s: %s is %v", c.name, part, v)
			}
		}
	}
	var rules []string
	for _, method := range []string{"textDocument/hover", "textDocument/references", "textDocument/implementation"} {
		rules = append(rules, `{"method":"`+method+`",`+boom+`}`)
	}
	session := toolstest.Open(t, project(t, bundleFiles(2)),
		toolstest.Fake(t, "words", `{"language":"words","rules":[`+strings.Join(rules, ",")+`]}`))
	a := run(t, session, "symbol_bundle", map[string]any{"file_path": "a.w", "symbol_name": "target",
		"call_max_depth": 0})
	equal(t, "all fail", a["error"].(map[string]any)["kind"], any("lsp_error"))
}

func TestSymbolBundleOutlivesACrash(t *testing.T) {
	session := toolstest.Open(t, project(t, bundleFiles(2)), toolstest.Fake(t, "words", `{"language":"words","events_file":"`+t.TempDir()+`/events","rules":[
		{"method":"textDocument/references","run":1,"actions":[{"exit":3}]}]}`))
	a := run(t, session, "symbol_bundle", map[string]any{"file_path": "a.w", "symbol_name": "target"})
	equal(t, "warnings", kinds(a), "server_restarted")
	equal(t, "counts", a["counts"], any(map[string]any{"references": 7.0, "implementations": 2.0, "callers": 2.0}))
}

// Whatever limits and caps cut, the steps lead to every reference and implementation once.
func TestSymbolBundleContinues(t *testing.T) {
	t.Parallel()
	session := toolstest.Open(t, project(t, bundleFiles(30)), toolstest.Fake(t, "words", `{"language":"words"}`))
	want := map[string]int{"references": 91, "implementations": 30}
	for _, limits := range []map[string]any{
		{}, {"references_limit": 7, "implementations_limit": 3}, {"max_total_chars": 2500},
		{"max_total_chars": 4000, "include_snippet": false},
		{"references_limit": 20, "max_total_chars": 1500},
	} {
		limits["file_path"], limits["symbol_name"] = "a.w", "target"
		a := run(t, session, "symbol_bundle", limits)
		got := map[string][]string{}
		for part := range want {
			got[part] = grouped(part)(reply{"files": a[part]})
		}
		for _, s := range a["next_steps"].([]any) {
			step := s.(map[string]any)
			tool := step["tool"].(string)
			part := strings.TrimPrefix(tool, "find_")
			if _, paged := want[part]; paged {
				got[part] = append(got[part], walk(t, session, tool, step["arguments"].(map[string]any),
					grouped(part))...)
			}
		}
		for part, n := range want {
			for i, s := range got[part] {
				got[part][i], _, _ = strings.Cut(s, " ")
			}
			slices.Sort(got[part])
			if once := slices.Compact(slices.Clone(got[part])); len(once) != n || len(got[part]) != n {
				t.Errorf("%v: %d %s, %d of them different, instead of %d", limits, len(got[part]), part, len(once), n)
			}
			equal(t, "counts", a["counts"].(map[string]any)[part], any(float64(n)))
		}
		if cut := a["truncated"] == true; cut != (a["completeness"] == "partial") && len(a["next_steps"].([]any)) > 0 {
			t.Errorf("%v: truncated %v, %v", limits, cut, a["completeness"])
		}
	}
}

func TestAllot(t *testing.T) {
	sizes := [4]int{100, 40, 12, 300}
	before := [4]int{}
	for n := 0; n <= 460; n++ {
		got := allot(n, sizes)
		total := 0
		for i := range got {
			if total += got[i]; got[i] < before[i] || got[i] > sizes[i] {
				t.Fatalf("%d: %v after %v", n, got, before)
			}
		}
		if total != min(n, 452) {
			t.Fatalf("%d: %v", n, got)
		}
		before = got
	}
}

// A part that was cancelled while somebody still waits for the call is one that failed, and voids no other; when
// nobody waits, or the server ended, the bundle has ended.
func TestSymbolBundleFailedPart(t *testing.T) {
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	cancelled := contract.Errorf(contract.KindCancelled, nil, "textDocument/hover was cancelled")
	crashed := contract.Errorf(contract.KindServerCrashed, nil, "the server ended")
	for _, c := range []struct {
		what  string
		ctx   context.Context
		err   error
		fails bool
	}{{"a part was cancelled", t.Context(), cancelled, false}, {"nobody waits", gone, cancelled, true},
		{"the server ended", t.Context(), crashed, true}} {
		call := answer.NewCall(session.Unopened(session.Settings{}, nil), known{}, answer.Request{})
		parts := []*part{{name: "hover", err: c.err}, {name: "references"}}
		missing, err := judge(c.ctx, call, parts, &bundle{hover: &hoverOut{}, references: &answer.Page{}})
		if (err != nil) != c.fails || len(missing) > 0 {
			t.Errorf("%s: %v, %v", c.what, missing, err)
		}
		if warned := len(call.Warnings()) == 1 &&
			call.Warnings()[0].Kind == contract.WarnPartFailed; warned == c.fails {
			t.Errorf("%s: %v", c.what, call.Warnings())
		}
	}
}
