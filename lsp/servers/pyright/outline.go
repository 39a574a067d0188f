package pyright

import (
	"slices"
	"strings"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
)

// declares is a line that declares a function or a class; 1 is its indentation, 2 is class or def, 3 the name.
var declares = source.LazyRegexp(`(?m)^([ \t]*)(?:async[ \t]+)?(def|class)[ \t]+([\pL_][\pL\d_]*)`)

// complete is [lsp.SymbolHooks].Complete. Of several declarations of one name in a scope pyright 1.1.414 lists the
// last: no getter of a property that has a setter, none of the overloads, none of the twins of a try and its except.
func complete(text *source.Text, symbols []lsp.Symbol) []lsp.Symbol {
	content := text.Content()
	var code []bool
	var lines []string
	for _, m := range declares.FindAllStringSubmatchIndex(content, -1) {
		at := text.PositionAt(m[6])
		if hasNameAt(symbols, at) {
			continue
		}
		if code == nil { // most files lack none
			code, lines = lang.Code(text.Path, content), strings.Split(strings.ReplaceAll(content, "\r\n", "\n"), "\n")
		}
		last, ok := lang.PythonBlock(lines, at.Line-1)
		if !code[m[6]] || !ok {
			continue
		}
		sym := lsp.Symbol{Name: content[m[6]:m[7]], Kind: "function",
			NameAt: contract.Range{Start: at, End: text.PositionAt(m[7])},
			Range: contract.Range{Start: text.PositionAt(m[3]),
				End: text.PositionAt(text.LineStart(last+1) + len(text.Line(last+1)))}}
		if content[m[4]:m[5]] == "class" {
			sym.Kind = "class"
		}
		symbols = put(symbols, sym, "", m[3]-m[2], text)
	}
	return wholeStatements(symbols, text)
}

// maxStatement bounds the lines of a statement.
const maxStatement = 400

// wholeStatements gives variables the range of the statement that assigns to them, where they stand at its beginning:
// pyright has the name alone (1.1.414), which is no declaration that could be shown or replaced.
func wholeStatements(symbols []lsp.Symbol, text *source.Text) []lsp.Symbol {
	symbols = slices.Clone(symbols)
	for i := range symbols {
		s := &symbols[i]
		s.Children = wholeStatements(s.Children, text)
		first := s.NameAt.Start.Line
		line := text.Line(first)
		name, err := text.Offset(s.NameAt.Start)
		if err != nil || s.Range != s.NameAt || strings.TrimSpace(text.Content()[text.LineStart(first):name]) != "" ||
			!assigns.MatchString(text.Content()[name:text.LineStart(first)+len(line)]) {
			continue
		}
		last := first
		for last < text.Lines() && last-first < maxStatement && (strings.HasSuffix(text.Line(last), "\\") ||
			lang.ByID("python").Unclosed(text.Slice(first, last)+"\n") >= 0) {
			last++
		}
		s.Range.End = text.PositionAt(text.LineStart(last) + len(strings.TrimRight(text.Line(last), " \t\r")))
	}
	return symbols
}

// assigns is a statement that begins with the name that it assigns to, and does nothing else on the line.
var assigns = source.LazyRegexp(`^[\pL_][\pL\d_]*[ \t]*(?::[^=;]+)?=[^=;][^;]*$|^[\pL_][\pL\d_]*[ \t]*:[^=;]+$`)

// hasNameAt reports whether the outline has a symbol whose name begins at a place.
func hasNameAt(symbols []lsp.Symbol, at contract.Position) bool {
	return slices.ContainsFunc(symbols, func(s lsp.Symbol) bool {
		return s.NameAt.Start == at || s.Range.Contains(at) && hasNameAt(s.Children, at)
	})
}

// put returns the outline with one more symbol, in the declaration that holds it and is less indented; kind is that of
// the declaration around symbols. What is shared is not changed.
func put(symbols []lsp.Symbol, sym lsp.Symbol, kind lsp.SymbolKind, indent int, text *source.Text) []lsp.Symbol {
	for i, s := range symbols {
		line := text.Line(s.Range.Start.Line)
		if s.Range.Contains(sym.NameAt.Start) && len(line)-len(strings.TrimLeft(line, " \t")) < indent {
			symbols = slices.Clone(symbols)
			symbols[i].Children = put(s.Children, sym, s.Kind, indent, text)
			return symbols
		}
	}
	if kind == "class" && sym.Kind == "function" {
		sym.Kind = "method"
	}
	i := slices.IndexFunc(symbols, func(s lsp.Symbol) bool { return sym.Range.Start.Before(s.Range.Start) })
	if i < 0 {
		i = len(symbols)
	}
	return slices.Insert(slices.Clone(symbols), i, sym)
}
