package setup

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// tomlTable is TOML with a table of entries by name, or with an array of tables that have a key name. go-toml reads it
// and not the library of lspi's own configuration: that one accepts a table that extends an inline table, which Codex
// refuses.
type tomlTable struct{ array bool }

func (f tomlTable) decode(text []byte) (map[string]any, error) {
	tree := map[string]any{}
	if err := toml.Unmarshal(text, &tree); err != nil {
		if d := (*toml.DecodeError)(nil); errors.As(err, &d) {
			line, _ := d.Position()
			return nil, fmt.Errorf("line %d: %s; mend the file, then run lspi setup again", line,
				strings.TrimPrefix(d.Error(), "toml: "))
		}
		return nil, fmt.Errorf("%w; mend the file, then run lspi setup again", err)
	}
	return tree, nil
}

func (f tomlTable) find(tree map[string]any, path []string) map[string]any {
	if !f.array {
		return jsonObject{}.find(tree, path)
	}
	switch list := tree[path[0]].(type) {
	case []map[string]any:
		for _, one := range list {
			if one["name"] == name {
				return one
			}
		}
	case []any:
		return named(list)
	}
	return nil
}

// named returns the entry of lspi in a list, nil when there is none.
func named(list []any) map[string]any {
	for _, one := range list {
		if m := mapOf(one); m["name"] == name {
			return m
		}
	}
	return nil
}

// add appends the table at the end of the file. When the holder of the entries is written inline, as Vibe writes it,
// the entry becomes its first element.
func (f tomlTable) add(text []byte, path []string, e entryFields) ([]byte, error) {
	spot, err := f.locate(text, path)
	if err != nil {
		return nil, err
	}
	if spot.holder > 0 {
		return apply(text, f.inFront(text, spot, e)), nil
	}
	block := f.show(path, e)
	switch {
	case len(bytes.TrimSpace(text)) == 0:
		return append(slices.Clone(text), block...), nil
	case !bytes.HasSuffix(text, []byte("\n")):
		block = "\n\n" + block
	default:
		block = "\n" + block
	}
	return apply(text, splice{len(text), len(text), block}), nil
}

func (f tomlTable) show(path []string, e entryFields) string {
	header := "[" + strings.Join(path, ".") + "." + name + "]\n"
	if f.array {
		header = "[[" + strings.Join(path, ".") + "]]\n"
	}
	var b strings.Builder
	for _, field := range e {
		b.WriteString(field.key + " = " + tomlValue(field.value) + "\n")
	}
	return header + b.String()
}

func tomlValue(v any) string {
	switch v := v.(type) {
	case string:
		return tomlString(v)
	case []string:
		var out []string
		for _, s := range v {
			out = append(out, tomlString(s))
		}
		return "[" + strings.Join(out, ", ") + "]"
	case int:
		return strconv.Itoa(v)
	}
	return fmt.Sprint(v)
}

// tomlString returns a basic string of TOML. The escapes of JSON are valid there; only DEL needs one that JSON lacks.
func tomlString(s string) string { return strings.ReplaceAll(quoted(s), "\x7f", `\u007f`) }

// change replaces the values of keys of the entry.
func (f tomlTable) change(text []byte, path []string, fields entryFields) ([]byte, error) {
	spot, err := f.locate(text, path)
	if err != nil {
		return nil, err
	}
	var all []splice
	for _, field := range fields {
		at, there := spot.fields[field.key]
		if !there {
			return nil, fmt.Errorf("the entry has no %q; mend it, then run lspi setup again", field.key)
		}
		all = append(all, splice{at.from, at.to, field.key + " = " + tomlValue(field.value)})
	}
	return apply(text, all...), nil
}

// remove removes the entry in whatever form it has now: hosts rewrite their files, and users add to the entry.
func (f tomlTable) remove(text []byte, path []string, added string) ([]byte, error) {
	if left, err := removeText(text, added); err == nil && isWithout(f, left, path) {
		return left, nil
	}
	spot, err := f.locate(text, path)
	if err != nil || len(spot.parts) == 0 {
		return nil, errChanged
	}
	return apply(text, spot.parts...), nil
}

// errChanged is the error when what setup wrote has changed too much to be taken out.
var errChanged = errors.New("the entry was changed since lspi setup wrote it; remove it by hand")

// isWithout reports whether a text can be read and has no entry.
func isWithout(f format, text []byte, path []string) bool {
	tree, err := f.decode(text)
	return err == nil && f.find(tree, path) == nil
}

// removeText removes what was inserted, if the text has it exactly once.
func removeText(text []byte, added string) ([]byte, error) {
	if added == "" || bytes.Count(text, []byte(added)) != 1 {
		return nil, errChanged
	}
	at := bytes.Index(text, []byte(added))
	left := splice{from: at, to: at + len(added)}
	if strings.HasPrefix(strings.TrimPrefix(added, "\r"), "\n") && at > 0 && text[at-1] != '\n' &&
		left.to < len(text) && text[left.to] != '\n' && text[left.to] != '\r' {
		left.text = "\n" // the line before had no end
	}
	return apply(text, left), nil
}
