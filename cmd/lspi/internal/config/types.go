package config

import (
	"fmt"
	"maps"
	"math"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/lsp/spec"
)

// valueType is what a key holds. The values of this file are all that there are; a key's row names one of them.
type valueType struct {
	words  string        // in the documentation
	values []string      // of an enumeration
	unit   time.Duration // of a number that is stored as a time.Duration
	// check makes findings of what is wrong with a decoded value, and returns the value in the form that is merged.
	check func(c *checker, at place, value any) (any, bool)
	// resolve makes the paths of a checked value absolute; nil for values without paths.
	resolve func(p *pathResolver, at setting) (any, bool)
}

// place is where a value stands.
type place struct {
	path string // as findings name it, such as servers[0].env.PATH
	name string // as messages name it, such as env.PATH
}

func (at place) entry(name string) place { return place{join(at.path, name), at.name + "." + name} }

func (at place) element(i int) place { return place{index(at.path, i), at.name} }

var (
	boolean   = valueType{words: "boolean", check: checkBool}
	text      = word("string")
	serverID  = word("string", checkServerID)
	rowOrNone = word("string", checkKind)
	rowName   = word("string", checkAdapter)
	// A folder or file. root is relative to the file, folder to the workspace, output to the file and need not exist.
	root      = word("path")
	folder    = resolved(word("path"), (*pathResolver).folderOf)
	logOutput = resolved(word("path"), (*pathResolver).outputOf)
	// A program: a name to look up on PATH, or a path when it has a slash.
	command    = resolved(word("string"), (*pathResolver).commandOf)
	texts      = list("list of strings", nil)
	globs      = list("list of globs", checkGlob)
	folderList = resolved(list("list of paths", checkPath), (*pathResolver).foldersOf)
	fileList   = resolved(list("list of paths", checkPath), (*pathResolver).filesOf)
	extensions = nonEmpty(list("list of strings", checkExtension),
		`"extensions" is empty: name at least one, such as ["go"], or leave the key out to take the catalogue's`)
	toolList    = list("list of tool names", checkTool)
	allowList   = list("list of tool names", checkAllowed)
	presetTools = list("list of tool names", checkPresetTool)
	// What a tool's arguments are when a call does not say.
	argumentTable = table("table of arguments", checkArgument)
	mcpCommand    = resolved(word("string"), (*pathResolver).programOf)

	methodList  = list("list of LSP methods", checkMethod)
	environment = table("table of strings", checkVariable)
	freeTable   = table("table", checkJSON)
	// Folders here by their names on another machine.
	pathTable = resolved(table("table of paths", checkRemotePath), (*pathResolver).pairsOf)
)

func integer(least int64) valueType { return number("integer", "a whole number", least, 0) }

func minutes() valueType { return number("integer", "a whole number", 0, time.Minute) }

func millis(least int64) valueType {
	return number("milliseconds", "a whole number of milliseconds", least, time.Millisecond)
}

// millisByMethod is a table of milliseconds, by LSP method.
func millisByMethod(least int64) valueType {
	t := table("table of milliseconds", func(c *checker, at place, _ string, value any) (any, bool) {
		return millis(least).check(c, at, value)
	})
	t.unit = time.Millisecond
	return t
}

func oneOf(values []string) valueType {
	t := word("string", func(c *checker, at place, s string) bool { return c.oneOf(at, s, values) })
	t.values = values
	return t
}

func resolved(t valueType, resolve func(p *pathResolver, at setting) (any, bool)) valueType {
	t.resolve = resolve
	return t
}

// typed is the value when it has type T; otherwise it makes a finding.
func typed[T any](c *checker, at place, want string, value any) (T, bool) {
	v, ok := value.(T)
	if !ok {
		c.wrong(FindingWrongType, at.path, "%s must be %s, not %s", quoted(at.name), want, typeOf(value))
	}
	return v, ok
}

// typeOf is the TOML type of a decoded value, in words.
func typeOf(value any) string {
	switch value.(type) {
	case string:
		return "a string"
	case int64:
		return "an integer"
	case float64:
		return "a float"
	case bool:
		return "a boolean"
	case time.Time:
		return "a date"
	case map[string]any:
		return "a table"
	case []map[string]any:
		return "an array of tables"
	}
	return "an array"
}

func checkBool(c *checker, at place, value any) (any, bool) {
	return typed[bool](c, at, "true or false", value)
}

// maxNumber bounds every number, so that no duration overflows: about 31 years in milliseconds.
const maxNumber = 1_000_000_000_000

func number(words, want string, least int64, unit time.Duration) valueType {
	wanted, detailed := want, want+", 0 or more"
	if least > 0 {
		wanted = fmt.Sprintf("%s of at least %d", want, least)
		detailed = wanted
	}
	return valueType{words: words, unit: unit, check: func(c *checker, at place, value any) (any, bool) {
		n, ok := typed[int64](c, at, wanted, value)
		if ok && (n < least || n > maxNumber) {
			c.wrong(FindingBadValue, at.path, "%s must be %s, not %d", quoted(at.name), detailed, n)
			return nil, false
		}
		return n, ok
	}}
}

