package gopls

import (
	"context"
	"path/filepath"
	"slices"

	"lspi/contract"
	"lspi/internal/lang/golang"
	"lspi/internal/source"
	"lspi/lsp"
)

// linkerUses is [lsp.CoverageHooks].LinkerUses. Where the declaration is not known (it has no path) each place that
// holds the name counts.
func (a *Process) linkerUses(ctx context.Context, name string, declaration func() lsp.Place,
	calls bool) (out []lsp.Place, all bool) {
	l := a.tree
	release := l.lock(ctx)
	if release == nil {
		return nil, false
	}
	all = l.refresh(ctx)
	var files []string
	for path, names := range l.linked {
		if names[name] {
			files = append(files, path)
		}
	}
	release()
	if len(files) == 0 {
		return nil, all
	}
	slices.Sort(files)
	declared := declaration() // which may ask the server
	dir, full, packageName := filepath.Dir(declared.Path), "", ""
	var packages []string
	if declared.Path != "" {
		text, err := source.Read(declared.Path)
		if err != nil {
			return nil, all // gone
		}
		if packageName, full = golang.DeclaredOn(text.Content(), declared.Range.Start.Line, name); full == "" {
			return nil, all // only its function can name it
		}
		if release := l.lock(ctx); release != nil {
			packages = []string{l.importPath(dir)}
			release()
		}
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
			use := full == "" && golang.Bare(n.Name) == name || full != "" && n.Name == full &&
				(local || slices.Contains(packages, n.Package))
			if use && !(n.Defines && calls) {
				at := contract.Position{Line: n.Line, Character: 1}
				out = append(out, lsp.Place{Path: path, Range: contract.Range{Start: at, End: at}})
			}
		}
	}
	return out, all
}
