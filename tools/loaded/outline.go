package loaded

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/tools/answer"
	"lspi/tools/symbol"
)

// conditional is a condition of the preprocessor.
var conditional = source.LazyRegexp(`(?m)^[ \t]*#[ \t]*if`)

// WarnOutline warns of declarations that the outline of a text may lack, because conditions of the preprocessor leave
// them out of the build that the server has: code there, outside of functions. With a name, only code that holds it
// counts.
func WarnOutline(ctx context.Context, c *answer.Call, s *lsp.Snapshot, text *source.Text, symbols []lsp.Symbol,
	name string) {
	l := lang.Of(text.Path)
	if !l.IsC() || !conditional.MatchString(text.Content()) {
		return
	}
	limited, cancel := context.WithTimeout(ctx, ExclusionTime(ctx))
	defer cancel()
	ranges, told := s.Diagnostics().InactiveRanges(limited, text.Path)
	if !told && limited.Err() != nil {
		Warn(c, contract.Facts{"server_id": s.ID()}, []lsp.Uncovered{{Path: text.Path, Reason: lsp.ConditionFalse}},
			fmt.Sprintf("%s did not tell in time which parts of %s it does not build; what these declare is not known",
				s.ID(), c.Show(text.Path)))
	}
	if !told { // a server that never does
		return
	}
	all := symbol.Flatten(symbols, nil, nil)
	var lines []int
	for _, r := range ranges {
		if slices.ContainsFunc(all, func(n symbol.Named) bool {
			return n.Sym.Kind.IsFunction() && n.Sym.Range.Contains(r.Start)
		}) {
			continue
		}
		directive := false
		for n := r.Start.Line; n <= min(r.End.Line, text.Lines()); n++ {
			line := strings.TrimSpace(text.Line(n))
			goesOn := directive && strings.HasSuffix(text.Line(n-1), "\\")
			directive = goesOn || strings.HasPrefix(line, "#")
			if line != "" && !directive && !l.IsSilent(line) && (name == "" || source.HasWord(line, name)) {
				lines = append(lines, n)
				break
			}
		}
	}
	if len(lines) == 0 {
		return
	}
	found := []lsp.Uncovered{{Path: text.Path, Line: lines[0], Reason: lsp.ConditionFalse}}
	what := "what it declares is not in this outline"
	if name != "" {
		what = name + " may be declared there, too"
	}
	Warn(c, contract.Facts{"server_id": s.ID(), "lines": lines[:min(len(lines), 20)]}, found, fmt.Sprintf(
		"%s does not build %s of %s, the first from line %d on; %s", s.ID(), answer.Counted(len(lines), "part"),
		c.Show(text.Path), lines[0], what))
}
