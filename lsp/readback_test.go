//go:build unix

package lsp

import (
	"encoding/json"
	"os"
	"strconv"
	"testing"

	"lspi/lsp/lsptest"
	"lspi/lsp/watch"
)

const viewText = "fake/viewText"

// readsLate is a server that gives these texts back, one after the other; "" is that it has no such file.
func readsLate(t *testing.T, file string, texts ...string) *fake {
	script := words()
	for _, text := range texts {
		action := lsptest.Action{Result: json.RawMessage(strconv.Quote(text))}
		if text == "" {
			action = lsptest.Action{Error: &lsptest.Error{Code: -32603, Message: "file not found"}}
		}
		script.Rules = append(script.Rules, lsptest.Rule{Method: viewText, Contains: file, Nth: 1, Actions: []lsptest.Action{action}})
	}
	f := newFake(t, script, "a.w", "def X\n", "b.w", "X\n")
	f.spec.Unannounced = []string{viewText}
	f.spec.Freshness = Freshness{Watched: true, QueryClosed: true, ReadBack: viewText}
	return f
}

// A server that reads the disk some time after it was told is not asked before it has.
func TestSyncWaitsUntilItIsRead(t *testing.T) {
	for _, c := range []struct {
		name   string
		file   string
		texts  []string
		change func(f *fake)
		asked  int
	}{
		{"changed", "b.w", []string{"X\n", "X\n", "X X\n"}, func(f *fake) { f.write("b.w", "X X\n") }, 3},
		{"line ends and mark", "b.w", []string{"X\n", "X X\n"}, func(f *fake) { f.write("b.w", "\ufeffX X\r\n") }, 2},
		{"created", "c.w", []string{"", "", "X\n"}, func(f *fake) { f.write("c.w", "X\n") }, 3},
		{"deleted", "b.w", []string{"X\n", ""}, func(f *fake) { f.must(os.Remove(f.path("b.w"))) }, 2},
		{"not UTF-8", "b.w", nil, func(f *fake) { f.write("b.w", "\xff") }, 0},
		{"not its language", "b.w", nil, func(f *fake) { f.write("README.md", "x") }, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			inBothModes(t, func(t *testing.T, m watch.Mode) {
				f := readsLate(t, c.file, c.texts...)
				f.watch.Mode = m
				s := f.start()
				f.must(s.Sync(t.Context()))
				c.change(f)
				f.must(s.Sync(t.Context()))
				if got := len(lsptest.Messages(f.seen(), viewText)); got != c.asked {
					t.Errorf("asked %d times, want %d", got, c.asked)
				}
				if left := s.AwaitParsed(t.Context()); left != 0 {
					t.Errorf("%d are left", left)
				}
			})
		})
	}
}

// A file that the server never reads makes answers partial until a later one comes; one that was opened is not waited
// for, and a server that does not know the request cannot tell.
func TestSyncOfAFileThatIsNotRead(t *testing.T) {
	f := readsLate(t, "b.w")
	f.spec.Timeouts.Request = readBackTime
	script := words(lsptest.Rule{Method: viewText, Contains: "b.w", Actions: []lsptest.Action{{Result: json.RawMessage(`"old"`)}}},
		lsptest.Rule{Method: viewText, Contains: "c.w", Actions: []lsptest.Action{{Result: json.RawMessage(`"X\n"`)}}},
		lsptest.Rule{Method: viewText, Actions: []lsptest.Action{{Error: &lsptest.Error{Code: -32601, Message: "what?"}}}})
	f.server.Replace(t, script)
	s := f.start()
	for _, c := range []struct {
		file string
		open bool
		left int
	}{{"b.w", false, 1}, {"c.w", false, 0}, {"b.w", true, 0}, {"unknown.w", false, 0}} {
		if c.open {
			_, err := s.OpenDocument(t.Context(), f.path(c.file))
			f.must(err)
		}
		f.write(c.file, "X\n")
		f.must(s.Sync(t.Context()))
		if left := s.AwaitParsed(t.Context()); left != c.left {
			t.Errorf("%s: %d are left, want %d", c.file, left, c.left)
		}
	}
}
