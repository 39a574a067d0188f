package rustanalyzer

import (
	"context"
	"path/filepath"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/lsp/launch"
	"lspi/lsp/spec"
)

// What build scripts write lies in folders of cargo's output, and include! takes it in. rust-analyzer reads it, and
// looks there for uses of what all modules can use, and not of what only the including module can (1.97.1).

// outputOf matches, below cargo's output, what the build scripts of crates write.
const outputOf = "*/build/*/out"

// maxWritten bounds at how many places in such sources the server is asked.
const maxWritten = 50

// targetOf is the folder of cargo's output for a process; "" where nothing says it.
func targetOf(p *launch.Plan) string {
	switch dir := spec.At(p.Options, "cargo.targetDir").(type) {
	case string:
		return source.Absolute(p.Root, dir)
	case bool: // a folder of its own in the usual one
		return filepath.Join(p.Root, "target", "rust-analyzer")
	}
	return filepath.Join(p.Root, "target")
}

// written is [lsp.CoverageHooks].Written.
func (a *Process) written(ctx context.Context, s *lsp.Snapshot, name string,
	declared func() lsp.Place) (uses []lsp.Place, all bool) {
	if a.target == "" {
		return nil, true
	}
	asked, declaration := 0, lsp.Place{}
	for _, path := range a.outputs() {
		raw, err := source.ReadBytes(path)
		if err != nil || !source.HasWord(string(raw), name) {
			continue
		}
		text := source.New(path, string(raw))
		var at []contract.Range
		lang.EachOf(path, text.Content(), []string{name}, func(from, to int, use lang.Use) {
			if use&(lang.CodeUse|lang.OpenUse) != 0 {
				at = append(at, contract.Range{Start: text.PositionAt(from), End: text.PositionAt(to)})
			}
		})
		for _, r := range at {
			if asked++; asked > maxWritten || ctx.Err() != nil {
				return uses, false
			}
			if declaration.Path == "" {
				declaration = declared()
			}
			// One that the server has not loaded, such as what an earlier build left, leads nowhere.
			found, err := s.Locate(ctx, lsp.MethodDefinition, path, r.Start)
			if err == nil && lsp.LeadsTo(found, declaration) {
				uses = append(uses, lsp.Place{Path: path, Range: r, Line: text.Line(r.Start.Line)})
			}
		}
	}
	return uses, ctx.Err() == nil
}

// outputs are the sources that build scripts wrote.
func (a *Process) outputs() (out []string) {
	for _, depth := range []string{"*.rs", "*/*.rs"} {
		found, _ := filepath.Glob(filepath.Join(source.GlobQuote(a.target), outputOf, depth))
		out = append(out, found...)
	}
	return out
}
