package tools

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/lsp/edit"
	"lspi/tools/answer"
	"lspi/tools/ask"
	"lspi/tools/diagnostics"
	"lspi/tools/edits"
	"lspi/tools/git"
	"lspi/tools/overlay"
	"lspi/tools/symbol"
	"lspi/tools/tests"
)

// changeImpactIn says which change is meant: a revision or a range of git, or edits that are not made
// yet; neither means what is on disk against the last commit. Offset counts declarations.
type changeImpactIn struct {
	Revision string       `json:"revision"`
	Edits    []impactEdit `json:"edits"`
	Offset   int          `json:"offset" default:"0" min:"0"`
	answer.Caps
}

// impactEdit is an edit as check_edit takes it, in the form with old_text.
type impactEdit struct {
	FilePath string `json:"file_path"`
	OldText  string `json:"old_text"`
	NewText  string `json:"new_text"`
}

// changeImpactOut is what a change affects: the changed declarations with their uses, the tests that reach them, by
// file, with the commands that run these, the declarations that no test reaches, the places that reach one when their
// file is loaded, the names that are gone, and the files that were not followed with the reason.
type changeImpactOut struct {
	Returned    int               `json:"returned"`
	Changed     []changedUses     `json:"changed"`
	Tests       []string          `json:"tests"`
	Commands    []string          `json:"commands,omitempty" schema:"-"`
	Untested    []string          `json:"untested,omitempty" schema:"-"`
	AtLoad      []string          `json:"at_load,omitempty" schema:"-"`
	Gone        []goneDeclaration `json:"gone,omitempty" schema:"-"`
	NotFollowed []string          `json:"not_followed,omitempty"`

	c     *answer.Call
	terse bool // without lines of code
}

// changedUses is one changed declaration with its uses outside of itself.
type changedUses struct {
	Declaration string   `json:"declaration"`
	Uses        int      `json:"uses"`
	Files       []string `json:"files"`

	number int // among all changed declarations, from 1
	name   string
	uses   []fileUses
	at     symbol.Located
	found  tests.Found
}

// fileUses are the uses in one file.
type fileUses struct {
	file  string
	count int
	first string // place and line
}

// goneDeclaration is a declaration that the change removes. No server knows it any more, so its uses
// are only searched as words.
type goneDeclaration struct {
	Name     string   `json:"name"`
	FilePath string   `json:"file_path"`
	Mentions []string `json:"mentions"` // files that hold the name, as a word
}

// The bounds of an answer: the part of the call's time for asking, declarations of one page, files shown of one
// declaration, declarations that are gone, files that are told of one of these, and files that are named of what
// was not followed.
const (
	impactShare    = 2
	maxTestSearch  = 20 * time.Second // for what lies between tests and the change
	maxChanged     = 50
	maxImpactFiles = 10
	maxGone        = 20
	maxMentions    = 20
	maxNotFollowed = 30
)

// changeImpact finds what uses the declarations that a change touches. Which lines changed comes from
// git, or from edits that are only planned; which declarations these lines are part of from the
// servers' symbols; and who uses these from textDocument/references. It goes on, declaration by
// declaration, until half of the call's time is over; a later page starts behind what was done.
var changeImpact = define("change_impact", answer.Navigation, func(ctx context.Context, c *answer.Call,
	in changeImpactIn) (*changeImpactOut, error) {
	i := &impactSearch{c: c, in: in, out: &changeImpactOut{c: c, Changed: []changedUses{}, Tests: []string{}}}
	files, err := i.changedFiles(ctx)
	if err != nil {
		return nil, err
	}
	// A call without a deadline still ends.
	i.until = time.Now().Add(20 * time.Second)
	if deadline, ok := ctx.Deadline(); ok {
		i.until = time.Now().Add(time.Until(deadline) / impactShare)
	}
	var failed error
	for n, f := range files {
		if i.over() {
			i.left(len(files)-n, max(i.seen, i.in.Offset))
			break
		}
		if err := i.file(ctx, f); err != nil {
			if ctx.Err() != nil {
				return nil, err
			}
			failed = err
			i.c.Warn(contract.WarnFileSkipped, contract.Facts{"file_path": c.Show(f.path),
				"reason": answer.AsError(err).Kind}, answer.AsError(err).Message)
			i.skip(f.path, answer.AsError(err).Message)
		}
		if i.full {
			i.left(len(files)-n, i.seen)
			break
		}
	}
	// Nobody answered about any of the files.
	if failed != nil && len(i.out.Changed) == 0 && len(files) == len(i.out.NotFollowed) {
		return nil, failed
	}
	if err := i.findTests(ctx); err != nil {
		return nil, err
	}
	i.tellGone()
	return i.out, nil
}, lsp.MethodReferences)

