//go:build unix

package tools

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"lspi/internal/source"
	"lspi/internal/testkit"
	"lspi/router"
	"lspi/tools/answer"
	"lspi/tools/toolstest"
)

// sentRequests counts what lspi asks the servers of a session in one call, by request, parameters, and the texts that
// the server has.
type sentRequests struct {
	mu      sync.Mutex
	sent    map[string]int    // guarded by mu
	lines   []string          // in order, for a test that fails; guarded by mu
	process int               // how many were started; guarded by mu
	first   map[string]string // the text of each document as it was opened first, which is that on disk; guarded by mu
	other   map[string]string // the documents that have another text; guarded by mu
}

// barriers are the requests that are made for what comes with their answer and not for it, so that each is needed; by
// what they hold.
var barriers = [][]string{
	{"lspi/fence"},           // the server has read everything before it
	{"gopls.diagnose_files"}, // gopls has pushed all diagnostics
	// At the beginning of a file: clangd has told which regions are inactive, gopls has taken in a file that is new.
	{"textDocument/hover", `"position":{"line":0,"character":0}`},
}

// trace is for [router.PoolOptions].
func (r *sentRequests) trace(server string, sent bool, message []byte) {
	var m struct {
		ID     json.RawMessage
		Method string
		Params json.RawMessage
	}
	if json.Unmarshal(message, &m) != nil || m.Method == "" {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !sent {
		// Clangd answers before its index is there, and is asked anew with it.
		p := string(m.Params)
		begins, ends := strings.Contains(p, `"kind":"begin"`), strings.Contains(p, `"kind":"end"`)
		if server == "clangd" && m.Method == "$/progress" && (begins || ends) {
			r.sent = nil
			r.lines = append(r.lines, "< "+p)
		}
		return
	}
	r.lines = append(r.lines, string(m.ID)+" "+m.Method+" "+string(m.Params[:min(len(m.Params), 300)]))
	if m.ID == nil {
		r.told(m.Method, m.Params)
		return
	}
	if m.Method == "initialize" {
		r.process++
		r.other = nil
	}
	if r.sent == nil {
		r.sent = map[string]int{}
	}
	r.sent[fmt.Sprint(r.process, " ", m.Method, " ", string(m.Params), " ", r.other)]++
}

// told follows which documents have another text than that on disk. It needs mu.
func (r *sentRequests) told(method string, params json.RawMessage) {
	var p struct {
		TextDocument   struct{ URI, Text string }
		ContentChanges []struct{ Text string }
	}
	if json.Unmarshal(params, &p) != nil || method != "textDocument/didOpen" && method != "textDocument/didChange" {
		return
	}
	text := p.TextDocument.Text
	for _, c := range p.ContentChanges {
		text = c.Text
	}
	if _, known := r.first[p.TextDocument.URI]; !known {
		r.first[p.TextDocument.URI] = text
	}
	if r.other == nil {
		r.other = map[string]string{}
	}
	if delete(r.other, p.TextDocument.URI); text != r.first[p.TextDocument.URI] {
		r.other[p.TextDocument.URI] = text
	}
}

// take is what was sent twice since the last call of it, with the whole log.
func (r *sentRequests) take() (twice, log []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for one, n := range r.sent {
		isBarrier := func(words []string) bool {
			return !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(one, word) })
		}
		if n > 1 && !slices.ContainsFunc(barriers, isBarrier) {
			twice = append(twice, fmt.Sprintf("%d× %s", n, one))
		}
	}
	log = r.lines
	r.sent, r.lines = nil, nil
	slices.Sort(twice)
	return twice, log
}

