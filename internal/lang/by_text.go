package lang

import (
	"go/token"
	"slices"
	"strings"

	"lspi/internal/source"
)

// ByText is the rule by which a running program finds a declaration of a language by a text that is its name. kind is
// that of LSP, in words; "" where it is not known. module is the name of the package around the declaration. before is
// the text in front of the name.
type ByText func(name, kind, module, before string, use Use) bool

// goByText: templates and package reflect see exported members, the names of types, and, by their names alone,
// unexported fields (text/template, Arguments; reflect.Value.FieldByName); package plugin sees what package main
// exports. Nothing else of Go has its name at run time.
func goByText(name, kind, module, before string, use Use) bool {
	member := slices.Contains([]string{"", "method", "field", "property"}, kind)
	switch {
	case use == QualifiedUse: // the flag -X of the linker sets variables that are not exported, too
		return true
	case use == AloneUse && namedBefore.MatchString(before):
		return true
	case !token.IsExported(name):
		return false
	}
	isType := slices.Contains([]string{"class", "struct", "interface"}, kind)
	return member || isType || use == AloneUse && module == "main"
}

// rustByText: a program of Rust knows nothing of its modules and traits by their names. What an attribute names
// (with = "path" of serde), a macro makes code of. Fields, variants and types may be what is written out by their
// names, functions and methods what the linker finds, or another language calls.
func rustByText(name, kind, _, before string, use Use) bool {
	return use != AloneUse || kind != "module" && kind != "interface" || inRustAttribute(before)
}

// inRustAttribute reports whether what follows a text is in a string of an attribute.
func inRustAttribute(before string) bool {
	i := max(strings.LastIndex(before, "#["), strings.LastIndex(before, "#!["))
	if i < 0 {
		return false
	}
	code := rustString.ReplaceAllString(before[i:], "")
	return strings.Count(code, "[") > strings.Count(code, "]")
}

var rustString = source.LazyRegexp(`"(?:[^"\\]|\\.)*"`)

// namedBefore matches the call of a function that takes the name of a declaration, up to the string.
var namedBefore = source.LazyRegexp("\\b(?:\\w*ByName|Lookup)\\(\\s*[\"`]$")

// goModule returns the name of the package of a Go source.
func goModule(text string) string {
	if found := packageClause.FindStringSubmatch(text); found != nil {
		return found[1]
	}
	return ""
}

var packageClause = source.LazyRegexp(`(?m)^package[ \t]+([\pL_][\pL\pN_]*)`)

// FoundByText reports whether the name at an offset of a text may find a declaration when the program runs, which is
// true for a language without a rule.
func (l *Language) FoundByText(name, kind, module, text string, offset int, use Use) bool {
	return l.ByText == nil || l.ByText(name, kind, module, strings.ToValidUTF8(text[max(0, offset-MaxScanned):offset],
		""), use)
}

// ModuleOf returns the name by which others refer to what a text declares; "" where that is the file's own.
func (l *Language) ModuleOf(text string) string {
	if l.Module == nil {
		return ""
	}
	return l.Module(text)
}

// goNamedAfter returns the name of the example in a test of Go that go vet, and go test, take for one of the
// declaration (package testing, Examples). line is that of the declaration.
func goNamedAfter(name, line string) []string {
	if !token.IsExported(name) {
		return nil
	}
	if of := methodHead.FindStringSubmatch(line); of != nil {
		return []string{"Example" + of[1] + "_" + name}
	}
	return []string{"Example" + name}
}

var methodHead = source.LazyRegexp(`^func\s*\(\s*(?:[\pL_][\pL\pN_]*\s+)?\*?\s*([\pL_][\pL\pN_]*)`)

// Receiver returns the type whose method a line of Go declares by the name at an offset, "" for a function; ok is false
// where the line does not declare one by that name.
func Receiver(line string, at int) (of string, ok bool) {
	before := strings.TrimRight(line[:at], " \t")
	if before == "func" {
		return "", true
	}
	if m := methodHead.FindStringSubmatch(before); m != nil && strings.IndexByte(before, ')') == len(before)-1 {
		return m[1], true
	}
	return "", false
}

// goReadsNames returns the calls of package reflect that take an exported member by a name that is computed, or that
// lead to each member by its number.
func goReadsNames(text, name string, method bool) (out []int) {
	if !strings.Contains(text, `"reflect"`) || !token.IsExported(name) {
		return nil
	}
	kind := "Field"
	if method {
		kind = "Method"
	}
	for _, m := range goReflected.FindAllStringSubmatchIndex(text, -1) {
		begins := ""
		if m[4] >= 0 {
			begins = text[m[4]:m[5]]
		}
		// What a computed name begins with may tell that it is another one.
		if isWhole := m[6] >= 0; !isWhole && strings.Contains(text[m[2]:m[3]], kind) && strings.HasPrefix(name, begins) {
			out = append(out, m[2])
		}
	}
	return out
}

// goReflected matches the name of such a call, the literal with which its argument begins, and the parenthesis right
// behind that, where it is the whole argument.
var goReflected = source.LazyRegexp(
	"\\.(NumMethod\\(\\s*\\)|NumField\\(\\s*\\)|MethodByName\\(|FieldByName\\()\\s*(?:[\"`]([^\"`\\n]*)[\"`]\\s*(\\))?)?")

// goFormat matches the import of a package for a format whose keys are the names of exported fields, unless a tag gives
// others; the group is the key of that tag.
var goFormat = source.LazyRegexp(
	`"(?:encoding/(json|xml|gob)|[\w./-]*/go-(json|yaml)|[\w./-]*[/.](yaml|toml)(?:[./]v\d+)?)"`)

// goWritesNames is [Language].WritesNames for Go.
func goWritesNames(text, name, line string) string {
	if !token.IsExported(name) {
		return ""
	}
	for _, m := range goFormat.FindAllStringSubmatch(text, -1) {
		key := m[1] + m[2] + m[3] + `:"`
		if i := strings.Index(line, key); i < 0 || strings.HasPrefix(line[i+len(key):], ",") {
			return strings.Trim(m[0], `"`)
		}
	}
	return ""
}
