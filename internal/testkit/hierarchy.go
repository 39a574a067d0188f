package testkit

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// Node is one line of a hierarchy in an answer (call_hierarchy, type_hierarchy).
type Node struct {
	Level        int    // 0 next to the root
	Earlier      bool   // marked with …
	Path         string // that of the line above when the line has none
	Line         int
	Calls        []int // the lines of the calls, after @
	Seen         bool
	More         int // the number after +
	Kind, Symbol string
	Source       string // the text after |
}

var nodeLine = regexp.MustCompile(`^( *)(… )?(.*):(\d+)(?:-\d+)? (?:generated )?(?:@([\d,]+) )?(seen )?(?:\+(\d+) )?(\w+) (.*)$`)

// Nodes reads the nodes of a hierarchy, given as []string or as []any of strings.
func Nodes(t testing.TB, list any) []Node {
	t.Helper()
	var lines []string
	switch list := list.(type) {
	case []string:
		lines = list
	case []any:
		for _, line := range list {
			lines = append(lines, line.(string))
		}
	}
	out, err := ReadNodes(lines)
	Must(t, err)
	return out
}

// ReadNodes reads the nodes of a hierarchy.
func ReadNodes(lines []string) (out []Node, err error) {
	above := ""
	for _, line := range lines {
		m := nodeLine.FindStringSubmatch(line)
		if m == nil {
			return nil, fmt.Errorf("no node of a hierarchy: %q", line)
		}
		n := Node{Level: len(m[1]), Earlier: m[2] != "", Path: m[3], Seen: m[6] != "", Kind: m[8]}
		n.Symbol, n.Source, _ = strings.Cut(m[9], " | ")
		n.Line, _ = strconv.Atoi(m[4])
		n.More, _ = strconv.Atoi(m[7])
		for call := range strings.SplitSeq(m[5], ",") {
			if at, err := strconv.Atoi(call); err == nil {
				n.Calls = append(n.Calls, at)
			}
		}
		if n.Path == "" {
			n.Path = above
		}
		above = n.Path
		out = append(out, n)
	}
	return out, nil
}
