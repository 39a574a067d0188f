package tsserver

import (
	"context"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
)

// aliasUses is [lsp.CoverageHooks].AliasUses: references end where a module of CommonJS exports a name under another
// one, and at the default of a module, which import("…") gives without its name. tsserver (6.0.3) does not list what a
// pattern takes out of require("…"), though it leads from there to what the module exports.
func (a *Process) aliasUses(ctx context.Context, s *lsp.Snapshot, text *source.Text, from, to int) (uses []lsp.Place,
	given bool, err error) {
	content, path := text.Content(), text.Path
	if !a.inWorkspace(path) || !strings.Contains(content, "exports") && !strings.Contains(content, "default") {
		return nil, false, nil
	}
	if lang.IsScriptDefault(content, from, to) {
		if uses, err = a.loadsOf(ctx, s, path); err != nil {
			return uses, true, err
		}
	}
	alias := lang.ScriptExport(content, from, to)
	if alias < 0 {
		return uses, false, nil
	}
	own := text.PositionAt(alias)
	more, err := s.References(ctx, path, own, true)
	if err != nil {
		return uses, true, err
	}
	importing, err := a.sourcesThat(ctx, func(s *script) bool { return slices.Contains(s.next, path) })
	if err != nil {
		return uses, true, err
	}
	first, last, _ := source.WordAround(content, alias)
	taken, err := lsp.UsesOfWord(ctx, s, importing, content[first:last],
		[]lsp.Place{{Path: path, Range: contract.Range{Start: own}}})
	same := content[first:last] == content[from:to]
	return append(uses, slices.DeleteFunc(append(more, taken...), func(u lsp.Place) bool {
		return !same && u.Path == path && u.Range.Start == own
	})...), true, err
}

// sourcesThat are the sources of the tree for which something holds.
func (a *Process) sourcesThat(ctx context.Context, holds func(s *script) bool) (files []string, err error) {
	t := a.projects
	release, ok := t.take(ctx, a.Server)
	if !ok {
		return nil, context.Cause(ctx)
	}
	defer release()
	for file := range t.served {
		if holds(t.script(file)) {
			files = append(files, file)
		}
	}
	slices.Sort(files)
	return files, nil
}

// dynamic matches a module that is loaded by import(…) and given on as a whole; the first group is its name, behind
// which the second tells what is taken out of it.
var dynamic = source.LazyRegexp("(\\bawait\\s+)?\\bimport\\(\\s*(?:/\\*.*?\\*/\\s*)*[\"'`]([^\"'`\\n]+)[\"'`]\\s*\\)(\\s*\\.\\s*then\\b)?")

// loadsOf are the places that load a module by import(…) and give it on as a whole, so that whoever gets it uses its
// default: lazy(() => import("./Card")). What is awaited, or handed to then, the server follows.
func (a *Process) loadsOf(ctx context.Context, s *lsp.Snapshot, module string) (out []lsp.Place, err error) {
	files, err := a.sourcesThat(ctx, func(s *script) bool {
		return slices.ContainsFunc(s.loads, func(name string) bool { return mayLoad(name, module) })
	})
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		text, err := s.Documents().Text(file)
		if err != nil {
			continue
		}
		for _, m := range dynamic.FindAllStringSubmatchIndex(text.Content(), -1) {
			if name := text.Content()[m[4]:m[5]]; m[2] >= 0 || m[6] >= 0 || !mayLoad(name, module) {
				continue
			}
			at := text.PositionAt(m[4])
			found, err := s.Locate(ctx, lsp.MethodDefinition, file, at)
			if err != nil {
				return nil, err
			}
			if slices.ContainsFunc(found, func(p lsp.Place) bool { return p.Path == module }) {
				out = append(out, lsp.Place{Path: file, Range: contract.Range{Start: at, End: text.PositionAt(m[5])},
					Line: text.Line(at.Line)})
			}
		}
	}
	return out, nil
}

// mayLoad reports whether an import of a name may mean a source: the name ends as its path, or as its folder.
func mayLoad(name, module string) bool {
	base := path.Base(name)
	stem, _, _ := strings.Cut(filepath.Base(module), ".")
	own, _, _ := strings.Cut(base, ".")
	return own == stem || stem == "index" && (base == filepath.Base(filepath.Dir(module)) || !source.IsWord(rune(base[0])))
}
