package tests

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/tools/symbol"
)

var (
	// fixtureMark matches the decorator of a fixture of pytest; fixtureName the name that it gives it.
	fixtureMark = source.LazyRegexp(`@(?:pytest\s*\.\s*|pytest_asyncio\s*\.\s*)?(?:yield_)?fixture\b`)
	fixtureName = source.LazyRegexp(`\bname\s*=\s*["'](\w+)["']`)
	autouse     = source.LazyRegexp(`\bautouse\s*=\s*True\b`)
)

// maxFixtureFiles bounds the files that are read for the users of one fixture.
const maxFixtureFiles = 300

// fixture adds what asks for a fixture: tests and fixtures with a parameter of its name, in its file or, for one of
// conftest.py, in the files of tests below.
func (f *Search) fixture(ctx context.Context, s *lsp.Snapshot, n *node) {
	_, text, err := s.DocumentSymbols(ctx, n.at.Path)
	if err != nil {
		return
	}
	head := between(text, n.sym.Range.Start, n.sym.NameAt.Start)
	if !fixtureMark.MatchString(head) {
		return
	}
	name := n.at.Name
	if m := fixtureName.FindStringSubmatch(head); m != nil {
		name = m[1]
	}
	files := []string{n.at.Path}
	if filepath.Base(n.at.Path) == "conftest.py" {
		files = f.below(ctx, filepath.Dir(n.at.Path))
	}
	n.left = n.left || len(files) > maxFixtureFiles
	for _, path := range files[:min(len(files), maxFixtureFiles)] {
		f.asking(ctx, s, n, path, name, autouse.MatchString(head))
	}
}

// below are the sources of Python in a folder that hold tests or fixtures.
func (f *Search) below(ctx context.Context, dir string) (out []string) {
	j := f.c.Workspace.Pool.Journal(dir)
	if j == nil {
		return nil
	}
	for path := range j.Files() {
		if _, ok := source.RelativeTo(dir, path); ok && strings.HasSuffix(path, ".py") && ctx.Err() == nil &&
			IsFile(f.c.Show(path)) {
			out = append(out, path)
		}
	}
	slices.Sort(out)
	return out
}

// asking adds what a file has that asks for a fixture by a name; with all, each of its tests does.
func (f *Search) asking(ctx context.Context, s *lsp.Snapshot, n *node, path, name string, all bool) {
	raw, err := s.Documents().Text(path)
	if err != nil || !all && !source.HasWord(raw.Content(), name) {
		return
	}
	symbols, text, err := s.DocumentSymbols(ctx, path)
	if err != nil {
		n.left = true
		return
	}
	each(symbols, nil, func(sym lsp.Symbol, _ []string) bool {
		if !sym.Kind.IsFunction() {
			return true
		}
		head := between(text, sym.Range.Start, sym.NameAt.Start) + parameters(text, sym)
		if !all && !source.HasWord(head, name) {
			return false
		}
		if tests := f.testsAt(ctx, s, text, symbols, sym.NameAt.Start.Line); len(tests) > 0 {
			n.tests = append(n.tests, tests...)
		} else if fixtureMark.MatchString(head) && sym.NameAt.Start != n.at.At {
			user := f.node(symbol.Located{Path: path, At: sym.NameAt.Start, Name: sym.Name})
			f.fill(user, text, symbol.Enclosing(symbols, sym.NameAt.Start))
			n.users = append(n.users, user)
		}
		return false
	})
}

// parameters are those of a function, in brackets.
func parameters(text *source.Text, sym lsp.Symbol) string {
	rest := between(text, sym.NameAt.End, sym.Range.End)
	i := strings.IndexByte(rest, '(')
	if i < 0 {
		return ""
	}
	return rest[i:lang.BlockEnd(rest, i)]
}