// No request is sent twice in one call, while the server has the same texts and the same project, whether it has just
// started or is warm.
func TestNothingIsSentTwice(t *testing.T) {
	testkit.OwnServer(t)
	for _, p := range []struct {
		server, program string
		files           map[string]string
		source          string
		names           []string
		edits           []map[string]any // arguments of check_edit
	}{
		{"gopls", "gopls", map[string]string{
			"go.mod":    "module example.com/x\n\ngo 1.24\n",
			"a.go":      "package x\n\n// Adds one.\nfunc Add(n int) int { return n + 1 }\n\ntype T struct{}\n\nfunc (T) M() {}\n",
			"b.go":      "package x\n\nfunc B() int { return Add(1) + Add(2) }\n\nvar bad int = \"s\"\n",
			"c/c.go":    "package c\n\nimport \"example.com/x\"\n\nvar C = x.Add(3)\n\nfunc init() { x.T{}.M() }\n",
			"b_test.go": "package x\n\nimport \"testing\"\n\nfunc TestB(t *testing.T) { B() }\n",
		}, "a.go", []string{"Add", "T.M"}, []map[string]any{editOf("a.go", "n int", "n, m int"),
			editOf("a.go", "n + 1", "n + 2")}},
		{"clangd", "clangd", map[string]string{
			"a.h":  "#pragma once\nint add(int);\nstruct Shape { int area() const; };\n",
			"a.cc": "#include \"a.h\"\nint add(int n) { return n + 1; }\nint Shape::area() const { return add(1); }\n",
			"b.cc": "#include \"a.h\"\nint b() { return add(1) + add(2) + Shape().area(); }\nint bad() { return nope; }\n",
		}, "b.cc", []string{"add", "Shape::area", "Shape"},
			[]map[string]any{editOf("a.h", "int add(int);", "int add(int, int);"), editOf("a.cc", "n + 1", "n + 2")}},
		{"pyright", "pyright-langserver", map[string]string{
			"pyrightconfig.json": "{}",
			"a.py":               "def add(n: int) -> int:\n    return n + 1\n\n\nclass K:\n    def m(self) -> int:\n        return 1\n",
			"b.py":               "from a import add\n\nx = add(1) + add(2)\nbad: int = 's'\n",
			"c.py":               "import a\n\nprint(a.add(3), a.K().m())\n",
		}, "b.py", []string{"add", "K.m"}, []map[string]any{editOf("a.py", "n: int", "n: str"),
			editOf("a.py", "n + 1", "n + 2")}},
	} {
		t.Run(p.server, func(t *testing.T) {
			testkit.Always(t, p.server, "gopls", "clangd", "pyright")
			t.Parallel()
			needServer(t, p.program)
			dir := project(t, p.files)
			if p.server == "clangd" {
				compileCommands(t, dir, "a.cc", "b.cc")
			}
			sent := &sentRequests{first: map[string]string{}}
			s := toolstest.OpenWith(t, dir, func(o *router.PoolOptions) {
				o.Cache, o.Trace = filepath.Join(t.TempDir(), "cache"), sent.trace
			}, toolstest.Catalogue(p.server)...)
			var calls []answer.Request
			call := func(tool string, arguments map[string]any) {
				raw, err := json.Marshal(arguments)
				testkit.Must(t, err)
				calls = append(calls, answer.Request{Tool: tool, Arguments: raw})
			}
			for _, name := range p.names {
				call("find_references", map[string]any{"symbol_name": name})
			}
			call("get_diagnostics", map[string]any{"file_path": p.source})
			for _, e := range p.edits {
				call("check_edit", e)
			}
			for _, call := range slices.Concat(calls, calls) {
				r := Run(t.Context(), s, nil, call)
				if twice, log := sent.take(); !r.OK || len(twice) > 0 {
					t.Errorf("%s %s: %v, sent twice:\n%s\nof\n%s", call.Tool, call.Arguments, r.OK,
						strings.Join(twice, "\n"), strings.Join(log, "\n"))
				}
			}
		})
	}
}

// A question that is asked again sends the references request alone, and reads no file: what the server said of each
// place, and what the files hold, is remembered. A change makes it forget.
func TestSameQuestionAgain(t *testing.T) {
	needServer(t, "gopls")
	files := map[string]string{
		"go.mod": "module example.com/x\n\ngo 1.24\n",
		"a.go":   "package x\n\ntype Pair struct{ First, Second int }\n\nvar Zero = Pair{First: 0}\n",
		"b.go":   "package x\n\ntype Other struct{ First int }\n\nvar One = Other{First: 1}\n",
		// Places that gopls is asked about.
		"c_windows.go": "package x\n\nvar Two = Other{First: 2}\n",
		"d/d.go":       "package d\n\nimport \"example.com/x\"\n\nfunc D(o x.Other) int { return o.First }\n",
		"page.tmpl":    "{{ .First }}\n",
	}
	dir := project(t, files)
	sent := &sentRequests{first: map[string]string{}}
	s := toolstest.OpenWith(t, dir, func(o *router.PoolOptions) { o.Trace = sent.trace }, toolstest.Catalogue("gopls")...)
	ask := func() (requests []string) {
		t.Helper()
		sent.take()
		r := Run(t.Context(), s, nil, answer.Request{Tool: "find_references",
			Arguments: json.RawMessage(`{"file_path": "a.go", "line": 3, "symbol_name": "First"}`)})
		if !r.OK || !strings.Contains(string(r.Structured), `"total":2`) {
			t.Fatalf("%s", r.Structured)
		}
		_, log := sent.take()
		for _, line := range log {
			if id, rest, _ := strings.Cut(line, " "); id != "" && !strings.Contains(rest, "lspi/fence") {
				requests = append(requests, strings.Fields(rest)[0])
			}
		}
		return requests
	}
	first := ask()
	ask() // files that the first question opened count as known from here on
	read := source.FilesRead()
	again := ask()
	testkit.Diff(t, again, []string{"textDocument/references"})
	testkit.Equal(t, source.FilesRead()-read, 0, "files read for the same question")
	if len(first) < 2 {
		t.Errorf("the first question asked %q alone", first)
	}
	testkit.Write(t, filepath.Join(dir, "b.go"), files["b.go"]+"\n// changed\n")
	if changed := ask(); len(changed) < 2 {
		t.Errorf("after a change the question asked %q alone", changed)
	}
}
