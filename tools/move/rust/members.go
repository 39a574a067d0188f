package rust

import (
	"slices"
	"strings"
)

// open makes members visible in the crate, with the types of their module that they name.
func (r *rustMove) open(f *rustText, named string, tokens []int) {
	r.opened = append(r.opened, named)
	for _, n := range tokens {
		for end, depth := n, 0; end < len(f.tokens); end++ {
			switch t := f.at(end); {
			case t == "(" || t == "[" || t == "<":
				depth++
			case t == ")" || t == "]" || t == ">":
				depth--
			}
			if depth < 0 || depth == 0 && strings.Contains(",{};", f.at(end)) {
				break
			}
			r.widenType(f, f.top, end)
		}
		for slices.Contains(rustMemberWords, f.at(n-1)) {
			n--
		}
		r.change(f, f.tokens[n].start, f.tokens[n].start, "pub(crate) ")
	}
}

// rustMemberWords may stand between the visibility and the name of a member.
var rustMemberWords = []string{"fn", "unsafe", "async", "const", "type"}

// openOthers makes private members of what stays in the old module, and in those above it, visible where what moves
// uses them.
func (r *rustMove) openOthers(m *rustModule, moves []*rustText) {
	for ; m != nil; m = m.parent {
		f := r.crates.text(m.file)
		if f == nil || rustBelow(r.to, m.path) {
			continue
		}
		for _, item := range f.top.items {
			if r.inside(f.text.Path, item.start) {
				continue
			}
			for _, n := range f.privateMembers(item) {
				if r.movesUse(moves, f, n, n) {
					r.open(f, f.at(n), []int{n})
				}
			}
			if private := f.privateTuple(item); len(private) > 0 && r.movesUse(moves, f, f.tokenAt(item.nameAt), item.last) {
				r.open(f, "fields of "+item.name, private)
			}
		}
	}
}

// movesUse reports whether what moves uses what is declared between two tokens of a file: by its name, or a field by
// its number. Of a tuple the name counts where it makes one, or takes one apart.
func (r *rustMove) movesUse(moves []*rustText, f *rustText, from, to int) bool {
	for _, by := range moves {
		for n, t := range by.tokens {
			named := t.text == f.at(from) && (from == to || by.at(n+1) == "(")
			numbered := from < to && t.text[0] >= '0' && t.text[0] <= '9' && by.at(n-1) == "." && by.at(n-2) != "."
			if !named && !numbered || !r.isModule() && !r.inside(by.text.Path, t.start) {
				continue
			}
			for _, p := range r.locate(by, n) {
				if offset, err := f.text.Offset(p.Range.Start); p.Path == f.text.Path && err == nil &&
					f.tokens[from].start <= offset && offset <= f.tokens[to].start {
					return true
				}
			}
		}
	}
	return false
}

// tellOpened tells of members that get pub(crate).
func (r *rustMove) tellOpened() {
	if len(r.opened) > 0 {
		r.needsLook("visibility", "private members are used from another module than their own, and get pub(crate): %s",
			strings.Join(r.opened, ", "))
	}
}

// privateTuple are the first tokens of the private fields of a tuple; none where the item is no tuple.
func (f *rustText) privateTuple(item *rustItem) (private []int) {
	if item.kind != "struct" || item.body != [2]int{} {
		return nil
	}
	open := f.tokenAt(item.nameAt) + 1
	for depth := 0; open < item.last && (f.at(open) != "(" || depth > 0); open++ {
		switch f.at(open) {
		case "<":
			depth++
		case ">":
			depth--
		}
	}
	if f.at(open) != "(" {
		return nil
	}
	for n, depth := open, 0; n < f.closes(open); n++ {
		t := f.at(n)
		if n == open || t == "," && depth == 0 {
			next := n + 1
			for f.at(next) == "#" {
				next = f.closes(next+1) + 1
			}
			if f.at(next) != "pub" && next < f.closes(open) {
				private = append(private, next)
			}
		}
		switch {
		case n > open && (t == "(" || t == "[" || t == "{"):
			n = f.closes(n)
		case t == "<":
			depth++
		case t == ">":
			depth--
		}
	}
	return private
}

// privateMembers are the names of the fields of a struct, or of what an inherent impl declares, that have no
// visibility.
func (f *rustText) privateMembers(item *rustItem) (out []int) {
	if item.body[1] == 0 {
		return nil
	}
	switch item.kind {
	case "struct", "union":
		for n := item.body[0] + 1; n < item.body[1]; n++ {
			for f.at(n) == "#" {
				n = f.closes(n+1) + 1
			}
			if f.at(n) == "pub" {
				if n++; f.at(n) == "(" {
					n = f.closes(n) + 1
				}
			} else if f.at(n+1) == ":" {
				out = append(out, n)
			}
			for depth := 0; n < item.body[1] && (f.at(n) != "," || depth > 0); n++ {
				switch f.at(n) {
				case "(", "[", "{":
					n = f.closes(n)
				case "<":
					depth++
				case ">":
					depth--
				}
			}
		}
	case "impl":
		if slices.ContainsFunc(f.tokens[item.first:item.body[0]], func(t rustToken) bool { return t.text == "for" }) {
			return nil
		}
		for _, one := range f.itemsIn(item.body[0]+1, item.body[1], &rustScope{}) {
			if one.name != "" && one.vis[0] == one.vis[1] && one.kind != "macro call" {
				out = append(out, f.tokenAt(one.nameAt))
			}
		}
	}
	return out
}