// word is a string that is not empty, with further checks.
func word(words string, checks ...func(c *checker, at place, s string) bool) valueType {
	return valueType{words: words, check: func(c *checker, at place, value any) (any, bool) {
		s, ok := typed[string](c, at, "a string", value)
		if ok && s == "" {
			c.wrong(FindingBadValue, at.path, "%q is empty", at.name)
			return nil, false
		}
		ok = ok && c.withoutNUL(at, s)
		for _, check := range checks {
			ok = ok && check(c, at, s)
		}
		return s, ok
	}}
}

func (c *checker) withoutNUL(at place, s string) bool {
	if strings.ContainsRune(s, 0) {
		c.wrong(FindingBadValue, at.path, "%q contains a NUL character", at.name)
		return false
	}
	return true
}

// idPattern is what an id may look like: it is shown, logged and given back as an argument.
var idPattern = source.LazyRegexp(`^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}$`)

func checkServerID(c *checker, at place, s string) bool {
	if !idPattern.MatchString(s) {
		c.wrong(FindingBadValue, at.path, `"id" must be letters, digits, ".", "_", "+" or "-", at most 64, not %s`,
			quoted(s))
		return false
	}
	return true
}

func (c *checker) oneOf(at place, s string, values []string) bool {
	message := fmt.Sprintf("%q must be one of %s, not %s", at.name, strings.Join(values, ", "), quoted(s))
	return c.known(at, s, values, message, message, "")
}

func checkKind(c *checker, at place, s string) bool { return s == generic || c.isRow(at, s, generic) }

func checkAdapter(c *checker, at place, s string) bool { return c.isRow(at, s) }

// isRow reports whether a row of the catalogue has this name; others are names that are valid too.
func (c *checker) isRow(at place, s string, others ...string) bool {
	if row(c.catalogue, s) != nil {
		return true
	}
	unknown := fmt.Sprintf("unknown %s %s", at.name, quoted(s))
	return c.known(at, s, append(rowNames(c.catalogue), others...), unknown,
		unknown+": no server of the catalogue has this name", "run: lspi doctor")
}

// known reports whether a word is one of those that are valid. If not, the message names the nearest one, else it is
// otherwise, with its fix.
func (c *checker) known(at place, s string, valid []string, message, otherwise, fix string) bool {
	if slices.Contains(valid, s) {
		return true
	}
	if near := nearest(s, valid); near != "" {
		c.findAt(SeverityError, FindingBadValue, at.path, fmt.Sprintf("write %q", near), "%s: did you mean %q?",
			message, near)
		return false
	}
	c.findAt(SeverityError, FindingBadValue, at.path, fix, "%s", otherwise)
	return false
}

// maxItems bounds lists and the number of servers: each folder in a stranger's file is looked at on disk.
const maxItems = 256

// items are the strings of a list. example shows in a message how the value would be written as one.
func (c *checker) items(at place, value any, example bool) ([]any, bool) {
	items, ok := value.([]any)
	if !ok {
		want := "a list of strings"
		if s, isString := value.(string); isString && example {
			want += fmt.Sprintf(", such as [%s]", quoted(s))
		}
		c.wrong(FindingWrongType, at.path, "%q must be %s, not %s", at.name, want, typeOf(value))
		return nil, false
	}
	if len(items) > maxItems {
		c.wrong(FindingBadValue, at.path, "%q has %d items, the most is %d", at.name, len(items), maxItems)
		return nil, false
	}
	return items, true
}

func (c *checker) item(at place, item any) (string, bool) {
	s, ok := item.(string)
	if !ok {
		c.wrong(FindingWrongType, at.path, "%q must be a list of strings, not with %s in it", at.name, typeOf(item))
		return "", false
	}
	return s, c.withoutNUL(at, s)
}

// list is a list of strings, each with its own check, of which none counts twice; with nil for the check they mean
// what their program says, so that one may stand there twice.
func list(words string, check func(c *checker, at place, s string) (string, bool)) valueType {
	return valueType{words: words, check: func(c *checker, at place, value any) (any, bool) {
		items, ok := c.items(at, value, check != nil)
		out := make([]string, 0, len(items))
		for i, item := range items {
			s, sound := c.item(at.element(i), item)
			if sound && check != nil {
				s, sound = check(c, at.element(i), s)
			}
			if ok = ok && sound; sound && (check == nil || !slices.Contains(out, s)) {
				out = append(out, s)
			}
		}
		return out, ok
	}}
}

func nonEmpty(t valueType, otherwise string) valueType {
	check := t.check
	t.check = func(c *checker, at place, value any) (any, bool) {
		if items, ok := value.([]any); ok && len(items) == 0 {
			c.wrong(FindingBadValue, at.path, "%s", otherwise)
			return nil, false
		}
		return check(c, at, value)
	}
	return t
}

