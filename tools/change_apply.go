package tools

import (
	"context"
	"fmt"
	"slices"

	"lspi/contract"
	"lspi/lsp"
	"lspi/lsp/edit"
	"lspi/router"
)

// proposed is an edit that was planned: what it does, and who wants it.
type proposed struct {
	*lsp.Planned
	// servers are those that are asked for errors before and after; the first is who wants the edit, when a server does.
	servers []router.Route
	near    []string // files that the edit does not change and may break
	readers []diskReader
	// renamed gives the message of a diagnostic from before the words that it has behind the change; nil leaves it.
	renamed func(message string) string
}

// proposedBy is the planned edit of a server.
func proposedBy(s *lsp.Server, p *lsp.Planned) *proposed {
	return &proposed{Planned: p, servers: []router.Route{{Spec: s.Spec(), Root: s.Root()}}}
}

// server is the name of the first server.
func (ch *proposed) server() string { return ch.servers[0].Spec.ID }

// settled is the error for a plan that cannot be trusted, when nothing more can be done about it.
func (ch *proposed) settled() error {
	if len(ch.Behind) > 0 {
		path := ch.Behind[0]
		return contract.Errorf(contract.KindEditRejected,
			contract.Facts{"reason": string(edit.ReasonNotSeen), "file_path": path},
			"%s kept changing while %s was asked for the edit", path, ch.server())
	}
	if len(ch.Misplaced) > 0 {
		m := ch.Misplaced[0]
		return contract.Errorf(contract.KindEditRejected,
			contract.Facts{"reason": string(edit.ReasonMisplaced), "file_path": m.Path, "line": m.Line, "text": cutText(m.Old, 100)},
			"%s would replace %q in line %d of %s, which is not the name; it is behind the text on disk, or does more than it was asked for",
			ch.server(), cutText(m.Old, 60), m.Line, m.Path)
	}
	return nil
}

// change shows a planned change, or carries it out when it was agreed to: preview and apply of every tool that changes
// files. The answer of an applied change has the errors that are new since.
func (c *Call) change(ctx context.Context, ch *proposed, in applyIn) (changeOut, error) {
	if err := checkBackup(in.Backup); err != nil {
		return changeOut{}, err
	}
	out := c.previewed(ch.Plan, in.Offset)
	applicable := c.planFacts(ch)
	if in.DryRun {
		if applicable {
			c.offerChange(ch, &out)
		}
		return out, nil
	}
	if c.env.writer() == nil {
		return out, noJournal()
	}
	if err := c.refuseLacking(ch); err != nil {
		return out, err
	}
	expected := c.absolute(ch.Plan, in.Expected)
	if err := ch.Agree(expected); err != nil {
		if asError(err).Kind != contract.KindFileChanged { // which has this step anyway
			c.step(c.previewStep("See what would be changed now."))
		}
		return out, err
	}
	return c.apply(ctx, ch, out, edit.ApplyOptions{Expected: expected, Backup: in.Backup})
}

func noJournal() error {
	return contract.Errorf(contract.KindEditRejected, contract.Facts{"reason": string(edit.ReasonNoJournal)},
		"there is no home folder to keep the journal in that makes an edit safe; set XDG_STATE_HOME")
}

// apply writes the files, and tells what the servers say of them now.
func (c *Call) apply(ctx context.Context, ch *proposed, out changeOut, o edit.ApplyOptions) (changeOut, error) {
	before := c.errorsOf(ctx, ch, append(pathsBefore(ch.Plan), ch.near...), true)
	applied, err := c.env.apply(ctx, ch.Plan, o)
	if applied != nil {
		for _, r := range applied.Recovered {
			c.recovered(r)
		}
	}
	if err != nil {
		return out, err
	}
	out.Applied = true
	for i := range out.Files {
		f := &out.Files[i]
		f.Diff, f.BeforeSHA256, f.AfterSHA256 = "", "", ch.Files[i].AfterSHA256
	}
	for path, backup := range applied.Backups {
		if out.Backups == nil {
			out.Backups = map[string]string{}
		}
		out.Backups[c.show(path)] = c.show(backup)
	}
	c.appliedFacts(applied)
	after := c.errorsOf(ctx, ch, append(pathsAfter(ch.Plan), ch.near...), false)
	c.news(&out, ch, before, after)
	return out, nil
}

// appliedFacts warns of what others did at the same time.
func (c *Call) appliedFacts(a *edit.Applied) {
	if len(a.Changed) > 0 {
		c.warn(contract.WarnChangedSince, contract.Facts{"files": c.showSome(a.Changed)},
			fmt.Sprintf("%d of the files were changed again by another program right after the edit, such as %s", len(a.Changed), c.show(a.Changed[0])))
	}
	if kept := keptPaths(a.Kept); len(kept) > 0 {
		c.warn(contract.WarnKept, contract.Facts{"files": kept},
			"what another program wrote into the old files at the last moment was kept in "+kept[0])
	}
	if len(a.Leftover) > 0 {
		c.warn(contract.WarnKept, contract.Facts{"files": c.showSome(a.Leftover)},
			"a file of the edit could not be removed; the next call tries again: "+c.show(a.Leftover[0]))
	}
}

// pathsBefore are the files whose text a plan changes or takes away, where they are before it.
func pathsBefore(p *edit.Plan) []string {
	var out []string
	for _, f := range p.Files {
		if path := f.Path; f.BeforeSHA256 != "" {
			if f.From != "" {
				path = f.From
			}
			out = append(out, path)
		}
	}
	return out
}

// pathsAfter are the files whose text a plan changes or makes, where they are behind it.
func pathsAfter(p *edit.Plan) []string {
	var out []string
	for _, f := range p.Files {
		if f.AfterSHA256 != "" {
			out = append(out, f.Path)
		}
	}
	return slices.Clip(out)
}

// compared are the servers that are asked for errors before and after a change, each once with its files. extra is how many of these
// come on top of those that the change concerns anyway.
func (ch *proposed) compared(paths []string) (all []diskReader, extra []int) {
	for _, r := range ch.servers {
		all, extra = append(all, diskReader{r, slices.Clone(paths)}), append(extra, 0)
	}
	for _, reader := range ch.readers {
		i := slices.IndexFunc(all, func(have diskReader) bool { return have.route.Key() == reader.route.Key() })
		if i < 0 {
			i = len(all)
			all, extra = append(all, diskReader{route: reader.route}), append(extra, 0)
		}
		for _, path := range reader.files {
			if !slices.Contains(all[i].files, path) {
				all[i].files = append([]string{path}, all[i].files...)
				extra[i]++
			}
		}
	}
	return all, extra
}
