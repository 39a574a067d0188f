package loaded

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/lsp/spec"
	"lspi/tools/answer"
)

// Some servers read which files form the project, and how these are built, from a project file. Without it they
// answer from what they were shown. Whether an answer lacks something then depends on the request, so
// LackingProject goes from the requests about all files to those about one symbol.

// misreadLimit bounds the question whether a file has errors.
const misreadLimit = 5 * time.Second

// LackingProject warns that the server has no file which tells it what the project is, where that can
// change the answer: another source holds the name, or the file itself may be read wrongly. path is ""
// for a question about no file; answered is false when the server did not answer.
func LackingProject(ctx context.Context, c *answer.Call, s *lsp.Snapshot, root, path, method string, answered bool) {
	p := s.Projects().Missing(root)
	// Diagnostics of the whole workspace are those of each file by itself, unless that lacks how it is compiled.
	byItself := path == "" && c.Tool != nil && c.Tool.Diagnoses && p != nil && len(p.Flags) == 0
	if p == nil || ctx.Err() != nil || byItself {
		return
	}
	// The actions of a file need no other source; how this one is built still matters where the server guesses it.
	if method == lsp.MethodCodeAction { // about one file
		if p := s.Projects().MissingForOne(root); p != nil {
			MissingForOne(c, s.ID(), root, p)
		}
		return
	}
	// A search is whole when no source that the server was not shown declares such a name.
	if method == lsp.MethodWorkspaceSymbol && answered && isSearch(c) {
		if found := Holders(ctx, c, lsp.Because(lsp.LacksProject(p), Sources(c, s, root), true)); len(
			found) > 0 {
			missingProject(c, root, p, found)
		}
		return
	}
	// About no symbol, or not answered: lspi has no name to look for, so the lack is told as it is.
	if path == "" || !answered || slices.Contains(notOfSymbols, method) {
		missingProject(c, root, p, nil)
		return
	}
	// it guesses macros and folders of includes; else it is told how single files are built, and their errors are
	// theirs
	if s.Hooks().Includes != nil && s.Projects().MissingForOne(root) != nil {
		if line, words := misread(ctx, c, s, path); line > 0 {
			missingProject(c, root, p, []lsp.Uncovered{{Path: path, Line: line, Reason: lsp.LacksProject(p)}},
				words)
			return
		}
	}
	if method == lsp.MethodDocumentSymbol {
		return // all of it is in the file
	}
	if found := beyondProject(ctx, c, s, p, root, path, method); len(found) > 0 {
		missingProject(c, root, p, found)
	}
}

// isSearch reports whether the call is a search of which lspi knows the names that may be in its
// answer. Only then can it look for them in other sources.
func isSearch(c *answer.Call) bool {
	return c.Subject().May != nil
}

// notOfSymbols are the requests whose answers are not about one symbol.
var notOfSymbols = []string{lsp.MethodWorkspaceSymbol, lsp.MethodRename, lsp.MethodSwitchHeader}

// misread returns the line and the words of a file's first error, where a server that guesses how the
// file is built may have read it wrongly; line is 0 when there is none, and 1 when nobody knows. Where
// it cannot be told the file counts as read wrongly: code that the server cannot parse is not in its
// answers.
func misread(ctx context.Context, c *answer.Call, s *lsp.Snapshot, path string) (line int, words string) {
	if !s.Spec().Roles.Has(spec.RoleDiagnostics) || !s.Diagnostics().Sure() {
		return 1, ""
	}
	ctx, cancel := context.WithTimeout(ctx, misreadLimit)
	defer cancel()
	d, err := s.Diagnostics().Of(ctx, []string{path})
	if err != nil || len(d.Silent) > 0 {
		return 1, ""
	}
	for _, f := range errorsIn(d, path) {
		return f.Range.Start.Line, answer.Quoted(f)
	}
	return 0, ""
}

// beyondProject are the other sources of a folder that can change an answer about a symbol, which the server gave
// from the files that it was shown and what these include or import.
func beyondProject(ctx context.Context, c *answer.Call, s *lsp.Snapshot, p *spec.ProjectFile, root, path,
	method string) []lsp.Uncovered {
	// What the server was shown for this answer it has read: the file of the question, those of the places, and new
	// texts.
	about := c.Subject()
	places, names := about.Places, about.Names
	known := map[string]bool{path: true}
	for _, place := range places {
		known[place.Path] = true
	}
	for _, shown := range about.Shown {
		known[shown] = true
	}
	// Where a symbol is defined, or what a hover says of it, no other file can change when its own file shares
	// names with others by its imports alone.
	if p.Closed != nil && len(places) > 0 && slices.Contains(ofOnePlace, method) &&
		!slices.ContainsFunc(places, func(at lsp.Place) bool {
			text, err := s.Documents().Text(at.Path)
			return err != nil || !p.Closed(text.Content())
		}) {
		return nil // it was found, and no other file can add to it
	}
	// Under another name a use need not hold the known ones: "*" is no word, so About makes every source count.
	if givenAway(s, places, names) {
		About(c, "", nil, "*")
	}
	all := Sources(c, s, root)
	if s.Hooks().Includes != nil { // a source may use a name by a macro that holds it
		macros(ctx, c, all)
	}
	found := Holders(ctx, c, lsp.Because(lsp.LacksProject(p), slices.DeleteFunc(all, func(file string) bool {
		return known[file]
	}), true))
	// Last, because it asks the server: most answers have no holders.
	if len(found) > 0 && isConfined(ctx, c, s, found) {
		return nil
	}
	return found
}

// ofOnePlace are the requests about one symbol where it stands.
var ofOnePlace = []string{lsp.MethodHover, lsp.MethodDefinition, lsp.MethodDeclaration, lsp.MethodTypeDefinition}

// missingProject says which file the server lacks, what that concerns, and how to have it written with what the
// root holds. found may be empty when nobody knows sources that matter; words is the error of the first of found,
// where the lack showed as an error.
func missingProject(c *answer.Call, root string, p *spec.ProjectFile, found []lsp.Uncovered, words ...string) {
	message := p.Lack(c.Folder(root), source.Holds(root)) + "."
	switch {
	case len(words) > 0 && words[0] != "":
		message += fmt.Sprintf(" %s has an error: %s.", Show(c, found[0]), strings.TrimSuffix(words[0], "."))
	case len(found) > 0:
		message += fmt.Sprintf(" %s not read for this.", FilesWere(c, found))
	}
	lacksProject(c, root, p, found, message, "")
}

// MissingForOne is missingProject for an answer about single files. id is that of the server. It names no other
// sources: the answer needs none.
func MissingForOne(c *answer.Call, id, root string, p *spec.ProjectFile) {
	lacksProject(c, root, p, nil, fmt.Sprintf("%s has no %s, so %s guesses how its files are built.", c.Folder(root),
		strings.Join(p.Files, " or "), id), p.Enough)
}

// lacksProject warns that a root has no project file. Where a program of the project can write the file, the step says
// how; else the hint of the row is in the message.
func lacksProject(c *answer.Call, root string, p *spec.ProjectFile, found []lsp.Uncovered, message, end string) {
	m := p.Generator(source.Holds(root))
	if m == nil {
		message += " " + p.Hint
	}
	message = strings.TrimSpace(message + " " + end)
	facts := contract.Facts{"folder": c.Show(root), "markers": p.Files}
	if len(found) > 0 {
		Warn(c, facts, found, message)
	} else {
		c.Warn(contract.WarningKind(p.Warning), facts, message)
	}
	if m != nil {
		c.Step(GeneratorStep(c, m, root))
	}
}
