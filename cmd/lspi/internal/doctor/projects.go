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

// Project is a part of the workspace for which a server answers on its own: the files below a folder that no other such
// folder is nearer to.
type Project struct {
	Folder      string `json:"folder"`       // relative to the workspace if it lies there
	Files       int    `json:"files"`        // how many
	ProjectFile bool   `json:"project_file"` // false: no project file takes them in
}

// told writes projects for people, those with most files first.
func told(projects []Project) string {
	projects = slices.Clone(projects)
	slices.SortStableFunc(projects, func(a, b Project) int { return b.Files - a.Files })
	var words []string
	for _, p := range projects[:min(len(projects), maxTold)] {
		word := fmt.Sprintf("%s (%d %s", p.Folder, p.Files, plural(p.Files, "file"))
		if !p.ProjectFile {
			word += ", in no project"
		}
		words = append(words, word+")")
	}
	if more := len(projects) - len(words); more > 0 {
		words = append(words, fmt.Sprintf("%d more", more))
	}
	return strings.Join(words, ", ")
}

// maxTold bounds the folders, and the names, that one check lists.
const maxTold = 5

// testFolders are names of folders whose files belong to tests or examples of a project.
var testFolders = []string{"test", "tests", "testdata", "test-data", "test_data", "testing", "spec", "specs",
	"fixtures", "__fixtures__", "__tests__",
	"examples", "example", "samples", "third_party"}

// StrayShare is the part of the files of code, as one in so many, below which a language is stray.
const StrayShare = 10

// markStray marks languages of code that the workspace is not mainly written in: those with less than a tenth of the
// files, or only with files of tests. The language with most files is never one of them.
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
		if l.Files*StrayShare < total || tests {
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

// dependencies warns about packages that are not installed, into which a server cannot follow. It looks at every
// project of the workspace and not only at the one that the server was started for.
func dependencies(_ context.Context, e *examination, spec *spec.Spec, s *Server) []Check {
	if spec.Packages == nil || spec.Packages.Manifest == "" || s.State != Works {
		return nil
	}
	type lack struct {
		folder string
		total  int
	}
	var lacking []lack
	places := append([]string{s.Root}, foldersOf(e.found.Manifests, spec.Packages.Manifest)...)
	for _, place := range places {
		folder, total := spec.Packages.Missing(place)
		if folder == "" || e.ofTests(filepath.Join(folder, spec.Packages.Manifest)) {
			continue
		}
		// A package manager that runs in a folder also installs for the projects below, so one check for both is enough.
		if !slices.ContainsFunc(lacking, func(l lack) bool { return within(folder, l.folder) }) {
			lacking = append(lacking, lack{folder, total})
		}
	}
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

// foldersOf returns the folders of the files with a base name, outer ones first.
func foldersOf(files []string, base string) (out []string) {
	for _, file := range files {
		if filepath.Base(file) == base {
			out = append(out, filepath.Dir(file))
		}
	}
	slices.SortStableFunc(out, func(a, b string) int { return len(a) - len(b) })
	return out
}

// within reports whether a folder is above or lies below it.
func within(folder, above string) bool {
	_, ok := source.RelativeTo(above, folder)
	return ok
}

// inFolder returns the command line that runs a command in a folder.
func inFolder(folder, command string) string {
	return "cd " + contract.ShellWord(folder) + " && " + command
}

// Import is an import that a server could not follow.
type Import struct {
	Name string
	File string // relative to the workspace if it lies there
	Line int    // from 1
}

// importedBy returns the name that, by a finding, could not be imported; ok is false for other findings.
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

// unresolvedImports warns about imports that the server could not resolve, because uses through them are missing in
// answers. It is silent when [dependencies] has reported that packages are not installed.
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

// linkedProjects warns about projects that use each other by path without being joined (go.work): a server that answers
// for each project on its own misses uses in the others.
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
