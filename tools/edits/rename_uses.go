package edits

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/lsp/edit"
	"lspi/tools/answer"
	"lspi/tools/audit"
	"lspi/tools/loaded"
	"lspi/tools/symbol"
)

// UsesLeft warns of uses that a rename to a name leaves as they are: of those that the server itself finds as
// references, or that the audit finds. It returns the plan, in which also has renamed those that it can.
func UsesLeft(ctx context.Context, c *answer.Call, s *lsp.Snapshot, at symbol.Located, name string, p *lsp.Planned,
	also func([]symbol.UsePlace) (*lsp.Planned, error)) *lsp.Planned {
	// What the edit changes at all, even without changing the name: the server has seen that place.
	taken := takenBy(p)
	left := referencesLeft(ctx, c, s, at, p, taken)
	left = slices.DeleteFunc(left, func(u symbol.UsePlace) bool {
		real, err := filepath.EvalSymlinks(u.Path) // of a link the edit changes what it leads to
		return err == nil && taken[symbol.UsePlace{Path: real, At: u.At}] || namesKeptLocal(p, at.Name, u) ||
			namesDefault(p, u)
	})
	if inOtherProjects(c, s, at, name, left) {
		if more, err := also(left); err == nil && len(more.Misplaced) == 0 {
			p, left, taken = more, nil, takenBy(more)
		}
	}
	left = append(left, promotedLeft(ctx, c, s, at, taken)...)
	overriding := warnOfOverrides(ctx, c, s, at, taken)
	left = slices.DeleteFunc(left, func(u symbol.UsePlace) bool { return overriding[u] })
	warnOfUnseen(ctx, c, s, at, name)
	warnOfKeys(ctx, c, s, at)
	if len(left) == 0 {
		return p
	}
	if file := keepsName(p.Plan, at.Name); file != "" {
		c.Warn(contract.WarnUsesLeft, contract.Facts{"total": len(left), "files": c.ShowSome([]string{file})}, fmt.Sprintf(
			"the edit keeps %s as the name that %s exports (export { … as %[1]s }); %[3]s of %[1]s by way of it go on to work and stay as they are",
			at.Name, c.Show(file), answer.Counted(len(left), "use")))
		return p
	}
	var files []string
	for _, u := range left {
		if !slices.Contains(files, u.Path) {
			files = append(files, u.Path)
		}
	}
	facts := contract.Facts{"total": len(left), "files": c.ShowSome(files)}
	broken := slices.DeleteFunc(slices.Clone(left), func(u symbol.UsePlace) bool {
		return !s.Diagnostics().HasErrors(u.Path)
	})
	if len(broken) > 0 {
		facts["not_compiled"] = len(broken)
	}
	c.Warn(contract.WarnUsesLeft, facts, fmt.Sprintf(
		"the edit of %s leaves %s of %s unchanged, in %s, the first at %s:%d; change them yourself",
		s.ID(), answer.Counted(len(left), "use"), at.Name, answer.Counted(len(files), "file"), c.Show(files[0]),
		left[0].At.Line))
	return p
}

// inOtherProjects reports whether the uses that a rename leaves are all in other projects than the symbol's, into which
// the server does not go, so that they can be renamed as they stand: none of their files has the new name yet, which
// could mean something else there. The compiler has the last word, since what an edit changes is checked.
func inOtherProjects(c *answer.Call, s *lsp.Snapshot, at symbol.Located, name string, left []symbol.UsePlace) bool {
	return len(left) > 0 && !slices.ContainsFunc(left, func(u symbol.UsePlace) bool {
		text, err := c.Workspace.Text(u.Path)
		return !audit.InOtherProject(c, s, at.Path, u.Path) || err != nil || source.HasWord(text.Content(), name)
	})
}

// namesKeptLocal reports whether a use that an edit leaves as it is names a local variable that goes on to have the old
// name, because the edit writes { new: old } into the pattern that declares it.
func namesKeptLocal(p *lsp.Planned, old string, u symbol.UsePlace) bool {
	for i := range p.Files {
		f := &p.Files[i]
		if f.Path != u.Path || !slices.ContainsFunc(f.Edits, func(r edit.Replacement) bool {
			// rust-analyzer puts the new name in front of the old one, typescript-language-server replaces it.
			return strings.HasSuffix(r.New, ": "+old) ||
				strings.HasSuffix(r.New, ": ") && strings.HasPrefix(f.Old[r.Start+len(r.Old):], old)
		}) {
			continue
		}
		text := source.New(f.Path, f.Old)
		from, err := text.Offset(u.At)
		return err == nil && !lang.BehindDot(f.Old[:from])
	}
	return false
}

// defaultImport matches what stands before the name that a script gives to the default export of a module.
var defaultImport = source.LazyRegexp(`(?:^|[\n;])[ \t]*import\s+(?:type\s+)?$`)