// changedFile is a file with its other text: the one before the change, or with edits the one after it.
type changedFile struct {
	path  string
	other func(ctx context.Context) (string, error)
	note  string // why it is not followed; "" when it is
	gone  bool   // not on disk any more
}

// impactSearch is the state of one call.
type impactSearch struct {
	c     *answer.Call
	in    changeImpactIn
	out   *changeImpactOut
	until time.Time
	seen  int  // changed declarations so far
	full  bool // the page is
}

// over reports whether the time for asking is over.
func (i *impactSearch) over() bool { return !time.Now().Before(i.until) }

// left tells the call that files were not looked at; done is how many declarations were.
func (i *impactSearch) left(files, done int) {
	c, returned := i.c, len(i.out.Changed)
	c.LeavesOut(contract.Facts{"returned": returned, "files_left": files},
		fmt.Sprintf("the change has more declarations, in %s", answer.Counted(files, "file")),
		c.Repeat(answer.ContinueHere, map[string]any{"offset": done}))
}

// skip notes a file that is not followed, with the reason.
func (i *impactSearch) skip(path, why string) {
	i.out.NotFollowed = append(i.out.NotFollowed, i.c.Show(path)+": "+why)
}

// changedFiles returns the files of the edits, else those that git names.
func (i *impactSearch) changedFiles(ctx context.Context) (out []changedFile, err error) {
	c := i.c
	if len(i.in.Edits) > 0 {
		if i.in.Revision != "" {
			return nil, answer.Invalid("revision", "cannot be given with edits")
		}
		return i.editedFiles()
	}
	// git would take it for an option.
	if strings.HasPrefix(i.in.Revision, "-") {
		return nil, answer.Invalid("revision", "is no option: %q", i.in.Revision)
	}
	d, err := git.Read(ctx, c.Workspace.Root, i.in.Revision, c.Workspace.Table.Environ)
	if err != nil {
		return nil, err
	}
	if len(d.Later) > 0 {
		c.Warn(contract.WarnPartFailed, contract.Facts{"part": "range", "files": c.ShowSome(d.Later)},
			fmt.Sprintf("%s of the range changed again on disk since; this answer is about the files on disk",
				answer.Counted(len(d.Later), "file")))
	}
	for _, f := range d.Files {
		one := changedFile{path: f.Path, gone: f.Status == 'D', other: func(ctx context.Context) (string, error) {
			return d.Before(ctx, f)
		}}
		switch {
		case c.Workspace.Table.RootOf(f.Path) == "":
			one.note = "outside the workspace"
		case f.Module:
			one.note = "submodule"
		case f.Status == 'U':
			one.note = "unmerged"
		}
		out = append(out, one)
	}
	return out, nil
}

// editedFiles returns the files of the edits with the texts that these make.
func (i *impactSearch) editedFiles() (out []changedFile, err error) {
	var asked []edits.EditIn
	for _, e := range i.in.Edits {
		asked = append(asked, edits.EditIn{FilePath: e.FilePath, OldText: &e.OldText, NewText: e.NewText})
	}
	plan, err := edits.PlanEdits(i.c, asked)
	if err != nil {
		return nil, err
	}
	texts, err := plan.Texts(i.c.Workspace.Text, plan.Paths)
	for _, path := range plan.Paths {
		if err == nil {
			out = append(out, changedFile{path: path, other: func(context.Context) (string, error) {
				return texts[path].After.Content(), nil
			}})
		}
	}
	return out, err
}

