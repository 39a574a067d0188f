package tools

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/internal/testkit"
	"lspi/lsp"
	"lspi/tools/answer"
	"lspi/tools/ask"
	"lspi/tools/resolve"
	"lspi/tools/session"
	"lspi/tools/symbol"
	"lspi/tools/toolstest"
)

// Every name of an outline leads to that very symbol when it is given back with its file; where several symbols of the
// file have the name, each is a candidate with its place, and the name with the line leads to it.
func TestOutlinedNamesLeadBack(t *testing.T) {
	testkit.OwnServer(t)
	for _, c := range []struct {
		corpus, server, program, under string
		files                          int
	}{
		{"x-tools", "gopls", "gopls", "", 15},
		{"regex-syntax", "rust-analyzer", "rust-analyzer", "src", 5},
		{"leveldb", "clangd", "clangd", "", 5},
		{"zod", "typescript-language-server", "typescript-language-server", "src", 6},
		{"click", "pyright", "pyright-langserver", "click", 6},
	} {
		t.Run(c.corpus, func(t *testing.T) {
			testkit.Always(t, c.corpus, "x-tools")
			t.Parallel()
			needServer(t, c.program)
			session := toolstest.WholeStd(toolstest.Real(t, testkit.Corpus(t, c.corpus), c.server))
			tried := 0
			for _, path := range sampleFiles(t, session, c.under, c.files) {
				tried += leadBack(t, session, path)
			}
			t.Logf("%d symbols", tried)
		})
	}
}

// sampleFiles picks source files by a fixed seed.
func sampleFiles(t *testing.T, session *session.Session, under string, n int) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(filepath.Join(session.Workspace.Root, under),
		func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() && d.Name() == "testdata" {
				return filepath.SkipDir
			}
			if err == nil && !d.IsDir() && session.Workspace.Table.Specs[0].Serves(symbol.Base(path)) &&
				!lang.ByID(session.Workspace.Table.Specs[0].LanguageID(symbol.Base(path))).NoSymbols {
				out = append(out, path)
			}
			return err
		})
	if err != nil || len(out) == 0 {
		t.Fatalf("no files: %v", err)
	}
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out[:min(n, len(out))]
}

// maxLedBack bounds the symbols of one file that are tried.
const maxLedBack = 40

// leadBack tries the symbols of one file, and returns how many.
func leadBack(t *testing.T, session *session.Session, path string) (tried int) {
	t.Helper()
	c := answer.NewCall(session, known{}, answer.Request{})
	c.Tool = &answer.Tool{Name: "hover"}
	err := ask.File(t.Context(), c, path, lsp.MethodDocumentSymbol, func(ctx context.Context, s *lsp.Snapshot) error {
		symbols, text, err := s.DocumentSymbols(ctx, path)
		if err != nil {
			return err
		}
		language := s.Spec().LanguageID(symbol.Base(path))
		items := newOutline(symbols, outlineOptions{Language: language, MaxDepth: 20}).Items
		rand.New(rand.NewPCG(3, 4)).Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
		items = items[:min(len(items), maxLedBack)]
		tried = len(items)
		for _, i := range items {
			// The page that shows this symbol alone, and what it is in.
			page := readOutline(outlineLines([]*outlineItem{i}, false), lang.ByID(language).Join([]string{"", ""}))
			name := page[len(page)-1].name
			testkit.Equal(t, misled(ctx, c, s, path, text, i.Sym, name), "", c.Show(path), name)
		}
		return nil
	})
	if err != nil {
		t.Errorf("%s: %v", c.Show(path), err)
	}
	return tried
}

// misled is what is wrong with giving the name of a symbol of an outline back.
func misled(ctx context.Context, c *answer.Call, s *lsp.Snapshot, path string, text *source.Text, sym lsp.Symbol,
	name string) string {
	if symbol.Nameless(sym.Name) || len(symbol.Components(sym.Name)) == 0 {
		return ""
	}
	want := resolve.NameIn(text, sym, symbol.Components(sym.Name))
	got, err := resolve.Find(ctx, c, s, path, resolve.Target{SymbolName: name})
	var e *contract.Error
	switch {
	case err == nil && got.At == want:
		return ""
	case err == nil && oneSymbol(ctx, c, s, path, want, got.At):
		return ""
	case err == nil:
		return fmt.Sprintf("leads to %d:%d", got.At.Line, got.At.Character)
	case !errors.As(err, &e) || e.Kind != contract.KindAmbiguousSymbol:
		return err.Error()
	}
	all := e.Facts["candidates"].([]answer.Candidate)
	if len(all) == e.Facts["total"].(int) && !slices.ContainsFunc(all, func(k answer.Candidate) bool {
		return k.Line == want.Line && k.Character == want.Character ||
			oneSymbol(ctx, c, s, path, want, contract.Position{Line: k.Line, Character: k.Character})
	}) {
		return err.Error() + ", and is not among these"
	}
	if len(all) < e.Facts["total"].(int) {
		return ""
	}
	onLine := 0
	for _, k := range all {
		if k.Line == want.Line {
			onLine++
		}
	}
	if onLine != 1 { // several, whose steps say the character; or another declaration of it
		return ""
	}
	got, err = resolve.Find(ctx, c, s, path, resolve.Target{SymbolName: name, Line: want.Line})
	if err != nil || got.At != want {
		return fmt.Sprintf("with its line it leads to %v, %v", got.At, err)
	}
	return ""
}

// oneSymbol reports whether the server goes from both positions to one place, or from the one to the other: a
// method that is defined below its class, overloads.
func oneSymbol(ctx context.Context, c *answer.Call, s *lsp.Snapshot, path string, a, b contract.Position) bool {
	seen := map[contract.Position]int{a: 1, b: 2}
	for i, at := range []contract.Position{a, b} {
		places, err := s.Locate(ctx, lsp.MethodDefinition, path, at)
		if err != nil {
			return false
		}
		for _, p := range places {
			if p.Path == path {
				seen[p.Range.Start] |= i + 1
			}
		}
	}
	return slices.Contains(slices.Collect(maps.Values(seen)), 3)
}
