package adapter

import (
	"context"
	"path/filepath"
	"slices"

	"lspi/lang/golang"
	"lspi/lsp"
	"lspi/source"
)

// LinkerUse is a place in assembly or in a go:linkname directive that names a declaration. No server of Go lists it as a use.
type LinkerUse struct {
	Path    string
	Line    int
	Defines bool // it begins the code of the function
}

// HoldLinkerName are the sources in which assembly or a go:linkname directive holds a name, sorted; all is false when ctx ended before
// each was looked at.
func HoldLinkerName(ctx context.Context, s *lsp.Server, name string) (files []string, all bool) {
	l := of(s).leftOut
	if l.rules == nil || name == "" {
		return nil, true
	}
	release := l.lock(ctx)
	if release == nil {
		return nil, false
	}
	defer release()
	if !l.refresh(ctx, s) {
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

// LinkerUses are the places in files, which [HoldLinkerName] gave, that name what is declared by a name at a place. Where that is not
// known (declared has no path) each place that holds the name may.
func LinkerUses(ctx context.Context, s *lsp.Server, files []string, name string, declared lsp.Place) (out []LinkerUse) {
	l := of(s).leftOut
	if release := l.lock(ctx); release != nil {
		defer release()
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
		packages = []string{l.importPath(s.Journal().Root(), dir)}
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
			local := golang.IsAssembly(path) && filepath.Dir(path) == dir && (n.Package == "" || n.Package == packageName)
			if full == "" && golang.Bare(n.Name) == name || full != "" && n.Name == full && (local || slices.Contains(packages, n.Package)) {
				out = append(out, LinkerUse{path, n.Line, n.Defines})
			}
		}
	}
	return out
}