// namesDefault reports whether an edit gives another name to what a file imports as the default of a module, and a use
// is in another file: there it has a name of its own.
func namesDefault(p *lsp.Planned, u symbol.UsePlace) bool {
	if len(p.Files) != 1 || p.Files[0].Path == u.Path {
		return false
	}
	f := &p.Files[0]
	return slices.ContainsFunc(f.Edits, func(r edit.Replacement) bool {
		return defaultImport.MatchString(f.Old[max(0, r.Start-maxBeforeName):r.Start])
	})
}

// keepsName returns the first file in which an edit exports what is renamed under its old name
// (typescript-language-server writes export { b as a }); "" where it does so nowhere.
func keepsName(p *edit.Plan, old string) string {
	for i := range p.Files {
		for _, r := range p.Files[i].Edits {
			if words := strings.Fields(r.New); len(words) >= 3 && words[len(words)-2] == "as" && words[len(words)-1] == old {
				return p.Files[i].Path
			}
		}
	}
	return ""
}

// promotedLeft returns the methods of embedded types that the edit does not rename, although types
// implement the renamed method by them.
func promotedLeft(ctx context.Context, c *answer.Call, s *lsp.Snapshot, at symbol.Located,
	taken map[symbol.UsePlace]bool) (left []symbol.UsePlace) {
	methods, err := lsp.Promoted(ctx, s, at.Path, at.At)
	if err != nil {
		c.Warn(contract.WarnPartFailed, contract.Facts{"part": "implementations", "server_id": s.ID()}, fmt.Sprintf(
			"%s did not list the implementations of %s (%s), so lspi cannot tell whether the edit changes all of them",
			s.ID(), at.Name, answer.AsError(err).Message))
	}
	for _, m := range methods {
		u := symbol.UsePlace{Path: m.Path, At: m.Range.Start}
		if c.Workspace.Table.RootOf(m.Path) != "" && !taken[u] {
			left = append(left, u)
		}
	}
	return left
}

// warnOfUnseen warns of what goes on to use the old name of a declaration without naming it in the workspace.
func warnOfUnseen(ctx context.Context, c *answer.Call, s *lsp.Snapshot, at symbol.Located, as string) {
	if s.Hooks().UnseenUse == nil {
		return
	}
	places, err := s.Locate(ctx, lsp.MethodDefinition, at.Path, at.At)
	if err != nil || len(places) != 1 || places[0].Err != nil {
		return
	}
	declared := places[0]
	if use := lsp.UnseenUse(ctx, s, declared, at.Name, as); use != "" {
		c.Warn(contract.WarnUsesLeft, contract.Facts{"total": 1, "files": c.ShowSome([]string{declared.Path})},
			fmt.Sprintf("%s at %s:%d is used without a reference: %s. That does not follow the new name", at.Name,
				c.Show(declared.Path), declared.Range.Start.Line, use))
	}
}

// warnOfKeys warns where a format may have the name of a renamed field as its key: data that was written before would
// not be read any more.
func warnOfKeys(ctx context.Context, c *answer.Call, s *lsp.Snapshot, at symbol.Located) {
	language := lang.Of(at.Path)
	if language.WritesNames == nil {
		return
	}
	held, _, err := c.Workspace.Words(at.Path).Holding(ctx, language.NameWriters...)
	if err != nil || len(held) == 0 {
		return
	}
	places, err := s.Locate(ctx, lsp.MethodDefinition, at.Path, at.At)
	if err != nil || len(places) != 1 || places[0].Err != nil {
		return
	}
	declared := places[0]
	symbols, _, err := s.DocumentSymbols(ctx, declared.Path)
	way := symbol.NameAt(symbols, declared.Range.Start)
	if err != nil || len(way) < 2 || way[len(way)-1].Kind != "field" {
		return
	}
	of := way[len(way)-2].Name
	for _, h := range held {
		text, err := c.Workspace.Text(h.Path)
		if err != nil || lang.Of(h.Path) != language || !source.HasWord(text.Content(), of) {
			continue
		}
		if format := language.WritesNames(text.Content(), at.Name, declared.Line); format != "" {
			c.Warn(contract.WarnMentions, contract.Facts{"names": []string{at.Name}, "total": 1,
				"files": []map[string]any{{"file_path": c.Show(h.Path), "count": 1}}}, fmt.Sprintf(
				"%s uses %s and imports %s, which takes the name of the field %s for a key, unless a tag gives another one; the rename may change the format",
				c.Show(h.Path), of, format, at.Name))
			return
		}
	}
}

