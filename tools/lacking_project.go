package tools

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"lspi/contract"
	"lspi/lsp"
)

// misreadLimit bounds the question whether a file has errors.
const misreadLimit = 5 * time.Second

// lackingProject warns that the server has no file which tells it what the project is, where that can change the answer:
// another source holds the name, or the file itself may be misread. path is "" for a question about no file; answered is
// false when the server did not answer.
func (c *Call) lackingProject(ctx context.Context, s *lsp.Server, root, path, method string, answered bool) {
	p := s.MissingProject(root)
	if p == nil || ctx.Err() != nil {
		return
	}
	if method == lsp.MethodCodeAction { // about one file
		if p := s.MissingForOne(root); p != nil {
			c.missingForOne(s.ID(), root, p)
		}
		return
	}
	if method == lsp.MethodWorkspaceSymbol && answered && c.isSearch() {
		if found := c.holders(ctx, c.sources(s, root)); len(found) > 0 {
			c.missingProject(root, p, found)
		}
		return
	}
	if path == "" || !answered || slices.Contains(notOfSymbols, method) {
		c.missingProject(root, p, nil)
		return
	}
	if p.Misread && s.MissingForOne(root) != nil { // else it is told how single files are built, and their errors are theirs
		if line, words := c.misread(ctx, s, path); line > 0 {
			c.missingProject(root, p, []holder{{path, line}}, words)
			return
		}
	}
	if method == lsp.MethodDocumentSymbol {
		return // all of it is in the file
	}
	if found := c.beyondProject(ctx, s, p, root, path, method); len(found) > 0 {
		c.missingProject(root, p, found)
	}
}

// isSearch reports whether it is known which identifiers the answer of this call would list.
func (c *Call) isSearch() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.subject.may != nil
}

// notOfSymbols are the requests whose answers are not about one symbol.
var notOfSymbols = []string{lsp.MethodWorkspaceSymbol, lsp.MethodRename, lsp.MethodSwitchHeader}

// misread is the first error of a file, which a server that guesses how it is built may have read wrongly; the line is 0 when
// there is none, and 1 when nobody knows.
func (c *Call) misread(ctx context.Context, s *lsp.Server, path string) (line int, words string) {
	if !s.Spec().Roles.Has(lsp.RoleDiagnostics) || !s.Spec().Diagnostics.Sure() {
		return 1, ""
	}
	ctx, cancel := context.WithTimeout(ctx, misreadLimit)
	defer cancel()
	d, err := s.Diagnose(ctx, []string{path})
	if err != nil || len(d.Silent) > 0 {
		return 1, ""
	}
	for _, r := range d.Reports {
		for _, f := range r.Findings {
			if r.Path == path && f.Severity == "error" {
				return f.Range.Start.Line, quoted(f)
			}
		}
	}
	return 0, ""
}

// beyondProject are the other sources of a folder that can change an answer about a symbol, which the server gave from the
// files that it was shown and what these include or import.
func (c *Call) beyondProject(ctx context.Context, s *lsp.Server, p *lsp.ProjectFile, root, path, method string) []holder {
	c.mu.Lock()
	known := map[string]bool{path: true}
	for _, place := range c.subject.places {
		known[place.Path] = true
	}
	for _, shown := range c.subject.shown {
		known[shown] = true
	}
	places, names := slices.Clone(c.subject.places), slices.Clone(c.subject.names)
	c.mu.Unlock()
	if p.Closed != nil && len(places) > 0 && slices.Contains(ofOnePlace, method) && !slices.ContainsFunc(places, func(at lsp.Place) bool {
		text, err := s.Text(at.Path)
		return err != nil || !p.Closed(text.Content())
	}) {
		return nil // it was found, and no other file can add to it
	}
	if givenAway(s, places, names) {
		c.about("", nil, "*")
	}
	all := c.sources(s, root)
	if p.Macros {
		c.macros(ctx, all)
	}
	found := c.holders(ctx, slices.DeleteFunc(all, func(file string) bool { return known[file] }))
	if len(found) > 0 && c.isConfined(ctx, s, found) {
		return nil
	}
	return found
}

// ofOnePlace are the requests about one symbol where it stands.
var ofOnePlace = []string{lsp.MethodHover, lsp.MethodDefinition, lsp.MethodDeclaration, lsp.MethodTypeDefinition}

// givenAway reports whether a file in which a symbol stands may give it to others under another name, so that these need not
// hold the names that are known.
func givenAway(s *lsp.Server, places []lsp.Place, names []string) bool {
	p := s.Spec().Project
	if p == nil || len(p.Renames) == 0 {
		return false
	}
	var forms []*regexp.Regexp
	for _, name := range names {
		for _, form := range p.Renames {
			forms = append(forms, regexp.MustCompile(strings.ReplaceAll(form, "%s", regexp.QuoteMeta(name))))
		}
	}
	seen := map[string]bool{}
	for _, at := range places {
		if seen[at.Path] {
			continue
		}
		seen[at.Path] = true
		text, err := s.Text(at.Path)
		if err != nil || slices.ContainsFunc(forms, func(form *regexp.Regexp) bool { return form.MatchString(text.Content()) }) {
			return true
		}
	}
	return false
}

// missingProject says which file the server lacks, what that concerns, and how to have it written with what the root holds.
func (c *Call) missingProject(root string, p *lsp.ProjectFile, found []holder, words ...string) {
	m, message := p.Maker(lsp.Holds(root)), p.Lack(c.folder(root), lsp.Holds(root))+"."
	facts := contract.Facts{"folder": c.show(root), "markers": p.Files}
	switch {
	case len(words) > 0 && words[0] != "":
		message += fmt.Sprintf(" %s has an error: %s.", found[0].show(c), strings.TrimSuffix(words[0], "."))
	case len(found) > 0:
		message += fmt.Sprintf(" %s not read for this.", c.such(found))
	}
	if m == nil {
		message += " " + p.Hint
	}
	if len(found) > 0 {
		c.warnHolders(contract.WarningKind(p.Warning), facts, found, message)
	} else {
		c.warn(contract.WarningKind(p.Warning), facts, message)
	}
	if m != nil {
		c.step(c.madeBy(m, root))
	}
}

// missingForOne is missingProject for an answer about single files.
func (c *Call) missingForOne(id, root string, p *lsp.ProjectFile) {
	m := p.Maker(lsp.Holds(root))
	message := fmt.Sprintf("%s has no %s, so %s guesses how its files are built.", c.folder(root), strings.Join(p.Files, " or "), id)
	if m == nil {
		message += " " + p.Hint
	}
	c.warn(contract.WarningKind(p.Warning), contract.Facts{"folder": c.show(root), "markers": p.Files},
		strings.TrimSpace(message+" "+p.Enough))
	if m != nil {
		c.step(c.madeBy(m, root))
	}
}
