package diagnostics

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/lsp/edit"
	"lspi/lsp/spec"
	"lspi/tools/answer"
	"lspi/tools/git"
	"lspi/tools/overlay"
)

// A server that checks open files says nothing of the files that use the named ones (clangd 22.1.8, pyright 1.1.414,
// typescript-language-server 6.0.2): behind a changed signature "no diagnostics" is true of the named file, and the
// project is broken. Which declarations changed only git knows, because the server has the text on disk alone.

// PendingUsers is the stage of files that use what a named file declares otherwise than at the last commit.
const PendingUsers = "users"

// The bounds of the search for users: files of which the text is read, files that are found, and of these the files
// that the server is asked about, fewer where it builds each.
const (
	maxRead       = 5000
	maxFound      = 200
	maxAsked      = 24
	maxAskedBuilt = 8
)

// addUsers adds to what was found of files what is known of the files that use them: that they are pending, or,
// with all, their errors.
func addUsers(ctx context.Context, c *answer.Call, s *lsp.Snapshot, paths []string, all bool, d *gathered,
	found *lsp.Diagnosis) error {
	// A server that looks at whole projects tells of users itself, one that only checks does not look at what
	// others declare, and a key of configuration is no declaration.
	if sp := s.Spec(); sp.Diagnostics.Workspace || sp.Diagnostics.Apart || !sp.Roles.Has(spec.RoleNavigation) ||
		!s.Offers(lsp.MethodDocumentSymbol) {
		return nil
	}
	users, searched, unknown := usersOf(ctx, c, s, paths)
	// Where the server is silent about the named files the answer says so, and nobody had time left for git.
	if unknown != nil && len(found.Silent) == 0 {
		c.Warn(contract.WarnCoverageOpenFilesOnly, contract.Facts{"server_id": s.ID(), "total": len(users),
			"files": c.ShowSome(users)},
			fmt.Sprintf(
				"what the named files changed since the last commit is not known, so that %s was not asked about all files that use it: %s",
				s.ID(), answer.AsError(unknown).Message))
	}
	if len(users) == 0 && searched {
		return nil
	}
	if !all {
		found.Pending = append(found.Pending, PendingUsers)
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.users == nil {
			d.users = map[*lsp.Diagnosis][]string{}
		}
		d.users[found] = c.ShowSome(users)
		return nil
	}
	most := maxAsked
	if s.Spec().Diagnostics.Rebuild {
		most = maxAskedBuilt
	}
	asked := users[:min(len(users), most)]
	if left := len(users) - len(asked); left > 0 {
		c.Warn(contract.WarnCoverageOpenFilesOnly, contract.Facts{"server_id": s.ID(), "total": left,
			"files": c.ShowSome(users[len(asked):])},
			fmt.Sprintf(
				"%s checked the named files and %d that hold a name which they changed since the last commit, but not %d more such files",
				s.ID(), len(asked), left))
	} else if !searched {
		c.Warn(contract.WarnCoverageOpenFilesOnly, contract.Facts{"server_id": s.ID(), "total": 0, "files": []string{}},
			fmt.Sprintf(
				"%s checked the named files and %d that hold a name which they changed since the last commit; lspi did not look for such names in all files of this large workspace",
				s.ID(), len(asked)))
	}
	if len(asked) == 0 {
		return nil
	}
	of, err := s.Diagnostics().Of(ctx, asked)
	if err != nil {
		return err
	}
	for n := range of.Reports { // warnings of other files are no effect of the change that anybody waits for
		r := &of.Reports[n]
		r.Findings = slices.DeleteFunc(r.Findings, func(f lsp.Finding) bool { return f.Severity != "error" })
	}
	c.Session.Errors.Tell(s.Server, of.Reports)
	found.Reports = append(found.Reports, of.Reports...)
	found.Silent = append(found.Silent, of.Silent...)
	found.Unsure = found.Unsure || of.Unsure
	return nil
}

// usersOf are the files besides paths that hold the name of a declaration which a path changed or took away since
// the last commit; those that also name the file come first. searched is false when there may be more of them.
// unknown is why it is not known what one of the paths changed. Where nothing was committed there are no users,
// since nothing tells what changed.
func usersOf(ctx context.Context, c *answer.Call, s *lsp.Snapshot, paths []string) (users []string, searched bool,
	unknown error) {
	var all []changes
	for root, below := range byRoot(c, paths) {
		changed, err := git.ReadFiles(ctx, root, below, c.Workspace.Table.Environ)
		if err != nil {
			if !uncommitted(err) {
				unknown = err
			}
			continue
		}
		for _, f := range changed.Files {
			// A new file had no users.
			if !slices.Contains(below, f.Path) {
				continue
			}
			of, err := changesOf(ctx, s, changed, f)
			if err != nil {
				unknown = err
			}
			if len(of.names)+len(of.passed) > 0 {
				all = append(all, of)
			}
		}
	}
	if len(all) == 0 {
		return nil, true, unknown
	}
	var others []string
	notices := func(text string) bool {
		return slices.ContainsFunc(all, func(of changes) bool { return of.noticed(text) })
	}
	searched = holding(c, s.Spec(), notices, func(path string, text *source.Text) bool {
		switch {
		case slices.Contains(paths, path):
		case slices.ContainsFunc(all, func(of changes) bool { return hasAny(text.Content(), of.called) }):
			users = append(users, path)
		default:
			others = append(others, path)
		}
		return true
	})
	return append(users, others...), searched, unknown
}