// warnOfOverrides warns of the declarations of a member that a rename leaves in related classes, and returns them.
func warnOfOverrides(ctx context.Context, c *answer.Call, s *lsp.Snapshot, at symbol.Located,
	taken map[symbol.UsePlace]bool) map[symbol.UsePlace]bool {
	if s.Hooks().Overrides == nil {
		return nil
	}
	// Declarations in what a compiler wrote follow the sources at the next build.
	sources := lsp.WithoutOutput(ctx, s.Server, at.Path, loaded.Sources(c, s, c.Workspace.Root))
	slices.Sort(sources)
	left, all := lsp.Overrides(ctx, s, at.Path, at.At, at.Name, sources)
	left = slices.DeleteFunc(left, func(p lsp.Place) bool {
		return taken[symbol.UsePlace{Path: p.Path, At: p.Range.Start}]
	})
	// A partial search may have found none although there are some: said as that.
	if !all {
		c.Warn(contract.WarnPartFailed, contract.Facts{"part": "overrides", "server_id": s.ID()},
			fmt.Sprintf("lspi could not look at all classes that may override %s; %s does not rename it there",
				at.Name, s.ID()))
	}
	if len(left) == 0 {
		return nil
	}
	var files, places []string
	told := map[symbol.UsePlace]bool{}
	for _, u := range left {
		told[symbol.UsePlace{Path: u.Path, At: u.Range.Start}] = true
		if !slices.Contains(files, u.Path) {
			files = append(files, u.Path)
		}
		if len(places) < answer.MaxShown {
			places = append(places, fmt.Sprintf("%s:%d", c.Show(u.Path), u.Range.Start.Line))
		}
	}
	message := fmt.Sprintf(
		"%s renames %s in one class only, not in base classes or subclasses that declare it as well: %s",
		s.ID(), at.Name, strings.Join(places, ", "))
	if len(places) < len(left) {
		message += ", …"
	}
	c.Warn(contract.WarnUsesLeft, contract.Facts{"total": len(left), "files": c.ShowSome(files)}, message)
	return told
}

// referencesLeft returns the references by the old name that the edit does not change.
func referencesLeft(ctx context.Context, c *answer.Call, s *lsp.Snapshot, at symbol.Located, p *lsp.Planned,
	taken map[symbol.UsePlace]bool) (left []symbol.UsePlace) {
	var places []lsp.Place
	offered, err := s.Offers(lsp.MethodReferences), error(nil)
	if offered {
		places, err = lsp.ReferencesAndFields(ctx, s, at.Path, at.At, true)
	}
	if !offered {
		loaded.WarnNotRun(c, s, lsp.Withheld(s.Server, lsp.MethodRename))
		return nil // the edit itself is there
	}
	if err != nil && !errors.Is(err, lsp.ErrManyEmbed) {
		loaded.WarnNotRun(c, s, lsp.Withheld(s.Server, lsp.MethodRename))
		c.Warn(contract.WarnPartFailed, contract.Facts{"part": "references", "server_id": s.ID()}, fmt.Sprintf(
			"%s did not list the uses of %s (%s), so lspi cannot tell whether the edit changes all of them", s.ID(),
			at.Name, answer.AsError(err).Message))
		return nil
	}
	loaded.AboutAt(c, s, at, places)
	loaded.UsesRenamed(ctx, c, s, at, append(slices.Clone(places), editedFiles(p)...))
	// What the edit changes needs no explanation: it may rename the family of a member, of which the references have one.
	known := slices.Clone(places)
	for u := range taken {
		known = append(known, lsp.Place{Path: u.Path, Range: contract.Range{Start: u.At, End: u.At}})
	}
	places = append(places, audit.UsesNamed(ctx, c, s, at, known)...)
	for _, place := range answer.SortPlaces(places, at.Path) {
		u := symbol.UsePlace{Path: place.Path, At: place.Range.Start}
		// Uses outside of the workspace cannot be renamed by anybody here.
		if c.Workspace.Table.RootOf(place.Path) == "" || place.Err != nil || taken[u] {
			continue
		}
		from := symbol.ByteOffset(place.Line, place.Range.Start.Character)
		if start, end, ok := source.WordAround(place.Line, from); ok && start == from && place.Line[start:end] == at.Name {
			left = append(left, u)
		}
	}
	return left
}

// editedFiles returns the files of a plan as places.
func editedFiles(p *lsp.Planned) []lsp.Place {
	var out []lsp.Place
	for _, path := range pathsBefore(p.Plan) {
		out = append(out, lsp.Place{Path: path})
	}
	return out
}

// maxBeforeName bounds how far into a replaced text its name may be, in bytes.
const maxBeforeName = 1000

// takenBy returns the places in the present texts where a plan replaces something.
func takenBy(p *lsp.Planned) map[symbol.UsePlace]bool {
	out := map[symbol.UsePlace]bool{}
	for i := range p.Files {
		f := &p.Files[i]
		if f.Kind == edit.Create || len(f.Edits) == 0 {
			continue
		}
		path, text := f.Path, source.New(f.Path, f.Old)
		if f.From != "" {
			path = f.From
		}
		for _, r := range f.Edits {
			// it may begin before the name, at a quote or a path
			for i := r.Start; i <= r.Start+min(len(r.Old), maxBeforeName); i++ {
				out[symbol.UsePlace{Path: path, At: text.PositionAt(i)}] = true
			}
		}
	}
	return out
}
