package move

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/tools/answer"
)

// newMoving checks the paths of a move, before a server is asked.
func newMoving(c *answer.Call, given, to string) (*moving, error) {
	m := &moving{c: c, from: c.AbsolutePath(given), to: c.AbsolutePath(to)}
	info, err := os.Lstat(m.from)
	if err != nil {
		_, err := answer.PathOrFolder(c, given) // which says it with the closest paths
		if err == nil {
			err = contract.Errorf(contract.KindFileNotFound, contract.Facts{"file_path": m.from, "closest": []string{}},
				"there is no file or folder %s", c.Show(m.from))
		}
		return nil, err
	}
	if info.Mode().Type() == os.ModeSymlink {
		return nil, m.refuse("symbolic_link", "Move what it leads to, or the link with your own tools.",
			"%s is a symbolic link", c.Show(m.from))
	}
	m.folder = info.IsDir()
	if m.from, err = realOf(m.from); err == nil {
		m.to, err = realOf(m.to)
	}
	if err == nil {
		err = m.checkPaths()
	}
	if err == nil {
		err = m.list()
	}
	return m, err
}

// realOf is a path with the links on its way resolved, and not the last one; of what is not there as far as it is.
func realOf(path string) (string, error) {
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	if os.IsNotExist(err) {
		dir, err = realOf(filepath.Dir(path))
	}
	return filepath.Join(dir, filepath.Base(path)), err
}

// checkPaths refuses paths between which nothing can be moved.
func (m *moving) checkPaths() error {
	c := m.c
	for _, path := range []string{m.from, m.to} {
		if !slices.ContainsFunc(c.Workspace.EditRoots(), func(root string) bool {
			real, err := filepath.EvalSymlinks(root)
			return err == nil && source.Within(real, path) && real != path
		}) {
			return contract.Errorf(contract.KindOutsideWorkspace, contract.Facts{"file_path": path,
				"roots": c.Workspace.EditRoots()}, "%s is not inside of the workspace", path)
		}
	}
	was, now := filepath.Ext(m.from), filepath.Ext(m.to)
	switch info, err := os.Lstat(m.to); {
	case m.from == m.to:
		return answer.Invalid("new_path", "is the path that it has: %s", c.Show(m.to))
	case source.Within(m.from, m.to):
		return answer.Invalid("new_path", "lies in the folder that is moved: %s", c.Show(m.to))
	case err == nil && !m.sameFile(info):
		what := "exists: "
		if info.IsDir() {
			what = "is a folder that exists; give the new path whole, as " + filepath.ToSlash(
				filepath.Join(c.Show(m.to), filepath.Base(m.from))) + " for "
		}
		return answer.Invalid("new_path", "%s%s", what, c.Show(m.to))
	case !m.folder && lang.Of("x"+was).ID != lang.Of("x"+now).ID:
		return answer.Invalid("new_path", "ends with %q, which is another language than that of %q", now, was)
	}
	return nil
}

// sameFile reports whether what is at the new path is what moves, under a name that differs by case alone.
func (m *moving) sameFile(info os.FileInfo) bool {
	own, err := os.Lstat(m.from)
	return err == nil && os.SameFile(own, info) && strings.EqualFold(m.from, m.to)
}

// list finds the files that move, and the rule of their language.
func (m *moving) list() (err error) {
	m.files = []string{m.from}
	if m.folder {
		if m.files, err = m.listed(); err != nil {
			return err
		}
	}
	for _, path := range m.files {
		if l := lang.Of(path); l.ID == "" || m.folder && (l.Optional || l.NoSymbols) {
			continue
		}
		m.sources = append(m.sources, path)
		if r := ruleOf(lang.Of(path).ID); m.rule == nil {
			m.rule = r
		} else if r != nil && r != m.rule {
			return m.refuse("several_languages", "Move the sources of each language by a call of their own.",
				"%s holds sources of several languages (%s and %s)", m.c.Show(m.from), lang.Of(m.sources[0]).ID, lang.Of(path).ID)
		}
	}
	if len(m.sources) == 0 {
		return m.refuse("no_source", "Move it with your own tools, and look for its path in other files.",
			"%s holds no source of a language server", m.c.Show(m.from))
	}
	return nil
}
