package gopls

import (
	"context"
	"encoding/json"
	"go/build"
	"go/token"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/module"

	"lspi/internal/lang"
	"lspi/internal/lang/golang"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/lsp/launch"
	"lspi/lsp/spec"
)

// goBuild are the rules of the go command (go help packages, go help buildconstraint; go 1.26), for the build that
// gopls loads first: that of its environment. Who holds the lock of the [sourceTree] calls its methods.
type goBuild struct {
	here build.Context
	none build.Context // of no system at all: what it leaves out depends on the build

	flagged bool     // the tags are those of the settings
	flags   []string // of GOFLAGS, besides tags
}

// settingsSection is that of gopls in its settings, with env and buildFlags.
const settingsSection = "gopls"

// goEnvLimit bounds go env, which takes 10 ms; a go line in go.mod may make it look for another toolchain.
const goEnvLimit = 3 * time.Second

// prepare finds out which build it is, once: gopls asks the go command in the root, with the variables and flags of
// its settings.
func (g *goBuild) prepare(ctx context.Context, spec *spec.Spec, root string) {
	section, _ := spec.Settings[settingsSection].(map[string]any)
	// The variables of the settings win over those of the process: gopls gives them to the go command.
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
	// A copy: the row is shared, and only this command gets these variables.
	configured := *spec
	configured.Env = env
	g.here = buildOf(launch.Environment(&configured)) // as far as go env does not tell below
	cmd := launch.Run(ctx, &configured, root, "go", "env", "-json", "GOOS", "GOARCH", "GOFLAGS", "CGO_ENABLED",
		"GOVERSION")
	// A toolchain that go env has started may hold the pipe open after the command was killed.
	cmd.WaitDelay = time.Second
	// Without a go command gopls loads nothing either, and says so itself.
	if out, err := cmd.Output(); err == nil {
		var told struct{ GOOS, GOARCH, GOFLAGS, CGO_ENABLED, GOVERSION string }
		if json.Unmarshal(out, &told) == nil {
			g.here.GOOS, g.here.GOARCH, g.here.CgoEnabled = told.GOOS, told.GOARCH, told.CGO_ENABLED == "1"
			given := strings.Fields(told.GOFLAGS)
			g.here.BuildTags = golang.BuildTags(given)
			g.flags = slices.DeleteFunc(given, func(f string) bool {
				return strings.HasPrefix(strings.TrimLeft(f, "-"), "tags")
			})
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
	// With no system and no tags at all: a file that this context takes in is in every build.
	g.none = build.Context{Compiler: g.here.Compiler, ReleaseTags: g.here.ReleaseTags}
}

// buildOf is the build of an environment, as os.Environ has it.
func buildOf(environ []string) build.Context {
	return golang.Build(func(name string) string { return spec.Variable(environ, name) })
}

// isSource reports whether a file is a Go source, by its name.
func isSource(path string) bool { return strings.HasSuffix(path, ".go") }

// private reports whether a name that is declared at a place can be used in its folder only. An import declares its
// name for one file, and stands for a package that others import, too.
func (g *goBuild) private(name string, declared lsp.Place) bool {
	return !token.IsExported(name) && !strings.HasPrefix(declared.Line, "package ") && !golang.IsImport(declared.Line)
}

// mayUse reports whether a source of another folder may use what is declared at a place, going by what it imports.
// scope is how others refer to the folder of that place; projects are the names of all projects. What is declared
// at the top level needs the import of its package; a method or a field may come by way of any package of the
// projects. True is the safe side: a source too many is named in a warning, one too few makes a partial answer look
// complete.
func (g *goBuild) mayUse(m *lang.Mentions, scope string, declared lsp.Place, projects []string) bool {
	if m.Imports[scope] {
		return true
	}
	// Dot imports and aliases name the package as well, so that the import is there in each case.
	if golang.IsTopLevel(declared.Line) {
		return false
	}
	return reaches(m.Imports, projects) || reaches(m.Beside, projects)
}

// reaches reports whether one of the imports is of a package of one of the modules.
func reaches(imports map[string]bool, modules []string) bool {
	for path := range imports {
		if slices.ContainsFunc(modules, func(module string) bool {
			return module != "" && (path == module || strings.HasPrefix(path, module+"/"))
		}) {
			return true
		}
	}
	return false
}

// atVersion is the version in the name of a folder of the module cache.
var atVersion = source.LazyRegexp(`@[^/]*`)

// mayUseOutside is mayUse of what is declared in a folder outside of all projects. It goes by the folder of the
// standard library or of the module cache, which ends with the import path.
func (g *goBuild) mayUseOutside(m *lang.Mentions, dir string, declared lsp.Place) bool {
	if !golang.IsTopLevel(declared.Line) {
		return true
	}
	dir = atVersion.ReplaceAllString(filepath.ToSlash(dir), "")
	for path := range m.Imports {
		// the module cache writes capitals in its own way
		if strings.HasSuffix(dir, "/"+path) || strings.ToLower(path) != path {
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
		// go help packages. It is asked before the import path: a name like _x would break that rule, too, and this
		// reason is the better one.
		if part[0] == '.' || part[0] == '_' || part == "testdata" || part == "vendor" {
			return byDesign
		}
	}
	if dir := path.Dir(rel); dir != "." && module.CheckImportPath(dir) != nil {
		return byPath
	}
	return included
}

// excluded reports whether the build leaves out a file with this text, and varies whether another build might
// decide otherwise.
func (g *goBuild) excluded(path, text string) (excluded, varies bool) {
	base := filepath.Base(path)
	constrained := strings.Contains(text, "//go:build ") || strings.Contains(text, "// +build ") ||
		strings.Contains(text, "//+build ")
	cgo := strings.Contains(text, `"C"`) && golang.ImportsC(path, text)
	// Most files have no constraint, no cgo and no underscore in the name, and are decided without being parsed.
	if !constrained && !cgo && !strings.Contains(base, "_") {
		return false, false
	}
	if !constrained {
		text = "package x\n" // only the name decides, and its imports need not be read
	}
	// go/build applies the same rules as the go command.
	excluded = !golang.Matches(g.here, base, text) || cgo && !g.here.CgoEnabled
	return excluded, constrained || cgo || !golang.Matches(g.none, base, text)
}
