package edits

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/lsp"
	"lspi/router"
	"lspi/tools/answer"
	"lspi/tools/ask"
	"lspi/tools/audit"
	"lspi/tools/loaded"
	"lspi/tools/overlay"
	"lspi/tools/symbol"
)

// What an edit changes of what its files declare may break others in ways that the server does not report: the
// linker misses a definition, or has two; code that this build leaves out uses what changes.

// maxLinksAsked bounds the declarations and definitions about which a process with an index is asked.
const maxLinksAsked = 20

// tellBeyondDiagnostics asks the server of a route, which has an index, for what its diagnostics cannot tell. It
// does nothing where the edit changes nothing for the linker. When the server cannot be asked, a warning says that
// this part is unknown.
func tellBeyondDiagnostics(ctx context.Context, c *answer.Call, r router.Route, tried *overlay.Comparison,
	texts map[string]*EditedText) {
	if !tried.Links.Any() {
		return
	}
	// The question needs a file that exists; a new file has an empty text before.
	asked := ""
	for _, path := range slices.Sorted(maps.Keys(texts)) {
		if asked == "" && texts[path].Before.Content() != "" {
			asked = path
		}
	}
	loaded.About(c, r.Spec.LanguageID(symbol.Base(asked)), nil, namesOfLinks(tried.Links)...)
	err := ask.Route(ctx, c, r, asked, lsp.MethodReferences, func(ctx context.Context, s *lsp.Snapshot) error {
		tellLinks(ctx, c, s, tried, texts)
		return nil
	})
	if err != nil {
		linksUnknown(c, r.Spec.ID)
	}
}

// namesOfLinks are the names that this part is about, so that what the answer lacks is told only where it may hold
// one of them.
func namesOfLinks(l *lsp.Links) []string {
	out := slices.Concat(l.Changed, l.Own)
	for _, one := range slices.Concat(l.Gone, l.Replaced, l.Came, l.Shared) {
		out = append(out, symbol.LastComponent(one.Name))
	}
	return out
}

// linksUnknown is said instead of nothing: without it a failed question would read as "the linker is content".
func linksUnknown(c *answer.Call, serverID string) {
	c.Warn(contract.WarnCompilerOnly, contract.Facts{"server_id": serverID},
		"lspi could not tell whether the linker will find each definition exactly once after the edit")
}

// tellLinks warns of what an edit changes for the linker and for code that is not built. The server has the texts
// on disk.
func tellLinks(ctx context.Context, c *answer.Call, s *lsp.Snapshot, tried *overlay.Comparison,
	texts map[string]*EditedText) {
	l := tried.Links
	warnInactiveUsers(ctx, c, s, l, texts)
	warnHandedOver(ctx, c, s, tried)
	linker := s.Hooks().Linker
	if linker == nil {
		return
	}
	f := linkFaults{c: c, s: s, linker: linker, outside: func(path string) bool { return texts[path] == nil }}
	// Each is a request or more; unknown is told as that, and never as "nothing breaks".
	if l.Unknown || len(l.Gone)+len(l.Replaced)+len(l.Came) > maxLinksAsked {
		linksUnknown(c, s.ID())
		return
	}
	// Each kind of change has its own fault: a definition that goes may be missed, a new declaration may have lost
	// its definition, a new definition may be the second one, and one in a header is repeated in each file that
	// includes it.
	for i, gone := range l.Gone {
		f.gone(ctx, gone, l.Declared[i])
	}
	for _, was := range l.Replaced {
		if at := f.ask(linker.Definition(ctx, s, was, f.outside)); at != nil {
			f.add(*at, was, "the edit replaces the declaration of %s, but not its definition at %s")
		}
	}
	for _, came := range l.Came {
		if at := f.ask(linker.Elsewhere(ctx, s, came, f.outside)); at != nil {
			f.add(*at, came, "the edit defines %s, which already has a definition at %s")
		}
	}
	for _, shared := range l.Shared {
		f.add(lsp.Place{Path: shared.Path, Range: contract.Range{Start: shared.At}}, shared,
			"%s is not inline at %s, so each file that includes it defines it")
	}
	f.warnOfFaults()
}

// linkFaults collects what the linker would report.
type linkFaults struct {
	c       *answer.Call
	s       *lsp.Snapshot
	linker  *lsp.LinkerHooks
	outside func(path string) bool // of the edit
	found   []lsp.Uncovered
	said    []string
	failed  bool
}

// ask passes a place on and takes down an error, which becomes one warning at the end; nil where there is no such
// place.
func (f *linkFaults) ask(at *lsp.Place, err error) *lsp.Place {
	f.failed = f.failed || err != nil
	return at
}

