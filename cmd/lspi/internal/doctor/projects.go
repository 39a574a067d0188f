package doctor

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/lsp/spec"
)

// maxTold bounds the folders, and the names, that one check tells.
const maxTold = 5

// testFolders are where files lie that a project is tested with, or that it only shows.
var testFolders = []string{"test", "tests", "testdata", "test-data", "test_data", "testing", "spec", "specs",
	"fixtures", "__fixtures__", "__tests__",
	"examples", "example", "samples", "third_party"}

// markStray finds the languages of code that the workspace is not written in: few files beside the rest, or files
// of tests alone. The one with most files never is.
func (e *examination) markStray(all []workspaceLanguage) {
	total, most := 0, 0
	for _, l := range all {
		if l.Needed {
			total, most = total+l.Files, max(most, l.Files)
		}
	}
	for i := range all {
		l := &all[i]
		if !l.Needed || l.Files == most {
			continue
		}
		tests := !slices.ContainsFunc(l.samples, func(file string) bool { return !e.ofTests(file) })
		if l.Files*10 < total || tests {
			l.Stray, l.Needed = true, e.Strict
		}
	}
}

// ofTests reports whether a file of the workspace lies in a folder of tests.
func (e *examination) ofTests(file string) bool {
	rel, ok := source.RelativeTo(e.Config.Workspace, filepath.Dir(file))
	return ok && slices.ContainsFunc(strings.Split(strings.ToLower(filepath.ToSlash(rel)), "/"),
		func(name string) bool {
			return slices.Contains(testFolders, name)
		})
}

// dependencies: what is not installed a server cannot follow. It looks at every project of the workspace and not
// only at the one that the server was started for.
func dependencies(_ context.Context, e *examination, spec *spec.Spec, s *Server) []Check {
	if spec.Packages == nil || spec.Packages.Manifest == "" || s.State != Works {
		return nil
	}
	type lack struct {
		folder string
		total  int
	}
	var lacking []lack
	places := append([]string{s.Root}, foldersOf(e.manifests, spec.Packages.Manifest)...)
	for _, place := range places {
		folder, total := spec.Packages.Missing(place)
		if folder == "" || e.ofTests(filepath.Join(folder, spec.Packages.Manifest)) {
			continue
		}
		if !slices.ContainsFunc(lacking, func(l lack) bool { return within(folder, l.folder) }) {
			lacking = append(lacking, lack{folder, total})
		}
	}
	// A package manager that is run in a folder installs what the projects below it need, unless they are locked on
	// their own.
	var out []Check
	for _, l := range lacking {
		if len(out) == maxTold {
			last := &out[len(out)-1]
			last.Message += fmt.Sprintf(" (and so it is in %d more folders)", len(lacking)-maxTold)
			break
		}
		c := Check{Name: "dependencies_missing", Level: Warning,
			Message: fmt.Sprintf("%s names %d %s, and there is no %s: uses that go through them are missing in answers",
				filepath.Join(l.folder, spec.Packages.Manifest), l.total, plural(l.total, "package"),
				spec.Packages.Folder)}
		if m := spec.Packages.Generator(l.folder); m != nil {
			c.Fix, c.Repair = e.generatorFix(m), e.generatorRepair(m, l.folder)
			if m.Command != "" {
				c.Fix[len(c.Fix)-1] = inFolder(l.folder, m.Command)
			}
		}
		out = append(out, c)
	}
	return out
}

// foldersOf are the folders of the files with a base name, the outer ones first.
func foldersOf(files []string, base string) (out []string) {
	for _, file := range files {
		if filepath.Base(file) == base {
			out = append(out, filepath.Dir(file))
		}
	}
	slices.SortStableFunc(out, func(a, b string) int { return len(a) - len(b) })
	return out
}

// within reports whether one folder is another one or below it.
func within(folder, above string) bool {
	_, ok := source.RelativeTo(above, folder)
	return ok
}

// inFolder is a command line to be run in a folder.
func inFolder(folder, command string) string {
	return "cd " + contract.ShellWord(folder) + " && " + command
}

// Import is an import that a server could not follow.
type Import struct {
	Name string
	File string // as it is shown
	Line int    // from 1
}

// importedBy is the name that a finding says could not be imported; ok is false when it says something else.
func importedBy(u *spec.Unresolved, f lsp.Finding) (name string, ok bool) {
	if !slices.Contains(u.Codes, f.Code) {
		return "", false
	}
	m := regexp.MustCompile(u.Message).FindStringSubmatch(f.Message)
	if len(m) < 2 {
		return "", false
	}
	return m[1], true
}

// unresolvedImports: what an import leads to in vain is missing in answers. Those of packages that are not
// installed at all are told by [dependencies] already.
func unresolvedImports(_ context.Context, e *examination, spec *spec.Spec, s *Server) []Check {
	if len(s.unresolved) == 0 || slices.ContainsFunc(s.Checks, func(c Check) bool {
		return c.Name == "dependencies_missing"
	}) {
		return nil
	}
	var names, told []string
	for _, i := range s.unresolved {
		if slices.Contains(names, i.Name) {
			continue
		}
		if names = append(names, i.Name); len(told) < maxTold {
			told = append(told, fmt.Sprintf("%s (%s:%d)", i.Name, i.File, i.Line))
		}
	}
	text := strings.Join(told, ", ")
	if more := len(names) - len(told); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	c := Check{Name: "imports_unresolved", Level: Warning, Message: "it does not find what is imported as " + text +
		": uses that go through them are missing in answers"}
	u := spec.Diagnostics.Unresolved
	if m := u.Generator(s.Root); m != nil {
		c.Fix, c.Repair = e.generatorFix(m), e.generatorRepair(m, s.Root)
	}
	if u.Hint != "" {
		c.Fix = append(c.Fix, u.Hint)
	}
	return []Check{c}
}

// linkedProjects: a server that answers for each project on its own misses uses in those that name it by path,
// unless something joins them (go.work).
func linkedProjects(_ context.Context, e *examination, _ *spec.Spec, s *Server) []Check {
	l := s.linked
	if l == nil || s.join == "" {
		return nil
	}
	return []Check{{Name: string(contract.WarnLinkedProjects), Level: Warning,
		Message: fmt.Sprintf(
			"%d projects below %s use each other by path, and %s answers for one at a time: uses in the others are missing in answers",
			len(l.Folders), l.Common, s.ID), Fix: []string{inFolder(l.Common, s.join)}}}
}
