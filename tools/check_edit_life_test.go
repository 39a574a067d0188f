//go:build unix

package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"lspi/contract"
	"lspi/internal/testkit"
	"lspi/lsp"
	"lspi/lsp/lsptest"
	"lspi/lsp/spec"
	"lspi/tools/answer"
	"lspi/tools/session"
)

// trialEvents are what the first server received about texts, and the questions, in order: "open a.w 1 text".
func (s *scripted) trialEvents() []string {
	s.Helper()
	var out []string
	for _, e := range s.got(0, "") {
		var p struct {
			TextDocument struct {
				URI     string
				Version int
				Text    string
			}
			ContentChanges []struct{ Text string }
		}
		_ = json.Unmarshal(e.Params, &p)
		name, text := filepath.Base(p.TextDocument.URI), p.TextDocument.Text
		for _, c := range p.ContentChanges {
			text = c.Text
		}
		switch e.Method {
		case "textDocument/didOpen", "textDocument/didChange", "textDocument/didClose", "textDocument/didSave",
			lsp.MethodDocumentDiag,
			lsp.MethodReferences:
			out = append(out, strings.TrimSpace(fmt.Sprintf("%s %s %s", strings.TrimPrefix(e.Method, "textDocument/"),
				name,
				strings.ReplaceAll(strings.TrimSpace(text), "\n", "|"))))
		}
	}
	// Several files are asked about at the same time, in any order.
	const asked = "diagnostic "
	for from := 0; from < len(out); from++ {
		to := from
		for to < len(out) && strings.HasPrefix(out[to], asked) {
			to++
		}
		slices.Sort(out[from:to])
		from = max(from, to-1)
	}
	return out
}

// edit is the arguments of check_edit for one edit by text.
func editOf(file, old, text string) map[string]any {
	return map[string]any{"edits": []map[string]any{{"file_path": file, "old_text": old, "new_text": text}}}
}

// The texts come back before anything else is asked: the save only for the text that is on disk, and a file that is not
// there is closed.
func TestCheckEditPutsBack(t *testing.T) {
	s := newScripted(t, nil, playing(), "a.w", "def X\n", "b.w", "X\n")
	a := run(t, s.Session, "check_edit", map[string]any{"edits": []map[string]any{
		{"file_path": "a.w", "old_text": "X", "new_text": "BAD"}, {"file_path": "n.w", "new_text": "BAD\n"}}})
	wantDiffers(t, a, "complete", "+a.w:1:5 error <nil>", "+n.w:1:1 error <nil>")
	s.want(s.references(), "fake1 complete 2")
	got := strings.Join(s.trialEvents(), "\n")
	want := strings.Join([]string{
		"didOpen a.w def X", "diagnostic a.w", "didOpen b.w X", "diagnostic b.w",
		"didChange a.w def BAD", "didOpen n.w BAD", "diagnostic a.w", "diagnostic b.w", "diagnostic n.w",
		"didChange a.w def X", "didSave a.w", "didClose n.w",
		"references a.w", "references a.w"}, "\n") // X is gone, and b.w holds it
	testkit.Equal(t, got, want)
	if _, err := os.Stat(filepath.Join(s.dir, "n.w")); err == nil {
		t.Error("n.w was written")
	}
}

// hangsTrying is a server that never answers about a text with BAD in it.
func hangsTrying() []*lsptest.Script {
	return playing(lsptest.Rule{Method: lsp.MethodDocumentDiag, Nth: 2, Actions: []lsptest.Action{hangs}})
}