// file adds what one file changes.
func (i *impactSearch) file(ctx context.Context, f changedFile) error {
	if f.note != "" {
		i.skip(f.path, f.note)
		return nil
	}
	// Most changes also touch files of no language; they are named and cost nothing.
	if _, err := i.c.Routes(f.path); err != nil {
		i.skip(f.path, "no language server")
		return nil
	}
	other, err := f.other(ctx)
	if err != nil {
		return err
	}
	// As git decides it: a NUL among the first 8,000 bytes.
	if strings.ContainsRune(other[:min(len(other), 8000)], 0) {
		i.skip(f.path, "binary")
		return nil
	}
	if f.gone {
		i.addGone(f.path, source.New(f.path, ""), source.New(f.path, other))
		return nil
	}
	path, err := i.c.Path(f.path)
	if err != nil {
		return err
	}
	// An attempt that is void leaves nothing behind.
	seen, changed, skipped, gone := i.seen, i.out.Changed, i.out.NotFollowed, i.out.Gone
	return ask.File(ctx, i.c, path, lsp.MethodReferences, func(ctx context.Context, s *lsp.Snapshot) error {
		i.seen, i.out.Changed, i.out.NotFollowed, i.out.Gone, i.full = seen, changed, skipped, gone, false
		return i.declarations(ctx, s, path, other)
	})
}

// declarations adds the changed declarations of a file, up to the bound of the page and the time.
func (i *impactSearch) declarations(ctx context.Context, s *lsp.Snapshot, path, other string) error {
	symbols, text, err := s.DocumentSymbols(ctx, path)
	if err != nil {
		return err
	}
	// git may have stored the text with other line ends than the file has on disk; every line would
	// differ.
	before := source.New(path, edit.WithLineEndOf(text.Content(), other))
	changed, outside := overlay.ChangedDeclarations(s.Spec(), text, before, symbols)
	if outside > 0 {
		i.skip(path, fmt.Sprintf("%s outside of declarations", answer.Counted(outside, "line")))
	}
	// With edits the other text is the new one; what it lacks is not gone from the disk.
	if len(i.in.Edits) == 0 {
		i.addGone(path, text, before)
	}
	for n, d := range changed {
		name := text.WordAt(d.NameAt.Start)
		if i.seen++; i.seen <= i.in.Offset || name == "" {
			continue
		}
		// The first declaration of a file is asked about whatever the time says, so that each page goes
		// on by one at least.
		if len(i.out.Changed) == maxChanged || n > 0 && i.over() {
			i.full, i.seen = true, i.seen-1
			return nil
		}
		// One declaration whose uses are unknown does not void the others, unless the server is gone.
		one, err := i.uses(ctx, s, symbol.Located{Path: path, At: d.NameAt.Start, Name: name}, d)
		switch {
		case err != nil && lsp.FatalAnswer(err):
			return err
		case err != nil:
			i.c.Warn(contract.WarnPartFailed, contract.Facts{"part": d.Name, "server_id": s.ID()}, "the uses of "+
				d.Name+" are missing: "+answer.AsError(err).Message)
			continue
		}
		one.number = i.seen
		i.out.Changed = append(i.out.Changed, one)
	}
	return nil
}

// uses returns a declaration with its uses outside of itself.
func (i *impactSearch) uses(ctx context.Context, s *lsp.Snapshot, at symbol.Located,
	d overlay.ChangedDeclaration) (out changedUses, err error) {
	what := ""
	if d.Body {
		what = ", body"
	}
	out.Declaration = fmt.Sprintf("%s:%d %s %s%s", i.c.Show(at.Path), at.At.Line, d.Kind, d.Name, what)
	out.at, out.name = at, d.Name
	page, err := references(ctx, i.c, s, at, false, answer.PageArguments{Max: 5000, Snippet: true})
	if err != nil {
		return out, err
	}
	own := i.c.Show(at.Path)
	page.Group(func(file string, _ bool, lines []string) {
		u := fileUses{file: file}
		for _, line := range lines {
			// A reference begins with its line: "12:5 code".
			n, _ := strconv.Atoi(line[:max(strings.IndexByte(line, ':'), 0)])
			if file == own && n >= d.Range.Start.Line && n <= d.Range.End.Line {
				continue
			}
			if u.count++; u.count == 1 {
				u.first = line
			}
		}
		if u.count > 0 {
			out.Uses += u.count
			out.uses = append(out.uses, u)
		}
	})
	return out, nil
}

