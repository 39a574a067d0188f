package gopls

import (
	"context"
	"path/filepath"
	"slices"

	"lspi/internal/lang/golang"
	"lspi/internal/source"
	"lspi/lsp"
)

// holdLinkerName is [lsp.CoverageHooks].HoldLinkerName.
func (a *Process) holdLinkerName(ctx context.Context, name string) (files []string, all bool) {
	l := a.tree
	// Nothing that stands at a position without a name can be named by the linker.
	if name == "" {
		return nil, true
	}
	release := l.lock(ctx)
	if release == nil {
		return nil, false
	}
	defer release()
	if !l.refresh(ctx) {
		return nil, false
	}
	for path, names := range l.linked {
		if names[name] {
			files = append(files, path)
		}
	}
	slices.Sort(files)
	return files, true
}

// linkerUses is [lsp.CoverageHooks].LinkerUses.
func (a *Process) linkerUses(ctx context.Context, files []string, name string,
	declared lsp.Place) (out []lsp.LinkerUse) {
	l := a.tree
	if release := l.lock(ctx); release != nil {
		defer release()
		// Out of time the place is unknown, and every file with the name counts: too many uses are told rather than
		// too few.
	} else {
		declared = lsp.Place{}
	}
	dir, full, packageName := filepath.Dir(declared.Path), "", ""
	var packages []string
	if declared.Path != "" {
		text, err := source.Read(declared.Path)
		if err != nil {
			return nil // gone
		}
		if packageName, full = golang.DeclaredOn(text.Content(), declared.Range.Start.Line, name); full == "" {
			return nil // only its function can name it
		}
		packages = []string{l.importPath(dir)}
		if packageName == "main" { // the linker calls it so
			packages = append(packages, "main")
		}
	}
	for _, path := range files {
		if path == declared.Path {
			continue // the directive there says that others may name it
		}
		text, err := source.Read(path)
		if err != nil {
			continue
		}
		for _, n := range golang.LinkerNames(path, text.Content()) {
			// Assembly names what is in its own package without a path, or by the package's name.
			local := golang.IsAssembly(path) && filepath.Dir(path) == dir &&
				(n.Package == "" || n.Package == packageName)
			// Without a declaration the bare name decides, which may be that of another package; with one the whole
			// name and its package do.
			if full == "" && golang.Bare(n.Name) == name || full != "" && n.Name == full &&
				(local || slices.Contains(packages, n.Package)) {
				out = append(out, lsp.LinkerUse{Path: path, Line: n.Line, Defines: n.Defines})
			}
		}
	}
	return out
}
