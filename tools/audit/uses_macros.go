package audit

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/tools/answer"
	"lspi/tools/audit/words"
	"lspi/tools/loaded"
	"lspi/tools/symbol"
)

// cpp is the part of a verdict that C and C++ alone need.
type cpp struct {
	*verdict

	broughtAll bool            // a header brings the name into another scope
	joining    map[string]bool // the macros that paste or stringize; see [cpp.pasted]
	templating map[string]bool // the macros that put their arguments into a template
	joiners    map[string]bool // the files that hold the name of one of these
	includes   map[string]bool // whether sources include a file that is none, as far as that was asked
	namespace  bool            // the symbol is a namespace
	only       *bool           // see [cpp.alone]; nil before it is asked; guarded by mu
}

// What C and C++ put together before the compiler sees it: names in the texts of macros, names that a macro pastes, and
// the texts of files of any name that sources include.

// takeMacros takes the names in the texts of macros of which the server lists a call as a use: what it means there is
// the name in the text.
func (v *cpp) takeMacros() {
	called := map[string]bool{}
	for _, p := range v.known {
		if p.Line != "" && spelled(p) != "" {
			called[spelled(p)] = true
		}
	}
	v.open = slices.DeleteFunc(v.open, func(o occurrence) bool {
		if o.reason != reasonInMacro {
			return false
		}
		text, from, ok := offsetAt(v.c, o.path, o.at)
		if !ok || !called[lang.MacroAround(text.Content(), from)] {
			return false
		}
		if !v.calls { // the callers by way of the macro are listed
			v.more = append(v.more, placeOf(text, from, from+len(o.name)))
		}
		return true
	})
}

// offsetAt is where a place stands in the text of its file; ok is false where that cannot be read.
func offsetAt(c *answer.Call, path string, at contract.Position) (text *source.Text, from int, ok bool) {
	text, err := c.Workspace.Text(path)
	if err != nil {
		return nil, 0, false
	}
	from, err = text.Offset(at)
	return text, from, err == nil
}

// callsUndeclared is [lang.CallsUndeclared] for a file.
func (v *cpp) callsUndeclared(path string) bool {
	if lang.Of(path).ID != "c" {
		return false
	}
	text, err := v.c.Workspace.Text(path)
	return err == nil && lang.CallsUndeclared(path, text.Content(), v.at.Name)
}

// readAs is the path by whose language the words of a file are told apart: what C includes is C, whatever its name.
func (v *cpp) readAs(ctx context.Context, path string) string {
	if v.s.Hooks().Includes != nil && !v.serves(path) && v.included(ctx, path) {
		return path + ".h"
	}
	return path
}

// included reports whether a source includes a file by its name.
func (v *cpp) included(ctx context.Context, path string) bool {
	l := lang.Of(path)
	if l.ID != "" && l.ID != "plaintext" && !strings.HasPrefix(l.ID, "ocaml") {
		return false
	}
	if known, ok := v.includes[path]; ok {
		return known
	}
	if v.includes == nil {
		v.includes = map[string]bool{}
	}
	v.includes[path] = v.isIncluded(ctx, symbol.Base(path))
	return v.includes[path]
}

// isIncluded reports whether a source has a file's name between the signs that may stand around it in an include, or in
// the macro that an include names.
func (v *cpp) isIncluded(ctx context.Context, base string) bool {
	stem, _, _ := strings.Cut(base, ".")
	held, _, err := v.c.Workspace.Words(v.at.Path).Holding(ctx, stem)
	if err != nil {
		return true
	}
	return slices.ContainsFunc(held, func(h words.Held) bool {
		if !v.serves(h.Path) {
			return false
		}
		text, err := v.c.Workspace.Text(h.Path)
		if err != nil {
			return false
		}
		code := includedAsText.ReplaceAllString(text.Content(), "")
		return slices.ContainsFunc([]string{`"`, ">", ")"}, func(end string) bool { return strings.Contains(code, base+end) })
	})
}

