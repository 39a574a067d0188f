package config

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"lspi/lsp"
)

// leaf checks the value of a key and returns it in the form that the rest works with.
func (c *checker) leaf(path, name string, k *key, value any) (any, bool) {
	switch k.holds {
	case tBool:
		return typed[bool](c, path, name, "true or false", value)
	case tInt:
		return c.number(path, name, k, "a whole number", value)
	case tMillis:
		return c.number(path, name, k, "a whole number of milliseconds", value)
	case tStrings, tPaths, tExtensions, tTools, tMethods:
		return c.list(path, name, k, value)
	case tEnv, tMillisTable, tFree:
		return c.freeTable(path, name, k, value)
	}
	s, ok := typed[string](c, path, name, "a string", value)
	if !ok {
		return nil, false
	}
	return s, c.word(path, name, k, s)
}

// typed reports a value of the wrong type.
func typed[T any](c *checker, path, name, want string, value any) (T, bool) {
	v, ok := value.(T)
	if !ok {
		c.wrong(FindingWrongType, path, "%s must be %s, not %s", quoted(name), want, typeOf(value))
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

func (c *checker) number(path, name string, k *key, want string, value any) (any, bool) {
	if k.min > 0 {
		want += fmt.Sprintf(" of at least %d", k.min)
	}
	n, ok := typed[int64](c, path, name, want, value)
	if !ok {
		return nil, false
	}
	if n < k.min || n > maxNumber {
		if k.min == 0 {
			want += ", 0 or more"
		}
		c.wrong(FindingBadValue, path, "%s must be %s, not %d", quoted(name), want, n)
		return nil, false
	}
	return n, true
}

// serverID is what an id may look like: it is shown, logged and given back as an argument.
var serverID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}$`)

// word checks a string.
func (c *checker) word(path, name string, k *key, s string) bool {
	switch {
	case s == "":
		c.wrong(FindingBadValue, path, "%q is empty", name)
		return false
	case strings.ContainsRune(s, 0):
		c.wrong(FindingBadValue, path, "%q contains a NUL character", name)
		return false
	case k.holds == tEnum:
		return c.oneOf(path, name, s, k.values)
	case k.name == "servers[].id" && !serverID.MatchString(s):
		c.wrong(FindingBadValue, path, `"id" must be letters, digits, ".", "_", "+" or "-", at most 64, not %s`, quoted(s))
		return false
	case k.holds == tKind && s != generic && row(c.catalogue, s) == nil:
		c.unknownRow(path, name, s, append(rowNames(c.catalogue), generic))
		return false
	case k.name == "servers[].adapter" && row(c.catalogue, s) == nil:
		c.unknownRow(path, name, s, rowNames(c.catalogue))
		return false
	}
	return true
}

func (c *checker) oneOf(path, name, s string, values []string) bool {
	if slices.Contains(values, s) {
		return true
	}
	fix, hint := "", ""
	if near := nearest(s, values); near != "" {
		fix, hint = fmt.Sprintf("write %q", near), fmt.Sprintf(": did you mean %q?", near)
	}
	c.findAt(SeverityError, FindingBadValue, path, fix, "%q must be one of %s, not %s%s", name, strings.Join(values, ", "), quoted(s), hint)
	return false
}

func (c *checker) unknownRow(path, name, s string, names []string) {
	if near := nearest(s, names); near != "" {
		c.findAt(SeverityError, FindingBadValue, path, fmt.Sprintf("write %q", near), "unknown %s %s: did you mean %q?", name, quoted(s), near)
		return
	}
	c.findAt(SeverityError, FindingBadValue, path, "run: lspi doctor", "unknown %s %s: no server of the catalogue has this name", name, quoted(s))
}

// row is the catalogue's row of this name; rust_analyzer and rust-analyzer are the same.
func row(catalogue []lsp.Spec, name string) *lsp.Spec {
	for i := range catalogue {
		if s := &catalogue[i]; fold(s.ID) == fold(name) || s.Kind != "" && fold(s.Kind) == fold(name) {
			return s
		}
	}
	return nil
}

// rowNames are the rows as kind names them.
func rowNames(catalogue []lsp.Spec) []string {
	out := make([]string, len(catalogue))
	for i := range catalogue {
		out[i] = fold(catalogue[i].ID)
	}
	return out
}

// maxItems bounds lists and the number of servers: each folder in a stranger's file is looked at on disk.
const maxItems = 256

// list checks a list of strings, each with its own place.
func (c *checker) list(path, name string, k *key, value any) (any, bool) {
	items, ok := value.([]any)
	if !ok {
		want := "a list of strings"
		if s, isString := value.(string); isString && k.holds != tStrings {
			want += fmt.Sprintf(", such as [%s]", quoted(s))
		}
		c.wrong(FindingWrongType, path, "%q must be %s, not %s", name, want, typeOf(value))
		return nil, false
	}
	if len(items) > maxItems {
		c.wrong(FindingBadValue, path, "%q has %d items, the most is %d", name, len(items), maxItems)
		return nil, false
	}
	if k.holds == tExtensions && len(items) == 0 {
		c.wrong(FindingBadValue, path, `"extensions" is empty: name at least one, such as ["go"], or leave the key out to take the catalogue's`)
		return nil, false
	}
	out, sound := make([]string, 0, len(items)), true
	for i, item := range items {
		s, ok := c.item(index(path, i), name, k, item)
		if !ok {
			sound = false
		} else if k.holds == tStrings || !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out, sound
}

