package audit

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/tools/answer"
	"lspi/tools/loaded"
	"lspi/tools/symbol"
)

// pastedDefinition adds the places at which macros may paste the name of a function together that is declared and
// defined nowhere: clangd (22.1.8) does not always list what a macro makes of the arguments of another one, as in
// T P(top, T)(T n) {…}, which is included where T is defined.
func (v *cpp) pastedDefinition(ctx context.Context, known func() ([]lsp.Place, error)) error {
	if len(v.joining) == 0 || !takesArguments(v.c, v.at) {
		return nil
	}
	v.declare(ctx)
	if err := v.know(known); err != nil {
		return err
	}
	joins := func(p lsp.Place) bool { return p.Line != "" && v.joining[spelled(p)] }
	if slices.ContainsFunc(v.known, joins) || slices.ContainsFunc(slices.Concat(v.declared, v.known),
		func(p lsp.Place) bool { return !joins(p) && hasBody(v.c, p) }) {
		return nil
	}
	var found []occurrence
	for _, path := range slices.Sorted(maps.Keys(v.joiners)) {
		text, err := v.c.Workspace.Text(path)
		if err != nil || !v.joiners[path] {
			continue
		}
		content := text.Content()
		lang.EachOf(path, content, slices.Collect(maps.Keys(v.joining)), func(from, to int, use lang.Use) {
			if use&(lang.CodeUse|lang.OpenUse) != 0 && mayPaste(v.at.Name, content, to) &&
				lang.MacroAround(content, from) == "" {
				found = append(found, occurrence{path: path, at: text.PositionAt(from), name: content[from:to],
					reason: reasonInMacro})
			}
		})
	}
	if len(found) == 0 {
		return nil
	}
	own, err := v.asked.CheckSymbol(ctx, v.at.Path, v.at.At)
	if err != nil || own.Free() {
		v.unexplained = append(v.unexplained, found...)
	}
	return nil
}

// takesArguments reports whether a parenthesis follows the name at the asked place.
func takesArguments(c *answer.Call, at symbol.Located) bool {
	text, from, ok := offsetAt(c, at.Path, at.At)
	return ok && strings.HasPrefix(behindWord(text.Content(), from), "(")
}

// behindWord is the text behind the word at an offset, and behind blanks.
func behindWord(content string, from int) string {
	_, to, _ := source.WordAround(content, from)
	return strings.TrimLeft(content[max(from, to):], " \t\r\n")
}

// hasBody reports whether a place is the name of a function with a body, which = default and the like stand for.
func hasBody(c *answer.Call, p lsp.Place) bool {
	text, from, ok := offsetAt(c, p.Path, p.Range.Start)
	return ok && hasBodyAt(text, from)
}

// hasBodyAt is [hasBody] for an offset.
func hasBodyAt(text *source.Text, from int) bool {
	content := text.Content()[:min(len(text.Content()), from+lang.MaxScanned)] // a head is hardly longer
	behind := behindWord(content, from)
	return strings.HasPrefix(behind, "(") && (lang.BodyEnd(text.Path, content, from) > from ||
		setBody.MatchString(behind[lang.BlockEnd(behind, 0):]))
}

var setBody = source.LazyRegexp(`^[^;{}()]*=\s*(?:0|default|delete)\s*;`)

// mayPaste reports whether the call of a macro whose name ends at an offset has a part of the name among its arguments.
func mayPaste(name, content string, to int) bool {
	behind := strings.TrimLeft(content[to:min(len(content), to+lang.MaxScanned)], " \t")
	if !strings.HasPrefix(behind, "(") {
		return false
	}
	words := strings.FieldsFunc(behind[:lang.BlockEnd(behind, 0)], func(r rune) bool { return !source.IsWord(r) })
	return slices.ContainsFunc(words,
		func(word string) bool { return len(word) > 1 && strings.Contains(name, word) && word != name })
}

// definedTwice tells of a function that several sources define, or a type: no program has both, so that its uses, which
// the server tells as those of one symbol, are of several.
func definedTwice(ctx context.Context, c *answer.Call, s *lsp.Snapshot, at symbol.Located, known []lsp.Place) {
	includes := s.Hooks().Includes
	if includes == nil {
		return
	}
	var found []occurrence
	seen := map[string]bool{} // files behind links
	for _, p := range known {
		if p.Line == "" || !includes.IsSource(p.Path) || spelled(p) != at.Name || onceForAll.MatchString(p.Line) ||
			!hasBody(c, p) {
			continue
		}
		real, err := filepath.EvalSymlinks(p.Path)
		if err != nil || seen[real] {
			continue
		}
		seen[real] = true
		found = append(found, occurrence{path: p.Path, at: p.Range.Start, name: at.Name, reason: reasonByLinker})
	}
	if len(found) > 1 { // overrides are in the answer, too, and are others
		own, err := s.Recalling().CheckSymbol(ctx, at.Path, at.At)
		found = slices.DeleteFunc(found[:min(len(found), answer.MaxShown)], func(o occurrence) bool {
			seen, failed := s.Recalling().CheckSymbol(ctx, o.path, o.at)
			return err != nil || failed != nil || !own.SameAs(seen)
		})
	}
	if types := typeDefinitions(c, at.Name, known); len(found) < 2 && len(types) > 1 {
		found = definitionsOf(at.Name, types)
	}
	if len(found) > 1 {
		warnDefinedTwice(c, s, at.Name, found)
	}
}

// warnDefinedTwice says that several places define what the server takes for one symbol.
func warnDefinedTwice(c *answer.Call, s *lsp.Snapshot, name string, found []occurrence) {
	shown := func(o occurrence) string { return loaded.Show(c, lsp.Uncovered{Path: o.path, Line: o.at.Line}) }
	c.Warn(contract.WarnMentions, factsOf(c, name, found), name+" is defined at "+shown(found[0])+" and at "+
		shown(found[1])+", of which no program has both; "+s.ID()+" does not tell their uses apart")
}

// onceForAll matches the line of a definition that a program may have several times, or beside another one.
var onceForAll = source.LazyRegexp(`\b(?:static|inline|constexpr|template|weak|WEAK)\b|__weak`)

// joinedKnown takes for mentions the places of the answer at which a macro makes a string or another name of the
// symbol's, beside its use: edits have to know them. No program finds a local variable by its name.
func (v *cpp) joinedKnown(ctx context.Context, known func() ([]lsp.Place, error)) error {
	if len(v.joining) == 0 || v.c.Tool == nil || v.c.Tool.Class == answer.Navigation {
		return nil
	}
	if err := v.know(known); err != nil {
		return err
	}
	var found []occurrence
	for _, p := range v.known {
		text, from, ok := offsetAt(v.c, p.Path, p.Range.Start)
		if !ok || !strings.HasPrefix(text.Content()[from:], v.at.Name) || slices.ContainsFunc(found,
			func(o occurrence) bool { return o.path == p.Path && o.at == p.Range.Start }) ||
			!v.joins(text.Content(), from, from+len(v.at.Name)) {
			continue
		}
		found = append(found, occurrence{path: p.Path, at: p.Range.Start, name: v.at.Name, use: lang.CodeUse,
			reason: reasonInMacro})
	}
	if len(found) == 0 {
		return nil
	}
	if v.declare(ctx); v.function == "" {
		_, _, _ = v.functionAround(ctx)
	}
	if v.function == "" {
		v.mentions = append(found, v.mentions...)
	}
	return nil
}