// includedAsText matches what takes in a file as a text of the program and not as code.
var includedAsText = source.LazyRegexp(`\binclude_(?:str|bytes)!\s*(?:\([^)]*\)|\[[^\]]*\]|\{[^}]*\})`)

// maxJoining bounds the rounds in which macros are found that give their arguments to joining ones.
const maxJoining = 3

// pasted are the other names of a symbol of C whose name a macro pastes together: of st_idle, "idle" where a macro has
// st_##n. It also finds the macros that do so, those that make strings of what they are given, and those that put it
// into a template.
func (v *cpp) pasted(ctx context.Context) (out []string) {
	if v.s.Hooks().Includes == nil {
		return nil
	}
	held, _, err := v.c.Workspace.Words(v.at.Path).Holding(ctx, words.Paste)
	if err != nil || len(held) == 0 {
		return nil
	}
	v.joining, v.templating = map[string]bool{}, map[string]bool{}
	texts := map[string]string{}
	for round := 0; round < maxJoining && len(held) > 0; round++ {
		var found []string
		for _, h := range held {
			text, err := v.c.Workspace.Text(h.Path)
			if err != nil || h.Use&lang.OpenUse == 0 && round > 0 || !v.serves(h.Path) {
				continue
			}
			texts[h.Path] = text.Content()
			take := func(names []string, known map[string]bool) {
				for _, name := range names {
					if !known[name] {
						known[name] = true
						found = append(found, name)
					}
				}
			}
			take(lang.JoiningMacros(text.Content(), v.joining), v.joining)
			take(lang.TemplateMacros(text.Content(), v.templating), v.templating)
		}
		if held, _, err = v.c.Workspace.Words(v.at.Path).Holding(ctx, found...); err != nil {
			return nil
		}
	}
	v.joiners = map[string]bool{}
	held, _, _ = v.c.Workspace.Words(v.at.Path).Holding(ctx,
		slices.Concat(slices.Collect(maps.Keys(v.joining)), slices.Collect(maps.Keys(v.templating)))...)
	for _, h := range held {
		v.joiners[h.Path] = h.Use&(lang.CodeUse|lang.OpenUse) != 0
	}
	parts := map[string]bool{}
	for _, text := range texts {
		for _, part := range lang.PastedParts(text, v.joining) {
			parts[part] = true
		}
	}
	return lang.WithoutParts(v.at.Name, parts)
}

// joins reports whether an occurrence is an argument by itself of a macro that pastes or stringizes, or of one that is
// a parameter of the macro around it (X(red) in a list).
func (v *cpp) joins(content string, from, to int) bool {
	called := lang.CalledWith(content, from, to)
	return called != "" && (v.joining[called] || lang.ParameterAround(content, from, called))
}

// templates reports whether an occurrence stands in the arguments of a macro that puts them into a template.
func (v *cpp) templates(content string, from int) bool {
	return len(v.templating) > 0 && slices.ContainsFunc(lang.CallsAround(content, from),
		func(name string) bool { return v.templating[name] })
}

// expanded reports whether the answer has the call of a macro of which an occurrence is an argument: what the macro
// makes of it is in the answer.
func (v *cpp) expanded(o occurrence) bool {
	text, from, ok := offsetAt(v.c, o.path, o.at)
	if !ok {
		return false
	}
	called := lang.CalledWith(text.Content(), from, from+len(o.name))
	return called != "" && slices.ContainsFunc(v.known, func(p lsp.Place) bool {
		return p.Path == v.real(o.path) && p.Line != "" && p.Range.Start.Line == o.at.Line && spelled(p) == called
	})
}

// maxMacros bounds the macros that are followed from one use to the name.
const maxMacros = 50

