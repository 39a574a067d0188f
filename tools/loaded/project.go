package loaded

import (
	"context"
	"fmt"
	"slices"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/tools/answer"
	"lspi/tools/symbol"
)

// Linked warns that projects which use each other by path are each answered on their own, with the step
// that joins them.
func Linked(ctx context.Context, c *answer.Call, s *lsp.Snapshot, root, method string) {
	if link := s.Hooks().Link; link != nil && link.Dependencies && method == lsp.MethodWorkspaceSymbol ||
		s.Spec().OneProject && method == lsp.MethodImplementation {
		return // each project is asked
	}
	WarnLinked(ctx, c, s, root, func(ctx context.Context, files []lsp.Uncovered) []lsp.Uncovered {
		if s.Hooks().OutsideProject != nil {
			// as unlisted
			files = without(files, func(path string) bool { _, told := source.RelativeTo(root, path); return told })
		}
		return Holders(ctx, c, files)
	})
}

// WarnLinked is [Linked] with a way of its own to choose the files that can change the answer: holders gets all
// files of the linked projects, and keeps those.
func WarnLinked(ctx context.Context, c *answer.Call, s *lsp.Snapshot, root string,
	holders func(context.Context, []lsp.Uncovered) []lsp.Uncovered) {
	// Nil: the projects are joined, or none is linked, so one answer has them all.
	l := lsp.LinkedApart(ctx, s.Server, root)
	if l == nil {
		return
	}
	files := sourcesApart(c, s, l, root)
	link := s.Hooks().Link
	if link.Dependencies {
		// A link by dependency goes one way: only a project that depends on the declaring one can use the symbol.
		users := l.UsersOf(declaringProject(ctx, c, s, l, root))
		files = slices.DeleteFunc(files, func(path string) bool {
			return !slices.Contains(users, Deepest(l.Folders, path))
		})
	}
	found := holders(ctx, lsp.Because(lsp.OfOtherProject, files, true))
	if link.Dependencies {
		found = outsideBuild(c, s, found)
		if s.Hooks().OutsideProject != nil {
			// Here it is the link that matters, and not why a source belongs to no project of this server, so all
			// get the reason of another project. Those that are known for certain come first, because the warning
			// shows the first.
			untold, outside := partition(ofNoProject(ctx, s, found), lsp.MembershipUnknown)
			found = append(outside, untold...)
			for i := range found {
				found[i].Reason = lsp.OfOtherProject
			}
		}
	}
	if len(found) == 0 {
		return
	}
	var shown []string
	for _, f := range l.Users[:min(len(l.Users), 3)] {
		shown = append(shown, c.Show(f))
	}
	// Nothing can join these projects, so the step is to ask in the other one.
	if link.Joined == "" {
		Warn(c, contract.Facts{"folders": shown}, found, fmt.Sprintf(
			"%s answers for one project; others that use it by path in their %s are missing here: %s not read", s.ID(),
			link.File, FilesWere(c, found)))
		c.Step(contract.NextStep{Kind: contract.StepDoc, Message: "Ask again at a use in " + Show(c, found[0]) +
			": the answer has the uses of that project then."})
		return
	}
	Warn(c, contract.Facts{"folders": shown}, found, fmt.Sprintf(
		"%s answers for one project; those that use each other by path in %s are missing here unless a %s joins them: %s not read",
		s.ID(), link.File, link.Joined, FilesWere(c, found)))
	c.Step(join(c, l, link, root))
}

// MaxProjects bounds the projects that are loaded for one answer: each costs as long as the first one did.
const MaxProjects = 8

// usingProjects are the other projects with sources that may use what the answer of this call is about, as far as
// the server answers for those that it has loaded. all is false when they could not all be found in time. A search
// ([answer.Subject.May]) has none: it is about no declared symbol.
func usingProjects(ctx context.Context, c *answer.Call, s *lsp.Snapshot, path string) (others []lsp.OtherProject,
	all bool) {
	about := c.Subject()
	if path == "" || about.May != nil {
		return nil, true
	}
	return othersUsing(ctx, s, path, about)
}

