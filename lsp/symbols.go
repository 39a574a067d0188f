package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
)

// Symbol is one symbol of a document, in the host's terms.
type Symbol struct {
	Name     string // as the server writes it: "(*T).Hello", "impl Foo for Bar"
	Kind     SymbolKind
	Detail   string
	Range    contract.Range // all of it
	NameAt   contract.Range // the name, or what the server selects
	Children []Symbol
}

// documentSymbol is LSP's DocumentSymbol and SymbolInformation in one: a server answers with either. Decoded locally,
// because the library's type holds 182 MB for an answer of 447 KB.
type documentSymbol struct {
	Name           string           `json:"name"`
	Detail         string           `json:"detail"`
	Kind           int              `json:"kind"`
	Range          span             `json:"range"`
	SelectionRange *span            `json:"selectionRange"`
	Children       []documentSymbol `json:"children"`
	Location       *location        `json:"location"`
	ContainerName  string           `json:"containerName"`
}

// DocumentSymbols answers textDocument/documentSymbol: the symbols of a file as a tree, in the order of the text. The
// result is shared and must not be changed.
func (s *Snapshot) DocumentSymbols(ctx context.Context, path string) ([]Symbol, *source.Text, error) {
	text, err := s.docs.Open(ctx, path)
	if err != nil {
		return nil, nil, err
	}
	// The cache goes by the object of the text: an equal text that was read anew has another object, which costs a
	// request and is never wrong.
	if have, ok := s.symbols.get(text); ok {
		return have, text, nil
	}
	raw, err := s.outline(ctx, path, text)
	if err != nil {
		return nil, nil, err
	}
	var found []documentSymbol
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &found); err != nil {
			return nil, nil, s.Undecodable(ctx, MethodDocumentSymbol, raw, err)
		}
	}
	out := convertSymbols(text, s.encoding, found)
	if more := s.hooks.Complete; more != nil {
		out = more(text, out)
	}
	// Kept only when they are right for this text and final: a server that is loading may answer with fewer, and
	// these would stay.
	if s.believes(path, text, out) && s.Status().Ready {
		s.symbols.put(text, out)
	}
	return out, text, nil
}

// outline is the answer to textDocument/documentSymbol, as the server or a hook wrote it.
func (s *Snapshot) outline(ctx context.Context, path string, text *source.Text) (json.RawMessage, error) {
	if own := s.hooks.Outline; own != nil {
		if symbols, ok, err := own(ctx, path, text); ok {
			return symbols, err
		}
	}
	return s.ask(ctx, MethodDocumentSymbol, map[string]any{
		"textDocument": protocol.TextDocumentIdentifier{URI: uri.File(path)},
	})
}

// believes reports whether every symbol has its name where it is said to be, or the server was sent this text.
// Otherwise the file counts as unverified: its symbols may be those of an older text.
func (s *Snapshot) believes(path string, text *source.Text, symbols []Symbol) bool {
	if sent := s.docs.sentText(path); sent != nil && (sent == text || sent.Content() == text.Content()) {
		if s.verified != nil && !haveNames(text, symbols) {
			s.verified.believe(path, contract.Range{})
		}
		return true
	}
	// Files of dependencies are taken not to change while the server runs.
	if !s.folders.Inside(path) || haveNames(text, symbols) {
		return true
	}
	s.verified.noteUnverified(path, contract.Range{}, false)
	return false
}

// haveNames reports whether every symbol of a tree has its name where the server says, in the text that lspi has.
func haveNames(t *source.Text, symbols []Symbol) bool {
	for _, sym := range symbols {
		// A symbol without a word in its name (an operator, an anonymous struct) cannot be looked for.
		if word := LastWord(sym.Name); word != "" && !holdsName(t, sym.NameAt, word) || !haveNames(t, sym.Children) {
			return false
		}
	}
	return true
}

// convertSymbols converts both forms of the answer to trees, with positions in the host's terms.
func convertSymbols(text *source.Text, enc source.Encoding, found []documentSymbol) []Symbol {
	if len(found) == 0 {
		return nil
	}
	out := make([]Symbol, 0, len(found))
	for _, f := range found {
		// Cloned, because decoded strings alias the whole answer, which the cache would keep in memory with them.
		sym := Symbol{Name: strings.Clone(f.Name), Kind: kindName(f.Kind), Detail: strings.Clone(f.Detail)}
		whole, name := f.Range.rng(), f.Range.rng()
		if f.SelectionRange != nil {
			name = f.SelectionRange.rng()
		}
		if f.Location != nil && f.Location.Range != nil { // a flat SymbolInformation: its container is only a name
			whole, name = f.Location.Range.rng(), f.Location.Range.rng()
			// The flat form has no tree, so that the container goes into the name: otherwise all methods with one
			// name look alike. buf 1.75.0 has the scope in the name as well.
			if f.ContainerName != "" && !strings.HasPrefix(f.Name, f.ContainerName+".") {
				sym.Name = f.ContainerName + "." + f.Name
			}
		}
		sym.Range, sym.NameAt = toLastText(text, text.OutwardRange(enc, whole)), text.OutwardRange(enc, name)
		// A default export without a name has its keyword as one.
		if name == whole && !lang.Of(text.Path).Keywords[f.Name] {
			sym.NameAt = nameIn(text, f.Name, sym.NameAt)
		}
		sym.Children = convertSymbols(text, enc, f.Children)
		out = append(out, sym)
	}
	return out
}