// madeByMacros warns of the uses that a macro makes without having the name in its text: it pastes the name together,
// or a generated header or the command line defines it. A rename changes nothing there, and breaks them.
func madeByMacros(ctx context.Context, c *answer.Call, s *lsp.Snapshot, name string, places []lsp.Place) {
	if s.Hooks().Includes == nil {
		return
	}
	known := map[string]bool{}
	var left []occurrence
	for _, p := range places {
		macro := ""
		if p.Line != "" {
			macro = spelled(p)
		}
		if _, inside := source.RelativeTo(c.Workspace.Root, p.Path); !inside || macro == name || !lang.IsWord(macro) {
			continue
		}
		named, ok := known[macro]
		if !ok {
			named = namedInMacro(ctx, c, s, p, macro, name)
			known[macro] = named
		}
		if !named {
			left = append(left, occurrence{path: p.Path, at: p.Range.Start, name: macro, reason: reasonInMacro})
		}
	}
	if len(left) == 0 {
		return
	}
	first := left[0]
	c.Warn(contract.WarnUnexplained, factsOf(c, name, left), fmt.Sprintf(
		"%s at %s is a use of %s by a macro that does not hold the name: the edit does not change what makes it", first.name,
		loaded.Show(c, lsp.Uncovered{Path: first.path, Line: first.at.Line}), name))
}

// namedInMacro reports whether the text of a macro holds a name, or that of a macro in its text, and so on. What is no
// macro is taken as named.
func namedInMacro(ctx context.Context, c *answer.Call, s *lsp.Snapshot, p lsp.Place, macro, name string) bool {
	if said, err := s.Hover(ctx, p.Path, p.Range.Start); err == nil && (said == nil ||
		!strings.HasPrefix(said.Text, "### macro")) {
		return true
	}
	seen := []string{macro}
	for i := 0; i < min(len(seen), maxMacros); i++ {
		held, _, err := c.Workspace.Words(p.Path).Holding(ctx, seen[i])
		if err != nil {
			return false
		}
		for _, h := range held {
			text, err := c.Workspace.Text(h.Path)
			if err != nil || !lang.Of(h.Path).IsC() {
				continue
			}
			holds, words := lang.MacroLeads(text.Content(), seen[i], name)
			if holds {
				return true
			}
			for _, word := range words {
				if !slices.Contains(seen, word) {
					seen = append(seen, word)
				}
			}
		}
	}
	return false
}

// DeclaredUnbuilt warns of declarations of a name that a search for it does not find, in code that the server does not
// build, and of labels of assembly. The name is a whole one.
func DeclaredUnbuilt(ctx context.Context, c *answer.Call, s *lsp.Snapshot, name string, wanted func(path string) bool) {
	if s.Hooks().Includes == nil || !lang.IsWord(name) {
		return
	}
	held, _, err := c.Workspace.Words(c.Workspace.Root).Holding(ctx, name)
	if err != nil {
		return
	}
	var left []occurrence
	for _, h := range held {
		assembly := lang.Of(h.Path).ID == "asm"
		text, err := c.Workspace.Text(h.Path)
		if err != nil || !wanted(h.Path) || !assembly && (h.Use&lang.OpenUse == 0 || !s.Spec().Serves(symbol.Base(h.Path))) {
			continue
		}
		content, opened := text.Content(), openReasons(h.Path, text.Content())
		lang.EachOf(h.Path, content, []string{name}, func(from, to int, use lang.Use) {
			label := assembly && use == lang.CodeUse && strings.HasPrefix(content[to:], ":")
			if label || use == lang.OpenUse && opened(from) == reasonNotBuilt &&
				lang.DeclaredBehind(content[max(0, from-lang.MaxScanned):from]) {
				left = append(left, occurrence{path: h.Path, at: text.PositionAt(from), name: name, reason: reasonNotBuilt})
			}
		})
	}
	if len(left) == 0 {
		return
	}
	c.Warn(contract.WarnUnexplained, factsOf(c, name, left), fmt.Sprintf(
		"%s may be declared at %s, in code that %s has not loaded", name, loaded.Show(c, lsp.Uncovered{Path: left[0].path, Line: left[0].at.Line}), s.ID()))
}
