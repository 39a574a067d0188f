package audit

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

// A server says nothing of the texts of macros and of code that is not built, and the name there decides where the
// language lets it: behind its own namespace, behind :: at global level, and by itself where the workspace has no other
// symbol of the name.

// byName judges a place of which the server knows no symbol by what stands around it. container is that of the symbol.
func (v *cpp) byName(ctx context.Context, o *occurrence, container string) judgement {
	text, err := v.s.Documents().Text(o.path)
	if err != nil {
		return doubtful
	}
	from, err := text.Offset(o.at)
	if err != nil {
		return doubtful
	}
	content := text.Content()
	// A parameter of the macro itself.
	if lang.ParameterAround(content, from, o.name) {
		return elsewhere
	}
	before := strings.TrimRight(content[max(0, from-lang.MaxScanned):from], " \t\\\r\n")
	scope, qualified := strings.CutSuffix(before, "::")
	switch {
	case qualified:
		start, end, _ := source.WordAround(scope, len(scope))
		if scope[start:end] == symbol.LastComponent(strings.TrimSuffix(container, "::")) && !strings.HasSuffix(scope, ">") {
			return aUse
		}
	case !v.member && !lang.BehindDot(before) && v.alone(ctx):
		return aUse
	}
	return doubtful
}

// isNamespace reports whether the asked place names a namespace: clangd's index (22.1.8) has no references of these.
func (v *cpp) isNamespace(ctx context.Context) bool {
	if v.s.Hooks().SymbolInfo.Method == "" {
		return false
	}
	line := v.line()
	i := min(symbol.ByteOffset(line, v.at.At.Character), len(line))
	_, to, _ := source.WordAround(line, i)
	if !strings.Contains(line, "namespace") && !strings.HasPrefix(strings.TrimLeft(line[to:], " "), "::") {
		return false
	}
	own, err := v.asked.CheckSymbol(ctx, v.at.Path, v.at.At)
	return err == nil && own.Namespace()
}

// alone reports whether the server's search finds no other symbol of the name in the workspace, and no place that the
// server was to be asked about declares one.
func (v *cpp) alone(ctx context.Context) bool {
	v.mu.Lock()
	known := v.only
	v.mu.Unlock()
	if known == nil {
		only := v.searchAlone(ctx)
		v.mu.Lock()
		v.only, known = &only, &only
		v.mu.Unlock()
	}
	return *known
}

func (v *cpp) searchAlone(ctx context.Context) bool {
	if !v.s.Offers(lsp.MethodWorkspaceSymbol) || !v.namespace && slices.ContainsFunc(v.open, v.mayDeclare) {
		return false
	}
	found, limited, err := v.asked.WorkspaceSymbols(ctx, v.at.Name)
	known := slices.Concat(v.declared, v.known)
	return err == nil && !limited && !slices.ContainsFunc(found, func(sym lsp.WorkspaceSymbol) bool {
		_, ours := source.RelativeTo(v.c.Workspace.Root, sym.Place.Path)
		if v.namespace && sym.Kind == "namespace" {
			return false
		}
		return ours && symbol.LastComponent(sym.Name) == v.at.Name && !slices.ContainsFunc(known, func(d lsp.Place) bool {
			return d.Path == v.real(sym.Place.Path) && d.Range.Start.Line == sym.Place.Range.Start.Line
		})
	})
}

// mayDeclare reports whether an occurrence in code may declare another symbol of the name: an overload, or a variable
// of a function that is not built.
func (v *cpp) mayDeclare(o occurrence) bool {
	text, err := v.s.Documents().Text(o.path)
	if err != nil {
		return true
	}
	from, err := text.Offset(o.at)
	return err != nil || o.use&(lang.CodeUse|lang.OpenUse) != 0 && lang.MayDeclare(text.Content(), from, from+len(o.name))
}

// readByName adds the places at which a source that names the type around a member takes members by computed names.
func (v *verdict) readByName(ctx context.Context) {
	if v.language.ReadsNames == nil {
		return
	}
	held, all, err := v.c.Workspace.Words(v.at.Path).Holding(ctx, v.language.MemberReaders...)
	v.late = v.late || err != nil || !all
	for _, h := range held {
		text, err := v.c.Workspace.Text(h.Path)
		if err != nil || h.Use&lang.CodeUse == 0 || len(v.reads(text)) == 0 {
			continue
		}
		if v.declared == nil { // the texts left nothing open
			v.declare(ctx)
		}
		if v.container == "" {
			v.scope(ctx)
		}
		beside := filepath.Dir(h.Path) == filepath.Dir(v.declared[0].Path) // elsewhere the type's name may be another's
		if !v.member || v.container == "" || !(beside && source.HasWord(text.Content(), v.container)) &&
			!v.importsPackage(text.Content()) {
			continue
		}
		for _, at := range v.reads(text) {
			v.unexplained = append(v.unexplained, occurrence{path: h.Path, at: text.PositionAt(at), name: v.at.Name,
				reason: reasonByName})
		}
	}
}

// reads are the offsets at which a text may take the member by a name that it computes.
func (v *verdict) reads(text *source.Text) []int {
	both := v.kind == "" // before it is known what is asked about
	var out []int
	if both || v.kind == "method" {
		out = v.language.ReadsNames(text.Content(), v.at.Name, true)
	}
	if both || v.kind == "field" {
		out = append(out, v.language.ReadsNames(text.Content(), v.at.Name, false)...)
	}
	return out
}

// importsPackage reports whether a source imports the package of the symbol, going by the folder: a value of the type
// may come from there without the type's name.
func (v *verdict) importsPackage(content string) bool {
	folder := filepath.Base(filepath.Dir(v.declared[0].Path))
	return strings.Contains(content, "/"+folder+`"`) || strings.Contains(content, `"`+folder+`"`)
}
