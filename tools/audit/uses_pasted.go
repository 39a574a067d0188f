package audit

import (
	"context"
	"maps"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
)

// pastedDefinition adds the places at which macros may paste the name of a function together that is declared and
// defined nowhere: clangd (22.1.8) does not always list what a macro makes of the arguments of another one, as in
// T P(top, T)(T n) {…}, which is included where T is defined.
func (v *verdict) pastedDefinition(ctx context.Context, known func() ([]lsp.Place, error)) error {
	if len(v.joining) == 0 || !v.takesArguments() {
		return nil
	}
	v.declare(ctx)
	if err := v.know(known); err != nil {
		return err
	}
	if slices.ContainsFunc(v.declared, v.defines) || slices.ContainsFunc(v.known, func(p lsp.Place) bool {
		return v.defines(p) || p.Line != "" && v.joining[spelled(p)]
	}) {
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
			if use&(lang.CodeUse|lang.OpenUse) != 0 && v.mayPaste(content, to) && lang.MacroAround(content, from) == "" {
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
func (v *verdict) takesArguments() bool {
	return strings.HasPrefix(strings.TrimLeft(v.behind(v.at.Path, v.at.At), " \t"), "(")
}

// behind is the text behind the word at a place; "" where it cannot be read.
func (v *verdict) behind(path string, at contract.Position) string {
	text, err := v.c.Workspace.Text(path)
	if err != nil {
		return ""
	}
	from, err := text.Offset(at)
	if err != nil {
		return ""
	}
	_, to, _ := source.WordAround(text.Content(), from)
	return text.Content()[max(from, to):]
}

// defines reports whether a place is the name of a function with a body, or with one that the compiler gives it.
func (v *verdict) defines(p lsp.Place) bool {
	if p.Line != "" && v.joining[spelled(p)] {
		return false
	}
	behind := strings.TrimLeft(v.behind(p.Path, p.Range.Start), " \t\r\n")
	end := closing(behind)
	if end < 0 {
		return false
	}
	next := strings.IndexAny(behind[end:], ";{=")
	return next >= 0 && behind[end+next] != ';'
}

// closing is the offset of the parenthesis that closes the one with which a text begins; -1 where there is none.
func closing(text string) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '(':
			depth++
		case ')':
			depth--
		}
		switch {
		case depth == 0 && i == 0:
			return -1
		case depth == 0:
			return i
		}
	}
	return -1
}

// mayPaste reports whether the call of a macro whose name ends at an offset has a part of the name among its arguments.
func (v *verdict) mayPaste(content string, to int) bool {
	behind := strings.TrimLeft(content[to:min(len(content), to+lang.MaxScanned)], " \t")
	end := closing(behind)
	return end > 0 && slices.ContainsFunc(strings.FieldsFunc(behind[:end], func(r rune) bool { return !source.IsWord(r) }),
		func(word string) bool { return len(word) > 1 && strings.Contains(v.at.Name, word) && word != v.at.Name })
}
