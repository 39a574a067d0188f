package audit

import (
	"context"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/tools/answer"
	"lspi/tools/symbol"
)

// nameless looks for uses of a verdict's symbol that do not hold its name: the language makes them, macros and programs
// put the name together.
type nameless struct{ *verdict }

// find looks for all of them. The error is that of known.
func (v nameless) find(ctx context.Context, known func() ([]lsp.Place, error)) error {
	v.implicit(ctx)
	for _, look := range []func(context.Context, func() ([]lsp.Place, error)) error{
		v.made, v.cpp.pastedDefinition, v.cpp.joinedKnown,
	} {
		if err := look(ctx, known); err != nil {
			return err
		}
	}
	v.built(ctx)
	v.derived(ctx)
	return nil
}

// implicit adds the places at which the language may use the symbol by itself. What the workspace does not declare it
// mostly does not use so alone.
func (v nameless) implicit(ctx context.Context) {
	hooks := v.s.Hooks().Implicit
	if hooks == nil {
		return
	}
	v.handed(ctx)
	words, with := hooks.Words(v.at.Name)
	if v.compiled || len(words) == 0 || len(with) > 0 && len(v.holding(ctx, with)) == 0 {
		return
	}
	files := v.holding(ctx, words)
	if len(files) == 0 {
		return
	}
	v.declare(ctx)
	if _, ours := source.RelativeTo(v.c.Workspace.Root, v.declared[0].Path); !ours {
		return
	}
	v.addImplicit(hooks.Uses(ctx, v.asked, v.at.Name, v.declared[0], files))
}

// addImplicit adds places that use the symbol without its name. whole is false where there may be more.
func (v nameless) addImplicit(places []lsp.Place, whole bool) {
	for _, p := range places {
		v.unexplained = append(v.unexplained, occurrence{path: p.Path, at: p.Range.Start, name: v.at.Name,
			reason: reasonImplicit})
	}
	if !whole {
		v.unexplained = append(v.unexplained, occurrence{path: v.at.Path, at: v.at.At, name: v.at.Name,
			reason: reasonNotAsked})
	}
}

// handed adds the places that hand something to a template of a library that uses the symbol by its name.
func (v nameless) handed(ctx context.Context) {
	if v.noLibraries || v.function != "" || v.language.ID == "c" && strings.HasSuffix(v.at.Path, ".c") {
		return
	}
	declared := func() lsp.Place { v.declare(ctx); return v.declared[0] }
	v.addImplicit(v.s.Hooks().Implicit.Handed(ctx, v.asked, v.at.Name, declared,
		func(words []string) []string { return v.holding(ctx, words) }))
}

// HandedOver warns of places that hand something to a template of a library that uses a symbol by its name; judged are
// those of which the caller knows what comes of it.
func (e Edit) HandedOver(ctx context.Context, at symbol.Located, judged func(lsp.Place) bool) {
	c, s := e.Call, e.Snapshot
	if s.Hooks().Implicit == nil {
		return
	}
	ctx, cancel := withinUses(ctx)
	defer cancel()
	v := &verdict{c: c, s: s, asked: s.Recalling(), at: at, language: lang.Of(at.Path)}
	nameless{v}.handed(ctx)
	v.unexplained = slices.DeleteFunc(v.unexplained, func(o occurrence) bool {
		return judged(lsp.Place{Path: o.path, Range: contract.Range{Start: o.at, End: o.at}})
	})
	v.tell()
}

// holding are the files of the server that hold one of some words in code.
func (v nameless) holding(ctx context.Context, words []string) (files []string) {
	held, all, err := v.c.Workspace.Words(v.at.Path).Holding(ctx, words...)
	v.late = v.late || err != nil || !all
	for _, h := range held {
		if h.Use&(lang.CodeUse|lang.OpenUse) != 0 && v.serves(h.Path) {
			files = append(files, h.Path)
		}
	}
	return files
}