func checkPath(c *checker, at place, s string) (string, bool) {
	if s == "" {
		c.wrong(FindingBadValue, at.path, "%q has an empty path", at.name)
	}
	return s, s != ""
}

// checkGlob refuses what no path matches.
func checkGlob(c *checker, at place, s string) (string, bool) {
	ok := s != "" && doublestar.ValidatePattern(s)
	if !ok {
		c.wrong(FindingBadValue, at.path, `%s is not a glob, such as "*.pb.go"`, quoted(s))
	}
	return s, ok
}

// checkExtension takes ".RS" for rs: the dot and the case are how people write it, and there is nothing else it
// could mean.
func checkExtension(c *checker, at place, s string) (string, bool) {
	ext := strings.ToLower(strings.TrimPrefix(s, "."))
	if ext == "" || strings.ContainsAny(ext, "/\\*?[]{} \t\r\n") {
		c.wrong(FindingBadValue, at.path,
			`%s is not a file extension: write it without the dot and without "*", such as "go"`, quoted(s))
		return "", false
	}
	return ext, true
}

// allMethods stands in a list of methods for every one.
const allMethods = "all"

func checkMethod(c *checker, at place, s string) (string, bool) {
	valid := append(lsp.RawMethods(c.catalogue), allMethods)
	refused := quoted(s) + " cannot be passed on"
	otherwise := refused + "; only these only read: " + strings.Join(valid, ", ")
	if !slices.Contains(valid, s) && lsp.ClosestMethod(s, valid) == "" {
		c.wrong(FindingBadValue, at.path, "%s", otherwise)
		return s, false
	}
	return s, c.known(at, s, valid, refused, otherwise, "")
}

// table is a table whose keys are not lspi's.
func table(words string, check func(c *checker, at place, name string, value any) (any, bool)) valueType {
	return valueType{words: words, check: func(c *checker, at place, value any) (any, bool) {
		entries, sound := typed[map[string]any](c, at, "a table", value)
		for _, name := range slices.Sorted(maps.Keys(entries)) {
			var ok bool
			entries[name], ok = check(c, at.entry(name), name, entries[name])
			sound = sound && ok
		}
		return entries, sound
	}}
}

// checkVariable never repeats the value, which may be a secret.
func checkVariable(c *checker, at place, name string, value any) (any, bool) {
	s, ok := typed[string](c, at, "a string", value)
	if ok && (name == "" || strings.ContainsAny(name, "=\x00") || strings.ContainsRune(s, 0)) {
		c.wrong(FindingBadValue, at.path, "%s cannot be an environment variable", quoted(name))
		return nil, false
	}
	return s, ok
}

// checkRemotePath wants the path of a folder on a machine that is none of Windows'.
func checkRemotePath(c *checker, at place, name string, value any) (any, bool) {
	s, ok := typed[string](c, at, "a string", value)
	if ok && (name == "" || !path.IsAbs(s) || strings.ContainsRune(s+name, 0)) {
		c.wrong(FindingBadValue, at.path, "%s must be the absolute path there of the folder %s, such as \"/workspaces/app\"",
			quoted(s), quoted(name))
		return nil, false
	}
	return s, ok
}

func checkJSON(c *checker, at place, _ string, value any) (any, bool) { return c.jsonValue(at, value) }

// jsonValue brings a free value into the form in which it goes to the server. JSON has no infinities and no dates.
func (c *checker) jsonValue(at place, value any) (any, bool) {
	sound := true
	keep := func(value any, ok bool) any {
		sound = sound && ok
		return value
	}
	switch v := value.(type) {
	case float64:
		if math.IsInf(v, 0) || math.IsNaN(v) {
			c.wrong(FindingBadValue, at.path, "%s cannot be sent to a server: JSON has no %v", quoted(at.name), v)
			return nil, false
		}
	case time.Time:
		return v.Format(time.RFC3339Nano), true
	case map[string]any:
		for name := range v {
			v[name] = keep(c.jsonValue(at.entry(name), v[name]))
		}
	case []map[string]any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = v[i]
		}
		return c.jsonValue(at, list)
	case []any:
		for i := range v {
			v[i] = keep(c.jsonValue(at.element(i), v[i]))
		}
	}
	return value, sound
}

// generic is the kind of a server that the catalogue does not know.
const generic = "generic"

// row is the catalogue's row of this name; rust_analyzer and rust-analyzer are the same.
func row(catalogue []spec.Spec, name string) *spec.Spec {
	for i := range catalogue {
		if s := &catalogue[i]; contract.Fold(s.ID) == contract.Fold(name) || s.Kind != "" &&
			contract.Fold(s.Kind) == contract.Fold(name) {
			return s
		}
	}
	return nil
}

// rowNames are the rows as kind names them.
func rowNames(catalogue []spec.Spec) []string {
	out := make([]string, len(catalogue))
	for i := range catalogue {
		out[i] = contract.Fold(catalogue[i].ID)
	}
	return out
}
