package tools

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"lspi/source"
)

// defined is how a macro is defined, aliased how another name of a type is.
var (
	defined = regexp.MustCompile(`^\s*#\s*define\s+(\w+)`)
	aliased = regexp.MustCompile(`\b(?:using\s+(\w+)\s*=|typedef\b.*\b(\w+)\s*;)`)
)

// macros adds to the names of the subject the macros and the aliases of types by which a source may use them, going by the
// files of a project.
func (c *Call) macros(ctx context.Context, files []string) {
	c.mu.Lock()
	names := slices.Clone(c.subject.names)
	c.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, holdersLimit)
	defer cancel()
	for found := names; len(found) > 0; {
		var next []string
		for _, path := range files {
			if ctx.Err() != nil {
				c.mu.Lock()
				c.subject.any = true
				c.mu.Unlock()
				return
			}
			next = append(next, macrosIn(path, found)...)
		}
		found = nil
		for _, name := range next {
			if !slices.Contains(names, name) {
				names, found = append(names, name), append(found, name)
			}
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.subject.names = names
}

// macrosIn are the macros that a file defines with one of names in their text, and the aliases of types so named.
func macrosIn(path string, names []string) (out []string) {
	text, err := source.Read(path)
	if err != nil || !slices.ContainsFunc(names, func(name string) bool { return strings.Contains(text.Content(), name) }) {
		return nil
	}
	macro := ""
	for n := 1; n <= text.Lines(); n++ {
		line := text.Line(n)
		body := line
		if m := defined.FindStringSubmatchIndex(line); m != nil {
			macro, body = line[m[2]:m[3]], line[m[3]:]
		}
		if m := aliased.FindStringSubmatch(line); m != nil && holdsAny(line, names) {
			out = append(out, m[1]+m[2])
		}
		if macro != "" && holdsAny(body, names) {
			out = append(out, macro)
		}
		if !strings.HasSuffix(strings.TrimRight(line, " \t"), `\`) {
			macro = ""
		}
	}
	return out
}

func holdsAny(text string, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return holdsWord([]byte(text), []byte(name)) })
}
