package edit

import (
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"lspi/contract"
	"lspi/internal/source"
)

// Protected are the places whose change is refused, or needs the user's confirmation: what is there decides which
// programs run on the user's machine, or what an agent is told to do. A server can be led to write there (by a code
// action, a link, a folder that is moved), past every question that the host asks.
type Protected struct {
	// Refused and Confirmed are names, or parts of paths with slashes (".github/workflows"), anywhere below a root.
	// What they name is protected with everything in it. Case does not matter. Refused comes first.
	Refused, Confirmed []string
}

// DefaultProtected returns the places from which hosts and other tools take instructions.
func DefaultProtected() Protected {
	return Protected{
		Refused: []string{
			".git", ".hg", ".svn", ".jj", ".claude", ".codex", ".gemini", ".cursor", ".vscode", ".idea", ".mcp.json",
			".lspi", "lspi.toml", "lspi.json",
			".config/lspi", ".local/state/lspi",
			"CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "AGENTS.override.md", "GEMINI.md",
		},
		Confirmed: []string{".github/workflows"},
	}
}

// matching returns the pattern that protects a path, which is relative to a root.
func matching(patterns []string, rel string) (string, bool) {
	names := strings.Split(filepath.ToSlash(rel), "/")
	for i := range names {
		names[i] = plainName(names[i])
	}
	for _, pattern := range patterns {
		want := strings.Split(strings.Trim(filepath.ToSlash(pattern), "/"), "/")
		for i := range want {
			want[i] = plainName(want[i])
		}
		// Anywhere in the path: a nested repository has its own .git, a package of a monorepo its own AGENTS.md.
		for i := 0; i+len(want) <= len(names); i++ {
			if slices.Equal(names[i:i+len(want)], want) {
				return pattern, true
			}
		}
	}
	return "", false
}

// plainName returns a name as the most lenient file system takes it: without case; without the characters that HFS+
// ignores; without what Windows cuts off (dots and spaces at the end, a stream); and the short name that Windows
// gives .git as .git.
func plainName(name string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
	name, _, _ = strings.Cut(name, ":")
	name = strings.TrimRight(name, ". ")
	if name == "git~1" {
		return ".git"
	}
	return name
}

// guard refuses an operation on a protected path, and records what needs a confirmation. Paths outside of the roots
// are not changed anyway. Only the part below the outermost root counts: the user may work in a checkout below a
// folder .claude.
func (t *tree) guard(paths ...string) error {
	for _, path := range paths {
		rel, ok := t.relativeToRoot(path)
		if !ok {
			continue
		}
		if pattern, is := matching(t.opts.Protected.Refused, rel); is {
			return contract.Errorf(contract.KindProtectedPath, contract.Facts{"file_path": path, "pattern": pattern},
				"the edit would change %s, which is protected (%s)", path, pattern)
		}
		if _, is := matching(t.opts.Protected.Confirmed, rel); is && !slices.Contains(t.confirm, path) {
			t.confirm = append(t.confirm, path)
		}
	}
	return nil
}

// relativeToRoot returns a path relative to the outermost root that holds it; ok is false when none does.
func (t *tree) relativeToRoot(path string) (rel string, ok bool) {
	// By both names of a root, since a server may use either.
	for _, root := range slices.Concat(t.opts.Roots, t.opts.real) {
		if r, in := source.RelativeTo(filepath.Clean(root), path); in && r != "." && len(r) > len(rel) {
			rel, ok = r, true
		}
	}
	return rel, ok
}

// guardFolder is guard for everything in a folder. A folder with more entries than are looked at is refused, since
// any of the rest may be protected.
func (t *tree) guardFolder(dir string) error {
	inside := t.descendants(dir)
	if err := t.guard(inside...); err != nil {
		return err
	}
	if len(inside) >= maxFolderEntries {
		return rejected(ReasonNotEmpty, dir,
			"the server moves or deletes the folder %s with more than %d entries, which are too many to look for protected ones",
			dir, maxFolderEntries)
	}
	return nil
}
