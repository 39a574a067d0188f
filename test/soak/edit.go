//go:build linux

package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// The limits on the size of a project. A fresh server has to be ready in seconds.
const (
	minUnits = 8
	maxUnits = 30
)

// move is a rename on disk: of a file, given without its extension, or of a folder.
type move struct{ from, to string }

// editor makes the random edits of one step.
type editor struct {
	p       *project
	r       *rand.Rand
	earlier *project // a state to check out; nil when there is none
	moves   []move
}

// weighted is something that is chosen with a probability proportional to its weight.
type weighted[T any] struct {
	weight int
	it     T
}

// choose returns one of several by their weights.
func choose[T any](r *rand.Rand, from []weighted[T]) T {
	total := 0
	for _, k := range from {
		total += k.weight
	}
	n := r.IntN(total)
	i := slices.IndexFunc(from, func(k weighted[T]) bool {
		n -= k.weight
		return n < 0
	})
	return from[i].it
}

// edits are functions that change the model and return what they did; "" when they could not.
var edits = []weighted[func(e *editor) string]{
	{10, (*editor).insertLines},
	{8, (*editor).removeLines},
	{6, (*editor).topLines},
	{14, (*editor).addCall},
	{10, (*editor).removeCall},
	{6, (*editor).addSymbol},
	{5, (*editor).removeSymbol},
	{4, (*editor).renameSymbol},
	{5, (*editor).addUnit},
	{4, (*editor).removeUnit},
	{4, (*editor).renameUnit},
	{3, (*editor).moveUnit},
	{2, (*editor).addFolder},
	{1, (*editor).removeFolder},
	{2, (*editor).renameFolder},
	{2, (*editor).touchProject},
	{2, (*editor).everywhere},
	{6, (*editor).breakLine},
	{6, (*editor).repair},
	{4, (*editor).document},
	{1, (*editor).checkout},
}

// random makes one edit and returns what it did.
func (e *editor) random() string {
	for {
		if words := choose(e.r, edits)(e); words != "" {
			return words
		}
	}
}

func (e *editor) symbol() *symbol { return pick(e.r, e.p.symbols()) }

func (e *editor) function() *symbol { return pick(e.r, e.p.functions()) }

func (e *editor) unit() *unit { return pick(e.r, e.p.units()) }

func (e *editor) lines() (out []string) {
	for range 1 + e.r.IntN(4) {
		out = append(out, fmt.Sprint(pick(e.r, oddTexts), " ", e.p.number()))
	}
	return out
}

func (e *editor) insertLines() string {
	s := e.symbol()
	if len(s.pad) > 40 {
		return ""
	}
	s.pad = append(s.pad, e.lines()...)
	return "insert lines above " + s.name
}

func (e *editor) removeLines() string {
	s := e.symbol()
	if len(s.pad) == 0 {
		return ""
	}
	s.pad = s.pad[:e.r.IntN(len(s.pad))]
	return "remove lines above " + s.name
}

func (e *editor) topLines() string {
	u := e.unit()
	if len(u.top) > 40 {
		u.top = nil
		return "remove the first lines of " + u.path()
	}
	u.top = append(u.top, e.lines()...)
	return "insert lines at the top of " + u.path()
}

func (e *editor) addCall() string {
	s := e.function()
	if len(s.body) > 8 || !e.p.addCall(e.r, s) {
		return ""
	}
	return "add a call in " + s.name
}

func (e *editor) removeCall() string {
	s := e.function()
	if len(s.body) == 0 {
		return ""
	}
	i := e.r.IntN(len(s.body))
	s.body = slices.Delete(s.body, i, i+1)
	return "remove a line in " + s.name
}

func (e *editor) addSymbol() string {
	u := e.unit()
	if len(u.symbols) > 10 {
		return ""
	}
	return "add " + e.p.addSymbol(e.r, u).name + " to " + u.path()
}

func (e *editor) removeSymbol() string {
	s := e.symbol()
	if len(e.p.functions()) < 12 {
		return ""
	}
	e.p.drop(s)
	return "remove " + s.name + " from " + s.unit.path()
}

func (e *editor) renameSymbol() string {
	s := e.symbol()
	was := s.name
	s.name = e.p.symbolName(e.r, s.concrete)
	return "rename " + was + " to " + s.name
}

func (e *editor) addUnit() string {
	if len(e.p.units()) >= maxUnits {
		return ""
	}
	return "new file " + e.newUnit(pick(e.r, e.p.folders)).path()
}

