package tools

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"lspi/contract"
	"lspi/lsp"
	"lspi/router"
	"lspi/source"
)

// What a project lacks, so that answers about all of it are not whole.

// broken says that the server cannot read the project, which explains what it refused and what it did not find.
func (c *Call) broken(ctx context.Context, r router.Route, method string, o outcome, err error) error {
	if o.server == nil || method == lsp.MethodDocumentSymbol || ctx.Err() != nil || c.tool != nil && slices.Contains(tellBroken, c.tool.Name) {
		return err
	}
	refused := err != nil && asError(err).Kind == contract.KindRequestFailed
	if err != nil && !refused && !notFound(err) {
		return err
	}
	file, words := o.server.Broken(ctx, r.Root)
	if file == "" {
		return err
	}
	facts := contract.Facts{"server_id": o.server.ID(), "file_path": c.show(file)}
	message := fmt.Sprintf("%s cannot load the project because of %s: %s", o.server.ID(), c.show(file), words)
	if refused {
		return contract.Errorf(contract.KindProjectBroken, facts, "%s", message)
	}
	c.warn(contract.WarnProjectBroken, facts, message)
	c.step(diagnosticsStep(c.show(file)))
	return err
}

// uncheckedProjects warns that the server checked no source of a root whose project file it cannot read: it says nothing of them
// then. asked are the files in question, empty for all; shown is what the answer tells of, so that its words are not sought.
func uncheckedProjects(ctx context.Context, c *Call, s *lsp.Server, roots, asked []string, shown *lsp.Diagnosis) {
	sources := slices.DeleteFunc(slices.Clone(asked), func(path string) bool { return s.Spec().IsProjectFile(base(path)) })
	if len(asked) > 0 && len(sources) == 0 {
		return
	}
	for _, root := range roots {
		file, words := s.Broken(ctx, root)
		if file == "" || slices.Contains(asked, file) {
			continue
		}
		c.warn(contract.WarnProjectBroken, contract.Facts{"server_id": s.ID(), "file_path": c.show(file)},
			fmt.Sprintf("%s checks no source of the project because of %s: %s", s.ID(), c.show(file), words))
		if !slices.ContainsFunc(shown.Reports, func(r lsp.Report) bool { return r.Path == file }) {
			c.step(diagnosticsStep(c.show(file)))
		}
	}
}

// linked says that projects which use each other by path are answered each on its own, and how to join them.
func (c *Call) linked(ctx context.Context, s *lsp.Server, root string) {
	warnLinked(ctx, c, s, root, c.holders)
}

// warnLinked is [Call.linked] with a way of its own to choose the files that can change the answer.
func warnLinked(ctx context.Context, c *Call, s *lsp.Server, root string, holding func(context.Context, []string) []holder) {
	l := s.LinkedApart(ctx, root)
	if l == nil {
		return
	}
	found := holding(ctx, c.apart(s, l, root))
	if len(found) == 0 {
		return
	}
	var shown []string
	for _, f := range l.Users[:min(len(l.Users), 3)] {
		shown = append(shown, c.show(f))
	}
	link := s.Spec().Project.Link
	c.warnHolders(contract.WarnLinkedProjects, contract.Facts{"folders": shown}, found, fmt.Sprintf(
		"%s answers for one project; those that use each other by path in %s are missing here unless a %s joins them: %s not read",
		s.ID(), link.File, link.Joined, c.such(found)))
	c.step(c.join(l, link, root))
}

// apart are the sources of the projects that are linked with the one at root, and not its own.
func (c *Call) apart(s *lsp.Server, l *lsp.Linked, root string) (out []string) {
	for _, path := range c.sources(s, l.Common) {
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

// join is the step that makes one workspace of projects that are linked by path. Of those in a workspace that leaves the
// project at root out, only that is added.
func (c *Call) join(l *lsp.Linked, link *lsp.Link, root string) contract.NextStep {
	folders, command, message := l.Folders, link.Join, "Join the modules."
	if l.Joined {
		folders, command, message = []string{root}, link.Add, "Add the module to the "+link.Joined+"."
	}
	_, inside := source.RelativeTo(c.env.Settings.Workspace, l.Common)
	if !inside || len(folders) > maxJoined {
		return contract.NextStep{Kind: contract.StepDoc, Message: fmt.Sprintf("Run %s with the folders of the %d modules, in a folder "+
			"of the workspace above them.", command, len(folders))}
	}
	for _, folder := range folders {
		rel, _ := source.RelativeTo(l.Common, folder)
		if rel = filepath.ToSlash(rel); rel != "." {
			rel = "./" + rel
		}
		command += " " + shellWord(rel)
	}
	return contract.NextStep{Kind: contract.StepCommand, Command: command,
		Message: message + " Run it in " + c.folder(l.Common) + ", then repeat the call."}
}

// sources are the files of a folder that a server serves.
func (c *Call) sources(s *lsp.Server, folder string) (out []string) {
	for path := range c.env.Pool.Journal(c.env.Settings.Workspace).Files() {
		if _, ok := source.RelativeTo(folder, path); ok && s.Spec().Serves(base(path)) {
			out = append(out, path)
		}
	}
	return out
}

// madeBy is the step that has a file of a folder made: a command only where its programs are here and it needs nothing
// to be done before.
func (c *Call) madeBy(m *lsp.Maker, folder string) contract.NextStep {
	where := "in " + c.folder(folder) + ", then repeat the call."
	missing := m.Missing(lsp.ThisSystem().Look)
	switch {
	case m.Command == "":
		return contract.NextStep{Kind: contract.StepConfig, Message: m.Note}
	case m.Note != "":
		return contract.NextStep{Kind: contract.StepConfig, Message: m.Note + " Then run " + m.Command + " " + where}
	case missing != "":
		return contract.NextStep{Kind: contract.StepDoc, Message: "Install " + missing + " first, then run " + m.Command + " " + where}
	}
	return contract.NextStep{Kind: contract.StepCommand, Command: m.Command, Message: "Run it " + where}
}
