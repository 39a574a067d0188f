package rustanalyzer

import (
	"context"
	"path/filepath"
	"regexp"
	"strings"

	"lspi/internal/source"
	"lspi/lsp"
)

// pathBefore matches the path in front of a name.
var pathBefore = source.LazyRegexp(`((?:[\pL_][\pL\d_]*\s*(?:<[^<>;{}]*>\s*)?::\s*(?:<[^<>;{}]*>\s*::\s*)?)+)$`)

// foreign is [lsp.CoverageHooks].Foreign: what stands in front of the name is of the standard library, names nothing
// that the tree declares, or is another type than the one of the symbol. Members of traits are reached through types
// of any crate.
func (a *Process) foreign(ctx context.Context, text *source.Text, offset int, declared lsp.Place) bool {
	content := text.Content()
	before := content[max(0, offset-200):offset]
	before = before[strings.LastIndexByte(before, '\n')+1:]
	m := pathBefore.FindString(before)
	if m == "" || strings.HasSuffix(strings.TrimSuffix(before, m), "$") { // $crate, or a parameter of a macro
		return false
	}
	parts := strings.Split(strings.ReplaceAll(m, " ", ""), "::")
	root, _, _ := strings.Cut(parts[0], "<")
	last := ""
	for _, part := range parts {
		if name, _, _ := strings.Cut(part, "<"); name != "" {
			last = name
		}
	}
	own, err := a.Server.Documents().Text(declared.Path)
	if err != nil {
		return false
	}
	owner, inherent := ownerOf(own, declared.Range.Start.Line)
	switch {
	case !inherent && owner != "":
		return false // of a trait
	case root == "std" || root == "core" || root == "alloc":
		return true
	case root == "crate" || root == "self" || root == "super" || root == "Self":
		return owner != "" && len(parts) > 2 && a.isOtherType(ctx, last, owner)
	case isParameter(content, root):
		return false
	}
	return !a.isDeclared(ctx, root, declares) || owner != "" && a.isOtherType(ctx, last, owner)
}

// What declares a name for a path; what gives a type another name.
const (
	declares = `(?:struct|enum|trait|type|union|mod|crate|as)\s+(?:r#)?`
	renames  = `(?:type|as)\s+(?:r#)?`
	types    = `(?:struct|enum|union)\s+(?:r#)?`
)

// isOtherType reports whether a name is that of a type of the tree, and of none but that, which is not owner.
func (a *Process) isOtherType(ctx context.Context, name, owner string) bool {
	return name != owner && a.isDeclared(ctx, name, types) && !a.isDeclared(ctx, name, renames)
}

// isParameter reports whether a name may be a type parameter of the source.
func isParameter(content, name string) bool {
	return len(name) < 3 || regexp.MustCompile(`(?:[<,(]|\bwhere\b)\s*`+name+`\s*:[^:]`).MatchString(content)
}

// isDeclared reports whether a source of the tree declares a name in a way, or a manifest has the name.
func (a *Process) isDeclared(ctx context.Context, name, how string) bool {
	is, ok := a.named.Get(ctx, a.Server, how+name, func() (bool, bool) {
		declaring := regexp.MustCompile(`\b` + how + name + `\b`)
		for path := range a.Server.Journal().Files() {
			base := filepath.Base(path)
			if base != manifestName && !a.Server.Spec().Serves(base) {
				continue
			}
			text, err := source.ReadBytes(path)
			if err != nil || base == manifestName && how == declares && namesCrate(string(text), name) ||
				base != manifestName && declaring.Match(text) {
				return true, true
			}
		}
		return false, true
	})
	return is || !ok
}

// namesCrate reports whether a manifest has the name of a crate, in which Cargo takes - for _.
func namesCrate(manifest, name string) bool {
	return source.HasWord(manifest, name) || strings.Contains(name, "_") &&
		strings.Contains(manifest, strings.ReplaceAll(name, "_", "-"))
}

// inherentFor matches the type of an implementation that is of no trait, behind the type parameters.
var inherentFor = source.LazyRegexp(`^\s*(?:\w+\s*::\s*)*(\w+)`)

// ownerOf returns the type in whose implementation the item stands that a line declares, going by the indentation of
// the lines; inherent is false in the implementation of a trait, and in a trait. "" for what is no member.
func ownerOf(text *source.Text, line int) (owner string, inherent bool) {
	if traitOf(text, line) >= 0 {
		return "trait", false
	}
	indent := indentOf(text.Line(line))
	for n := line - 1; n > 0 && indent > 0; n-- {
		above := text.Line(n)
		trimmed := strings.TrimSpace(above)
		switch {
		case trimmed == "" || indentOf(above) >= indent:
			continue
		case strings.Contains(trimmed, "trait "):
			return "trait", false
		case strings.HasPrefix(trimmed, "impl") || strings.HasPrefix(trimmed, "unsafe impl"):
			head := trimmed[beginsImpl.FindStringIndex(trimmed)[1]:]
			if m := inherentFor.FindStringSubmatch(head[parametersEnd(head):]); m != nil {
				return m[1], true
			}
			return "trait", false
		case strings.HasPrefix(trimmed, "}") || strings.HasSuffix(trimmed, "{") && trimmed != "{":
			if m := memberOf.FindStringSubmatch(trimmed); m != nil {
				return m[1], true // a variant or a field
			}
			return "", false
		}
	}
	return "", false
}

var memberOf = source.LazyRegexp(`\b(?:enum|struct|union)\s+(\w+)`)