// newUnit adds a file whose functions call others.
func (e *editor) newUnit(f *folder) *unit {
	u := e.p.addUnit(e.r, f, false)
	for _, s := range u.symbols {
		if !s.concrete {
			e.p.addCall(e.r, s)
		}
	}
	return u
}

func (e *editor) removeUnit() string {
	u := e.unit()
	if u.base || len(e.p.units()) <= minUnits || len(u.folder.units) < 2 {
		return ""
	}
	e.p.drop(u.symbols...)
	u.folder.units = slices.DeleteFunc(u.folder.units, func(v *unit) bool { return u == v })
	return "delete file " + u.path()
}

func (e *editor) renameUnit() string {
	u := e.unit()
	was := u.path()
	u.name = e.p.unitName(e.r)
	e.moves = append(e.moves, move{was, u.path()})
	return "rename file " + was + " to " + u.path()
}

// moveUnit moves a file to another folder, unless that would make a folder call a later one.
func (e *editor) moveUnit() string {
	u, to := e.unit(), pick(e.r, e.p.folders)
	if u.base || to == u.folder || len(u.folder.units) < 2 || !e.p.mayMove(u, to) {
		return ""
	}
	was := u.path()
	u.folder.units = slices.DeleteFunc(u.folder.units, func(v *unit) bool { return u == v })
	u.folder, to.units = to, append(to.units, u)
	e.moves = append(e.moves, move{was, u.path()})
	return "move file " + was + " to " + u.path()
}

// mayMove reports whether, after the move, every call into and out of a unit goes to its own or an earlier folder.
func (p *project) mayMove(u *unit, to *folder) bool {
	rank := p.rank(to)
	for _, s := range p.symbols() {
		for _, st := range s.body {
			if st.call == nil || (s.unit == u) == (st.call.unit == u) {
				continue
			}
			if s.unit == u && p.rank(st.call.unit.folder) > rank || st.call.unit == u && p.rank(s.unit.folder) < rank {
				return false
			}
		}
	}
	return true
}

func (e *editor) addFolder() string {
	if len(e.p.units()) >= maxUnits {
		return ""
	}
	f := e.p.addFolder()
	for range 1 + e.r.IntN(2) {
		e.newUnit(f)
	}
	return "new folder " + f.name
}

func (e *editor) removeFolder() string {
	f := pick(e.r, e.p.folders)
	if f == e.p.folders[0] || len(e.p.folders) < 3 || len(e.p.units())-len(f.units) < minUnits {
		return ""
	}
	for _, u := range f.units {
		e.p.drop(u.symbols...)
	}
	e.p.folders = slices.DeleteFunc(e.p.folders, func(g *folder) bool { return f == g })
	return "delete folder " + f.name
}

func (e *editor) renameFolder() string {
	f := pick(e.r, e.p.folders)
	was := f.name
	f.name = fmt.Sprint("pkg", e.p.number())
	e.moves = append(e.moves, move{was, f.name})
	return "rename folder " + was + " to " + f.name
}

func (e *editor) touchProject() string {
	e.p.touched = e.p.number()
	return "touch the project file"
}

// everywhere changes every file, as a formatter does.
func (e *editor) everywhere() string {
	line := fmt.Sprint("all ", e.p.number())
	for _, u := range e.p.units() {
		if len(u.top) > 20 {
			u.top = nil
		}
		u.top = append(u.top, line)
	}
	return "insert a line at the top of every file"
}

func (e *editor) breakLine() string {
	s := e.function()
	if slices.ContainsFunc(s.body, func(st statement) bool { return st.broken }) {
		return ""
	}
	s.body = slices.Insert(s.body, e.r.IntN(len(s.body)+1), statement{broken: true})
	return "break " + s.name
}

func (e *editor) repair() string {
	s := e.function()
	n := len(s.body)
	s.body = slices.DeleteFunc(s.body, func(st statement) bool { return st.broken })
	if n == len(s.body) {
		return ""
	}
	return "repair " + s.name
}

func (e *editor) document() string {
	s := e.symbol()
	s.revision = e.p.number()
	return "new documentation of " + s.name
}

// checkout goes back to an earlier state of the whole project.
func (e *editor) checkout() string {
	if e.earlier == nil || len(e.moves) > 0 {
		return ""
	}
	numbers := e.p.numbers
	*e.p = *e.earlier.clone()
	e.p.numbers = numbers // so that names given since are not used again
	return "check out an earlier state"
}
