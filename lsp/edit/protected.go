package edit

import (
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"lspi/contract"
	"lspi/internal/source"
)

// Protected are the places in which an edit is refused, or wants a person's word: what is there decides what runs
// on the user's machine, or what an agent is told to do. Whoever leads a server to write there (a code action, a
// link, a folder that is moved there) has got past every question that the host asks.
type Protected struct {
	// Refused and Confirmed are names, or parts of paths with slashes (".github/workflows"), that stand anywhere
	// below a root. What they name is protected with all that is in it. Case does not matter. Refused wins.
	Refused, Confirmed []string
}

// DefaultProtected are the places that hosts and other tools take their orders from.
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

// matching is the pattern by which a path, relative to a root, is protected.
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
		for i := 0; i+len(want) <= len(names); i++ {
			if slices.Equal(names[i:i+len(want)], want) {
				return pattern, true
			}
		}
	}
	return "", false
}

// plainName is a name as some file system takes it: without case, without characters that HFS+ passes over, without
// what Windows cuts off (dots and spaces at the end, a stream), and by the long name of the short one that Windows
// gives .git.
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

// guard refuses an operation on a protected path, and notes what wants a person's word. Paths outside of the roots
// are not changed anyway. Only what is below the outermost root counts: a checkout in a folder .claude may be
// worked in.
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

// relativeToRoot is a path in a root relative to the outermost root that holds it.
func (t *tree) relativeToRoot(path string) (rel string, ok bool) {
	for _, root := range slices.Concat(t.opts.Roots, t.opts.real) {
		if r, in := source.RelativeTo(filepath.Clean(root), path); in && r != "." && len(r) > len(rel) {
			rel, ok = r, true
		}
	}
	return rel, ok
}

// guardFolder is guard for all that is in a folder. One with more entries than are looked at is refused: any of the
// rest may be protected.
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