// othersUsing is usingProjects for a subject that the caller gives. Each project has only the files that can change
// the answer, and a project without such a file is left out.
func othersUsing(ctx context.Context, s *lsp.Snapshot, path string,
	about answer.Subject) (others []lsp.OtherProject, all bool) {
	if !about.Any && len(about.Names) == 0 {
		return nil, true
	}
	may := func(_ string, m *lang.Mentions) bool {
		return slices.ContainsFunc(about.Names, func(name string) bool { return m.Words[name] })
	}
	// Under another name the symbol may be used in any file of a project that imports it.
	if about.Any || givenAway(s, about.Places, about.Names) {
		about.Any, may = true, func(string, *lang.Mentions) bool { return true }
	}
	others, all = lsp.OtherProjects(ctx, s.Server, path, may)
	if len(others) == 0 || keptByFile(ctx, s, about) {
		return nil, all
	}
	// A file with a place in the answer was read.
	read := InPlaces(about.Places)
	for i := range others {
		files := slices.DeleteFunc(others[i].Files, read)
		others[i].Files = files[:0:0]
		for _, h := range HoldersAmong(ctx, about, lsp.Because(lsp.OfOtherProject, files, true)) {
			others[i].Files = append(others[i].Files, h.Path)
		}
	}
	return slices.DeleteFunc(others, func(o lsp.OtherProject) bool { return len(o.Files) == 0 }), all
}

// keptByFile reports whether all that an answer is about is what its file keeps to itself. It asks for
// a hover of each symbol, so more than a few count as not kept, and so does whatever the server does
// not tell.
func keptByFile(ctx context.Context, s *lsp.Snapshot, about answer.Subject) bool {
	p := s.Spec().Project
	if p == nil || p.Keeps == nil || len(about.At) == 0 || len(about.At) > maxConfined {
		return false
	}
	return !slices.ContainsFunc(about.At, func(at symbol.Located) bool {
		text, err := s.Documents().Text(at.Path)
		if err != nil || slices.ContainsFunc(about.Places, func(p lsp.Place) bool { return p.Path != at.Path }) {
			return true
		}
		said, err := s.Hover(ctx, at.Path, at.At)
		return err != nil || said == nil || !p.Keeps(text.Content(), said.Text, at.Name)
	})
}

// includeProjects makes the server load the projects with sources that can change the answer, and
// reports whether it had not loaded them. At most [MaxProjects] are loaded; [OtherProjects] warns of
// the others.
func includeProjects(ctx context.Context, c *answer.Call, s *lsp.Snapshot, path string) bool {
	others, _ := usingProjects(ctx, c, s, path)
	if len(others) == 0 {
		return false
	}
	fresh, _ := lsp.LoadProjects(ctx, s.Server, others[:min(len(others), MaxProjects)])
	return fresh
}

// OtherProjects warns of sources of other projects in which the answer may lack something. It does
// nothing for a request that the server answers for one project whatever is loaded: [InOneProject]
// warns for those.
func OtherProjects(ctx context.Context, c *answer.Call, s *lsp.Snapshot, path, method string) {
	if lsp.InOneProject(s.Server, method) {
		return
	}
	others, all := usingProjects(ctx, c, s, path)
	if !all {
		WarnExcluded(c, s, lsp.Because(lsp.OutsideBuild, nil, false))
	}
	about := c.Subject()
	// A source that no project takes in will not be read by loading one, so it is told as left out of the build.
	apart, unlisted := partition(lsp.Unread(ctx, s.Server, others), lsp.OfOtherProject)
	WarnExcluded(c, s, unlisted)
	WarnOtherProjects(c, s, HoldersAmong(ctx, about, apart))
}

// WarnOtherProjects says which sources of other projects are not in the answer because the server has not loaded these.
func WarnOtherProjects(c *answer.Call, s *lsp.Snapshot, found []lsp.Uncovered) {
	tell(c, s.ID(), found, "has not loaded the project there")
}