// A call that is cancelled in the middle puts everything back, and a call that waited meanwhile never sees what was
// tried.
func TestCheckEditCancelled(t *testing.T) {
	s := newScripted(t, nil, hangsTrying(), "a.w", "def X\nX\n")
	ctx, cancel := context.WithCancel(t.Context())
	var group sync.WaitGroup
	group.Go(func() {
		raw, _ := json.Marshal(editOf("a.w", "def X", "def BAD"))
		r := Run(ctx, s.Session, nil, answer.Request{Tool: "check_edit", Arguments: raw})
		if r.OK || !strings.Contains(string(r.Structured), string(contract.KindCancelled)) {
			t.Errorf("%s", r.Structured)
		}
	})
	until(t, "the trial", func() bool { return len(s.got(0, lsp.MethodDocumentDiag)) == 2 })
	for range 3 { // which of them waits for the trial, and which comes after it, is all the same
		group.Go(func() { s.want(s.references(), "fake1 complete 2") })
	}
	run(t, s.Session, "get_server_status", nil) // waits for nobody
	cancel()
	group.Wait()
	got := strings.Join(s.trialEvents(), "\n")
	if !strings.HasPrefix(got,
		"didOpen a.w def X|X\ndiagnostic a.w\ndidChange a.w def BAD|X\ndiagnostic a.w\ndidChange a.w def X|X\ndidSave a.w\nreferences a.w") {
		t.Errorf("got\n%s", got)
	}
}

// A server that dies in the middle takes what was tried with it; the next process answers.
func TestCheckEditServerDies(t *testing.T) {
	s := newScripted(t, nil,
		playing(inRun(1, lsptest.Rule{Method: lsp.MethodDocumentDiag, Nth: 2, Actions: []lsptest.Action{dies}})),
		"a.w", "def X\nX\n")
	a := run(t, s.Session, "check_edit", editOf("a.w", "def X", "def BAD"))
	wantDiffers(t, a, "complete", "+a.w:1:5 error <nil>")
	equal(t, "warnings", kinds(a), "server_restarted")
	s.want(s.references(), "fake1 complete 2")
}

// A server that does not take the texts back is not asked again: its successor is.
func TestCheckEditThatCannotBePutBack(t *testing.T) {
	s := newScripted(t, func(specs []spec.Spec) {
		specs[0].Timeouts.Requests = map[string]time.Duration{"lspi/fence": 100 * time.Millisecond}
	},
		playing(inRun(1, on("lspi/fence", hangs))), "a.w", "def X\nX\n")
	a := run(t, s.Session, "check_edit", editOf("a.w", "def X", "def BAD"))
	wantDiffers(t, a, "complete", "+a.w:1:5 error <nil>")
	s.want(s.references(), "fake1 complete 2")
	testkit.Equal(t, len(s.got(0, "initialize")), 2)
}

// checks is how many random trials each server gets: LSPI_CHECKS, else few.
func checks(t *testing.T) int {
	n := testkit.Times(6, 10)
	if given := os.Getenv("LSPI_CHECKS"); given != "" {
		var err error
		if n, err = strconv.Atoi(given); err != nil {
			t.Fatal(err)
		}
	}
	return n
}

// leavesNoTrace is that whatever is tried, and wherever it is given up or its server dies, the server's answers are
// those of before.
func leavesNoTrace(t *testing.T, session *session.Session, p trialProject) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	answersOf(t, session, p) // which open the files, so that the next are of the same state
	want := answersOf(t, session, p)
	last := checks(t) - 1
	killed := make(chan struct{})
	for n := range last + 1 {
		arguments := randomTrial(random, p)
		ctx, cancel := context.WithCancel(t.Context())
		switch {
		case n == last:
			pid := session.Workspace.Pool.Running()[0].PID()
			time.AfterFunc(time.Duration(random.IntN(20))*time.Millisecond, func() {
				_ = syscall.Kill(pid, syscall.SIGKILL)
				close(killed)
			})
		case random.IntN(3) == 0:
			ctx, cancel = context.WithTimeout(t.Context(), time.Duration(random.IntN(60))*time.Millisecond)
		}
		r := Run(ctx, session, nil, answer.Request{Tool: "check_edit", Arguments: arguments})
		cancel()
		if !r.OK && ctx.Err() == nil {
			t.Fatalf("trial %d: %s\n%s", n, arguments, r.Text)
		}
		if n%5 != 0 && n < last {
			continue
		}
		if n == last { // the first answers behind it say that the server was started again
			<-killed
			answersOf(t, session, p)
		}
		for i, got := range answersOf(t, session, p) {
			if got != want[i] && strings.Contains(got, `"stale_dropped"`) {
				// clangd indexes headers some time later; what it says until then is left out, with this warning
				continue
			}
			if got != want[i] {
				t.Fatalf("after trial %d: %s\n%s\ngot  %s\nwant %s", n, arguments, r.Text, got, want[i])
			}
		}
	}
}

