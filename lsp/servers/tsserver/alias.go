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

// maxAliases bounds the other names that are followed for one answer.
const maxAliases = 50

// usesByAlias is [lsp.CoverageHooks].UsesByAlias: references end where a module of CommonJS exports a name under
// another one, and at the default of a module, which import("…") gives without its name.
func (a *Process) usesByAlias(ctx context.Context, s *lsp.Snapshot, places []lsp.Place) (uses []lsp.Place, all bool) {
	known := slices.Clone(places)
	add := func(more []lsp.Place) {
		for _, u := range more {
			if !slices.ContainsFunc(known, func(k lsp.Place) bool {
				return k.Path == u.Path && k.Range.Start == u.Range.Start
			}) {
				known, uses = append(known, u), append(uses, u)
			}
		}
	}
	var wholes []string
	exports := map[string]bool{} // files that may export something so
	asked := 0
	for i := 0; i < len(known); i++ { // it grows
		p := known[i]
		if !a.inWorkspace(p.Path) || p.Err != nil || p.Gone {
			continue
		}
		text, err := s.Documents().Text(p.Path)
		if err != nil {
			continue
		}
		may, ok := exports[p.Path]
		if !ok {
			may = strings.Contains(text.Content(), "exports") || strings.Contains(text.Content(), "default")
			exports[p.Path] = may
		}
		from, err := text.Offset(p.Range.Start)
		to, endErr := text.Offset(p.Range.End)
		if !may || err != nil || endErr != nil {
			continue
		}
		if lang.IsScriptDefault(text.Content(), from, to) && !slices.Contains(wholes, p.Path) {
			wholes = append(wholes, p.Path)
			loads, err := a.loadsOf(ctx, s, p.Path)
			if err != nil {
				return uses, false
			}
			add(loads)
		}
		alias := lang.ScriptExport(text.Content(), from, to)
		if alias < 0 {
			continue
		}
		if asked++; asked > maxAliases {
			return uses, false
		}
		own := text.PositionAt(alias)
		more, err := s.References(ctx, p.Path, own, true)
		if err != nil {
			return uses, false
		}
		first, last, _ := source.WordAround(text.Content(), alias)
		same := text.Content()[first:last] == text.Content()[from:to]
		taken, err := a.taken(ctx, s, p.Path, text.Content()[first:last], own)
		if err != nil {
			return uses, false
		}
		add(slices.DeleteFunc(append(more, taken...), func(u lsp.Place) bool {
			return !same && u.Path == p.Path && u.Range.Start == own
		}))
	}
	return uses, true
}

// taken are the places in sources that import a module at which the server leads to what it exports by a name: tsserver
// (6.0.3) does not list what a pattern takes out of require("…").
func (a *Process) taken(ctx context.Context, s *lsp.Snapshot, module, name string, exported contract.Position) (
	out []lsp.Place, err error) {
	files, err := a.sourcesThat(ctx, func(s *script) bool { return slices.Contains(s.next, module) })
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		text, readErr := s.Documents().Text(file)
		if readErr != nil || !source.HasWord(text.Content(), name) {
			continue
		}
		var binding []lsp.Place // the variables that patterns make of it
		lang.EachOf(file, text.Content(), []string{name}, func(from, to int, use lang.Use) {
			if use != lang.CodeUse || err != nil {
				return
			}
			at := text.PositionAt(from)
			found, locateErr := s.Locate(ctx, lsp.MethodDefinition, file, at)
			err = locateErr
			u := lsp.Place{Path: file, Range: contract.Range{Start: at, End: text.PositionAt(to)}, Line: text.Line(at.Line)}
			switch {
			case slices.ContainsFunc(found, func(p lsp.Place) bool { return p.Path == module && p.Range.Start == exported }):
				out, binding = append(out, u), append(binding, u)
			case slices.ContainsFunc(found, func(p lsp.Place) bool {
				return slices.ContainsFunc(binding, func(b lsp.Place) bool {
					return b.Path == p.Path && b.Range.Start == p.Range.Start
				})
			}):
				out = append(out, u)
			}
		})
		if err != nil {
			return out, err
		}
	}
	return out, nil
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
