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

// PendingUsers is the stage of the files that use what a named file has changed since the last commit.
const PendingUsers = "users"

// The bounds of the search for users: files whose text is read, files that are found, and of these the files that the
// server is asked about; fewer where it builds each one anew.
const (
	maxRead       = 5000
	maxFound      = 200
	maxAsked      = 24
	maxAskedBuilt = 8
)

// addUsers adds to a diagnosis of files what is known of the files that use them: with all their
// errors, else that they are pending.
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
	// Each file costs a build at a server that builds it anew (clangd).
	most := maxAsked
	if s.Spec().Diagnostics.Rebuild {
		most = maxAskedBuilt
	}
	// The files that name the changed file come first and are asked about in any case.
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

// usersOf returns the files besides paths that hold the name of a declaration which a path has changed
// or removed since the last commit; those that also name the file come first, since a mere word may be
// another symbol. searched is false when a bound left files out. unknown is why it is not known what
// some path changed. Where nothing was committed nothing tells what changed, so there are no users.
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
	// All changes are looked for in one reading of the sources.
	notices := func(text string) bool {
		return slices.ContainsFunc(all, func(of changes) bool { return of.noticed(text) })
	}
	searched = eachHolding(c, s.Spec(), s.Root(), notices, func(path string, text *source.Text) bool {
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

// byRoot groups files by the root of the workspace that holds them; files outside of it are dropped.
func byRoot(c *answer.Call, paths []string) map[string][]string {
	out := map[string][]string{}
	for _, path := range paths {
		if root := c.Workspace.Table.RootOf(path); root != "" {
			out[root] = append(out[root], path)
		}
	}
	return out
}

// uncommitted reports whether an error says that there is nothing to compare a file with: no git, no
// repository, no commit.
func uncommitted(err error) bool {
	var e *contract.Error
	return errors.As(err, &e) && e.Kind == contract.KindGitFailed &&
		slices.Contains([]any{"not_installed", "not_a_repository", "revision"}, e.Facts["reason"])
}

// changes are what a file declared for others at the last commit and declares no more, or in another
// way.
type changes struct {
	names  []string // of declarations that are gone, or differ otherwise than in the body of a function
	passed []string // names that it imported for others and does not import any more
	called []string // the words by which others name the file
}

// noticed reports whether a text may notice the changes: it holds a changed name, or names the file
// together with a name that the file no longer passes on.
func (of changes) noticed(text string) bool {
	return hasAny(text, of.names) || hasAny(text, of.passed) && hasAny(text, of.called)
}

// hasAny reports whether a text holds one of the words.
func hasAny(text string, words []string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return source.HasWord(text, word) })
}

// changesOf compares one file with its text at the last commit. A file that is new has no changes:
// nobody used it.
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
	// With the line ends of the file on disk, or every line would differ.
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

// usedAs returns the name that users of a declaration write: for a constructor the name of its class.
// "" where there is none.
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

// eachHolding calls yield with the sources of a server whose texts match, in the order of their paths,
// until it returns false. They are those of the working tree that holds the path beside. all is false when a bound
// left files out.
func eachHolding(c *answer.Call, sp *spec.Spec, beside string, match func(string) bool,
	yield func(string, *source.Text) bool) (all bool) {
	var files []string
	for path := range c.Workspace.Pool.Journal(beside).Files() {
		// Folders of dependencies and builds use the project in ways that no change of it decides.
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

// Holding returns the sources of a server that hold one of the names as a word, sorted, at most limit, in the
// working tree that holds the path beside.
func Holding(c *answer.Call, sp *spec.Spec, beside string, names []string, limit int) (paths []string) {
	holds := func(text string) bool { return hasAny(text, names) }
	eachHolding(c, sp, beside, holds, func(path string, _ *source.Text) bool {
		paths = append(paths, path)
		return len(paths) < limit
	})
	return paths
}
