package tests

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/tools/answer"
)

// Test is one test of a file.
type Test struct {
	Path  string         // absolute
	Parts []string       // its name within the file, from the outside in: modules, classes, titles
	Range contract.Range // whole lines
	Away  int            // how many uses lie between it and the declaration that it reaches; 0 for the declaration itself

	group  bool // it holds tests (describe), and is none
	always bool // other tests need it: what it reaches they all reach (setUp, beforeEach, TestMain)
}

// Name is the name as its runner writes it.
func (t Test) Name() string {
	return strings.Join(t.Parts, cmp.Or(rulesFor(t.Path).separator, "."))
}

// Is reports whether another value is of the same test.
func (t Test) Is(other Test) bool { return t.Path == other.Path && slices.Equal(t.Parts, other.Parts) }

// holds reports whether a line is one of the test.
func (t Test) holds(line int) bool { return t.Range.Start.Line <= line && line <= t.Range.End.Line }

// rules are what is known of the test runners of a language.
type rules struct {
	separator string // between the parts of a name
	// find returns the tests of a file, the outer ones first.
	find func(text *source.Text, symbols []lsp.Symbol) []Test
	// commands run tests of one project.
	commands func(p *project, all []Test) []string
	// all: there are no other runners, so that nothing else in a file of tests is one.
	all bool
}

// rulesFor returns the rules for a file; none for a language whose runners are not known.
func rulesFor(path string) rules {
	switch l := lang.Of(path); {
	case l.ID == "go":
		return rules{".", goTests, goCommands, true}
	case l.ID == "rust":
		return rules{"::", rustTests, rustCommands, true}
	case l.ID == "python":
		return rules{"::", pythonTests, pythonCommands, true}
	case l.IsC():
		return rules{".", macroTests, ctestCommands, false}
	case l.IsScript():
		return rules{" > ", scriptTests, scriptCommands, false}
	}
	return rules{}
}

// langOf is the language of a file.
func langOf(path string) string { return lang.Of(path).ID }

// In returns the tests of a file.
func In(text *source.Text, symbols []lsp.Symbol) []Test {
	return slices.DeleteFunc(allIn(text, symbols), func(t Test) bool { return t.group || t.always })
}

// allIn is [In] with what stands around tests, and what they all need.
func allIn(text *source.Text, symbols []lsp.Symbol) []Test {
	if r := rulesFor(text.Path); r.find != nil {
		return r.find(text, symbols)
	}
	return nil
}

// At is the test that a line of a file is part of, as answers show it: the file and its name. In a file of tests any
// other function counts as well; a line of none is the file alone there, and "" elsewhere.
func At(ctx context.Context, c *answer.Call, s *lsp.Snapshot, file string, line int) string {
	symbols, text, err := s.DocumentSymbols(ctx, c.AbsolutePath(file))
	if err == nil {
		for _, t := range slices.Backward(In(text, symbols)) {
			if t.holds(line) {
				return file + " " + t.Name()
			}
		}
	}
	if !IsFile(file) {
		return ""
	}
	var names []string
	for all := symbols; ; {
		n := slices.IndexFunc(all, func(sym lsp.Symbol) bool {
			return sym.Range.Start.Line <= line && line <= sym.Range.End.Line
		})
		if n < 0 {
			break
		}
		names = append(names, all[n].Name)
		if all[n].Kind.IsFunction() {
			break
		}
		all = all[n].Children
	}
	return strings.TrimSpace(file + " " + strings.Join(names, "."))
}

// IsFile reports whether a file's name is one by which test runners know tests.
func IsFile(shown string) bool {
	name := filepath.Base(shown)
	stem := strings.ToLower(strings.TrimSuffix(name, filepath.Ext(name)))
	for part := range strings.SplitSeq(filepath.ToSlash(filepath.Dir(shown)), "/") {
		if slices.Contains([]string{"test", "tests", "__tests__", "spec"}, part) {
			return true
		}
	}
	return strings.HasPrefix(stem, "test_") || stem == "conftest" ||
		slices.ContainsFunc([]string{"_test", ".test", ".spec", "_spec", "_tests"},
			func(end string) bool {
				return strings.HasSuffix(stem, end)
			}) || strings.HasSuffix(strings.TrimSuffix(name, filepath.Ext(name)), "Test")
}

// each visits symbols with the names of what is around them, and those within where visit says so.
func each(symbols []lsp.Symbol, outer []string, visit func(sym lsp.Symbol, parts []string) bool) {
	for _, sym := range symbols {
		parts := append(slices.Clone(outer), sym.Name)
		if visit(sym, parts) {
			each(sym.Children, parts, visit)
		}
	}
}

// lines is the range of whole lines from one offset of a text to another.
func lines(text *source.Text, from, to int) contract.Range {
	return contract.Range{Start: contract.Position{Line: text.PositionAt(from).Line, Character: 1},
		End: text.PositionAt(to)}
}

// between is the text from one position to another; "" where these are not in the text.
func between(text *source.Text, from, to contract.Position) string {
	a, err := text.Offset(from)
	b, endErr := text.Offset(to)
	if err != nil || endErr != nil || a > b {
		return ""
	}
	return text.Content()[a:b]
}