// made adds the places at which code that nobody wrote, or that of a template, may call the symbol where it is a
// constructor or a destructor: those of the class's name in lines that the answer does not have.
func (v nameless) made(ctx context.Context, known func() ([]lsp.Place, error)) error {
	hooks := v.s.Hooks().Implicit
	if hooks == nil || v.language.ID == "c" && strings.HasSuffix(v.at.Path, ".c") || !mayConstruct(v.line(), v.at) {
		return nil
	}
	declaration := v.constructor(ctx)
	if declaration == "" {
		return nil
	}
	if err := v.know(known); err != nil {
		return err
	}
	makes, class := hooks.Makes(declaration), strings.TrimPrefix(v.at.Name, "~")
	for _, path := range v.holding(ctx, []string{class}) {
		text, err := v.c.Workspace.Text(path)
		if err != nil {
			continue
		}
		content, real := text.Content(), v.real(path)
		lang.EachOf(path, content, []string{class}, func(from, to int, use lang.Use) {
			at := text.PositionAt(from)
			if use&(lang.CodeUse|lang.OpenUse) != 0 && makes(content, from, to) &&
				!slices.ContainsFunc(v.known, func(p lsp.Place) bool {
					return p.Path == real && p.Range.Start.Line == at.Line
				}) && !slices.ContainsFunc(v.unexplained, func(o occurrence) bool { return o.path == path && o.at == at }) {
				v.unexplained = append(v.unexplained, occurrence{path: path, at: at, name: class, reason: reasonImplicit})
			}
		})
	}
	return nil
}

// mayConstruct reports whether a name in a line may be that of a constructor or a destructor: it has arguments, no
// value before it, and no type but what may stand in front of a constructor.
func mayConstruct(line string, at symbol.Located) bool {
	from := min(symbol.ByteOffset(line, at.At.Character), len(line))
	_, to, _ := source.WordAround(line, from)
	before, behind := strings.TrimRight(line[:from], " \t"), strings.TrimLeft(line[max(from, to):], " \t")
	if strings.HasPrefix(at.Name, "~") || strings.HasSuffix(before, "~") {
		return true
	}
	start, _, _ := source.WordAround(before, len(before))
	word := before[min(start, len(before)):]
	return !lang.BehindDot(before) && (strings.HasPrefix(behind, "(") || strings.HasPrefix(behind, "{")) &&
		(word == "" || slices.Contains([]string{"explicit", "constexpr", "consteval", "inline", "new", "return"}, word) ||
			strings.HasSuffix(before, "]"))
}

// constructor is the text from the name on of the constructor or destructor that the symbol is; "" for others.
func (v nameless) constructor(ctx context.Context) string {
	v.declare(ctx)
	d := v.declared[0]
	symbols, text, err := v.s.DocumentSymbols(ctx, d.Path)
	if err != nil || text == nil {
		return ""
	}
	way := symbol.NameAt(symbols, d.Range.Start)
	if len(way) == 0 {
		return ""
	}
	own := way[len(way)-1]
	if own.Kind != "constructor" && !strings.HasPrefix(symbol.LastComponent(own.Name), "~") {
		return ""
	}
	from, err := text.Offset(own.NameAt.Start)
	if err != nil {
		return ""
	}
	return text.Content()[from:min(len(text.Content()), from+lang.MaxScanned)]
}

// overridden are the overrides of a virtual member that the references lack: those of clangd (22.1.8) have the
// overrides of one level, its implementations all.
func overridden(ctx context.Context, c *answer.Call, s *lsp.Snapshot, at symbol.Located, known []lsp.Place) (
	more []lsp.Place) {
	if s.Hooks().Includes == nil || !s.Offers(lsp.MethodImplementation) ||
		!slices.ContainsFunc(known, func(p lsp.Place) bool { return virtual.MatchString(p.Line) }) {
		return nil
	}
	covered := symbol.CoveredBy(known)
	found, left, err := s.Recalling().Implementations(ctx, at.Path, at.At)
	if err != nil || left > 0 {
		c.Warn(contract.WarnPartFailed, contract.Facts{"part": "overrides", "server_id": s.ID()},
			"lspi could not look for all that overrides "+at.Name)
	}
	for _, p := range found {
		if p.Err == nil && spelled(p) == at.Name && !covered(p.Path, p.Range.Start) {
			more = append(more, p)
		}
	}
	return more
}

// virtual matches the line of what may be overridden, or overrides.
var virtual = source.LazyRegexp(`\b(?:virtual|override|final)\b`)