// InOneProject warns of sources of other projects in which implementations are missing because the server gives them
// for one project, whatever is loaded.
func InOneProject(ctx context.Context, c *answer.Call, s *lsp.Snapshot, at symbol.Located, places []lsp.Place) {
	if !lsp.InOneProject(s.Server, lsp.MethodImplementation) {
		return
	}
	// A function or a variable has no implementations, in no project: nothing can be missing.
	symbols, _, err := s.DocumentSymbols(ctx, at.Path)
	within := symbol.Enclosing(symbols, at.At)
	if n := len(within); err == nil && n > 0 && within[n-1].NameAt.Contains(at.At) &&
		!symbol.HasImplementations(within[n-1].Kind) {
		return
	}
	others, all := othersUsing(ctx, s, at.Path, answer.Subject{Names: append(namesAt(places), at.Name),
		At: []symbol.Located{at}, Places: places})
	var files []string
	for _, o := range others {
		files = append(files, o.Files...)
	}
	slices.Sort(files)
	if !all {
		WarnExcluded(c, s, lsp.Because(lsp.OutsideBuild, nil, false))
	}
	// The names at the places of the answer found the projects; a file is told only when it holds the name that was
	// asked about.
	found := HoldersAmong(ctx, answer.Subject{Names: []string{at.Name}}, lsp.Because(lsp.OfOtherProject, files,
		true))
	tell(c, s.ID(), found, "answers this for one project")
	if len(found) > 0 {
		c.Step(contract.NextStep{Kind: contract.StepTool, Tool: "find_references",
			Message:   "Find the uses in all projects.",
			Arguments: map[string]any{"file_path": c.Show(at.Path), "line": at.At.Line, "symbol_name": at.Name}})
	}
}

// sourcesApart are the sources of the projects that are linked with the one at root, and not its own. A file belongs to
// the innermost project around it.
func sourcesApart(c *answer.Call, s *lsp.Snapshot, l *lsp.Linked, root string) (out []string) {
	for _, path := range Sources(c, s, l.Common) {
		project := ""
		for _, folder := range append([]string{root}, l.Folders...) {
			if _, ok := source.RelativeTo(folder, path); ok && len(folder) > len(project) {
				project = folder
			}
		}
		if project != "" && project != root {
			out = append(out, path)
		}
	}
	return out
}

// maxJoined bounds the folders in the command of a step.
const maxJoined = 40

// join is the step that makes one workspace of projects that are linked by path. Of those in a workspace that
// leaves the project at root out, only that is added. The folders are given relative to the one in which the
// command runs. Where that is outside of the workspace, or there are too many for one command, the step is text.
func join(c *answer.Call, l *lsp.Linked, link *lsp.Link, root string) contract.NextStep {
	folders, command, message := l.Folders, link.Join, "Join the modules."
	if l.Joined {
		folders, command, message = []string{root}, link.Add, "Add the module to the "+link.Joined+"."
	}
	_, inside := source.RelativeTo(c.Workspace.Root, l.Common)
	if !inside || len(folders) > maxJoined {
		return contract.NextStep{Kind: contract.StepDoc,
			Message: fmt.Sprintf("Run %s with the folders of the %d modules, in a folder "+
				"of the workspace above them.", command, len(folders))}
	}
	return contract.NextStep{Kind: contract.StepCommand, Command: l.JoinCommand(link, root),
		Message: message + " Run it in " + c.Folder(l.Common) + ", then repeat the call."}
}

// declaringProject is the folder of the project that declares what the answer is about, which that at root may use;
// root where that is not one of the linked projects.
func declaringProject(ctx context.Context, c *answer.Call, s *lsp.Snapshot, l *lsp.Linked, root string) string {
	if at := c.Subject().At; len(at) > 0 {
		if declared, ok := declarationOf(ctx, c, s, at[0]); ok {
			if folder := Deepest(l.Folders, declared.Path); folder != "" {
				return folder
			}
		}
	}
	return root
}

// Deepest returns the innermost of the folders that holds a path; "" when none does.
func Deepest(folders []string, path string) (out string) {
	for _, folder := range folders {
		if _, ok := source.RelativeTo(folder, path); ok && len(folder) > len(out) {
			out = folder
		}
	}
	return out
}