// gone is about a definition that the edit takes away. Where nothing declares it any more, what uses it does not
// compile, which the diagnostics themselves tell.
func (f *linkFaults) gone(ctx context.Context, was, declared lsp.Linkage) {
	places, uses, err := f.linker.Declarations(ctx, f.s, was, f.outside)
	f.failed = f.failed || err != nil
	at := lsp.Place{Path: declared.Path, Range: contract.Range{Start: declared.At}}
	// The edited files do not declare it any more; another file may.
	if declared.Path == "" {
		if len(places) == 0 {
			return
		}
		at = places[0]
	}
	f.add(at, was, "the edit removes the definition of %s, which is still declared at %s"+
		" and used in "+answer.Counted(uses, "place"))
}

// add takes a fault; the message takes the name and the place.
func (f *linkFaults) add(at lsp.Place, l lsp.Linkage, message string) {
	h := lsp.Uncovered{Path: at.Path, Line: at.Range.Start.Line, Reason: lsp.CompilerOnly}
	f.found = append(f.found, h)
	if len(f.said) < answer.MaxShown {
		f.said = append(f.said, fmt.Sprintf(message, l.Name, loaded.Show(f.c, h)))
	}
}

// warnOfFaults makes one warning of all faults, because each has the same remedy: to build.
func (f *linkFaults) warnOfFaults() {
	if f.failed {
		linksUnknown(f.c, f.s.ID())
	}
	if len(f.found) == 0 {
		return
	}
	// The count goes on where the places end, so that a few examples do not look like all.
	more := ""
	if n := len(f.found) - len(f.said); n > 0 {
		more = fmt.Sprintf("; and %d more", n)
	}
	loaded.Warn(f.c, contract.Facts{"server_id": f.s.ID()}, f.found,
		strings.Join(f.said, "; ")+more+": "+f.s.ID()+
			" reports no linker errors; build to see whether the edit breaks anything")
}

// maxHandedOver bounds the declarations for which it is looked whether libraries use them.
const maxHandedOver = 30

// warnHandedOver warns of what hands something to a library that uses by name what an edit takes away or gives another
// type: the server reports no error in the library where it does not compile its bodies.
func warnHandedOver(ctx context.Context, c *answer.Call, s *lsp.Snapshot, tried *overlay.Comparison) {
	if tried.EachCompiled {
		return
	}
	for i, left := range tried.Links.Left {
		if i == maxHandedOver {
			linksUnknown(c, s.ID())
			return
		}
		audit.Edit{Call: c, Snapshot: s}.HandedOver(ctx, symbol.Located{Path: left.Path, At: left.At, Name: left.Name},
			func(p lsp.Place) bool { return slices.Contains(tried.Compiled, p.Path) })
	}
}

// warnInactiveUsers warns of code that is not built and holds names of what an edit takes away or gives another
// type: whether it breaks that nobody has looked.
func warnInactiveUsers(ctx context.Context, c *answer.Call, s *lsp.Snapshot, l *lsp.Links,
	texts map[string]*EditedText) {
	if s.Hooks().Conditions == nil {
		return
	}
	edited := slices.Sorted(maps.Keys(texts))
	names := slices.Clone(l.Changed)
	for _, path := range edited {
		names = append(names, changedMacros(texts[path].Before.Content(), texts[path].After.Content())...)
	}
	all := slices.Compact(slices.Sorted(slices.Values(slices.Concat(names, l.Own))))
	found, whole := between(ctx, c, s, all)
	var files []string
	for _, p := range found {
		files = append(files, p.Path)
	}
	// The search goes by name, and the same name in a file that does not include the edited ones is another thing, as
	// is a name that only its own file can use.
	see := overlay.MaySee(s, slices.Compact(files), edited)
	found = slices.DeleteFunc(found, func(p lsp.Place) bool {
		if texts[p.Path] != nil {
			return false
		}
		text, err := c.Workspace.Text(p.Path)
		return !slices.Contains(see, p.Path) || err == nil && !slices.Contains(names, text.WordAt(p.Range.Start))
	})
	warnNotBuilt(ctx, c, s, found, whole, all)
}

// changedMacros are the macros that a text defines and another one does not, or with other parameters.
func changedMacros(before, after string) (out []string) {
	has := map[string]bool{}
	for _, d := range lang.Macros(after) {
		has[macroForm(after, d)] = true
	}
	for _, d := range lang.Macros(before) {
		// An include guard is defined for its own file alone.
		if !d.Guard && !has[macroForm(before, d)] {
			out = append(out, d.Name)
		}
	}
	return out
}

// macroForm is a macro's name with its parameters.
func macroForm(text string, d lang.Macro) string {
	rest := text[d.At+len(d.Name):]
	if end := strings.IndexByte(rest, ')'); strings.HasPrefix(rest, "(") && end > 0 {
		return d.Name + strings.Join(strings.Fields(rest[:end]), "")
	}
	return d.Name
}
