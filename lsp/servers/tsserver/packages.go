package tsserver

import (
	"context"
	"slices"

	"lspi/internal/lang/typescript"
)

// throughPackages is [lsp.LoadedProjectHooks].ThroughPackages.
func (a *Process) throughPackages(ctx context.Context, manifest string, files []string) []string {
	t, s := a.projects, a.Server
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
		if c, ok := typescript.ReadConfig(path); !ok || c.HasGlobalTypes() {
			return files
		}
	}
	return slices.DeleteFunc(slices.Clone(files), func(path string) bool {
		return !typescript.IsJSX(path) && !t.follow(path, func(next string) bool {
			return t.script(next).outside || typescript.IsJSX(next)
		})
	})
}
