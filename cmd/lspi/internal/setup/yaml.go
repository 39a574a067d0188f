package setup

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// yamlList is YAML with a list of entries that have a key name.
type yamlList struct {
	begin string // the beginning of a new file
}

// yamlMap is YAML with a map of entries by name.
type yamlMap struct{}

// decodeYAML decodes a file with one document. Edits of a file with several could end up in the wrong one, so that
// is an error.
func decodeYAML(text []byte) (map[string]any, error) {
	var tree map[string]any
	d := yaml.NewDecoder(bytes.NewReader(text))
	if err := d.Decode(&tree); err != nil && len(bytes.TrimSpace(text)) > 0 && !strings.Contains(err.Error(), "EOF") {
		if !strings.Contains(err.Error(), "line ") { // for line 1 the library names none
			err = fmt.Errorf("line 1: %w", err)
		}
		return nil, fmt.Errorf("%w; mend the file, then run lspi setup again", err)
	}
	var more any
	if d.Decode(&more) == nil {
		return nil, errors.New("the file holds several YAML documents; lspi setup edits files with one")
	}
	if tree == nil {
		tree = map[string]any{}
	}
	return tree, nil
}

func (yamlList) decode(text []byte) (map[string]any, error) { return decodeYAML(text) }
func (yamlMap) decode(text []byte) (map[string]any, error)  { return decodeYAML(text) }

func (yamlList) find(tree map[string]any, path []string) map[string]any {
	list, _ := tree[path[0]].([]any)
	return named(list)
}

func (yamlMap) find(tree map[string]any, path []string) map[string]any {
	return jsonObject{}.find(tree, path)
}

func (f yamlList) add(text []byte, path []string, e entryFields) ([]byte, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return append(bytes.Clone(text), f.begin+f.show(path, e)...), nil
	}
	return addYAML(text, path[0], func(indent string) string { return listItem(e, indent) })
}

func (f yamlMap) add(text []byte, path []string, e entryFields) ([]byte, error) {
	return addYAML(text, path[0], func(indent string) string { return mapItem(e, indent) })
}

// addYAML inserts an item as the first one below a key, or adds the key with it at the end of the file.
func addYAML(text []byte, key string, item func(indent string) string) ([]byte, error) {
	var root yaml.Node
	if err := yaml.Unmarshal(text, &root); err != nil {
		return nil, err
	}
	if len(root.Content) > 0 && root.Content[0].Kind == yaml.MappingNode {
		members := root.Content[0].Content
		for i := 0; i+1 < len(members); i += 2 {
			if members[i].Value == key {
				return addItem(text, members[i], members[i+1], item)
			}
		}
	}
	block := key + ":\n" + item("  ")
	if len(text) > 0 && !bytes.HasSuffix(text, []byte("\n")) {
		block = "\n" + block
	}
	return apply(text, splice{len(text), len(text), block}), nil
}

// addItem inserts an item below a key whose value is empty ([], {} or nothing) or a block. A value in one line with
// items is an error: setup does not rewrite what users have written.
func addItem(text []byte, key, value *yaml.Node, item func(indent string) string) ([]byte, error) {
	after := offsetOfLine(text, key.Line+1)
	switch {
	case value.Kind == yaml.ScalarNode && value.Tag == "!!null" && value.Value == "":
		return apply(text, splice{after, after, newlineBefore(text, after) + item(strings.Repeat(" ", key.Column+1))}),
			nil
	case value.Style&yaml.FlowStyle != 0 && len(value.Content) == 0 && value.Line == key.Line:
		line := string(text[offsetOfLine(text, key.Line):after])
		for _, empty := range []string{"[]", "{}"} {
			if at := strings.Index(line, empty); at >= 0 {
				from := offsetOfLine(text, key.Line) + at
				from = len(bytes.TrimRight(text[:from], " "))
				return apply(text, splice{from, offsetOfLine(text, key.Line) + at + 2, ""},
					splice{after, after, newlineBefore(text, after) + item(strings.Repeat(" ", key.Column+1))}), nil
			}
		}
	case value.Style&yaml.FlowStyle == 0 && len(value.Content) > 0 && value.Line > key.Line:
		indent := strings.Repeat(" ", value.Column-1)
		return apply(text, splice{after, after, item(indent)}), nil
	}
	return nil, fmt.Errorf("line %d: %q is written in one line; write it as a block, then run lspi setup again",
		key.Line, key.Value)
}

func newlineBefore(text []byte, at int) string {
	if at > 0 && text[at-1] != '\n' {
		return "\n"
	}
	return ""
}

// offsetOfLine returns the offset of a line, which counts from 1; the end of the text when it has fewer lines.
func offsetOfLine(text []byte, line int) int {
	at := 0
	for ; line > 1; line-- {
		n := bytes.IndexByte(text[at:], '\n')
		if n < 0 {
			return len(text)
		}
		at += n + 1
	}
	return at
}

