//go:build unix

package tools

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"lspi/internal/testkit"
	"lspi/lsp"
	"lspi/router"
	"lspi/tools/answer"
	"lspi/tools/toolstest"
)

// traffic is what lspi tells servers of texts, and what it asks them about diagnostics, in order.
type traffic struct {
	mu   sync.Mutex
	told []told // under mu
}

// told is one message of [traffic].
type told struct{ method, name, text string }

// trace is for [router.PoolOptions].
func (f *traffic) trace(_ string, sent bool, message []byte) {
	var m struct {
		Method string
		Params struct {
			TextDocument   struct{ URI, Text string }
			ContentChanges []struct{ Text string }
		}
	}
	if !sent || json.Unmarshal(message, &m) != nil {
		return
	}
	text := m.Params.TextDocument.Text
	for _, c := range m.Params.ContentChanges {
		text = c.Text
	}
	switch m.Method {
	case "textDocument/didOpen", "textDocument/didChange", "textDocument/didClose", lsp.MethodDocumentDiag:
		f.mu.Lock()
		defer f.mu.Unlock()
		f.told = append(f.told, told{m.Method, filepath.Base(m.Params.TextDocument.URI), text})
	}
}

// take is what was told since the last call of it.
func (f *traffic) take() []told {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := f.told
	f.told = nil
	return out
}

// A trial costs a server two changes of the edited document: nothing is closed and opened again for it, also when
// the agent has written the text that was tried, and nothing is asked again of the text on disk, of which the
// server has told before. The log gets where the time went. clangd tries texts in a process that ends with the
// trial, so that of its other process only what follows the write is seen.
func TestCheckEditTellsNoMoreThanTheTexts(t *testing.T) {
	for _, p := range trialProjects {
		t.Run(p.server, func(t *testing.T) {
			testkit.Always(t, p.server, "gopls")
			t.Parallel()
			needServer(t, p.program)
			dir := project(t, p.files)
			f := &traffic{}
			session := toolstest.OpenWith(t, dir, func(o *router.PoolOptions) {
				o.Cache, o.Trace = filepath.Join(t.TempDir(), "cache"), f.trace
			},
				toolstest.Catalogue(p.server)...)
			cure := p.tries[slices.IndexFunc(p.tries, func(c trialCase) bool { return c.name == "cures" })]
			name, old, text := cure.edits[0], cure.edits[1], cure.edits[2]
			before := p.files[name]
			after := strings.Replace(before, old, text, 1)
			wantDiffers(t, tryEdits(t, session, cure.edits...), cmp.Or(cure.claims, p.completeness), cure.want...)
			if p.server != "clangd" {
				f.take()
				wantDiffers(t, tryEdits(t, session, cure.edits...), cmp.Or(cure.claims, p.completeness), cure.want...)
				f.wantTrials(t, name, before, after)
			}
			raw, _ := json.Marshal(editOf(name, old, text))
			if r := Run(t.Context(), session, nil,
				answer.Request{Tool: "check_edit", Arguments: raw}); r.Spent.Waited <= 0 || r.Spent.Asked <= 0 {
				t.Errorf("the log would have no time of %+v", r.Spent)
			}
			f.take()
			testkit.Write(t, filepath.Join(dir, name), after)
			r := Run(t.Context(), session, nil,
				answer.Request{Tool: "get_diagnostics", Arguments: json.RawMessage(`{"file_path":"` + name + `"}`)})
			if !r.OK || p.server != "clangd" && r.Spent.Changed != 1 {
				t.Errorf("%d changed files: %s", r.Spent.Changed, r.Text)
			}
			var got []string
			for _, m := range f.take() {
				if m.method != lsp.MethodDocumentDiag {
					got = append(got, m.method+" "+m.name+" "+m.text)
				}
			}
			want := "textDocument/didChange "
			if p.server == "clangd" {
				want = "textDocument/didOpen " // for the first time in this process
			}
			testkit.Equal(t, strings.Join(got, "\n"), want+name+" "+after)
		})
	}
}

// wantTrials is that the server was told of the texts of an edit of one document and back to that on disk, once or
// twice, and asked nothing before the first.
func (f *traffic) wantTrials(t *testing.T, name, before, after string) {
	t.Helper()
	all := f.take()
	var texts []string
	for i, m := range all {
		switch m.method {
		case "textDocument/didChange":
			testkit.Equal(t, m.name, name)
			texts = append(texts, m.text)
		case lsp.MethodDocumentDiag:
			if i == 0 {
				t.Errorf("asked before anything changed: %q", all)
			}
		default:
			t.Errorf("a trial sent %q", m)
		}
	}
	if got := strings.Join(texts, "\n"); got != after+"\n"+before && got != after+"\n"+before+"\n"+after+"\n"+before {
		t.Errorf("the texts were %q", texts)
	}
}

// The process of clangd that tries texts reads the user's configuration like the other one, and indexes no standard
// library beside the trial.
func TestTrialsReadTheUsersConfiguration(t *testing.T) {
	if runtime.GOOS == "darwin" {
		t.Skip("no variable names the user's configuration there")
	}
	t.Parallel()
	needServer(t, "clangd")
	dir := project(t, map[string]string{"a.cc": "int f(int n) { return n; }\n"})
	compileCommands(t, dir, "a.cc")
	own, cache := t.TempDir(), filepath.Join(t.TempDir(), "cache")
	const user = "CompileFlags:\n  Add: [-Werror=unused-variable]\n"
	testkit.Write(t, filepath.Join(own, "clangd", "config.yaml"), user)
	specs := toolstest.Catalogue("clangd")
	specs[0].Env = map[string]string{"XDG_CONFIG_HOME": own}
	for _, untrusted := range []bool{false, true} {
		session := toolstest.OpenWith(t, dir, func(o *router.PoolOptions) { o.Cache = cache }, specs...)
		if untrusted {
			session.Workspace.Table.Specs[0].Untrusted = []string{dir}
		}
		wantDiffers(t, tryEdits(t, session, "a.cc", "return n;", "int gone; return n;"), "complete",
			"+a.cc:1:20 error -Wunused-variable")
	}
	copies, _ := filepath.Glob(filepath.Join(cache, "clangd-*", "*", "clangd", "config.yaml"))
	var got []string // folder; with the text for trials; with the user's; with that for restricted servers
	for _, path := range copies {
		raw, err := os.ReadFile(path)
		testkit.Must(t, err)
		text, trial := strings.CutSuffix(string(raw), "Index:\n  StandardLibrary: No\n")
		text, restricted := strings.CutPrefix(text, user+"\n---\n")
		got = append(got, fmt.Sprintf("%s %v %v %v", filepath.Base(filepath.Dir(filepath.Dir(filepath.Dir(path)))),
			trial, restricted, strings.Contains(text, "Remove:")))
	}
	testkit.Equal(t, strings.Join(got, "; "), "clangd-trial true true false; clangd-user-trial true true true")
}
