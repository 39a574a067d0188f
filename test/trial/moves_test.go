package trial

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestMoves makes random moves of files and folders by rename_symbol with if_safe, each in a fresh tree of git, and
// holds those that were made against the compiler: it never says more behind one. Then the file moves back, which has
// to be whole: the bytes before. What was not made has changed no byte. The same move by the server's own edit, as an
// editor makes it, is counted beside. LSPI_MOVES is how many in each project.
func TestMoves(t *testing.T) {
	eachProject(t, "LSPI_MOVES", func(t *testing.T, tree *movedTree, n int) {
		m := &mover{tree, newRawMover(tree)}
		for i := range n {
			m.step(i)
		}
	})
}

// mover moves files.
type mover struct {
	*movedTree
	raw *rawMover
}

// step makes one move and judges it.
func (m *mover) step(i int) {
	from, to := m.choose()
	raw := m.raw.move(from, to)
	m.ended[raw]++
	how, why := m.move(from, to).outcome()
	m.ended[how]++
	m.Logf("%d %s → %s: %s, %s; %.300s", i, from, to, how, raw, why)
	if how != "applied" {
		if changed := m.changed(m.dir); changed != "" {
			m.Errorf("%s → %s was not made, and changed\n%s", from, to, changed)
			m.restore(m.dir)
		}
		return
	}
	if raw == "raw worse" {
		m.ended["applied where the raw edit is worse"]++
	}
	if said := m.worse(m.dir); said != "" {
		m.ended["compiler worse"]++
		m.Errorf("%s → %s: the compiler says %d lines, %d before\n%s", from, to, strings.Count(said, "\n"), m.said,
			m.news(said))
	}
	if how, why := m.move(to, from).outcome(); how != "applied" {
		m.ended["not back"]++
		m.Logf("  not back: %s %.300s", how, why)
	} else if left := m.changed(m.dir); left != "" {
		m.ended["back otherwise"]++
		m.Logf("  back otherwise:\n%.1500s", m.git(m.dir, "diff"))
	}
	m.restore(m.dir)
}

// choose picks what moves, and where to.
func (m *mover) choose() (from, to string) {
	files, folders := m.sources()
	file := files[m.r.IntN(len(files))]
	dir, base := filepath.Split(file)
	switch kind := m.r.IntN(10); {
	case kind < 4:
		return file, beside(file, "_moved")
	case kind < 6:
		return file, filepath.Join(dir, "moved", base)
	case kind < 8:
		return file, filepath.Join(folders[m.r.IntN(len(folders))], "moved_"+base)
	}
	folder := folders[m.r.IntN(len(folders))]
	if folder == m.below || folder == "." {
		return file, beside(file, "_moved")
	}
	return folder, folder + "_moved"
}

func (m *mover) move(from, to string) moveAnswer {
	m.Helper()
	return m.call("rename_symbol", map[string]any{"file_path": from, "new_path": to, "apply": "if_safe"})
}
