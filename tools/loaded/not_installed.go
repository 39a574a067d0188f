package loaded

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/tools/answer"
	"lspi/tools/symbol"
)

// NotInstalled warns that the project's dependencies are not installed, where that can change the
// answer: the server cannot follow what goes through their types. path is the file asked about; the
// packages are those of the manifest above it. Where a command can install them, it is the step.
func NotInstalled(ctx context.Context, c *answer.Call, s *lsp.Snapshot, path string) {
	folder, total := s.Spec().Packages.Missing(path)
	if folder == "" {
		return
	}
	p := s.Spec().Packages
	manifest := filepath.Join(folder, p.Manifest)
	found := throughPackages(ctx, c, s, manifest)
	if len(found) == 0 {
		return
	}
	message := fmt.Sprintf("%s names %s, and there is no %s: uses through them are missing here", c.Show(manifest),
		answer.Counted(total, "package"), p.Folder)
	// The manifest alone stands for not knowing which files matter.
	if found[0].Path != manifest {
		contain := " contains"
		if len(found) > 1 {
			contain = fmt.Sprintf(" and %d more files contain", len(found)-1)
		}
		message += "; " + Show(c, found[0]) + contain + " such a name"
	}
	Warn(c, contract.Facts{"folder": c.Show(folder), "packages": total}, found, message)
	if m := p.Generator(folder); m != nil {
		c.Step(GeneratorStep(c, m, folder))
	}
}

// throughPackages are the files in which the answer may lack something because packages are not installed, each
// with the first line; the manifest where nobody can tell. Empty when the answer lacks nothing.
func throughPackages(ctx context.Context, c *answer.Call, s *lsp.Snapshot, manifest string) (out []lsp.Uncovered) {
	about := c.Subject()
	unresolved := c.HasWarned(contract.WarnUnresolved)
	files := Sources(c, s, filepath.Dir(manifest))
	slices.Sort(files)
	whole := []lsp.Uncovered{{Path: manifest, Line: 1, Reason: lsp.DependencyMissing}}
	ctx, cancel := context.WithTimeout(ctx, HoldersLimit)
	defer cancel()
	switch {
	case about.May != nil:
		// A search shows what packages declare only where no source of the workspace declares such a name.
		if found := HoldersAmong(ctx, about, lsp.Because(lsp.DependencyMissing, files, true)); len(
			found) > 0 && found[0].Line > 0 {
			return nil
		}
		return whole
	// Nothing that could be looked for in the sources: a package may declare what was asked about.
	case unresolved, about.Any, len(about.Names) == 0: // a package may declare it
		return whole
	case about.Explained: // [audit.Uses] has looked at each place
		return nil
	}
	// A file matters when it holds the name, and has it at a place that is not in the answer.
	for _, h := range HoldersAmong(ctx, about, lsp.Because(lsp.DependencyMissing, files, true)) {
		if h.Line = uncovered(about, h.Path); h.Line > 0 {
			out = append(out, h)
		}
	}
	return out
}

// uncovered returns the first line of a file whose code holds one of the subject's names at a place
// that is not in the answer; 0 when there is none.
func uncovered(a answer.Subject, path string) (first int) {
	text, err := source.Read(path)
	if err != nil {
		return 0
	}
	covered := symbol.CoveredBy(a.Places)
	lang.EachOf(path, text.Content(), a.Names, func(from, _ int, use lang.Use) {
		if first == 0 && use&(lang.CodeUse|lang.OpenUse) != 0 && !covered(path, text.PositionAt(from)) {
			first = text.LineOf(from) + 1
		}
	})
	return first
}
