package adapter

import (
	"context"
	"slices"

	"lspi/lang/typescript"
	"lspi/lsp"
	"lspi/source"
)

// ThroughPackages are those of files that come to packages by their imports, in which a server may miss what goes through types
// of packages that are not installed: all where a package may declare what every source sees. manifest is the file that
// names the packages.
func ThroughPackages(ctx context.Context, s *lsp.Server, manifest string, files []string) []string {
	t := of(s).tsProjects
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
		settings = append(settings, configIn(s.Spec().Project, folder))
	}
	for _, path := range settings {
		if text, err := source.ReadBytes(path); err != nil || typescript.HasGlobalTypes(text) {
			return files
		}
	}
	return slices.DeleteFunc(slices.Clone(files), func(path string) bool {
		return !typescript.IsJSX(path) && !t.follow(path, func(next string) bool { return t.script(next).outside || typescript.IsJSX(next) })
	})
}
