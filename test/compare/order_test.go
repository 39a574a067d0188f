//go:build unix

package compare

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/tools/toolstest"
)

// orders are the orders in which the same questions are asked: a server knows other files of a project that was opened
// by an earlier one, and whatever it answers by them is no answer to this one.
var orders = map[string]func(n int) []int{
	"forward": func(n int) []int { return upTo(n) },
	"backward": func(n int) []int {
		out := upTo(n)
		slices.Reverse(out)
		return out
	},
	"every other one": func(n int) (out []int) {
		for _, start := range []int{1, 0} {
			for i := start; i < n; i += 2 {
				out = append(out, i)
			}
		}
		return out
	},
}

func upTo(n int) (out []int) {
	for i := range n {
		out = append(out, i)
	}
	return out
}

// toolCall is a tool with its arguments.
type toolCall struct {
	tool      string
	arguments map[string]any
}

func (c toolCall) String() string {
	raw, _ := json.Marshal(c.arguments)
	return c.tool + " " + string(raw)
}

// orderLayouts are small projects, one of each language.
var orderLayouts = []string{"go-two-modules", "py-nested", "ts-nx", "cpp-cmake", "rs-virtual"}

// TestOrder asks the same questions in several orders, each in a new session: what earlier ones opened changes no
// answer.
func TestOrder(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	for _, name := range orderLayouts {
		t.Run(name, func(t *testing.T) {
			testkit.Always(t, name, "ts-nx", "cpp-cmake")
			l := readLayout(t, strings.Replace(layoutFile, "*", name, 1))
			testkit.Need(t, strings.Fields(l.get("needs"))...)
			tree, s := l.make(t)
			s.session.Close()
			testOrders(t, tree, l.calls(), strings.Fields(l.get("servers"))...)
		})
	}
	for _, c := range []struct {
		corpus, row string
		extensions  []string
		more        []toolCall
	}{
		// Built files beside the sources, and a test that the build leaves out: whoever asks about them opens them.
		{"zod", "typescript-language-server", []string{"ts"}, []toolCall{
			{"get_document_symbols", map[string]any{"file_path": "v3/types.js"}},
			{"rename_symbol", map[string]any{"file_path": "src/v3/helpers/parseUtil.ts",
				"symbol_name": "addIssueToContext", "new_name": "addProblemToContext"}},
			{"find_references", map[string]any{"file_path": "src/v4/core/util.ts", "symbol_name": "joinValues"}},
		}},
		{"leveldb", "clangd", []string{"cc", "h"}, []toolCall{
			{"get_diagnostics", map[string]any{"file_path": "db/fault_injection_test.cc"}},
			{"find_definition", map[string]any{"file_path": "include/leveldb/options.h", "symbol_name": "Comparator"}},
			{"find_implementations", map[string]any{"symbol_name": "leveldb::Iterator"}},
		}},
	} {
		t.Run(c.corpus, func(t *testing.T) {
			testkit.Always(t, c.corpus)
			root := testkit.Corpus(t, c.corpus)
			calls := c.more
			for _, at := range sample(t, root, c.extensions, 16, 29) {
				calls = append(calls, toolCall{"find_definition", at.at(root)},
					toolCall{"find_references", with(at.at(root), map[string]any{"max_results": 500})})
			}
			testOrders(t, root, calls, c.row)
		})
	}
}

// testOrders compares the answers to calls in all orders.
func testOrders(t *testing.T, root string, calls []toolCall, rows ...string) {
	t.Helper()
	answers := map[string][]string{}
	for name, order := range orders {
		answers[name] = make([]string, len(calls))
		s := &compared{root: root, session: toolstest.Real(t, root, rows...)}
		for _, i := range order(len(calls)) {
			e := s.loaded(t, calls[i].tool, calls[i].arguments)
			answers[name][i] = answered(t, e)
		}
		s.session.Close()
	}
	for i, c := range calls {
		for _, name := range []string{"backward", "every other one"} {
			// What there was no time for is told, and may be another place each time.
			got, want := answers[name][i], answers["forward"][i]
			if late := `"not_asked"`; got != want && !strings.Contains(got, late) && !strings.Contains(want, late) {
				t.Errorf("%s: %s:\n%s\nforward:\n%s", c, name, got, want)
			}
		}
	}
}

// answered is what an answer says of the project: not the name of a preview, nor what changed since another question.
func answered(t *testing.T, e envelope) string {
	t.Helper()
	var all map[string]any
	e.decode(t, &all)
	delete(all, "preview_id")
	delete(all, "next_steps")
	raw, err := json.Marshal(all)
	testkit.Must(t, err)
	return string(raw)
}

// calls are questions about a layout: by name and by place, about what is used, and about each file that uses it.
func (l layout) calls() []toolCall {
	file, name, _ := strings.Cut(l.get("symbol"), " ")
	all := []toolCall{
		{"find_references", l.symbol()},
		{"find_references", map[string]any{"symbol_name": name}},
		{"find_definition", map[string]any{"symbol_name": name}},
		{"call_hierarchy", with(l.symbol(), map[string]any{"direction": "incoming"})},
		{"rename_symbol", with(l.symbol(), map[string]any{"new_name": l.get("rename")})},
		{"search_workspace_symbols", map[string]any{"query": name}},
		{"get_diagnostics", map[string]any{"wait": "all"}},
	}
	var files []string
	for _, place := range strings.Fields(l.get("uses")) {
		path, line, _ := strings.Cut(place, ":")
		if path != file {
			var n int
			_, _ = fmt.Sscan(line, &n)
			all = append(all, toolCall{"find_definition", map[string]any{"file_path": path, "line": n, "symbol_name": name}},
				toolCall{"find_references", map[string]any{"file_path": path, "line": n, "symbol_name": name}})
		}
		if !slices.Contains(files, path) {
			files = append(files, path)
			all = append(all, toolCall{"get_document_symbols", map[string]any{"file_path": filepath.ToSlash(path)}},
				toolCall{"get_diagnostics", map[string]any{"file_path": path, "wait": "all"}})
		}
	}
	return all
}
