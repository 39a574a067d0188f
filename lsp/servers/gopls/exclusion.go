package gopls

import (
	"context"
	"fmt"
	"go/build"
	"go/build/constraint"
	"path/filepath"
	"slices"
	"strings"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"lspi/internal/lang/golang"
	"lspi/internal/source"
	"lspi/lsp"
)

// explain says why the build leaves a file out, and how it would not. gopls loads one that some system's build has,
// without tags, when it is asked about it, and a main package that only the tag ignore keeps out as a program of
// its own; before a request has named it it reports nothing about that. Where no build looks it answers questions,
// but reports nothing either. Others it refuses (0.23.0).
func (g *goBuild) explain(why exclusion, base, text string) *lsp.Exclusion {
	// Reasons of the folder come first: no constraint or tag would help a file there.
	switch why {
	case byPath:
		return &lsp.Exclusion{Answers: true, Why: "its folder is no import path, so that it is no package",
			Remedy: "Rename the folder so that its path has no spaces or other signs that import paths may not have."}
	case byDesign:
		return &lsp.Exclusion{Answers: true,
			Why: "the go command builds nothing in testdata or vendor, or in what begins with . or _"}
	}
	expr, line := golang.Constraint(text)
	// Without a constraint line only cgo is left: about a file that its name alone excludes (x_windows.go) gopls
	// answers from a build for that system, so that the caller does not use this reason.
	if expr == nil {
		return &lsp.Exclusion{Why: `it imports "C", and cgo is off`, Config: true,
			Remedy: `env = { CGO_ENABLED = "1" }`}
	}
	u := &lsp.Exclusion{Why: "its build constraint leaves it out (" + lsp.Cut(line, 200) + ")"}
	env, tags := g.build(expr, base, text)
	if env != "" {
		u.Tags, u.Config = tags, true
		u.Remedy = env
	}
	return u
}

// build says with which environment, and which tags, a file is part of the build; "" when there is none that one would
// want.
func (g *goBuild) build(expr constraint.Expr, base, text string) (env string, tags []string) {
	// From the fewest tags to all of them: the advice is the smallest change that takes the file in.
	sets := [][]string{nil}
	all := golang.CustomTags(expr)
	for _, tag := range all {
		sets = append(sets, []string{tag})
	}
	sets = append(sets, all)
	for _, set := range sets {
		// This system first: another one is advised only when no tag is enough.
		for _, in := range append([]build.Context{g.here}, golang.Ports(g.none)...) {
			in.BuildTags = append(slices.Clone(g.here.BuildTags), set...)
			// The go command switches cgo off when it builds for another system.
			in.CgoEnabled = g.here.CgoEnabled && in.GOOS == g.here.GOOS && in.GOARCH == g.here.GOARCH
			if golang.Matches(in, base, text) {
				return g.advice(in), set
			}
		}
	}
	return "", nil
}

// advice is how to make a build the one that is loaded. Flags in the settings win over those of the environment.
func (g *goBuild) advice(in build.Context) string {
	var vars []string
	if in.GOOS != g.here.GOOS {
		vars = append(vars, fmt.Sprintf("GOOS = %q", in.GOOS))
	}
	if in.GOARCH != g.here.GOARCH {
		vars = append(vars, fmt.Sprintf("GOARCH = %q", in.GOARCH))
	}
	out := ""
	if tags := "-tags=" + strings.Join(in.BuildTags, ","); !slices.Equal(in.BuildTags, g.here.BuildTags) {
		// buildFlags of the settings win over GOFLAGS, so that an advice to set GOFLAGS would have no effect.
		if g.flagged {
			out = fmt.Sprintf("workspace_configuration = { gopls = { buildFlags = [%q] } }", tags)
		} else {
			vars = append(vars, fmt.Sprintf("GOFLAGS = %q", strings.Join(append(slices.Clip(g.flags), tags), " ")))
		}
	}
	if len(vars) > 0 {
		out = strings.TrimSuffix("env = { "+strings.Join(vars, ", ")+" }, "+out, ", ")
	}
	return out
}

// askExcluded is [lsp.ProjectHooks].AskExcluded: a request that names a file makes gopls load it, by another build
// or for itself, where it can.
func (a *Process) askExcluded(ctx context.Context, paths []string, d *lsp.Diagnosis) error {
	for _, path := range paths {
		u := a.tree.exclusion(ctx, path)
		if u == nil {
			continue
		}
		// Whether gopls takes the file is found out by asking; the rules above say only why it may not.
		err := a.Server.Request(ctx, lsp.MethodHover, protocol.TextDocumentPositionParams{
			TextDocument: protocol.TextDocumentIdentifier{URI: uri.File(path)},
		}, nil)
		switch {
		case err == nil && u.Answers:
			d.Excluded = append(d.Excluded, *u)
		// It was loaded for itself, or by another build, and its diagnostics are true: nothing is excluded.
		case err == nil:
		case ctx.Err() != nil || a.Server.Ended():
			return err
		default:
			// gopls refuses the file altogether, so that no question about it is answered.
			u.Answers = false
			d.Excluded = append(d.Excluded, *u)
		}
	}
	return nil
}

// exclusion says why the go command's rules leave a file out of the build of its project; nil when they do not.
func (l *sourceTree) exclusion(ctx context.Context, path string) *lsp.Exclusion {
	release, ok := l.current(ctx)
	if !ok {
		return nil
	}
	defer release()
	src := l.sources[path]
	// A source that only other builds leave out is in this one.
	if src == nil || src.why == included {
		return nil
	}
	text, err := source.Read(path)
	if err != nil {
		return nil
	}
	u := l.rules.explain(src.why, filepath.Base(path), text.Content())
	u.Path = path
	return u
}
