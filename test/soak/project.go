//go:build linux

package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// project is the model from which the files are written. A function calls only functions of its own folder and of
// earlier ones, because Go allows no import cycles.
type project struct {
	folders []*folder
	numbers int      // the last number given to a name; none is used twice, so a name identifies one symbol for ever
	touched int      // revision of the project file
	odd     []string // language.odd
}

type folder struct {
	name  string
	units []*unit
}

// unit is a source file, in C++ with its header.
type unit struct {
	name    string
	folder  *folder
	base    bool     // has the interface, and is never deleted
	top     []string // comment lines at the beginning
	symbols []*symbol
}

// symbol is a function, or a type that implements the interface.
type symbol struct {
	name     string
	unit     *unit
	concrete bool     // it is a type
	revision int      // the number in its documentation
	pad      []string // comment lines above it
	body     []statement
}

// statement is one line of a function.
type statement struct {
	call   *symbol // nil for a line that calls nothing
	text   string  // the string before the call, or else a comment; "" for none
	broken bool    // the statement is an error: text, or the language's type error when text is ""
}

const interfaceName = "Shape"

// newProject makes a project of 4 folders with 4 units each. odd is language.odd.
func newProject(r *rand.Rand, odd []string) *project {
	p := &project{odd: odd}
	for i := range 4 {
		f := p.addFolder()
		for range 4 {
			p.addUnit(r, f, i == 0 && len(f.units) == 0)
		}
	}
	for _, s := range p.functions() {
		for range r.IntN(4) {
			p.addCall(r, s)
		}
	}
	return p
}

func (p *project) number() int {
	p.numbers++
	return p.numbers
}

func (p *project) addFolder() *folder {
	f := &folder{name: fmt.Sprint("pkg", p.number())}
	p.folders = append(p.folders, f)
	return f
}

func (p *project) addUnit(r *rand.Rand, f *folder, base bool) *unit {
	u := &unit{name: p.unitName(r), folder: f, base: base}
	f.units = append(f.units, u)
	for range 2 + r.IntN(4) {
		p.addSymbol(r, u)
	}
	return u
}

func (p *project) unitName(r *rand.Rand) string {
	name := fmt.Sprint("u", p.number())
	if len(p.odd) > 0 && r.IntN(4) == 0 {
		name += pick(r, p.odd)
	}
	return name
}

func (p *project) addSymbol(r *rand.Rand, u *unit) *symbol {
	s := &symbol{unit: u, concrete: r.IntN(8) == 0, revision: p.number()}
	s.name = p.symbolName(r, s.concrete)
	at := r.IntN(len(u.symbols) + 1)
	u.symbols = slices.Insert(u.symbols, at, s)
	return s
}

// symbolName returns a new name; some are not ASCII.
func (p *project) symbolName(r *rand.Rand, concrete bool) string {
	name := fmt.Sprint("F", p.number())
	if concrete {
		name = fmt.Sprint("T", p.number())
	}
	if r.IntN(8) == 0 {
		name += "é"
	}
	return name
}

// addCall makes a function call another one; false when there is none that it may call.
func (p *project) addCall(r *rand.Rand, from *symbol) bool {
	var known []*symbol
	for _, f := range p.folders[:p.rank(from.unit.folder)+1] {
		for _, u := range f.units {
			for _, s := range u.symbols {
				if !s.concrete && s != from {
					known = append(known, s)
				}
			}
		}
	}
	if len(known) == 0 {
		return false
	}
	st := statement{call: pick(r, known)}
	if r.IntN(3) == 0 {
		st.text = pick(r, oddTexts)
	}
	from.body = slices.Insert(from.body, r.IntN(len(from.body)+1), st)
	return true
}

// oddTexts stand before names in the same line, so that columns differ between UTF-8, UTF-16 and code points.
var oddTexts = []string{"plain", "größer", "日本語", "𝒳𝒴𝒵", "e\u0301", "👩‍👩‍👧", "\u00a0nbsp"}

func (p *project) rank(f *folder) int { return slices.Index(p.folders, f) }

func (p *project) units() (out []*unit) {
	for _, f := range p.folders {
		out = append(out, f.units...)
	}
	return out
}

func (p *project) symbols() (out []*symbol) {
	for _, u := range p.units() {
		out = append(out, u.symbols...)
	}
	return out
}

func (p *project) functions() []*symbol {
	return slices.DeleteFunc(p.symbols(), func(s *symbol) bool { return s.concrete })
}

// drop removes symbols and all calls of them.
func (p *project) drop(gone ...*symbol) {
	dead := map[*symbol]bool{}
	for _, s := range gone {
		dead[s] = true
	}
	for _, u := range p.units() {
		u.symbols = slices.DeleteFunc(u.symbols, func(s *symbol) bool { return dead[s] })
		for _, s := range u.symbols {
			s.body = slices.DeleteFunc(s.body, func(st statement) bool { return st.call != nil && dead[st.call] })
		}
	}
}

// clone returns a deep copy.
func (p *project) clone() *project {
	out := &project{numbers: p.numbers, touched: p.touched, odd: p.odd}
	same := map[*symbol]*symbol{}
	for _, f := range p.folders {
		g := &folder{name: f.name}
		out.folders = append(out.folders, g)
		for _, u := range f.units {
			v := &unit{name: u.name, folder: g, base: u.base, top: slices.Clone(u.top)}
			g.units = append(g.units, v)
			for _, s := range u.symbols {
				c := *s
				c.unit, c.pad, c.body = v, slices.Clone(s.pad), slices.Clone(s.body)
				v.symbols = append(v.symbols, &c)
				same[s] = &c
			}
		}
	}
	for _, s := range out.symbols() {
		for i := range s.body {
			s.body[i].call = same[s.body[i].call]
		}
	}
	return out
}

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }
