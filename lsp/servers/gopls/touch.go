package gopls

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"lspi/internal/lang/golang"
	"lspi/lsp"
	"lspi/lsp/watch"
)

// The notification of a created file does not make gopls load the package that the file begins: references, symbols
// and implementations lack it, 2 s later too, until some request names the file (0.23.0). lspi hovers over its
// start.

// The bounds of naming files: beyond maxTouched created files a new process is cheaper, and more than
// maxTouchedChanged changed ones are a checkout, in which few change the package that they belong to.
const (
	maxTouched        = 200
	maxTouchedChanged = 32
)

// untouched are the files that count only when a request has named them: the created ones, and few changed ones,
// because those may belong to another package now.
func (a *Process) untouched(changes []watch.Change) []string {
	var created, changed []string
	for _, c := range changes {
		switch {
		case !a.serves(c):
		case c.Kind == watch.Created:
			created = append(created, c.Path)
		case c.Kind == watch.Changed:
			changed = append(changed, c.Path)
		}
	}
	// Of many changed ones few belong to another package now, and gopls has those that do not.
	if len(changed) > maxTouchedChanged {
		return created
	}
	return slices.Concat(created, changed)
}

// forgetMissing makes gopls look anew for the imports that it did not find, when a file was created. By itself it does
// so only if it has not read the file before it is told of it, and a load for something else may have: the import then
// counts as missing until its importer changes (0.23.0; beside load in one of ten cases). That the package clause of
// one new file comes and goes makes it look for all. The caller holds the document lock.
func (a *Process) forgetMissing(ctx context.Context, changes []watch.Change) error {
	for _, c := range changes {
		if c.Kind == watch.Created && a.serves(c) && isSource(c.Path) {
			return a.Server.Documents().Blank(ctx, c.Path)
		}
	}
	return nil
}

// nameFiles is [lsp.SyncHooks].NameFiles. What gopls answers does not matter, nor that it refuses a broken file;
// the end of its answer does. The caller holds the document lock.
func (a *Process) nameFiles(ctx context.Context, paths []string) error {
	for _, path := range paths {
		a.lookForCycle(path)
		// Hover, because it is answered after the package of the file was loaded; at its start there is no symbol,
		// so that the answer is small.
		err := a.Server.Request(ctx, lsp.MethodHover, protocol.TextDocumentPositionParams{
			TextDocument: protocol.TextDocumentIdentifier{URI: uri.File(path)},
		}, nil)
		if err != nil && (ctx.Err() != nil || a.Server.Ended()) {
			return err
		}
	}
	return nil
}

// maxFollowedImports bounds the files whose imports are remembered.
const maxFollowedImports = 10_000

// lookForCycle notes that gopls loses imports when a file that is touched has imports that lead back to its
// package. Its own error comes up to a second behind that (0.23.0), and answers in between lack uses; once the cycle is
// mended they do so for good. The caller holds the document lock.
func (a *Process) lookForCycle(path string) {
	read := func(path string) string {
		text, err := a.Server.Documents().Load(path)
		if err != nil {
			return ""
		}
		return text.Content()
	}
	if !isSource(path) {
		return
	}
	imports := strings.Join(golang.ImportsOf(path, read(path)), "\n")
	if known, ok := a.imports[path]; ok && known == imports {
		return
	}
	if len(a.imports) >= maxFollowedImports {
		clear(a.imports)
	}
	a.imports[path] = imports
	if imports != "" && golang.ImportsItself(a.build, path, read) {
		a.Server.Diagnostics().LostImports(path)
	}
}

func base(c watch.Change) string { return filepath.Base(c.Path) }