// nameIn is where a name stands in the first line of a declaration that is given as a whole in its place, as that of a
// further declaration of a name is by typescript-language-server 6.0.2; the whole where it is not found.
func nameIn(text *source.Text, name string, whole contract.Range) contract.Range {
	line, from := text.Line(whole.Start.Line), text.LineStart(whole.Start.Line)
	start, err := text.Offset(whole.Start)
	if err != nil {
		return whole
	}
	for _, at := range source.Occurrences(line, name) {
		if from+at >= start {
			return contract.Range{Start: text.PositionAt(from + at), End: text.PositionAt(from + at + len(name))}
		}
	}
	return whole
}

// toLastText ends a range with the last line that has text of it: some servers (zuban 0.10.2) end a declaration
// where the next one begins.
func toLastText(text *source.Text, r contract.Range) contract.Range {
	column := r.End.Character // from here on in the line the text is not in the range
	for line := r.End.Line; line > r.Start.Line; line-- {
		part := []rune(text.Line(line))
		part = part[:min(max(column-1, 0), len(part))]
		if strings.TrimSpace(string(part)) != "" {
			return r
		}
		above := len([]rune(strings.TrimRightFunc(text.Line(line-1), unicode.IsSpace)))
		if above > 0 || line-1 == r.Start.Line {
			r.End = contract.Position{Line: line - 1, Character: above + 1}
			return r
		}
		column = 1
	}
	return r
}

// maxCachedSymbols is the number of files whose symbols are kept.
const maxCachedSymbols = 32

// symbolCache keeps the symbols of the texts asked about last: addressing by name and the shape of definitions ask for
// them on every call. An entry belongs to one immutable Text, so a changed file never finds the old symbols.
type symbolCache struct {
	mu    sync.Mutex
	known map[*source.Text][]Symbol // guarded by mu
	order []*source.Text            // oldest first; guarded by mu
}

// newSymbolCache is empty; it is cleared when a sync tells of changes, because symbols may come from other files
// (includes, macros).
func newSymbolCache() *symbolCache { return &symbolCache{known: map[*source.Text][]Symbol{}} }

// mark takes down what is known now; back forgets what comes to it from now on.
func (c *symbolCache) mark() (back func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	known, order := maps.Clone(c.known), slices.Clone(c.order)
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.known, c.order = known, order
	}
}

func (c *symbolCache) get(t *source.Text) ([]Symbol, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s, ok := c.known[t]
	return s, ok
}

// put drops the oldest beyond the bound. Asking for an entry does not make it younger: the bound is far above what
// one call asks for.
func (c *symbolCache) put(t *source.Text, s []Symbol) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.known[t]; !ok {
		c.order = append(c.order, t)
	}
	c.known[t] = s
	if len(c.order) > maxCachedSymbols {
		delete(c.known, c.order[0])
		c.order = append(c.order[:0:0], c.order[1:]...)
	}
}

func (c *symbolCache) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.known)
	c.order = nil
}

// WorkspaceSymbol is one hit of workspace/symbol.
type WorkspaceSymbol struct {
	Name      string
	Kind      SymbolKind
	Container string
	Place     Place
	NoRange   bool // the server gave only a file (LSP 3.17, WorkspaceSymbol); Place.Range is then zero
}

// WorkspaceSymbols answers workspace/symbol. limited is true when the server's own silent limit was reached, so that
// there may be more.
func (s *Snapshot) WorkspaceSymbols(ctx context.Context, query string) (found []WorkspaceSymbol, limited bool,
	err error) {
	if f := s.hooks.SearchSymbols; f != nil {
		return f(ctx, s, query)
	}
	return s.QuerySymbols(ctx, query)
}

// QuerySymbols sends workspace/symbol as it is; [SymbolHooks].SearchSymbols uses it for each of its own questions.
func (s *Snapshot) QuerySymbols(ctx context.Context, query string) (found []WorkspaceSymbol, limited bool, err error) {
	raw, err := s.RequestRaw(ctx, MethodWorkspaceSymbol, map[string]string{"query": query})
	if err != nil {
		return nil, false, err
	}
	var hits []struct {
		Name          string   `json:"name"`
		Kind          int      `json:"kind"`
		ContainerName string   `json:"containerName"`
		Location      location `json:"location"`
	}
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &hits); err != nil {
			return nil, false, s.Undecodable(ctx, MethodWorkspaceSymbol, raw, err)
		}
	}
	texts := s.namingReader(ctx)
	for _, h := range hits {
		w := WorkspaceSymbol{Name: h.Name, Kind: kindName(h.Kind), Container: h.ContainerName}
		if at, ok := h.Location.target(); ok {
			w.Place = texts.named(at, LastWord(h.Name))
		} else if h.Location.URI != "" {
			// LSP 3.17 lets a server leave the range to workspaceSymbol/resolve; the file alone is told.
			w.Place, w.NoRange = texts.file(h.Location.URI, LastWord(h.Name)), true
		} else {
			// One hit that cannot be shown makes the whole an error: left out, the answer would look complete.
			return nil, false, s.Undecodable(ctx, MethodWorkspaceSymbol, raw,
				fmt.Errorf("%q: %w", Cut(h.Name, 80), errNowhere))
		}
		found = append(found, w)
	}
	return found, s.Limited(MethodWorkspaceSymbol, len(hits)), nil
}

// errNowhere is a symbol that is said to be in no file.
var errNowhere = errors.New("a symbol without location")

// Limited reports whether an answer of n results to method may have been cut silently by the server itself.
func (s *Snapshot) Limited(method string, n int) bool {
	limit, ok := s.spec.SilentCaps[method]
	// An answer of exactly that size may be all there is; nobody can tell, so that it counts as cut.
	return ok && n >= limit
}
