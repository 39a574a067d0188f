package fixes

import (
	"context"
	"path/filepath"
	"slices"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/lsp"
	"lspi/lsp/spec"
	"lspi/router"
	"lspi/tools/answer"
	"lspi/tools/ask"
	"lspi/tools/diagnostics"
)

// find finds the sources that the call names, with the servers of each.
func (w *work) find(ctx context.Context) error {
	part, several, err := diagnostics.PartOf(w.c, "file_path", w.q.Given)
	if err != nil {
		return err
	}
	if !several {
		path, err := answer.PathOrFolder(w.c, w.q.Given)
		if err != nil {
			return err
		}
		w.files, w.all, w.single = []string{path}, 1, true
		w.routes[path], err = w.servers(path)
		return err
	}
	walk, err := ask.Survey(ctx, w.c, lsp.MethodCodeAction, w.able()...)
	if err != nil {
		return err
	}
	w.takeSources(walk, part)
	if len(w.files) == 0 {
		return part.Empty(w.c)
	}
	slices.Sort(w.files)
	w.all = len(w.files)
	w.files = w.files[min(w.from(), w.all):]
	return nil
}

// servers are those of a file. That one which only checks is not started is told where its diagnostics would count.
func (w *work) servers(path string) ([]router.Route, error) {
	c := w.c
	if !w.byDiagnostics() {
		c = c.Nested(c.Tool, c.Request)
	}
	return diagnostics.InstalledRoutes(c, path, spec.RoleDiagnostics)
}

// able are the servers that there are for changes: those that know a project, and those that only check.
func (w *work) able() []*spec.Spec {
	out := []*spec.Spec{}
	for i := range w.c.Workspace.Table.Specs {
		sp := &w.c.Workspace.Table.Specs[i]
		if sp.Roles.Has(spec.RoleDiagnostics) && (sp.Configured() != nil || answer.Program(w.c, sp) != "") && sp.Off() == "" {
			out = append(out, sp)
		}
	}
	return out
}

// takeSources takes the files of a part of the workspace. In a folder these are sources of a project, and not the data
// and prose beside them, which a glob may name; and not those of projects that lie in another one, unless only these
// are meant.
func (w *work) takeSources(walk *ask.WorkspaceWalk, part diagnostics.Part) {
	has := func(g *ask.RootFiles) bool { return slices.ContainsFunc(g.Files, part.Has) }
	alone := !slices.ContainsFunc(walk.Roots, func(g *ask.RootFiles) bool { return has(g) && !walk.IsNested(g) })
	known := map[string][]router.Route{}
	for _, g := range walk.Roots {
		key := g.Route.Key()
		if w.projects[key] == nil {
			w.projects[key] = map[string][]string{}
		}
		w.projects[key][g.Route.Root] = append(w.projects[key][g.Route.Root], g.Files...)
		for _, path := range g.Files {
			if !part.Has(path) || part.Folder && lang.Of(path).Optional {
				continue
			}
			switch {
			case !alone && walk.IsNested(g):
				w.pass(path, "of a project inside of this one; name its folder")
				continue
			case part.Folder && ask.InTestData(w.c, path) && !ask.InTestData(w.c, w.c.AbsolutePath(w.q.Given)):
				w.pass(path, "data of tests; name their folder, or a glob")
				continue
			case diagnostics.Copied(w.c, path):
				w.pass(path, "a copy of a dependency's source")
				continue
			}
			key := filepath.Dir(path) + "\x00" + filepath.Ext(path)
			if known[key] == nil {
				routes, err := w.servers(path)
				if err != nil {
					w.leave(path, answer.AsError(err).Message)
					continue
				}
				known[key] = routes
			}
			w.files, w.routes[path] = append(w.files, path), known[key]
		}
	}
}

// unlisted is why the actions of a server are not asked for in a file: without the project file that it needs it
// guesses how the file is compiled, and offers fixes of errors that are none.
func unlisted(r router.Route) string {
	if !r.Unlisted() {
		return ""
	}
	return "has no " + r.Spec.Project.Files[0] + ", so that " + r.Spec.ID + " guesses its errors"
}

// nobody is the error where no server does what was asked in any of the files.
func (w *work) nobody() error {
	if w.failed != nil {
		return w.failed
	}
	what, id := w.q.Kind, ""
	if len(w.lacking) > 0 {
		id = w.lacking[0].ID
	} else if len(w.asked) > 0 {
		id = w.asked[0]
	}
	e := contract.Errorf(contract.KindRequestUnsupported, contract.Facts{"server_id": id, "method": lsp.MethodCodeAction},
		"%s offers no %s", id, what)
	switch {
	case w.q.Kind == Format && w.q.Within != nil:
		e.Facts["method"] = lsp.MethodRangeFormatting
		e.Message = id + " formats whole files only"
		w.c.Step(w.c.Repeat("Format the whole file.", map[string]any{"line": nil, "end_line": nil, "character": nil,
			"end_character": nil, "selected_text": nil}))
	case w.q.Kind == Format:
		e.Facts["method"] = lsp.MethodFormatting
		e.Message = id + " does not format, and no other server of these files does"
		w.c.Step(answer.ToolStep("list_servers", "See which servers there are for these files; or run the formatter of the project yourself."))
	default:
		w.c.Step(contract.NextStep{Kind: contract.StepDoc, Message: w.kindsThere()})
	}
	return e
}
