package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/lang"
	"lspi/lsp"
	"lspi/source"
)

// What is said of a name that no server knows: names like it, and where it is used.

// notKnown is the error for a name that nothing has, with the closest one.
func (c *Call) notKnown(ctx context.Context, name string, want []string, hits []hit, w *workspaceWalk) error {
	if err := c.notKnownYet(ctx, name); err != nil {
		return err
	}
	c.unserved(ctx, w)
	near := nearest(name, want, hits)
	for _, query := range likeQueries(want[len(want)-1]) {
		if near == "" {
			more, _ := c.search(ctx, func(*lsp.Spec) string { return query }, w.pick(ctx, func(*ground) bool { return true }))
			near = nearest(name, want, more)
		}
	}
	closest := []string{}
	if near != "" {
		closest = append(closest, near)
	}
	if !c.usedAt(ctx, w, want) && near == "" && len(want) > 1 {
		c.usedAt(ctx, w, want[len(want)-1:])
	}
	return contract.Errorf(contract.KindSymbolNotFound, contract.Facts{"symbol_name": name, "closest": closest},
		"no server knows a symbol %s in this workspace", name)
}

// ofOtherKind says what a name is that is not of the kind asked for.
func ofOtherKind(t Target, found []hit) error {
	var kinds []string
	for _, h := range found {
		if k := string(h.sym.Kind); !slices.Contains(kinds, k) {
			kinds = append(kinds, k)
		}
	}
	return contract.Errorf(contract.KindSymbolNotFound, contract.Facts{"symbol_name": t.SymbolName, "kinds": kinds},
		"%s is a %s, not a %s", t.SymbolName, strings.Join(kinds, " and a "), t.SymbolKind)
}

// likeQueries are queries that find what a misspelled word was meant for: most servers find what holds the letters of a query
// in their order, and all what begins with it.
func likeQueries(word string) []string {
	letters := []rune(word)
	out := []string{word}
	if half := max(2, len(letters)/2); half < len(letters) {
		out = append(out, string(letters[:half]))
	}
	return out
}

// nearest is the name of one of hits that is closest to a name, written so that it can be given instead.
func nearest(name string, want []string, hits []hit) string {
	word := want[len(want)-1]
	var bare, whole []string
	for _, h := range hits {
		bare = append(bare, lastComponent(h.sym.Name))
		if parts := h.path(); len(want) > 1 && len(parts) >= len(want) { // as much of it as was given
			whole = append(whole, joinParts(h.language(), parts[len(parts)-len(want):]))
		} else if len(want) > 1 || h.isNamed(word) {
			whole = append(whole, h.qualified())
		}
	}
	if near := contract.Closest(name, slices.Concat(bare, whole)); near != "" {
		return near
	}
	return contract.Closest(word, bare)
}

// maxUsedAt bounds the files that are offered for a name that nothing declares.
const maxUsedAt = 2

// usedAt offers the first use of a name in the files of each server, and reports whether there is one: what is declared
// outside of the workspace is found from where it is used. What has a qualifier must be used with it, or the server would
// be asked about something else there.
func (c *Call) usedAt(ctx context.Context, w *workspaceWalk, want []string) bool {
	ctx, cancel := context.WithTimeout(ctx, spellingBudget)
	defer cancel()
	n := 0
	for _, g := range w.grounds {
		if n == maxUsedAt {
			break
		}
		name := joinParts(g.route.LanguageID, want[max(0, len(want)-2):])
		path, line := c.firstIn(ctx, g.code(), name)
		if path == "" {
			continue
		}
		n++
		c.step(c.repeat(fmt.Sprintf("Retry with the %s used at %s:%d.", name, c.show(path), line),
			map[string]any{"file_path": c.show(path), "line": line, "symbol_name": name}))
	}
	return n > 0
}

// firstIn is the first line of code in files that holds a name; the path is "" when there is none that could be read in
// time.
func (c *Call) firstIn(ctx context.Context, files []string, name string) (path string, line int) {
	var buf []byte
	for _, path := range files {
		if ctx.Err() != nil {
			return "", 0
		}
		var holds bool
		if holds, buf = fileHolds(path, []byte(name), buf); !holds {
			continue
		}
		text, err := c.env.text(path)
		if err != nil {
			continue
		}
		for n := 1; n <= text.Lines(); n++ {
			if len(lang.InCode(path, text.Line(n), source.Occurrences(text.Line(n), name))) > 0 {
				return path, n
			}
		}
	}
	return "", 0
}

// unserved warns of files of the workspace that no installed server searches, and that may hold what is searched for.
func (c *Call) unserved(ctx context.Context, w *workspaceWalk) {
	for _, pattern := range sortedKeys(w.missing) {
		spec := w.missing[pattern]
		if language := spec.LanguageID("x" + pattern); slices.Contains(noSymbols, language) || language == "" {
			continue
		}
		found := c.holders(ctx, w.lost[pattern])
		if len(found) == 0 {
			continue
		}
		c.warnHolders(contract.WarnServerFailed, contract.Facts{"server_id": spec.ID, "error": contract.KindServerNotInstalled}, found,
			fmt.Sprintf("%s not searched: %s is not installed", c.such(found), spec.ID))
		c.step(toolStep("list_servers", "See which servers are missing."))
	}
}
