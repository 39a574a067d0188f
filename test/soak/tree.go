//go:build linux

package main

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// tree is a project as files, with the truth about them.
type tree struct {
	files   map[string]string // by path relative to the root, with slashes
	marks   []mark
	impls   []mark              // where find_implementations finds the implementations of the interface
	outline map[string][]string // "first-last name" of the functions of a file, in order
	broken  map[string][]int    // lines with an error, by file
	docs    map[string]int      // revision of the documentation, by symbol
}

// mark is one place where the name of a symbol stands.
type mark struct {
	name         string
	role         role
	path         string
	line, column int    // from 1; code points
	in           string // the function around it; "" for none
}

type role uint8

const (
	defined role = iota
	declared
	used
)

func (m mark) String() string { return fmt.Sprintf("%s:%d:%d", m.path, m.line, m.column) }

func newTree() *tree {
	return &tree{files: map[string]string{}, outline: map[string][]string{}, broken: map[string][]int{},
		docs: map[string]int{}}
}

// of returns the places of a name in the given roles.
func (t *tree) of(name string, roles ...role) (out []mark) {
	for _, m := range t.marks {
		if m.name == name && slices.Contains(roles, m.role) {
			out = append(out, m)
		}
	}
	return out
}

// definition returns where a name is defined; ok is false when it is not.
func (t *tree) definition(name string) (m mark, ok bool) {
	if of := t.of(name, defined); len(of) > 0 {
		return of[0], true
	}
	return mark{}, false
}

// page writes one file and records where each name stands.
type page struct {
	t            *tree
	path         string
	text         strings.Builder
	line, column int
}

func (t *tree) page(path string) *page { return &page{t: t, path: path, line: 1, column: 1} }

func (p *page) put(parts ...string) *page {
	for _, s := range parts {
		p.text.WriteString(s)
		if i := strings.LastIndexByte(s, '\n'); i >= 0 {
			p.line += strings.Count(s, "\n")
			p.column, s = 1, s[i+1:]
		}
		p.column += utf8.RuneCountInString(s)
	}
	return p
}

func (p *page) name(name string, r role, in string) *page {
	p.t.marks = append(p.t.marks, mark{name, r, p.path, p.line, p.column, in})
	return p.put(name)
}

// implementer writes the name of a type that implements the interface, at the place that find_implementations returns.
func (p *page) implementer(name string, r role) *page {
	p.name(name, r, "")
	p.t.impls = append(p.t.impls, p.t.marks[len(p.t.marks)-1])
	return p
}

// wrong records that the current line has an error.
func (p *page) wrong() *page {
	p.t.broken[p.path] = append(p.t.broken[p.path], p.line)
	return p
}

// function records a function from line first to the current one.
func (p *page) function(name string, first int) {
	at := fmt.Sprint(first)
	if p.line > first {
		at = fmt.Sprintf("%d-%d", first, p.line)
	}
	p.t.outline[p.path] = append(p.t.outline[p.path], at+" "+name)
}

func (p *page) done() { p.t.files[p.path] = p.text.String() }