var word = regexp.MustCompile(`[A-Za-z_]\w*`)

// answersOf are the answers to questions about every word of every source, and about every file.
func answersOf(t *testing.T, session *session.Session, p trialProject) []string {
	t.Helper()
	var out []string
	ask := func(tool string, arguments map[string]any) {
		raw, err := json.Marshal(arguments)
		testkit.Must(t, err)
		r := Run(t.Context(), session, nil, answer.Request{Tool: tool, Arguments: raw})
		out = append(out, fmt.Sprintf("%s %s: %s", tool, raw, r.Structured))
	}
	for _, name := range p.sources() {
		// nope is what no server resolves, and is asked for diagnostics instead; number has 3,632 uses in
		// TypeScript's library, of which a busy machine cannot always tell in time what belongs to the project.
		asked := map[string]bool{"i32": true, "nope": true, "number": true}
		for line, text := range strings.Split(p.files[name], "\n") {
			for _, at := range word.FindAllStringIndex(text, -1) {
				if name := text[at[0]:at[1]]; asked[name] {
					continue
				}
				asked[text[at[0]:at[1]]] = true
				// Of what it does not resolve in a file with errors rust-analyzer is asked for those of cargo
				// check, too.
				if word := text[at[0]:at[1]]; p.server == "rust-analyzer" && word != "m" && word != "f" {
					continue
				}
				place := map[string]any{"file_path": name, "line": line + 1, "character": at[0] + 1}
				ask("hover", place)
				ask("find_references", place)
			}
		}
		ask("get_document_symbols", map[string]any{"file_path": name})
		if p.server != "rust-analyzer" { // which waits for a checker that a rust-project.json does not have
			// With nothing left pending: a trial would end that without an answer, and the next answer say so.
			ask("get_diagnostics", map[string]any{"file_path": name, "wait": "all"})
		}
	}
	ask("search_workspace_symbols", map[string]any{"query": "f"})
	return out
}

// sources are the files of the project that the server reads as its language.
func (p trialProject) sources() []string {
	var out []string
	for name := range p.files {
		if !slices.Contains([]string{".json", ".mod", ".txt", ".toml"}, filepath.Ext(name)) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// randomTrial changes some of the sources somehow, or adds one.
func randomTrial(random *rand.Rand, p trialProject) json.RawMessage {
	sources := p.sources()
	random.Shuffle(len(sources), func(i, j int) { sources[i], sources[j] = sources[j], sources[i] })
	var edits []map[string]any
	for _, name := range sources[:1+random.IntN(len(sources))] {
		edits = append(edits, map[string]any{"file_path": name, "new_text": mangled(random, p.files[name])})
	}
	if random.IntN(3) == 0 {
		edits = append(edits, map[string]any{"file_path": "n" + filepath.Ext(sources[0]),
			"new_text": mangled(random, p.files[sources[0]])})
	}
	// so that what fits into it does not depend on the machine
	raw, _ := json.Marshal(map[string]any{"edits": edits, "wait_ms": 30_000})
	return raw
}

// mangled is a text with a line less, a line twice, another name, or nothing left.
func mangled(random *rand.Rand, text string) string {
	lines := strings.SplitAfter(text, "\n")
	i := random.IntN(len(lines))
	switch random.IntN(6) {
	case 0:
		return strings.Join(slices.Delete(lines, i, i+1), "")
	case 1:
		return strings.Join(slices.Insert(lines, i, lines[i]), "")
	case 2:
		return ""
	case 3:
		return text[:random.IntN(len(text))]
	case 4:
		return "\n\n" + text
	}
	names := word.FindAllString(text, -1)
	return strings.ReplaceAll(text, names[random.IntN(len(names))], "renamed")
}