func (c *checker) item(path, name string, k *key, item any) (string, bool) {
	s, ok := item.(string)
	switch {
	case !ok:
		c.wrong(FindingWrongType, path, "%q must be a list of strings, not with %s in it", name, typeOf(item))
		return "", false
	case strings.ContainsRune(s, 0):
		c.wrong(FindingBadValue, path, "%q contains a NUL character", name)
		return "", false
	case k.holds == tExtensions:
		return c.extension(path, s)
	case k.holds == tTools:
		return s, c.tool(path, s)
	case k.holds == tMethods:
		return s, c.method(path, s)
	case k.holds == tPaths && s == "":
		c.wrong(FindingBadValue, path, "%q has an empty path", name)
		return "", false
	}
	return s, true
}

// extension takes ".RS" for rs: the dot and the case are how people write it, and there is nothing else it could mean.
func (c *checker) extension(path, s string) (string, bool) {
	ext := strings.ToLower(strings.TrimPrefix(s, "."))
	if ext == "" || strings.ContainsAny(ext, "/\\*?[]{} \t\r\n") {
		c.wrong(FindingBadValue, path, `%s is not a file extension: write it without the dot and without "*", such as "go"`, quoted(s))
		return "", false
	}
	return ext, true
}

func (c *checker) tool(path, s string) bool {
	if len(c.tools) == 0 || slices.Contains(c.tools, s) {
		return true
	}
	if near := nearest(s, c.tools); near != "" {
		c.findAt(SeverityError, FindingBadValue, path, fmt.Sprintf("write %q", near), "unknown tool %s: did you mean %q?", quoted(s), near)
		return false
	}
	c.findAt(SeverityError, FindingBadValue, path, "run: lspi tools", "unknown tool %s; lspi tools lists them", quoted(s))
	return false
}

// allMethods stands in a list of methods for every one.
const allMethods = "all"

func (c *checker) method(path, s string) bool {
	valid := append(lsp.RawMethods(c.catalogue), allMethods)
	if slices.Contains(valid, s) {
		return true
	}
	if near := nearest(s, valid); near != "" {
		c.findAt(SeverityError, FindingBadValue, path, fmt.Sprintf("write %q", near), "%s cannot be passed on: did you mean %q?", quoted(s), near)
		return false
	}
	c.wrong(FindingBadValue, path, "%s cannot be passed on; only these only read: %s", quoted(s), strings.Join(valid, ", "))
	return false
}

// freeTable checks a table whose keys are not ours. Values below env are never repeated.
func (c *checker) freeTable(path, name string, k *key, value any) (any, bool) {
	table, ok := typed[map[string]any](c, path, name, "a table", value)
	if !ok {
		return nil, false
	}
	sound := true
	for _, sub := range slices.Sorted(maps.Keys(table)) {
		at, label := join(path, sub), name+"."+sub
		switch k.holds {
		case tEnv:
			ok = c.variable(at, label, sub, table[sub])
		case tMillisTable:
			table[sub], ok = c.number(at, label, k, "a whole number of milliseconds", table[sub])
		default:
			table[sub], ok = c.jsonValue(at, label, table[sub])
		}
		sound = sound && ok
	}
	return table, sound
}

func (c *checker) variable(path, label, name string, value any) bool {
	s, ok := typed[string](c, path, label, "a string", value)
	if ok && (name == "" || strings.ContainsAny(name, "=\x00") || strings.ContainsRune(s, 0)) {
		c.wrong(FindingBadValue, path, "%s cannot be an environment variable", quoted(name))
		return false
	}
	return ok
}

// jsonValue brings a free value into the form in which it goes to the server. JSON has no infinities and no dates.
func (c *checker) jsonValue(path, label string, value any) (any, bool) {
	switch v := value.(type) {
	case float64:
		if math.IsInf(v, 0) || math.IsNaN(v) {
			c.wrong(FindingBadValue, path, "%s cannot be sent to a server: JSON has no %v", quoted(label), v)
			return nil, false
		}
	case time.Time:
		return v.Format(time.RFC3339Nano), true
	case map[string]any:
		sound := true
		for name := range v {
			var ok bool
			v[name], ok = c.jsonValue(join(path, name), label+"."+name, v[name])
			sound = sound && ok
		}
		return v, sound
	case []map[string]any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = v[i]
		}
		return c.jsonValue(path, label, list)
	case []any:
		sound := true
		for i := range v {
			var ok bool
			v[i], ok = c.jsonValue(index(path, i), label, v[i])
			sound = sound && ok
		}
		return v, sound
	}
	return value, true
}
