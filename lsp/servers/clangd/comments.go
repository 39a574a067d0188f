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

// documented is [lsp.SymbolHooks].Documented. The comment of what another file declares comes from clangd's index,
// which reaches a changed header behind the build of the documents that include it, and which keeps a comment that was
// taken out for as long as its copy on disk has it (22.1.8). Where the texts do not tell, the answer stays as it is.
func (a *Process) documented(ctx context.Context, s *lsp.Snapshot, path string, at contract.Position,
	h *lsp.Hover) (*lsp.Hover, error) {
	d, ok := readDocumentation(h)
	if !ok {
		return h, nil
	}
	var comments []string
	// The texts by themselves mostly tell; the outline of a file that is not open takes its build.
	for _, outlined := range []bool{false, true} {
		var err error
		comments, ok, err = d.comments(ctx, s, path, at, outlined)
		switch {
		case err != nil && lsp.FatalAnswer(err):
			return nil, err
		case err != nil || !ok || len(comments) == 0 && d.said == "" || slices.ContainsFunc(comments, d.isSaid):
			return h, nil
		}
	}
	now := ""
	if len(comments) > 0 {
		now = comments[0]
	} else if d.saidElsewhere(ctx, s, path, at) {
		return h, nil
	}
	text := strings.TrimRight(d.head, "\n") + "\n\n" + asMarkdown(now) + "\n\n" + d.tail
	return &lsp.Hover{Text: text, Markdown: h.Markdown}, nil
}

// documentation is a hover, cut at what it says of a comment.
type documentation struct {
	head, said, tail string // said is "" where it has no comment
	value            bool   // it is about a symbol that may have its comment behind it
}

var (
	// facts matches a line that clangd writes before a comment.
	facts = source.LazyRegexp("^(?:### .*|provided by `[^`]*`|---|→ .*|Parameters:|- `.*`|Type: `.*`|Value = `.*`|" +
		`Offset: \d.*|Size: \d.*|Passed(?: by (?:value|reference|const reference))?(?: as \S+)?(?: \(converted to .*)?)$`)
	// uncommented matches the heading of what has no comment, or one from the document itself.
	uncommented = source.LazyRegexp("^### (?:namespace|macro|param|template-)")
	// valued matches the heading of what may have its comment behind it.
	valued = source.LazyRegexp("^### (?:variable|field|enumerator|static-property|property|instance-property) ")
)

// readDocumentation finds the comment in a hover: behind the facts, and in front of the code, which is last. ok is
// false for what has none anyway, and for another form: the configuration may ask for one
// (Documentation.CommentFormat), and what clangd makes of Doxygen's commands is no text that could be compared.
func readDocumentation(h *lsp.Hover) (d documentation, ok bool) {
	const code = "\n---\n```cpp\n"
	i := strings.LastIndex(h.Text, code)
	if !h.Markdown || i < 0 || !strings.HasPrefix(h.Text, "### ") || uncommented.MatchString(h.Text) ||
		!strings.HasSuffix(strings.TrimSpace(h.Text), "\n```") || strings.Count(h.Text[i+len(code):], "\n```") > 1 {
		return d, false
	}
	from := 0
	for from < i {
		line, _, _ := strings.Cut(h.Text[from:i], "\n")
		if strings.TrimSpace(line) != "" && !facts.MatchString(strings.TrimSpace(line)) {
			break
		}
		from = min(from+len(line)+1, i)
	}
	return documentation{head: h.Text[:from], said: strings.TrimSpace(h.Text[from:i]), tail: h.Text[i+1:],
		value: valued.MatchString(h.Text)}, true
}

// isSaid reports whether a comment is what clangd made Markdown of. Its first lines may look like facts.
func (d documentation) isSaid(comment string) bool {
	plain := func(text string) string {
		return strings.Map(func(r rune) rune {
			if unicode.IsSpace(r) || strings.ContainsRune("\\*/`", r) {
				return -1
			}
			return r
		}, text)
	}
	whole, said, comment := plain(html.UnescapeString(d.head+d.said)), plain(html.UnescapeString(d.said)), plain(comment)
	return said != "" && len(comment) >= len(said) && strings.HasSuffix(whole, comment)
}

// comments are the comments of the declarations and the definition that a position means. known is false where these
// are not all in the workspace, or not in the outline of their file: clangd reads the comment of a local variable from
// the document. Without outlined they are what a look at the texts takes for them.
func (d documentation) comments(ctx context.Context, s *lsp.Snapshot, path string, at contract.Position,
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
		// What cannot be read tells nothing; what is gone has no comment any more.
		if _, ours := source.RelativeTo(s.Root(), p.Path); !ours || p.Err != nil && !p.Gone {
			return nil, false, nil
		}
		if known = true; p.Gone {
			continue
		}
		text, err := s.Documents().Load(p.Path)
		if err != nil {
			return nil, false, err
		}
		start := p.Range.Start
		if outlined {
			symbols, of, err := s.DocumentSymbols(ctx, p.Path)
			if err != nil {
				return nil, false, err
			}
			sym := symbolAt(symbols, p.Range.Start)
			if sym == nil && p == asked {
				continue
			} else if sym == nil {
				return nil, false, nil
			}
			text, start = of, beginning(of, sym)
		}
		if offset, err := text.Offset(start); err == nil {
			out = append(out, lang.CommentsOn(p.Path, text.Content(), offset, d.value)...)
		}
	}
	return out, known, nil
}

// beginning is where clang looks for the comment of a symbol.
func beginning(text *source.Text, sym *lsp.Symbol) contract.Position {
	if from, err := text.Offset(sym.Range.Start); err == nil && wholly.MatchString(text.Content()[from:]) {
		return sym.Range.Start
	}
	return sym.NameAt.Start
}

// wholly matches what has its comment by its beginning and not by its name.
var wholly = source.LazyRegexp(`^(?:typedef|template)\b`)

// maxDeclarations bounds the uses of a symbol whose comments are looked at.
const maxDeclarations = 200

// saidElsewhere reports whether another declaration than those to which clangd leads has the comment: the index has one
// for all declarations of a symbol.
func (d documentation) saidElsewhere(ctx context.Context, s *lsp.Snapshot, path string, at contract.Position) bool {
	uses, err := s.Unverified().References(ctx, path, at, true)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(uses[:min(len(uses), maxDeclarations)], func(p lsp.Place) bool {
		text, err := s.Documents().Load(p.Path)
		if err != nil || p.Err != nil {
			return false
		}
		offset, err := text.Offset(p.Range.Start)
		return err == nil && slices.ContainsFunc(lang.CommentsOn(p.Path, text.Content(), offset, d.value), d.isSaid)
	})
}

// asMarkdown is a plain text as Markdown, with its lines: each sign of ASCII may have a backslash (CommonMark 2.4).
func asMarkdown(text string) string {
	return strings.ReplaceAll(signs.ReplaceAllString(text, `\$0`), "\n", "  \n")
}

var signs = source.LazyRegexp("[!-/:-@\\[-`{-~]")
