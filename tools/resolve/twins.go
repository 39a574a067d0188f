package resolve

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/lsp"
	"lspi/tools/answer"
	"lspi/tools/ask"
	"lspi/tools/symbol"
)

// One symbol may be among the hits of a search several times: in its source, in the declarations (.d.ts) that a build
// wrote of it, and where a module exports it again. A name means its declaration in the source, and a list shows it
// once.

// declarationEnds are the ends of the files that tsc writes of a source; one source may have several
// (a.d.ts for ES modules, a.d.cts for CommonJS).
var declarationEnds = []string{".d.ts", ".d.mts", ".d.cts"}

// module returns a file's name without what tells a source from its declarations, and whether the file
// has only declarations.
func module(path string) (stem string, declarations bool) {
	base := filepath.Base(path)
	for _, end := range declarationEnds {
		if stem, ok := strings.CutSuffix(base, end); ok {
			return stem, true
		}
	}
	return strings.TrimSuffix(base, filepath.Ext(base)), false
}

// WithoutTwins leaves out hits in declarations that were built from another hit: one of the same
// qualified name and kind in a file of the same name, which is the source, or where no source is among
// the hits the first of the twins. Folders that builds use (dist, lib) do not count in the comparison,
// but all others do: v3/types.d.cts is not built from src/v4/types.ts.
func WithoutTwins(hits []symbol.SymbolHit) []symbol.SymbolHit {
	return slices.DeleteFunc(slices.Clone(hits), func(h symbol.SymbolHit) bool {
		stem, declarations := module(h.Sym.Place.Path)
		if !declarations {
			return false
		}
		return slices.ContainsFunc(hits, func(o symbol.SymbolHit) bool {
			other, also := module(o.Sym.Place.Path)
			if o.Sym.Place.Path == h.Sym.Place.Path || other != stem || o.Sym.Kind != h.Sym.Kind ||
				o.Sym.Name != h.Sym.Name || !sameFolder(o.Sym.Place.Path, h.Sym.Place.Path, also) {
				return false
			}
			return !also || declarationRank(o.Sym.Place.Path) < declarationRank(h.Sym.Place.Path)
		})
	})
}

// sameFolder reports whether the folders of two files allow them to be twins: the very same for two
// declaration files; else they may differ by the folders of builds and sources (dist for src).
func sameFolder(a, b string, exactly bool) bool {
	a, b = filepath.Dir(a), filepath.Dir(b)
	if exactly || a == b {
		return a == b
	}
	return layout(a) == layout(b)
}

// layout returns a folder without the parts by which builds and sources differ.
func layout(dir string) string {
	parts := strings.Split(filepath.ToSlash(dir), "/")
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return slices.Contains(buildFolders, p) }), "/")
}

// buildFolders are the names of folders for sources and for what is built from them.
var buildFolders = []string{"src", "lib", "dist", "build", "out", "esm", "cjs", "types"}

// declarationRank orders twins that are all declarations.
func declarationRank(path string) int {
	return slices.IndexFunc(declarationEnds, func(end string) bool { return strings.HasSuffix(path, end) })
}

// maxExports bounds the hits of one name that are looked at for exports of one another.
const maxExports = 8

// withoutExports leaves out variables that only export another hit again. typescript-language-server
// 6.0.2 lists `export { f } from "./f"` as a variable whose definition is the declaration of f.
func withoutExports(ctx context.Context, c *answer.Call, hits []symbol.SymbolHit) []symbol.SymbolHit {
	// Only these can be exports; anything else is left as it is without a request.
	again := func(h symbol.SymbolHit) bool { return h.Sym.Kind == "variable" || h.Sym.Kind == "constant" }
	if len(hits) < 2 || len(hits) > maxExports || !slices.ContainsFunc(hits, again) {
		return hits
	}
	before := c.Checkpoint()
	defer c.Restore(before) // what is said of the definitions is not about the symbol
	var out []symbol.SymbolHit
	for _, h := range hits {
		exports := false
		if again(h) {
			at := ask.NameAt(c, h)
			_ = ask.File(ctx, c, h.Sym.Place.Path, lsp.MethodDefinition,
				func(ctx context.Context, s *lsp.Snapshot) error {
					places, err := s.Locate(ctx, lsp.MethodDefinition, h.Sym.Place.Path, at)
					exports = err == nil && slices.ContainsFunc(places, func(p lsp.Place) bool {
						return isOneOf(c, p, h, hits)
					})
					return err
				})
		}
		if !exports {
			out = append(out, h)
		}
	}
	if len(out) == 0 { // they lead to each other, and none is the declaration
		return hits
	}
	return out
}

// withoutDeclarations leaves out declarations to which the server leads from the definition among the hits. Where it
// has no project file it may take a header for one of another language than the sources (clangd 22.1.8: a header of C
// for one of C++), and the two for different symbols.
func withoutDeclarations(ctx context.Context, c *answer.Call, hits []symbol.SymbolHit) []symbol.SymbolHit {
	if len(hits) < 2 || len(hits) > maxExports || slices.ContainsFunc(hits, func(h symbol.SymbolHit) bool {
		p := h.Route.Spec.Project
		return p == nil || !p.AnswersWithout()
	}) {
		return hits
	}
	before := c.Checkpoint()
	defer c.Restore(before)
	declared := map[int]bool{}
	for i, h := range hits {
		if declared[i] {
			continue
		}
		_ = ask.File(ctx, c, h.Sym.Place.Path, lsp.MethodDeclaration, func(ctx context.Context, s *lsp.Snapshot) error {
			if s.Projects().Folder(h.Route.Root) != "" || s.Hooks().Includes == nil ||
				!s.Hooks().Includes.IsSource(h.Sym.Place.Path) {
				return nil
			}
			places, err := s.Locate(ctx, lsp.MethodDeclaration, h.Sym.Place.Path, ask.NameAt(c, h))
			for n, o := range hits {
				declared[n] = declared[n] || n != i && !s.Hooks().Includes.IsSource(o.Sym.Place.Path) &&
					lsp.LeadsTo(places, lsp.Place{Path: o.Sym.Place.Path,
						Range: contract.Range{Start: ask.NameAt(c, o)}})
			}
			return err
		})
	}
	var out []symbol.SymbolHit
	for i, h := range hits {
		if !declared[i] {
			out = append(out, h)
		}
	}
	return out
}

// isOneOf reports whether a place is the declaration of a hit other than h.
func isOneOf(c *answer.Call, p lsp.Place, h symbol.SymbolHit, hits []symbol.SymbolHit) bool {
	return slices.ContainsFunc(hits, func(o symbol.SymbolHit) bool {
		if o.Sym.Place.Path != p.Path || o.Sym.Place.Path == h.Sym.Place.Path &&
			o.Sym.Place.Range == h.Sym.Place.Range {
			return false
		}
		at := ask.NameAt(c, o)
		return p.Range.Contains(at) || p.Range.Start.Line == at.Line
	})
}
