package gopls

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"go.lsp.dev/uri"

	"lspi/internal/lang/golang"
	"lspi/internal/source"
	"lspi/lsp"
)

// diagnoseFiles diagnoses the whole view of each file, open or not, without gopls' usual delay, and answers after
// all of its pushes; no later push differed (0.23.0).
const diagnoseFiles = "gopls.diagnose_files"

// askPushes is [lsp.DiagnosticHooks].AskPushes.
func (a *Process) askPushes(ctx context.Context, paths []string) error {
	files := make([]uri.URI, len(paths))
	for i, p := range paths {
		// The command diagnoses the view of a file, so that one source stands for its project.
		files[i] = uri.File(a.sourceFor(p))
	}
	_, err := a.Server.RequestRaw(ctx, lsp.MethodExecuteCommand, map[string]any{
		"command": diagnoseFiles, "arguments": []any{map[string]any{"Files": files}},
	})
	return err
}

// witnesses is [lsp.DiagnosticHooks].Witnesses: the tests beside a source, with which its package is compiled once
// more. What both declare is an error in both, and asked for the source alone gopls does not compile the tests
// (0.23.0). Those of a package of their own are none: no source of the other one names them.
func (a *Process) witnesses(path string) (tests []string) {
	const suffix = "_test.go"
	if strings.HasSuffix(path, suffix) {
		return nil
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), suffix) || !e.Type().IsRegular() {
			continue
		}
		test := filepath.Join(filepath.Dir(path), e.Name())
		text, err := source.Read(test)
		if err == nil && !strings.HasSuffix(golang.PackageName(text.Content()), "_test") {
			tests = append(tests, test)
		}
	}
	return tests
}

// sourceFor is the file to name to the command, which passes over a go.mod: a source below it, whose diagnosis
// tells of both.
func (a *Process) sourceFor(path string) string {
	if isSource(path) {
		return path
	}
	for other := range a.Server.Journal().Files() {
		// Any source below will do; the first one ends the walk.
		if _, below := source.RelativeTo(filepath.Dir(path), other); below && isSource(other) {
			return other
		}
	}
	return path
}

// lostImport is [lsp.DiagnosticHooks].LostImport. Of packages that import each other in a cycle gopls forgets the
// imports, and once the cycle is gone it still finds no uses in the package whose imports did not change; its error
// there has words that a missing package has not (0.23.0).
func (a *Process) lostImport(message string) bool {
	return strings.Contains(message, "missing metadata for import of ")
}
