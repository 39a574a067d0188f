//go:build unix

package rustanalyzer

import (
	"encoding/json"
	"os"
	"strconv"
	"testing"

	"lspi/internal/testkit"
	"lspi/lsp/lsptest"
	"lspi/lsp/spec"
	"lspi/lsp/watch"
)

// readsLate is a server that gives these texts back, one after the other; "" is that it has no such file.
func readsLate(t *testing.T, file string, texts ...string) *project {
	script := &lsptest.Script{}
	for _, text := range texts {
		action := lsptest.Action{Result: json.RawMessage(strconv.Quote(text))}
		if text == "" {
			action = lsptest.Action{Error: &lsptest.Error{Code: -32603, Message: "file not found"}}
		}
		script.Rules = append(script.Rules, lsptest.Rule{Method: methodViewText, Contains: file, Nth: 1,
			Actions: []lsptest.Action{action}})
	}
	f := newProject(t, script, New, "a.w", "def X\n", "b.w", "X\n")
	f.Spec.Unannounced = []string{methodViewText}
	f.Spec.Freshness = spec.Freshness{Watched: true, QueryClosed: true}
	return f
}

// A server that reads the disk some time after it was told is not asked before it has.
func TestSyncWaitsUntilItIsRead(t *testing.T) {
	for _, c := range []struct {
		name   string
		file   string
		texts  []string
		change func(f *project)
		asked  int
	}{
		{"changed", "b.w", []string{"X\n", "X\n", "X X\n"}, func(f *project) { f.Write("b.w", "X X\n") }, 3},
		{"line ends and mark", "b.w", []string{"X\n", "X X\n"}, func(f *project) {
			f.Write("b.w", "\ufeffX X\r\n")
		}, 2},
		{"created", "c.w", []string{"", "", "X\n"}, func(f *project) { f.Write("c.w", "X\n") }, 3},
		{"deleted", "b.w", []string{"X\n", ""}, func(f *project) { f.Must(os.Remove(f.Path("b.w"))) }, 2},
		{"not UTF-8", "b.w", nil, func(f *project) { f.Write("b.w", "\xff") }, 0},
		{"not its language", "b.w", nil, func(f *project) { f.Write("README.md", "x") }, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, m := range []watch.Mode{watch.Auto, watch.Compare} {
				f := readsLate(t, c.file, c.texts...)
				f.Watch.Mode = m
				s := f.Start()
				f.Must(s.Sync(t.Context()))
				c.change(f)
				f.Must(s.Sync(t.Context()))
				testkit.Equal(t, f.Received(methodViewText), c.asked, "asked")
				testkit.Equal(t, s.Documents().AwaitParsed(t.Context()), 0)
			}
		})
	}
}

// A file that the server never reads makes answers partial until a later one comes; one that was opened is not waited
// for, and a server that does not know the request cannot tell.
func TestSyncOfAFileThatIsNotRead(t *testing.T) {
	f := readsLate(t, "b.w")
	f.Spec.Timeouts.Request = reloadTime
	script := &lsptest.Script{Rules: []lsptest.Rule{{Method: methodViewText, Contains: "b.w",
		Actions: []lsptest.Action{{Result: json.RawMessage(`"old"`)}}},
		{Method: methodViewText, Contains: "c.w", Actions: []lsptest.Action{{Result: json.RawMessage(`"X\n"`)}}},
		{Method: methodViewText, Actions: []lsptest.Action{{Error: &lsptest.Error{Code: -32601, Message: "what?"}}}}}}
	f.Play(script)
	s := f.Start()
	for _, c := range []struct {
		file string
		open bool
		left int
	}{{"b.w", false, 1}, {"c.w", false, 0}, {"b.w", true, 0}, {"unknown.w", false, 0}} {
		if c.open {
			_, err := s.Documents().OpenDocument(t.Context(), f.Path(c.file))
			f.Must(err)
		}
		f.Write(c.file, "X\n")
		f.Must(s.Sync(t.Context()))
		if left := s.Documents().AwaitParsed(t.Context()); left != c.left {
			t.Errorf("%s: %d are left, want %d", c.file, left, c.left)
		}
	}
}