// findTests looks for the tests that reach the changed declarations, over any number of uses. It is a pass of its own,
// behind the direct uses of all declarations, in the time of the call that these left.
func (i *impactSearch) findTests(ctx context.Context) error {
	until := time.Now().Add(maxTestSearch)
	if deadline, ok := ctx.Deadline(); ok {
		until = time.Now().Add(min(maxTestSearch, time.Until(deadline)*3/4))
	}
	search := tests.NewSearch(i.c, mayUse, until)
	changed := i.out.Changed
	for from, to := 0, 0; from < len(changed); from = to {
		path := changed[from].at.Path
		for to = from; to < len(changed) && changed[to].at.Path == path; to++ {
		}
		group := changed[from:to]
		err := ask.File(ctx, i.c, path, lsp.MethodReferences, func(ctx context.Context, s *lsp.Snapshot) (err error) {
			for n := range group {
				if group[n].found, err = search.Of(ctx, s, group[n].at); err != nil {
					search = tests.NewSearch(i.c, mayUse, until) // what it has asked may be of a server that ended
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	search.Warn(i.out.found())
	return nil
}

// addGone adds the declarations that a text does not have any more.
func (i *impactSearch) addGone(path string, text, before *source.Text) {
	for _, name := range overlay.Gone(text, before) {
		i.out.Gone = append(i.out.Gone, goneDeclaration{Name: name, FilePath: path})
	}
}

// tellGone looks for the names of removed declarations in the sources of the same language. The warning
// says that it goes by words: another symbol may have the same name.
func (i *impactSearch) tellGone() {
	c, out := i.c, i.out
	if i.in.Offset > 0 {
		out.Gone = nil // told by the first page
	}
	if len(out.Gone) == 0 {
		return
	}
	c.Warn(contract.WarnPartFailed, contract.Facts{"part": "gone"},
		"the uses of declarations that the change takes away (gone) were searched by text; "+
			"their files may mean another one of that name")
	// Each name is a search of all sources.
	out.Gone = out.Gone[:min(len(out.Gone), maxGone)]
	var broken []string
	for n := range out.Gone {
		g := &out.Gone[n]
		g.Mentions = i.mentions(g.FilePath, g.Name)
		g.FilePath = c.Show(g.FilePath)
		for _, m := range g.Mentions {
			if !slices.Contains(broken, m) && len(broken) < maxMentions {
				broken = append(broken, m)
			}
		}
	}
	if len(broken) > 0 {
		c.Step(contract.NextStep{Kind: contract.StepTool, Tool: "get_diagnostics",
			Arguments: map[string]any{"file_paths": broken},
			Message:   "See which of the files that hold the names are broken."})
	}
}

// mentions returns the files that hold a name as a word.
func (i *impactSearch) mentions(of, name string) []string {
	out := []string{}
	routes, err := i.c.Routes(of)
	if err != nil {
		return out
	}
	for _, path := range diagnostics.Holding(i.c, routes[0].Spec, of, []string{name}, maxMentions) {
		out = append(out, i.c.Show(path))
	}
	slices.Sort(out)
	return out
}

// MarshalJSON writes what is shown.
func (o changeImpactOut) MarshalJSON() ([]byte, error) {
	type plain changeImpactOut
	return contract.Marshal(plain(o.shown()))
}

// shown returns the answer as it is written, with the files of each declaration as strings and the
// tests of all.
func (o changeImpactOut) shown() changeImpactOut {
	o.Returned, o.Changed, o.Tests = len(o.Changed), slices.Clone(o.Changed), []string{}
	for n := range o.Changed {
		d := &o.Changed[n]
		d.Files = []string{}
		for _, u := range d.uses[:min(len(d.uses), maxImpactFiles)] {
			text := fmt.Sprintf("%s %d: %s", u.file, u.count, u.first)
			if o.terse {
				text = fmt.Sprintf("%s %d", u.file, u.count)
			}
			d.Files = append(d.Files, text)
		}
		if more := len(d.uses) - maxImpactFiles; more > 0 {
			d.Files = append(d.Files, fmt.Sprintf("… %d more files", more))
		}
	}
	found := o.found()
	all := tests.Join(found)
	o.Tests, o.Commands, o.AtLoad = tests.ByFile(o.c, all), tests.Commands(o.c.Workspace, all), tests.AtLoad(found)
	o.Untested = nil
	for _, d := range o.Changed {
		if len(d.found.Tests)+len(d.found.AtLoad)+len(d.found.Left) == 0 {
			o.Untested = append(o.Untested, d.name)
		}
	}
	if more := len(o.NotFollowed) - maxNotFollowed; more > 0 {
		o.NotFollowed = append(slices.Clone(o.NotFollowed[:maxNotFollowed]), fmt.Sprintf("… %d more", more))
	}
	return o
}

// found are the tests of each declaration.
func (o *changeImpactOut) found() (out []tests.Found) {
	for _, d := range o.Changed {
		out = append(out, d.found)
	}
	return out
}

// Tell writes each declaration with its uses below it, then tests, names that are gone, and files not
// followed.
func (o *changeImpactOut) Tell(s *answer.Sheet) {
	shown := o.shown()
	for _, d := range shown.Changed {
		s.Line(0, "%s (%d)", d.Declaration, d.Uses)
		for _, f := range d.Files {
			s.Line(1, "%s", f)
		}
	}
	for _, list := range []struct {
		head  string
		lines []string
	}{{"tests:", shown.Tests}, {"run:", shown.Commands}} {
		if len(list.lines) > 0 {
			s.Line(0, "%s", list.head)
		}
		for _, line := range list.lines {
			s.Line(1, "%s", line)
		}
	}
	s.List(0, "no test reaches", shown.Untested)
	s.List(0, "reached when a file is loaded, so by any test that loads it", shown.AtLoad)
	for _, g := range shown.Gone {
		where := "no source holds the name"
		if len(g.Mentions) > 0 {
			where = "the name is in " + strings.Join(g.Mentions, ", ")
		}
		s.Line(0, "gone: %s of %s; %s", g.Name, g.FilePath, where)
	}
	s.List(0, "not followed", shown.NotFollowed)
}

// Summary counts declarations, uses and tests of this page.
func (o *changeImpactOut) Summary() string {
	shown, uses := o.shown(), 0
	for _, d := range shown.Changed {
		uses += d.Uses
	}
	all, direct, reach := tests.Join(shown.found()), 0, "reach"
	if len(all) == 1 {
		reach = "reaches"
	}
	for _, t := range all {
		if t.Away <= 1 {
			direct++
		}
	}
	return fmt.Sprintf("%s with %s; %s %s them, %d directly.", answer.Counted(shown.Returned, "changed declaration"),
		answer.Counted(uses, "use"), answer.Counted(len(all), "test"), reach, direct)
}

// Size counts declarations: one is shown with all of its files or not at all.
func (o *changeImpactOut) Size() int { return len(o.Changed) }

// Cut keeps the first n declarations.
func (o *changeImpactOut) Cut(n int) any {
	less := *o
	less.Changed = o.Changed[:n]
	return &less
}

// Next continues by the number of the last declaration among all of the change, which does not depend
// on the page.
func (o *changeImpactOut) Next(_ *answer.Call, n int) map[string]any {
	return map[string]any{"offset": o.Changed[n-1].number}
}

// ShedSnippets drops the lines of code.
func (o *changeImpactOut) ShedSnippets() bool {
	had := !o.terse
	o.terse = true
	return had
}
