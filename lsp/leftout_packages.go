package lsp

import (
	"context"
	"path/filepath"
	"regexp"
	"slices"

	"lspi/source"
)

// globalTypes are dependencies, and settings of a project file, by which every source sees what a package declares.
var globalTypes = regexp.MustCompile(`"@types/|"types"\s*:\s*\[\s*"`)

// globalReference is how a source has such a package for itself; elements of JSX are typed by one that no line names.
var (
	globalReference = regexp.MustCompile(`reference\s+types\s*=`)
	scriptWithJSX   = regexp.MustCompile(`\.[jt]sx$`)
)

// ThroughPackages are those of files that come to packages by their imports, in which a server may miss what goes through types
// of packages that are not installed: all where a package may declare what every source sees. manifest is the file that
// names the packages.
func ThroughPackages(ctx context.Context, s *Server, manifest string, files []string) []string {
	t := s.tsProjects
	if t == nil {
		return files
	}
	release, ok := t.take(ctx, s)
	if !ok {
		return files
	}
	defer release()
	settings := []string{manifest}
	for folder := range t.folders {
		settings = append(settings, configIn(s.spec.Project, folder))
	}
	for _, path := range settings {
		if text, err := source.ReadBytes(path); err != nil || globalTypes.Match(text) {
			return files
		}
	}
	return slices.DeleteFunc(slices.Clone(files), func(path string) bool {
		return !scriptWithJSX.MatchString(path) && !t.follow(path, func(next string) bool { return t.script(next).outside || scriptWithJSX.MatchString(next) })
	})
}

// isPath reports whether an import names a file by its path.
func isPath(name string) bool { return name != "" && name[0] == '.' || filepath.IsAbs(name) }
