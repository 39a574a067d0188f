package clangd

import (
	"context"
	"html"
	"slices"
	"strings"
	"unicode"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
)

// documented is [lsp.SymbolHooks].Documented. The comment of what a file declares that is not the asked one comes from
// clangd's index, which reaches a changed header behind the build of the documents that include it, and which keeps a
// comment that was taken out for as long as its copy on disk has it (22.1.8).
func (a *Process) documented(ctx context.Context, s *lsp.Snapshot, path string, at contract.Position,
	h *lsp.Hover) (*lsp.Hover, error) {
	head, said, tail, ok := splitDocumentation(h)
	if !ok {
		return h, nil
	}
	var comments []string
	// The texts by themselves mostly tell; the outline of a file that is not open takes its build.
	for _, outlined := range []bool{false, true} {
		var known bool
		var err error
		if comments, known, err = commentsAbout(ctx, s, path, at, outlined); err != nil || !known {
			return h, err
		}
		if len(comments) == 0 && said == "" ||
			slices.ContainsFunc(comments, func(c string) bool { return sameText(c, said) }) {
			return h, nil
		}
	}
	now := append(comments, "")[0]
	text := strings.TrimRight(head, "\n") + "\n\n" + escaped(now) + "\n\n" + tail
	return &lsp.Hover{Text: text, Markdown: h.Markdown}, nil
}

// commentsAbout are the comments of the declarations and the definition that a position means. known is false where
// these are not all in the workspace, or not in the outline of their file: clangd reads the comment of a local variable
// from the document. Without outlined they are what a look at the texts takes for them.
func commentsAbout(ctx context.Context, s *lsp.Snapshot, path string, at contract.Position,
	outlined bool) (out []string, known bool, err error) {
	var places []lsp.Place
	for _, method := range []string{lsp.MethodDeclaration, lsp.MethodDefinition} {
		found, err := s.Locate(ctx, method, path, at)
		if err != nil {
			return nil, false, err
		}
		places = append(places, found...)
	}
	// At a declaration clangd leads to the definition, and back. At a use the outline has nothing.
	asked := lsp.Place{Path: path, Range: contract.Range{Start: at, End: at}}
	if outlined {
		places = append(places, asked)
	}
	for _, p := range places {
		if _, ours := source.RelativeTo(s.Root(), p.Path); !ours {
			return nil, false, nil
		}
		text, name, start, value, err := declaredAt(ctx, s, p, outlined)
		switch {
		case err != nil:
			return nil, false, err
		case text == nil && p == asked:
			continue
		case text == nil:
			return nil, false, nil
		}
		known = true
		out = append(out, lang.CommentsOn(p.Path, text.Content(), start, name, value)...)
	}
	return out, known, nil
}

// declaredAt is the text of a declaration with the offsets at which its name and the whole begin, and whether it may
// have a comment behind it; text is nil where there is no such.
func declaredAt(ctx context.Context, s *lsp.Snapshot, p lsp.Place, outlined bool) (text *source.Text, name, start int,
	value bool, err error) {
	sym := &lsp.Symbol{NameAt: p.Range, Range: p.Range, Kind: "variable"}
	if outlined {
		var symbols []lsp.Symbol
		symbols, text, err = s.DocumentSymbols(ctx, p.Path)
		sym = symbolAt(symbols, p.Range.Start)
	} else {
		text, err = s.Documents().Load(p.Path)
	}
	if err != nil || sym == nil {
		return nil, 0, 0, false, err
	}
	name, err = text.Offset(sym.NameAt.Start)
	start, startErr := text.Offset(sym.Range.Start)
	if err != nil || startErr != nil {
		return nil, 0, 0, false, nil
	}
	return text, name, start, sym.Kind.IsValue() || sym.Kind == "enum_member", nil
}

// facts matches a paragraph that clangd writes before the documentation.
var facts = source.LazyRegexp("^(?:### |provided by |---$|→ |Parameters:|- `|(?:Type|Offset|Size): |Value = |Passed )")

// without matches the headings of what clangd gives no comment of another file.
var without = source.LazyRegexp("^### (?:namespace|macro|param|template-) ")

// splitDocumentation splits a hover at its documentation, "" where it has none; ok is false for a text in another form,
// and for what has none anyway.
func splitDocumentation(h *lsp.Hover) (head, said, tail string, ok bool) {
	i := strings.LastIndex(h.Text, "\n---\n```cpp\n")
	if !h.Markdown || i < 0 || !strings.HasPrefix(h.Text, "### ") || without.MatchString(h.Text) {
		return "", "", "", false
	}
	rest, tail := h.Text[:i], h.Text[i+1:]
	for rest != "" {
		paragraph, after, _ := strings.Cut(strings.TrimLeft(rest, "\n"), "\n")
		if paragraph != "" && !facts.MatchString(paragraph) {
			break
		}
		rest = after
	}
	return h.Text[:i-len(rest)], strings.TrimSpace(rest), tail, true
}

// sameText reports whether a comment is what clangd made Markdown of.
func sameText(comment, said string) bool {
	plain := func(text string) string {
		return strings.Map(func(r rune) rune {
			if unicode.IsSpace(r) || strings.ContainsRune("\\*/`", r) {
				return -1
			}
			return r
		}, text)
	}
	return plain(comment) == plain(html.UnescapeString(said))
}

// escaped is a plain text as Markdown, with its lines.
func escaped(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "<", `\<`, "&", `\&`).Replace(line)
	}
	return strings.Join(lines, "  \n")
}
