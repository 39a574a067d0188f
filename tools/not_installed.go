package tools

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"lspi/adapter"
	"lspi/contract"
	"lspi/lsp"
)

// notInstalled says that the project's dependencies are not there, where that can change the answer: what goes through their
// types the server cannot follow.
func notInstalled(ctx context.Context, c *Call, s *lsp.Server, path, method string) {
	folder, total := s.Uninstalled(path)
	if folder == "" {
		return
	}
	p := s.Spec().Packages
	manifest := filepath.Join(folder, p.Manifest)
	found := throughPackages(ctx, c, s, manifest, method)
	if len(found) == 0 {
		return
	}
	message := fmt.Sprintf("%s names %d dependencies, and there is no %s: uses that go through them are missing here", c.show(manifest), total, p.Folder)
	if found[0].path != manifest {
		message += fmt.Sprintf("; %s holds such a name", found[0].show(c))
		if len(found) > 1 {
			message = strings.TrimSuffix(message, " holds such a name") + fmt.Sprintf(" and %d more files hold such a name", len(found)-1)
		}
	}
	c.warnHolders(contract.WarnDependenciesMissing, contract.Facts{"folder": c.show(folder), "packages": total}, found, message)
	if m := p.Maker(folder); m != nil {
		c.step(c.madeBy(m, folder))
	}
}

// throughPackages are the files in which the answer may lack something because packages are not installed, each with the first
// line; the manifest where nobody can tell.
func throughPackages(ctx context.Context, c *Call, s *lsp.Server, manifest, method string) (out []holder) {
	c.mu.Lock()
	about := c.subject
	about.names, about.places = slices.Clone(about.names), slices.Clone(about.places)
	unresolved := slices.ContainsFunc(c.warnings, func(w contract.Warning) bool { return w.Kind == contract.WarnUnresolved })
	c.mu.Unlock()
	files := c.sources(s, filepath.Dir(manifest))
	slices.Sort(files)
	ctx, cancel := context.WithTimeout(ctx, holdersLimit)
	defer cancel()
	switch {
	case about.may != nil:
		// A search shows what packages declare only where no source of the workspace declares such a name.
		if found := about.holders(ctx, files); len(found) > 0 && found[0].line > 0 {
			return nil
		}
		return []holder{{path: manifest, line: 1}}
	case unresolved, about.any, len(about.names) == 0: // a package may declare it
		return []holder{{path: manifest, line: 1}}
	}
	if method == lsp.MethodCallHierarchy && len(about.at) <= maxConfined { // what the server resolves and is no call is none
		for _, at := range about.at {
			if places, err := s.References(ctx, at.path, at.at, true); err == nil {
				about.places = append(about.places, places...)
			}
		}
	}
	for _, h := range about.holders(ctx, adapter.ThroughPackages(ctx, s, manifest, files)) {
		if line := about.uncovered(h.path); line > 0 {
			out = append(out, holder{h.path, line})
		}
	}
	return out
}

// uncovered is the first line of a file that holds one of the names in its code at a place that is none of the answer; 0 when
// there is none.
func (a subject) uncovered(path string) (first int) {
	covered := coveredBy(a.places)
	for _, name := range a.names {
		if line := missingIn(path, name, covered); line > 0 && (first == 0 || line < first) {
			first = line
		}
	}
	return first
}
