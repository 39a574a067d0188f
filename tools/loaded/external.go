package loaded

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/tools/answer"
	"lspi/tools/index"
	"lspi/tools/symbol"
)

// commitBeside is the name of the file in the folder of an index server's files that says of which commit the index is,
// without [index.CommitSuffix]: the index itself is on another machine.
const commitBeside = "clangd-index"

// ExternalTime is how long a server waits for an index elsewhere; what has not come by then it leaves out, and does not
// say so (clangd 22.1.8).
const ExternalTime = time.Second

// older is an index that others made, and what of this answer it does not prove.
type older struct {
	lsp.ExternalIndex
	*index.State
	// Files that can change the answer, and differ from the commit of the index, or may include what differs. The server
	// counts them as they are on disk once they are open, and did not know them so when it was asked.
	files []lsp.Uncovered
}

// olderIndexes are the indexes that the server asks in place of its own.
func olderIndexes(ctx context.Context, c *answer.Call, s *lsp.Snapshot, asked time.Time) (out []older) {
	external := s.Hooks().External
	if external == nil {
		return nil
	}
	for _, x := range external() {
		o := older{ExternalIndex: x}
		beside := x.File
		if beside == "" {
			beside = filepath.Join(x.Mount, commitBeside)
		}
		commit := index.File{Path: beside, Commit: c.Session.Settings.Index.Commit}.CommitOf(nil)
		o.State = index.StateOf(ctx, x.Mount, beside, commit, c.Workspace.Table.Environ)
		if o.Git != nil {
			o.files = o.changedFiles(ctx, c, s, asked)
		}
		out = append(out, o)
	}
	return out
}

// changedFiles are the files of an index of which it does not tell what they are now.
func (o older) changedFiles(ctx context.Context, c *answer.Call, s *lsp.Snapshot, asked time.Time) []lsp.Uncovered {
	folder := s.Root()
	if source.Within(folder, o.Mount) {
		folder = o.Mount
	}
	sources := slices.Sorted(slices.Values(Sources(c, s, folder)))
	// What an open file includes may have changed and be again as it was: it counts as it was built.
	open, err := s.Documents().Outdated(ctx, s.Documents().Paths())
	changed := func(path string) bool {
		return err != nil || !o.Git.Tells(path) || slices.Contains(o.Changed, path) || slices.Contains(open, path)
	}
	var found, others []lsp.Uncovered
	all := slices.ContainsFunc(o.Changed, func(path string) bool { // then the compiler's flags are others
		return s.Spec().LoadedBy(symbol.Base(path))
	})
	for _, path := range sources {
		if u := (lsp.Uncovered{Path: path}); all || changed(path) {
			found = append(found, u)
		} else {
			others = append(others, u)
		}
	}
	found = Holders(ctx, c, found)
	if len(o.Changed) > 0 && len(others) > 0 {
		holders := Holders(ctx, c, others)
		may, err := s.Documents().MayInclude(ctx, pathsOf(holders), o.Changed)
		for _, u := range holders {
			if err != nil || slices.Contains(may, u.Path) {
				found = append(found, u)
			}
		}
	}
	outdated, err := s.Documents().Outdated(ctx, pathsOf(found))
	return slices.DeleteFunc(found, func(u lsp.Uncovered) bool {
		return err == nil && !slices.Contains(outdated, u.Path) && s.Documents().HasParsed(u.Path, asked) &&
			s.Diagnostics().Compiles(u.Path)
	})
}

func pathsOf(all []lsp.Uncovered) (out []string) {
	for _, u := range all {
		out = append(out, u.Path)
	}
	return out
}

// External warns where an answer rests on an index that others made, or that the server made of files before what they
// include changed, and nothing proves that it is what the files say now. It comes behind [Include], which has shown the
// server these files, where they are few enough.
func External(ctx context.Context, c *answer.Call, s *lsp.Snapshot, asked time.Time) {
	if c.HasWarned(contract.WarnLoadFailed) {
		return // such as that the index is not there
	}
	if moved := rebound(ctx, c, s); len(moved) > 0 {
		c.Warn(contract.WarnIndexUnproven, contract.Facts{"server_id": s.ID(), "reason": "changed",
			"files": c.ShowSome(pathsOf(moved)), "total": len(moved)}, fmt.Sprintf(
			"%s read %s, first %s, before what they include declared another symbol of the name: a use there may mean that one",
			s.ID(), answer.Counted(len(moved), "file"), c.Show(moved[0].Path)))
	}
	about, external := c.Subject(), OfExternal(s)
	for _, o := range olderIndexes(ctx, c, s, asked) {
		unproven := func(reason string, files []lsp.Uncovered, why string) {
			facts := contract.Facts{"index_file": cmp.Or(o.Address, c.Show(cmp.Or(o.File, o.Named))), "reason": reason}
			if len(files) > 0 {
				facts["files"], facts["total"] = c.ShowSome(pathsOf(files)), len(files)
			}
			c.Warn(contract.WarnIndexUnproven, facts, fmt.Sprintf(
				"the answer of the index that %s asks may lack something, or be older than the files: %s", s.ID(), why))
		}
		switch {
		case o.Where() == "":
			unproven("not_checked", nil, c.Show(o.Named)+" has it make none, so it knows the files that are open")
		case o.Git == nil:
			unproven(o.Reason, nil, o.Unproven)
		case len(o.files) > 0:
			unproven("changed", o.files, fmt.Sprintf(
				"%s that can change it differ from commit %s, or include what differs, first %s",
				answer.Counted(len(o.files), "file"), index.Short(o.Git.Commit), c.Show(o.files[0].Path)))
		case o.Address != "" && !about.Explained && about.Slow:
			unproven("not_checked", nil, "the search took longer than "+s.ID()+" waits for the index server")
		case o.File != "" && !about.Explained && !about.Unsent && !slices.ContainsFunc(about.Places,
			func(p lsp.Place) bool { return external(p.Path, asked) }):
			// The first question has the server read it, and nothing tells when it has.
			unproven("not_checked", nil, "nothing shows that it has been read by now")
		}
	}
}

// OfExternal returns a function that reports whether what a server told of a file before a time is from a file of an
// index that others made: it is a source that the server was not sent until then. Of headers it also knows by what
// included them.
func OfExternal(s *lsp.Snapshot) func(path string, before time.Time) bool {
	hooks := s.Hooks()
	if hooks.External == nil || hooks.Includes == nil {
		return func(string, time.Time) bool { return false }
	}
	all := hooks.External()
	return func(path string, before time.Time) bool {
		return slices.ContainsFunc(all, func(x lsp.ExternalIndex) bool {
			return x.File != "" && source.Within(x.Mount, path)
		}) && hooks.Includes.IsSource(path) && !s.Documents().HasSeen(path, before)
	}
}
