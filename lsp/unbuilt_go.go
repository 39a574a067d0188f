package lsp

import (
	"fmt"
	"go/build"
	"go/build/constraint"
	"maps"
	"slices"
	"strings"
)

// unbuilt says why the build leaves a file out. gopls loads one that some system's build has, without tags, when it is asked
// about it, and a main package that only the tag ignore keeps out as a program of its own; before a request has named it it
// reports nothing about that. Where no build looks it answers questions, but reports nothing either. Others it refuses
// (0.23.0).
func (g *goBuild) unbuilt(why exclusion, base, text string) *Unbuilt {
	switch why {
	case byPath:
		return &Unbuilt{Asked: true, Why: "its folder is no import path, so that it is no package",
			Have: "Rename the folder so that its path has no spaces or other signs that import paths may not have."}
	case byDesign:
		return &Unbuilt{Asked: true, Why: "the go command builds nothing in testdata or vendor, or in what begins with . or _"}
	}
	expr, line := constraintOf(text)
	if expr == nil {
		return &Unbuilt{Why: `it imports "C", and cgo is off`, Config: true,
			Have: `env = { CGO_ENABLED = "1" }`}
	}
	u := &Unbuilt{Why: "its build constraint leaves it out (" + cut(line, 200) + ")"}
	env, tags := g.build(expr, base, text)
	if env != "" {
		u.Tags, u.Config = tags, true
		u.Have = env
	}
	return u
}

// build says with which environment, and which tags, a file is part of the build; "" when there is none that one would
// want.
func (g *goBuild) build(expr constraint.Expr, base, text string) (env string, tags []string) {
	sets := [][]string{nil}
	all := customTags(expr)
	for _, tag := range all {
		sets = append(sets, []string{tag})
	}
	sets = append(sets, all)
	for _, set := range sets {
		for _, in := range append([]build.Context{g.here}, g.ports()...) {
			in.BuildTags = append(slices.Clone(g.here.BuildTags), set...)
			in.CgoEnabled = g.here.CgoEnabled && in.GOOS == g.here.GOOS && in.GOARCH == g.here.GOARCH
			if goMatches(in, base, text) {
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
	flag := "-tags=" + strings.Join(in.BuildTags, ",")
	more := ""
	switch {
	case len(in.BuildTags) == 0 || slices.Equal(in.BuildTags, g.here.BuildTags):
	case g.flagged:
		more = fmt.Sprintf("workspace_configuration = { gopls = { buildFlags = [%q] } }", flag)
	default:
		vars = append(vars, fmt.Sprintf("GOFLAGS = %q", flag))
		if g.moreFlags {
			more = "beside what GOFLAGS has already"
		}
	}
	var out []string
	if len(vars) > 0 {
		out = append(out, "env = { "+strings.Join(vars, ", ")+" }")
	}
	if more != "" {
		out = append(out, more)
	}
	return strings.Join(out, ", ")
}

// systems are the operating systems and architectures of go 1.26 (go tool dist list), the most used first.
var systems = map[string][]string{
	"linux":   {"amd64", "arm64", "386", "arm", "loong64", "mips", "mips64", "mips64le", "mipsle", "ppc64", "ppc64le", "riscv64", "s390x"},
	"darwin":  {"arm64", "amd64"},
	"windows": {"amd64", "arm64", "386"},
	"freebsd": {"amd64", "arm64", "386", "arm", "riscv64"}, "netbsd": {"amd64", "arm64", "386", "arm"},
	"openbsd": {"amd64", "arm64", "386", "arm", "ppc64", "riscv64"}, "dragonfly": {"amd64"},
	"android": {"arm64", "amd64", "386", "arm"}, "ios": {"arm64", "amd64"}, "js": {"wasm"}, "wasip1": {"wasm"},
	"plan9": {"amd64", "386", "arm"}, "solaris": {"amd64"}, "illumos": {"amd64"}, "aix": {"ppc64"},
}

// ports are the builds of all systems, without tags.
func (g *goBuild) ports() []build.Context {
	var out []build.Context
	for _, goos := range slices.Sorted(maps.Keys(systems)) {
		for _, arch := range systems[goos] {
			in := g.none
			in.GOOS, in.GOARCH = goos, arch
			out = append(out, in)
		}
	}
	return out
}

// constraintOf reads the build constraint of a file, and its first line as it stands there; nil when it has none.
func constraintOf(text string) (expr constraint.Expr, line string) {
	for l := range strings.Lines(text) {
		l = strings.TrimSpace(l)
		if strings.HasPrefix(l, "package ") {
			break
		}
		if !constraint.IsGoBuild(l) && !constraint.IsPlusBuild(l) {
			continue
		}
		e, err := constraint.Parse(l)
		switch {
		case err != nil:
		case expr == nil || constraint.IsGoBuild(l): // which the others only repeat
			expr, line = e, l
		case !constraint.IsGoBuild(line):
			expr = &constraint.AndExpr{X: expr, Y: e}
		}
	}
	return expr, line
}

// customTags are the tags of a constraint that somebody has to set: no system's, not the compiler's, and not ignore, which
// is there never to be set.
func customTags(expr constraint.Expr) (tags []string) {
	var add func(constraint.Expr)
	add = func(e constraint.Expr) {
		switch e := e.(type) {
		case *constraint.TagExpr:
			if !ownTag(e.Tag) && !slices.Contains(tags, e.Tag) {
				tags = append(tags, e.Tag)
			}
		case *constraint.NotExpr: // set, it would keep the file out
		case *constraint.AndExpr:
			add(e.X)
			add(e.Y)
		case *constraint.OrExpr:
			add(e.X)
			add(e.Y)
		}
	}
	add(expr)
	return tags
}

func ownTag(tag string) bool {
	if _, ok := systems[tag]; ok || strings.HasPrefix(tag, "go1.") {
		return true
	}
	for _, arches := range systems {
		if slices.Contains(arches, tag) {
			return true
		}
	}
	return slices.Contains([]string{"ignore", "cgo", "unix", "gc", "gccgo"}, tag)
}