func listItem(e entryFields, indent string) string {
	var b strings.Builder
	for i, f := range e {
		lead := indent + "  "
		if i == 0 {
			lead = indent + "- "
		}
		b.WriteString(lead + f.key + ": " + yamlValue(f.value) + "\n")
	}
	return b.String()
}

func mapItem(e entryFields, indent string) string {
	var b strings.Builder
	b.WriteString(indent + name + ":\n")
	for _, f := range e {
		b.WriteString(indent + "  " + f.key + ": " + yamlValue(f.value) + "\n")
	}
	return b.String()
}

// yamlValue returns a word of lower-case letters as it is and everything else as JSON, which is valid YAML.
func yamlValue(v any) string {
	if s, ok := v.(string); ok && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz") == "" && s != "" {
		return s
	}
	return rendered(v)
}

func (yamlList) show(path []string, e entryFields) string { return path[0] + ":\n" + listItem(e, "  ") }
func (yamlMap) show(path []string, e entryFields) string  { return path[0] + ":\n" + mapItem(e, "  ") }

func (f yamlList) remove(text []byte, path []string, added string) ([]byte, error) {
	return removeYAML(f, text, path, added)
}

func (f yamlMap) remove(text []byte, path []string, added string) ([]byte, error) {
	return removeYAML(f, text, path, added)
}

// removeYAML removes the entry in whatever form it has now: hosts rewrite their files, and users add to the entry. A
// holder that setup has added is removed when it becomes empty; one that existed before becomes [] or {}.
func removeYAML(f format, text []byte, path []string, added string) ([]byte, error) {
	if left, err := removeText(text, added); err == nil && isWithout(f, left, path) {
		return left, nil
	}
	key := path[0]
	var root yaml.Node
	if err := yaml.Unmarshal(text, &root); err != nil || len(root.Content) == 0 ||
		root.Content[0].Kind != yaml.MappingNode {
		return nil, errChanged
	}
	members := root.Content[0].Content
	for i := 0; i+1 < len(members); i += 2 {
		holder := members[i+1]
		if members[i].Value != key || holder.Style&yaml.FlowStyle != 0 {
			continue
		}
		from, only := itemOf(text, holder)
		if from == 0 {
			break
		}
		all := []splice{linesOfItem(text, from, holder.Column-1)}
		switch first := offsetOfLine(text, members[i].Line); {
		case !only:
		case strings.HasPrefix(strings.TrimLeft(added, "\r\n"), key+":"):
			all = append(all, splice{from: first, to: offsetOfLine(text, members[i].Line+1)})
		default:
			empty := map[yaml.Kind]string{yaml.SequenceNode: " []", yaml.MappingNode: " {}"}[holder.Kind]
			line := text[first:offsetOfLine(text, members[i].Line+1)]
			at := first + bytes.IndexByte(line, ':') + 1
			all = append(all, splice{at, at, empty})
		}
		return apply(text, all...), nil
	}
	return nil, errChanged
}

// itemOf returns the line in which the entry begins, 0 for none, and whether it is the only one in its holder.
func itemOf(text []byte, holder *yaml.Node) (line int, only bool) {
	switch holder.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(holder.Content); i += 2 {
			if holder.Content[i].Value == name {
				return holder.Content[i].Line, len(holder.Content) == 2
			}
		}
	case yaml.SequenceNode:
		for _, item := range holder.Content {
			if !isEntry(item) {
				continue
			}
			for line = item.Line; line > holder.Line; line-- { // the dash may have a line of its own
				if at := offsetOfLine(text, line) + holder.Column - 1; at < len(text) && text[at] == '-' {
					break
				}
			}
			return line, len(holder.Content) == 1
		}
	}
	return 0, false
}

// isEntry reports whether an item of a list is the entry of lspi.
func isEntry(item *yaml.Node) bool {
	if item.Kind != yaml.MappingNode {
		return false
	}
	for i := 0; i+1 < len(item.Content); i += 2 {
		if item.Content[i].Value == "name" && item.Content[i+1].Value == name {
			return true
		}
	}
	return false
}

// linesOfItem returns the edit that removes an item: its line and all lines after it that are indented more, up to the
// last one that is not empty. The parser of YAML knows where values begin, and not where they end.
func linesOfItem(text []byte, line, indent int) splice {
	out := splice{from: offsetOfLine(text, line), to: offsetOfLine(text, line+1)}
	for at := out.to; at < len(text); {
		next := at + len(text[at:])
		if n := bytes.IndexByte(text[at:], '\n'); n >= 0 {
			next = at + n + 1
		}
		if !blank(text[at:next]) {
			if len(text[at:next])-len(bytes.TrimLeft(text[at:next], " ")) <= indent {
				break
			}
			out.to = next
		}
		at = next
	}
	return out
}
