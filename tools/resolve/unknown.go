package resolve

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/lsp/spec"
	"lspi/tools/answer"
	"lspi/tools/ask"
	"lspi/tools/loaded"
	"lspi/tools/symbol"
)

// What is said of a name that no server knows: names like it, and where it is used.

// notKnown is the error for a name that nothing has. It looks for the reason from the likeliest on:
// servers that still load, files that no server searches, a misspelled name (among hits first, then by
// what servers find for parts of the word), and a name that is used here but declared elsewhere. w has
// been surveyed by the caller.
func notKnown(ctx context.Context, c *answer.Call, name string, want []string, hits []symbol.SymbolHit,
	w *ask.WorkspaceWalk) error {
	// While a server loads, "no such symbol" may be wrong in a second.
	if err := ask.NotKnownYet(ctx, c, name); err != nil {
		return err
	}
	Unserved(ctx, c, w)
	near := nearest(name, want, hits)
	for _, query := range likeQueries(want[len(want)-1]) {
		// Each query costs a search at every server, so that the next one is asked only when this found nothing
		// like it.
		if near == "" {
			more, _ := ask.Search(ctx, c, func(*spec.Spec) string {
				return query
			}, w.Pick(ctx, func(*ask.RootFiles) bool { return true }))
			near = nearest(name, want, more)
		}
	}
	closest := []string{}
	if near != "" {
		closest = append(closest, near)
	}
	// Without its qualifier the name may be another symbol; offered only when there is nothing better.
	if !usedAt(ctx, c, w, want) && near == "" && len(want) > 1 {
		usedAt(ctx, c, w, want[len(want)-1:])
	}
	return contract.Errorf(contract.KindSymbolNotFound, contract.Facts{"symbol_name": name, "closest": closest},
		"no server knows a symbol %s in this workspace", name)
}

// ofOtherKind is the error for a name that exists in the workspace with other kinds than the one asked
// for.
func ofOtherKind(t Target, found []symbol.SymbolHit) error {
	var kinds []string
	for _, h := range found {
		if k := string(h.Sym.Kind); !slices.Contains(kinds, k) {
			kinds = append(kinds, k)
		}
	}
	return contract.Errorf(contract.KindSymbolNotFound, contract.Facts{"symbol_name": t.SymbolName, "kinds": kinds},
		"%s is a %s, not a %s", t.SymbolName, strings.Join(kinds, " and a "), t.SymbolKind)
}

// likeQueries returns queries that may find what a misspelled word was meant for: most servers find
// names with the letters of a query in their order, and all of them names that begin with it.
func likeQueries(word string) []string {
	letters := []rune(word)
	out := []string{word}
	if half := max(2, len(letters)/2); half < len(letters) {
		out = append(out, string(letters[:half]))
	}
	return out
}

// nearest returns the name among hits that is closest to a name, written so that it can be given
// instead; "" for none.
func nearest(name string, want []string, hits []symbol.SymbolHit) string {
	word := want[len(want)-1]
	var bare, whole []string
	for _, h := range hits {
		bare = append(bare, symbol.LastComponent(h.Sym.Name))
		if parts := h.Path(); len(want) > 1 && len(parts) >= len(want) { // as much of it as was given
			whole = append(whole, symbol.JoinParts(h.Language(), parts[len(parts)-len(want):]))
		} else if len(want) > 1 || h.IsNamed(word) {
			whole = append(whole, h.Qualified())
		}
	}
	if near := contract.Closest(name, slices.Concat(bare, whole)); near != "" {
		return near
	}
	return contract.Closest(word, bare)
}

// maxUsedAt bounds the files that are offered for a name that nothing declares.
const maxUsedAt = 2

// usedAt offers the first use of a name in the files of each server, and reports whether there is one:
// what is declared outside of the workspace is found from where it is used. A qualified name has to be
// used with its qualifier, or the server would be asked about something else.
func usedAt(ctx context.Context, c *answer.Call, w *ask.WorkspaceWalk, want []string) bool {
	ctx, cancel := context.WithTimeout(ctx, spellingBudget)
	defer cancel()
	n := 0
	for _, g := range w.Roots {
		if n == maxUsedAt {
			break
		}
		// With the component before it: a use is seldom written with the whole scope.
		name := symbol.JoinParts(g.Route.LanguageID, want[max(0, len(want)-2):])
		path, line := firstIn(ctx, c, codeFiles(g), name)
		if path == "" {
			continue
		}
		n++
		c.Step(c.Repeat(fmt.Sprintf("Retry with the %s used at %s:%d.", name, c.Show(path), line),
			map[string]any{"file_path": c.Show(path), "line": line, "symbol_name": name}))
	}
	return n > 0
}

// firstIn returns the first line of code in files that holds a name; path is "" when there is none, or
// none was read in time.
func firstIn(ctx context.Context, c *answer.Call, files []string, name string) (path string, line int) {
	var buf []byte
	for _, path := range files {
		if ctx.Err() != nil {
			return "", 0
		}
		var holds bool
		if holds, buf = source.FileHolds(path, []byte(name), buf); !holds {
			continue
		}
		text, err := c.Workspace.Text(path)
		if err != nil {
			continue
		}
		for n := 1; n <= text.Lines(); n++ {
			// Not in a comment: the server would know nothing there.
			if len(lang.InCode(path, text.Line(n), source.Occurrences(text.Line(n), name))) > 0 {
				return path, n
			}
		}
	}
	return "", 0
}

// Unserved warns of files of the workspace that no installed server searches and that may hold what is
// searched for.
func Unserved(ctx context.Context, c *answer.Call, w *ask.WorkspaceWalk) {
	for _, pattern := range slices.Sorted(maps.Keys(w.Missing)) {
		spec := w.Missing[pattern]
		if language := spec.LanguageID("x" + pattern); lang.ByID(language).NoSymbols || language == "" {
			continue
		}
		found := loaded.Holders(ctx, c, lsp.Because(lsp.NoServer, w.Unserved[pattern], true))
		if len(found) == 0 {
			continue
		}
		loaded.Warn(c, contract.Facts{"server_id": spec.ID, "error": contract.KindServerNotInstalled}, found,
			fmt.Sprintf("%s not searched: %s is not installed", loaded.FilesWere(c, found), spec.ID))
		c.Step(answer.ToolStep("list_servers", "See which servers are missing."))
	}
}
