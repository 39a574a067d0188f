package golang

import (
	"cmp"
	"go/build"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Build returns the build context of an environment, as far as its variables tell; the rest is that of the Go version
// with which lspi was built.
func Build(getenv func(name string) string) build.Context {
	out := build.Default // what the environment of this process has decided there is set below
	out.GOOS, out.GOARCH = cmp.Or(getenv("GOOS"), runtime.GOOS), cmp.Or(getenv("GOARCH"), runtime.GOARCH)
	out.CgoEnabled = out.GOOS == runtime.GOOS && out.GOARCH == runtime.GOARCH // as the go command does by default
	if given := getenv("CGO_ENABLED"); given != "" {
		out.CgoEnabled = given == "1"
	}
	out.BuildTags = BuildTags(strings.Fields(getenv("GOFLAGS")))
	return out
}

// BuildTags returns the tags that command-line flags set; the last -tags counts. nil when no flag sets tags.
func BuildTags(flags []string) []string {
	var tags []string
	for i, flag := range flags {
		name, value, has := strings.Cut(strings.TrimLeft(flag, "-"), "=")
		if name != "tags" {
			continue
		}
		if !has && i+1 < len(flags) {
			value = flags[i+1]
		}
		tags = strings.FieldsFunc(strings.Trim(value, `'"`), func(r rune) bool { return r == ',' || r == ' ' })
	}
	return tags
}

// ReleaseTags returns the tags go1.1 to go1.N of a version "go1.N.M"; nil for a version of another form.
func ReleaseTags(version string) []string {
	rest, ok := strings.CutPrefix(version, "go1.")
	digits := strings.IndexFunc(rest, func(r rune) bool { return !unicode.IsDigit(r) })
	if digits >= 0 {
		rest = rest[:digits]
	}
	n, err := strconv.Atoi(rest)
	if !ok || err != nil {
		return nil
	}
	var tags []string
	for i := range n {
		tags = append(tags, "go1."+strconv.Itoa(i+1))
	}
	return tags
}

// systems are the operating systems and architectures of Go 1.26 (go tool dist list), the most used first.
var systems = map[string][]string{
	"linux": {"amd64", "arm64", "386", "arm", "loong64", "mips", "mips64", "mips64le", "mipsle", "ppc64", "ppc64le",
		"riscv64", "s390x"},
	"darwin":  {"arm64", "amd64"},
	"windows": {"amd64", "arm64", "386"},
	"freebsd": {"amd64", "arm64", "386", "arm", "riscv64"}, "netbsd": {"amd64", "arm64", "386", "arm"},
	"openbsd": {"amd64", "arm64", "386", "arm", "ppc64", "riscv64"}, "dragonfly": {"amd64"},
	"android": {"arm64", "amd64", "386", "arm"}, "ios": {"arm64", "amd64"}, "js": {"wasm"}, "wasip1": {"wasm"},
	"plan9": {"amd64", "386", "arm"}, "solaris": {"amd64"}, "illumos": {"amd64"}, "aix": {"ppc64"},
}

// Ports returns the build contexts of all operating systems and architectures, which otherwise equal none.
func Ports(none build.Context) []build.Context {
	var out []build.Context
	for _, goos := range slices.Sorted(maps.Keys(systems)) {
		for _, arch := range systems[goos] {
			in := none
			in.GOOS, in.GOARCH = goos, arch
			out = append(out, in)
		}
	}
	return out
}

// Constraint returns the build constraint of a source, and its first line as written; nil when the source has none.
func Constraint(text string) (expr constraint.Expr, line string) {
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
		case expr == nil || constraint.IsGoBuild(l): // the +build lines only repeat it
			expr, line = e, l
		case !constraint.IsGoBuild(line):
			expr = &constraint.AndExpr{X: expr, Y: e}
		}
	}
	return expr, line
}

// CustomTags returns the tags of a constraint that a user has to set: not those of systems and of the compiler, and
// not ignore, which by convention is never set.
func CustomTags(expr constraint.Expr) (tags []string) {
	var add func(constraint.Expr)
	add = func(e constraint.Expr) {
		switch e := e.(type) {
		case *constraint.TagExpr:
			if !ownTag(e.Tag) && !slices.Contains(tags, e.Tag) {
				tags = append(tags, e.Tag)
			}
		case *constraint.NotExpr: // set, the tag would keep the file out
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

// Matches reports whether a build includes a file, by its name and its constraints.
func Matches(in build.Context, base, text string) bool {
	in.OpenFile = func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }
	ok, err := in.MatchFile("", base)
	return ok || err != nil // an unreadable constraint does not exclude the file
}

// ImportsC reports whether a source uses cgo.
func ImportsC(path, text string) bool {
	return slices.Contains(importPaths(parsed(token.NewFileSet(), path, text, parser.ImportsOnly)), "C")
}
