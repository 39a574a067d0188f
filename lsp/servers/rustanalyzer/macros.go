package rustanalyzer

import (
	"context"
	"strings"

	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
)

// expands reports whether the server knows the macros in whose arguments a source holds a name. What it does not know,
// such as those of a crate or of a standard library that is not there, it does not expand, and has no references in
// the arguments, nor an error that would tell (1.97.1).
func (a *Process) expands(ctx context.Context, s *lsp.Snapshot, path, name string) bool {
	text, err := s.Documents().Text(path)
	if err != nil {
		return false
	}
	known := true
	code := ""
	asked := map[string]bool{}
	lang.EachOf(path, text.Content(), []string{name}, func(from, _ int, use lang.Use) {
		if use != lang.CodeUse || !known {
			return
		}
		if code == "" {
			code = lang.CodeOf(path, text.Content())
		}
		for open := lang.BlockStart(code, from); open >= 0 && known; open = lang.BlockStart(code, open) {
			before, called := strings.CutSuffix(strings.TrimRight(code[:open], " \t\r\n"), "!")
			start, end, ok := source.WordAround(before, len(before))
			if !called || !ok || end != len(before) || asked[before[start:end]] {
				continue
			}
			asked[before[start:end]] = true
			known = a.knowsMacro(ctx, s, text, before[start:end], start)
		}
	})
	return known
}

// knowsMacro reports whether the server leads from the name of a macro at an offset to a definition. The standard
// library is the same for all sources.
func (a *Process) knowsMacro(ctx context.Context, s *lsp.Snapshot, text *source.Text, name string, offset int) bool {
	key := text.Path + "!" + name
	if lang.IsRustMacro(name) {
		key = name
	}
	known, ok := a.macros.Get(ctx, a.Server, key, func() (known, ok bool) {
		places, err := s.Locate(ctx, lsp.MethodDefinition, text.Path, text.PositionAt(offset))
		return len(places) > 0, err == nil
	})
	return known && ok
}
