//go:build unix

package tools

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"lspi/lsp"
	"lspi/lsp/lsptest"
)

// at is an LSP location in a file of the session.
func (s *scripted) at(file string, line, from, to int) string {
	return fmt.Sprintf(`{"uri":"file://%s","range":{"start":{"line":%d,"character":%d},"end":{"line":%d,"character":%d}}}`,
		filepath.Join(s.dir, file), line, from, line, to)
}

// Every place of an answer holds the name on disk, or the server was shown that text and still says so.
func TestDoubtedPlaces(t *testing.T) {
	files := []string{"a.w", "def X\n", "b.w", "one\nX\nalias LongName\n"}
	for _, c := range []struct {
		name    string
		answers func(s *scripted) []string // to references in turn; after them the truth
		want    string
		asked   int
		opened  int
	}{
		{"right", func(*scripted) []string { return nil }, "fake1 complete 2", 1, 0},
		{"a line too high", func(s *scripted) []string { return []string{"[" + s.at("b.w", 0, 0, 1) + "]"} }, "fake1 complete 2", 2, 1},
		{"behind the end", func(s *scripted) []string { return []string{"[" + s.at("b.w", 9, 0, 1) + "]"} }, "fake1 complete 2", 2, 1},
		{"another name for it", func(s *scripted) []string {
			alias := "[" + s.at("b.w", 2, 0, 5) + "]"
			return []string{alias, alias}
		}, "fake1 complete 1", 2, 1},
		{"no name at all", func(s *scripted) []string {
			half := "[" + s.at("b.w", 1, 0, 1) + "," + s.at("b.w", 2, 8, 11) + "]"
			return []string{half, half}
		}, "fake1 partial 1 stale_dropped", 2, 1},
		{"outside of the project", func(s *scripted) []string {
			return []string{`[{"uri":"file:///etc/hostname","range":{"start":{"line":0,"character":0},"end":{"line":0,"character":1}}}]`}
		}, "fake1 complete 1", 1, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScripted(t, func(specs []lsp.Spec) { specs[0].Freshness.QueryClosed = true }, nil, files...)
			var rules []lsptest.Rule
			for _, a := range c.answers(s) {
				rules = append(rules, once(lsp.MethodReferences, lsptest.Action{Result: []byte(a)}))
			}
			s.play(playing(rules...)...)
			s.want(s.references(), c.want)
			if n := len(s.got(0, lsp.MethodReferences)); n != c.asked {
				t.Errorf("asked %d times, want %d", n, c.asked)
			}
			if n := len(s.got(0, "textDocument/didOpen")); n != c.opened {
				t.Errorf("opened %d files, want %d", n, c.opened)
			}
			if c.asked > 1 { // what was shown once stays shown
				s.references()
				if n := len(s.got(0, "textDocument/didOpen")); n != c.opened {
					t.Errorf("opened again: %d", n)
				}
			}
		})
	}
}

// The symbols of a file by which a name is found are doubted as well, and not kept.
func TestDoubtedSymbols(t *testing.T) {
	old := `[{"name":"X","kind":12,"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":5}},"selectionRange":{"start":{"line":0,"character":4},"end":{"line":0,"character":5}}}]`
	s := newScripted(t, func(specs []lsp.Spec) { specs[0].Freshness.QueryClosed = true },
		playing(once(lsp.MethodDocumentSymbol, lsptest.Action{Result: []byte(old)})), "a.w", "one two three\ndef X\nX\n")
	for range 2 {
		s.want(s.brief(run(t, s.Env, "find_references", map[string]any{"file_path": "a.w", "symbol_name": "X"})), "fake1 complete 2")
	}
	if asked, opened := len(s.got(0, lsp.MethodDocumentSymbol)), len(s.got(0, "textDocument/didOpen")); asked != 2 || opened != 1 {
		t.Errorf("asked %d times, opened %d files", asked, opened)
	}
}

// A file that changes while the server answers: it hears of the change and is asked once more.
func TestDoubtedTextChanges(t *testing.T) {
	s := newScripted(t, nil, playing(
		once(lsp.MethodReferences, lsptest.Action{Stderr: "asked\n"}, lsptest.Action{DelayMS: 300}, lsptest.Action{Default: true}),
	), "a.w", "def X\n", "b.w", "X\n")
	done := make(chan string, 1)
	go func() { done <- s.references() }()
	eventually(t, func() bool { return len(s.got(0, lsp.MethodReferences)) == 1 })
	s.write("a.w", "def X\nX\n")
	s.want(<-done, "fake1 complete 3")
	if n := len(s.got(0, lsp.MethodReferences)); n != 2 {
		t.Errorf("asked %d times", n)
	}
}

// eventually waits for something that is only written to a file.
func eventually(t *testing.T, done func() bool) {
	t.Helper()
	deadline, tick := time.NewTimer(20*time.Second), time.NewTicker(5*time.Millisecond)
	defer deadline.Stop()
	defer tick.Stop()
	for !done() {
		select {
		case <-tick.C:
		case <-deadline.C:
			t.Fatal("it did not come true")
		}
	}
}
