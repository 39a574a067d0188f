package setup

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

func (yamlList) change(text []byte, path []string, fields entryFields) ([]byte, error) {
	return changeYAML(text, path[0], fields)
}

func (yamlMap) change(text []byte, path []string, fields entryFields) ([]byte, error) {
	return changeYAML(text, path[0], fields)
}

// changeYAML changes the values of fields of the entry and keeps their forms: a block stays a block, an inline value
// stays inline. The parser knows where a value begins; its end is found in the text, so the caller compares the result
// with the file before.
func changeYAML(text []byte, key string, fields entryFields) ([]byte, error) {
	var root yaml.Node
	if err := yaml.Unmarshal(text, &root); err != nil {
		return nil, err
	}
	item := entryNode(&root, key)
	if item == nil {
		return nil, fmt.Errorf(
			"the entry of %q is written in a way that lspi setup does not change; change it by hand", name)
	}
	var all []splice
	for _, f := range fields {
		i := slices.IndexFunc(item.Content, func(n *yaml.Node) bool { return n.Value == f.key })
		if i < 0 || i%2 != 0 {
			return nil, fmt.Errorf("the entry has no %q; mend it, then run lspi setup again", f.key)
		}
		s, ok := valueOf(text, item.Content[i+1], f.value)
		if !ok {
			return nil, fmt.Errorf(
				"line %d: %q is written in a way that lspi setup does not change; change it by hand",
				item.Content[i].Line, f.key)
		}
		all = append(all, s)
	}
	return apply(text, all...), nil
}

// entryNode returns the entry of lspi below a key of the file; nil when there is none.
func entryNode(root *yaml.Node, key string) *yaml.Node {
	holder := memberOf(root.Content[0], key)
	if holder == nil {
		return nil
	}
	item := memberOf(holder, name)
	if i := slices.IndexFunc(holder.Content, isEntry); i >= 0 && holder.Kind == yaml.SequenceNode {
		item = holder.Content[i]
	}
	if item == nil || item.Kind != yaml.MappingNode {
		return nil
	}
	return item
}

// memberOf returns the value of a key of a map; nil when there is none.
func memberOf(n *yaml.Node, key string) *yaml.Node {
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

// valueOf returns the edit that replaces a value; false for a form that setup does not edit.
func valueOf(text []byte, n *yaml.Node, value any) (s splice, ok bool) {
	from := offsetOf(text, n)
	if from < 0 || n.Anchor != "" || n.Style&yaml.TaggedStyle != 0 {
		return s, false
	}
	s = splice{from: from, text: yamlValue(value)}
	switch {
	case n.Kind == yaml.SequenceNode && n.Style&yaml.FlowStyle == 0:
		list, isList := value.([]string)
		if !isList || len(list) == 0 || text[from] != '-' {
			return s, false
		}
		indent := strings.Repeat(" ", n.Column-1)
		var lines []string
		for _, one := range list {
			lines = append(lines, "- "+yamlValue(one))
		}
		s.to, s.text = endOfBlock(text, n), strings.Join(lines, "\n"+indent)
		return s, true
	case n.Kind == yaml.SequenceNode && text[from] == '[', n.Kind == yaml.ScalarNode &&
		n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0:
		s.to = endOfDelimited(text, from)
		return s, s.to > 0
	// A scalar that does not begin with its value is written over several lines, which setup does not edit.
	case n.Kind == yaml.ScalarNode && n.Style == 0 && bytes.HasPrefix(text[from:], []byte(n.Value)):
		s.to = from + len(n.Value)
		return s, n.Value != ""
	}
	return s, false
}

// offsetOf returns the offset of a node; -1 when it is beyond the text.
func offsetOf(text []byte, n *yaml.Node) int {
	at := offsetOfLine(text, n.Line)
	for range n.Column - 1 { // Column counts characters
		_, size := utf8.DecodeRune(text[at:])
		at += size
	}
	if at >= len(text) {
		return -1
	}
	return at
}

// endOfBlock returns where a block list ends: after the last line that is an item of it or is indented more, without
// the line end.
func endOfBlock(text []byte, n *yaml.Node) int {
	first, indent := offsetOfLine(text, n.Line), n.Column-1
	end := first
	for at := first; at < len(text); {
		next := len(text)
		if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
			next = at + i + 1
		}
		line := bytes.TrimRight(text[at:next], " \t\r\n")
		if len(line) > 0 {
			rest := bytes.TrimLeft(line, " ")
			depth := len(line) - len(rest)
			if at != first && depth <= indent &&
				!(depth == indent && (bytes.HasPrefix(rest, []byte("- ")) || string(rest) == "-")) {
				break
			}
			end = at + len(line)
		}
		at = next
	}
	return end
}

// endOfDelimited returns where a value ends that begins with a bracket or a quote; 0 when it does not end.
func endOfDelimited(text []byte, from int) int {
	depth, before := 0, byte('[') // before is the last character that is not space
	for at := from; at < len(text); at++ {
		c := text[at]
		switch c {
		case '"', '\'':
			if strings.IndexByte("[{,:", before) < 0 { // within a word, such as it's
				break
			}
			if at = endOfQuoted(text, at); at == 0 {
				return 0
			}
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		case '#':
			if at > 0 && strings.IndexByte(" \t\n", text[at-1]) >= 0 {
				if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
					at += i
				}
			}
		}
		if depth == 0 {
			return at + 1
		}
		if strings.IndexByte(" \t\r\n", c) < 0 {
			before = c
		}
	}
	return 0
}

// endOfQuoted returns the offset of the quote that closes the one at an offset; 0 when there is none.
func endOfQuoted(text []byte, at int) int {
	quote := text[at]
	for at++; at < len(text); at++ {
		switch {
		case quote == '"' && text[at] == '\\':
			at++
		case text[at] == quote && quote == '\'' && at+1 < len(text) && text[at+1] == quote:
			at++
		case text[at] == quote:
			return at
		}
	}
	return 0
}
