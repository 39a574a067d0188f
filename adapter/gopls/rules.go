package gopls

import (
	"context"
	"encoding/json"
	"go/build"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/module"

	"lspi/lang"
	"lspi/lang/golang"
	"lspi/lsp"
	"lspi/lsp/launch"
	"lspi/lsp/spec"
)

// goBuild are the rules of the go command (go help packages, go help buildconstraint; go 1.26), for the build that gopls
// loads first: that of its environment.
type goBuild struct {
	here build.Context
	none build.Context // of no system at all: what it leaves out depends on the build

	flagged   bool // the tags are those of the settings
	moreFlags bool // GOFLAGS has others than tags
}

// goEnvLimit bounds go env, which takes 10 ms; a go line in go.mod may make it look for another toolchain.
const goEnvLimit = 3 * time.Second

func (g *goBuild) prepare(ctx context.Context, spec *spec.Spec, root string) {
	g.here = build.Default
	section, _ := spec.Settings[spec.Build.Settings].(map[string]any)
	env := maps.Clone(spec.Env)
	if given, ok := section["env"].(map[string]any); ok {
		if env == nil {
			env = map[string]string{}
		}
		for name, value := range given {
			if text, ok := value.(string); ok {
				env[name] = text
			}
		}
	}
	ctx, cancel := context.WithTimeout(ctx, goEnvLimit)
	defer cancel()
	configured := *spec
	configured.Env = env
	cmd := launch.Run(ctx, &configured, root, "go", "env", "-json", "GOOS", "GOARCH", "GOFLAGS", "CGO_ENABLED", "GOVERSION")
	cmd.WaitDelay = time.Second
	if out, err := cmd.Output(); err == nil {
		var told struct{ GOOS, GOARCH, GOFLAGS, CGO_ENABLED, GOVERSION string }
		if json.Unmarshal(out, &told) == nil {
			g.here.GOOS, g.here.GOARCH, g.here.CgoEnabled = told.GOOS, told.GOARCH, told.CGO_ENABLED == "1"
			given := strings.Fields(told.GOFLAGS)
			g.here.BuildTags = golang.BuildTags(given)
			g.moreFlags = slices.ContainsFunc(given, func(f string) bool { return !strings.HasPrefix(strings.TrimLeft(f, "-"), "tags") })
			if tags := golang.ReleaseTags(told.GOVERSION); tags != nil {
				g.here.ReleaseTags = tags
			}
		}
	}
	if flags, ok := section["buildFlags"].([]any); ok {
		var given []string
		for _, f := range flags {
			text, _ := f.(string)
			given = append(given, text)
		}
		if tags := golang.BuildTags(given); tags != nil { // flags on the command line win over GOFLAGS
			g.here.BuildTags, g.flagged = tags, true
		}
	}
	g.none = build.Context{Compiler: g.here.Compiler, ReleaseTags: g.here.ReleaseTags}
}

func (g *goBuild) source(base string) bool { return strings.HasSuffix(base, ".go") }

func (g *goBuild) mark() string { return "go.mod" }

func (g *goBuild) name(mark string) string { return golang.ModulePath([]byte(mark)) }

func (g *goBuild) private(name string, declared lsp.Place) bool {
	return !token.IsExported(name) && !strings.HasPrefix(declared.Line, "package ") && !golang.IsImport(declared.Line)
}

func (g *goBuild) declares(line string, at int) bool {
	return golang.IsTopLevel(line) && at == strings.IndexByte(line, ' ')+1
}

func (g *goBuild) mayUse(m *lang.Mentions, scope string, declared lsp.Place, projects []string) bool {
	if m.Imports[scope] {
		return true
	}
	if golang.IsTopLevel(declared.Line) {
		return false
	}
	for _, imports := range []map[string]bool{m.Imports, m.Beside} {
		for path := range imports {
			if slices.ContainsFunc(projects, func(name string) bool { return name != "" && (path == name || strings.HasPrefix(path, name+"/")) }) {
				return true
			}
		}
	}
	return false
}

// atVersion is the version in the name of a folder of the module cache.
var atVersion = regexp.MustCompile(`@[^/]*`)

// mayUseOutside goes by the folder of the standard library or of the module cache, which ends with the import path.
func (g *goBuild) mayUseOutside(m *lang.Mentions, dir string, declared lsp.Place) bool {
	if !golang.IsTopLevel(declared.Line) {
		return true
	}
	dir = atVersion.ReplaceAllString(filepath.ToSlash(dir), "")
	for path := range m.Imports {
		if strings.HasSuffix(dir, "/"+path) || strings.ToLower(path) != path { // the module cache writes capitals in its own way
			return true
		}
	}
	return false
}

// place: folders and files that begin with a dot or underscore, testdata and vendor are no part of any build; a folder
// whose path is no import path is left out with all that it holds, and gopls says nothing (0.23.0).
func (g *goBuild) place(rel string) exclusion {
	rel = filepath.ToSlash(rel)
	for part := range strings.SplitSeq(rel, "/") {
		if part[0] == '.' || part[0] == '_' || part == "testdata" || part == "vendor" {
			return byDesign
		}
	}
	dir, _, inFolder := cutLast(rel, "/")
	if inFolder && module.CheckImportPath(dir) != nil {
		return byPath
	}
	return included
}

func (g *goBuild) excluded(path, text string) (excluded, varies bool) {
	base := filepath.Base(path)
	constrained := strings.Contains(text, "//go:build ") || strings.Contains(text, "// +build ") || strings.Contains(text, "//+build ")
	cgo := strings.Contains(text, `"C"`) && golang.ImportsC(path, text)
	if !constrained && !cgo && !strings.Contains(base, "_") {
		return false, false
	}
	if !constrained {
		text = "package x\n" // only the name decides, and its imports need not be read
	}
	excluded = !golang.Matches(g.here, base, text) || cgo && !g.here.CgoEnabled
	return excluded, constrained || cgo || !golang.Matches(g.none, base, text)
}

func (g *goBuild) parses(path, text string) bool { return golang.Parses(path, text) }

func (g *goBuild) beside(dir string) map[string]bool { return golang.ImportsIn(dir) }

func (g *goBuild) mentions(path, text string) *lang.Mentions { return golang.MentionsOf(path, text) }

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return "", s, false
}