// byRoot are files by the root of the workspace that holds them; those outside of it are nobody's change.
func byRoot(c *answer.Call, paths []string) map[string][]string {
	out := map[string][]string{}
	for _, path := range paths {
		if root := c.Workspace.Table.RootOf(path); root != "" {
			out[root] = append(out[root], path)
		}
	}
	return out
}

// uncommitted reports whether the reason of an error is that there is nothing which a file could be compared with.
func uncommitted(err error) bool {
	var e *contract.Error
	return errors.As(err, &e) && e.Kind == contract.KindGitFailed &&
		slices.Contains([]any{"not_installed", "not_a_repository", "revision"}, e.Facts["reason"])
}

// changes are what a file declared for others at the last commit and does not declare now, or otherwise.
type changes struct {
	names  []string // of declarations that are gone, or differ otherwise than in the body of a function
	passed []string // of what it had from other files, and has not any more
	called []string // by what others name the file
}

// noticed reports whether a text holds what changed.
func (of changes) noticed(text string) bool {
	return hasAny(text, of.names) || hasAny(text, of.passed) && hasAny(text, of.called)
}

// hasAny reports whether a text holds one of some words.
func hasAny(text string, words []string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return source.HasWord(text, word) })
}

// changesOf are the changes of one file.
func changesOf(ctx context.Context, s *lsp.Snapshot, diff *git.Diff, f git.File) (of changes, err error) {
	was, err := diff.Before(ctx, f)
	if err != nil || was == "" {
		return of, err
	}
	symbols, text, err := s.DocumentSymbols(ctx, f.Path)
	if err != nil {
		return of, err
	}
	base := filepath.Base(f.Path)
	of.called = []string{strings.TrimSuffix(base, filepath.Ext(base))}
	if slices.Contains([]string{"__init__", "index"}, of.called[0]) { // what stands for its folder
		of.called = append(of.called, filepath.Base(filepath.Dir(f.Path)))
	}
	before := source.New(f.Path, edit.WithLineEndOf(text.Content(), was))
	changed, _ := overlay.ChangedDeclarations(s.Spec(), text, before, symbols)
	for _, d := range changed {
		if !d.Body {
			of.names = append(of.names, usedAs(d))
		}
	}
	of.names = append(of.names, overlay.Gone(text, before)...)
	of.names = slices.DeleteFunc(of.names, func(name string) bool { return name == "" })
	var included bool
	if of.passed, included = overlay.PassedOn(text, before); included {
		of.names = append(of.names, base)
	}
	return of, nil
}

// usedAs is the name that users of a declaration hold: of a constructor, which nobody calls by its own, that of its
// class.
func usedAs(d overlay.ChangedDeclaration) string {
	parts := strings.Split(d.Name, ".")
	name := parts[len(parts)-1]
	if strings.HasPrefix(name, "__") && strings.HasSuffix(name, "__") || name == "constructor" {
		if len(parts) == 1 {
			return ""
		}
		name = parts[len(parts)-2]
	}
	return name
}

// holding gives the sources of a server that match, in the order of their paths, with their texts, until yield
// returns false. all is false when a bound left files out.
func holding(c *answer.Call, sp *spec.Spec, match func(string) bool, yield func(string, *source.Text) bool) (all bool) {
	var files []string
	for path := range c.Workspace.Pool.Journal(c.Workspace.Root).Files() {
		below := strings.Split(filepath.ToSlash(c.Show(filepath.Dir(path))), "/")
		if sp.Serves(filepath.Base(path)) && !slices.ContainsFunc(below, func(dir string) bool {
			return slices.Contains(sp.SkipDirs, dir)
		}) {
			files = append(files, path)
		}
	}
	slices.Sort(files)
	found := 0
	for _, path := range files[:min(len(files), maxRead)] {
		text, err := source.Read(path)
		if err != nil || !match(text.Content()) {
			continue
		}
		if found++; found > maxFound || !yield(path, text) {
			return false
		}
	}
	return len(files) <= maxRead
}

// Holding are the sources of a server that hold one of the names as a word, sorted, at most limit.
func Holding(c *answer.Call, sp *spec.Spec, names []string, limit int) (paths []string) {
	holding(c, sp, func(text string) bool { return hasAny(text, names) }, func(path string, _ *source.Text) bool {
		paths = append(paths, path)
		return len(paths) < limit
	})
	return paths
}
