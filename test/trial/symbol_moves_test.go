package trial

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"lspi/internal/lang"
)

// TestSymbolMoves moves random declarations at the top level to other files by rename_symbol with if_safe, each in a
// fresh tree of git, and holds those that were made against the compiler: it never says more behind one, nor behind the
// way back. What was not made, or was undone for its errors, has changed no byte. LSPI_SYMBOL_MOVES is how many in each
// project.
func TestSymbolMoves(t *testing.T) {
	eachProject(t, "LSPI_SYMBOL_MOVES", func(t *testing.T, tree *movedTree, n int) {
		m := &symbolMover{tree}
		for i := range n {
			m.step(i)
		}
	})
}

// symbolMover moves declarations.
type symbolMover struct{ *movedTree }

// step makes one move and judges it.
func (m *symbolMover) step(i int) {
	name, from, to := m.choose()
	how, why := m.move(name, from, to).outcome()
	m.ended[how]++
	m.Logf("%d %s of %s → %s: %s; %.400s", i, name, from, to, how, why)
	if how != "applied" {
		if changed := m.changed(m.dir); changed != "" {
			m.Errorf("%s of %s → %s was not made, and changed\n%s", name, from, to, changed)
			m.restore(m.dir)
		}
		return
	}
	m.hold(name + " of " + from + " → " + to)
	how, why = m.move(name, to, from).outcome()
	if how == "applied" {
		m.ended["back"]++
		m.hold(name + " of " + to + " back to " + from)
	} else {
		m.ended["not back"]++
		m.Logf("  not back: %s; %.400s", how, why)
	}
	m.restore(m.dir)
}

// hold holds what was made against the compiler.
func (m *symbolMover) hold(what string) {
	m.Helper()
	if said := m.worse(m.dir); said != "" {
		m.ended["compiler worse"]++
		m.Errorf("%s: the compiler says %d lines, %d before\n%s\n%.3000s", what, strings.Count(said, "\n"), m.said,
			m.news(said), m.git(m.dir, "diff"))
	}
}

func (m *symbolMover) move(name, from, to string) moveAnswer {
	m.Helper()
	return m.call("rename_symbol", map[string]any{"file_path": from, "symbol_name": name, "new_path": to,
		"apply": "if_safe"})
}

// ofTest reports whether a file is one of tests by its name, whose declarations other files do not get.
func ofTest(file string) bool {
	return strings.Contains(filepath.Base(file), "_test.") || strings.Contains(filepath.Base(file), ".test.")
}

// choose picks a declaration of a random file, and the file to which it goes: half of the time a new one beside it,
// else one of the same language, every second time of the same folder.
func (m *symbolMover) choose() (name, from, to string) {
	files, _ := m.sources()
	for range 100 {
		from = files[m.r.IntN(len(files))]
		names := m.declared(from)
		if len(names) == 0 {
			continue
		}
		name = names[m.r.IntN(len(names))]
		if m.r.IntN(2) == 0 {
			return name, from, beside(from, "_part")
		}
		same := m.r.IntN(2) == 0
		others := slices.DeleteFunc(slices.Clone(files), func(f string) bool {
			return f == from || lang.Of(f).ID != lang.Of(from).ID || filepath.Ext(f) != filepath.Ext(from) ||
				ofTest(f) != ofTest(from) || same && filepath.Dir(f) != filepath.Dir(from)
		})
		if len(others) > 0 {
			return name, from, others[m.r.IntN(len(others))]
		}
	}
	m.Fatal("no file declares anything")
	return "", "", ""
}

// declares is a line of an outline: what is at the top level, or in a namespace there.
var declares = regexp.MustCompile(`^\d+(?:-\d+)? (?:class|struct|interface|enum|function|constant|variable|type) ([\pL_$][\pL\d_$]*)(?::|$)`)

// declared are the names that a file declares at its top level.
func (m *symbolMover) declared(file string) (names []string) {
	a := m.call("get_document_symbols", map[string]any{"file_path": file, "detail": true})
	open := "" // the indentation of what a namespace has
	for _, line := range a.Symbols {
		indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
		open = open[:min(len(open), len(indent))]
		if indent != open {
			continue
		}
		row := line[len(indent):]
		if g := declares.FindStringSubmatch(row); g != nil && g[1] != "_" && g[1] != "default" {
			names = append(names, g[1])
		} else if _, rest, _ := strings.Cut(row, " "); strings.HasPrefix(rest, "namespace ") {
			open += " "
		}
	}
	return names
}
