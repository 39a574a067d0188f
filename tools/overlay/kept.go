package overlay

import (
	"context"
	"os"
	"slices"

	"lspi/internal/source"
	"lspi/lsp"
)

// Each comparison needs the diagnostics of the texts on disk, and what the server has said of the same text it
// need not say again. But an earlier report may be outdated by what the server has read since without being told,
// such as a dependency that was installed. Therefore a kept report counts only where the report with the edit
// agrees with it, but for findings on inserted lines, of which nothing was said. For every other file the server
// is asked again once it has the texts on disk back. If it then says something else than what was kept, the whole
// trial is repeated without kept reports.

// diagnoseBefore adds the diagnostics of files as they are on disk. With keep, files for which the
// server has given them already are not asked about; these are returned.
func (t *trial) diagnoseBefore(ctx context.Context, keep bool, paths []string) (kept []string, err error) {
	// The diagnostics with the edit need about as long as those before, so these may use half of the time.
	half, cancel := lsp.HalfOf(ctx)
	defer cancel()
	known, rest := []lsp.Report(nil), paths
	if keep {
		known, rest = t.s.Diagnostics().Kept(paths)
	}
	edited, users := t.splitEdited(rest)
	if t.out.Before == nil {
		t.out.Before = &lsp.Diagnosis{}
		if len(known) == 0 || len(edited) > 0 {
			if t.out.Before, err = t.diagnose(half, edited); err != nil {
				return nil, err
			}
		}
	}
	t.users.whole = half
	err = t.diagnoseUsers(users, t.out.Before)
	t.users.whole = ctx
	if err != nil {
		return nil, err
	}
	t.out.Before.Reports = append(t.out.Before.Reports, known...)
	inOrder(t.out.Before, t.asked())
	for _, r := range known {
		kept = append(kept, r.Path)
	}
	return kept, nil
}

// asked returns the files to ask about with the texts on disk: a new file is not there, and the server
// would answer with an error.
func (t *trial) asked() (out []string) {
	for _, path := range t.edited {
		if _, err := os.Stat(path); err == nil {
			out = append(out, path)
		}
	}
	return append(out, t.out.Looked...)
}

// splitEdited divides paths into edited files and others.
func (t *trial) splitEdited(paths []string) (edited, users []string) {
	for _, path := range paths {
		if t.texts[path] != nil {
			edited = append(edited, path)
		} else {
			users = append(users, path)
		}
	}
	return edited, users
}

// confirm asks again for the kept reports on which a difference rests, and puts the new ones in their
// place; same is false when one of them differs.
func (t *trial) confirm(ctx context.Context, kept []string) (same bool, err error) {
	out := t.out
	differ := slices.DeleteFunc(slices.Clone(kept), func(path string) bool {
		return slices.Contains(out.After.Silent, path) || t.agree(path, out.Before, out.After)
	})
	if len(differ) == 0 {
		return true, nil
	}
	edited, users := t.splitEdited(differ)
	again := &lsp.Diagnosis{}
	if len(edited) > 0 {
		if again, err = t.diagnose(ctx, edited); err != nil {
			return false, err
		}
	}
	t.users.whole = ctx
	if err := t.diagnoseUsers(users, again); err != nil {
		return false, err
	}
	same = !slices.ContainsFunc(differ, func(path string) bool {
		return !slices.Contains(again.Silent, path) && !slices.EqualFunc(findingsOf(out.Before, path),
			findingsOf(again, path), func(a, b lsp.Finding) bool {
				return messageOf(a) == messageOf(b) && a.Range == b.Range
			})
	})
	out.Before.Reports = slices.DeleteFunc(out.Before.Reports, func(r lsp.Report) bool {
		return slices.Contains(differ, r.Path)
	})
	out.Before.Reports = append(out.Before.Reports, again.Reports...)
	inOrder(out.Before, t.asked())
	out.Before.Silent = append(out.Before.Silent, again.Silent...)
	return same, nil
}

// inOrder sorts reports by the order of the files that were asked about.
func inOrder(d *lsp.Diagnosis, paths []string) {
	slices.SortStableFunc(d.Reports, func(a, b lsp.Report) int {
		return slices.Index(paths, a.Path) - slices.Index(paths, b.Path)
	})
}

// message is what a finding says, wherever it stands.
type message struct{ severity, code, source, message string }

// places matches positions inside of messages, which an edit may move.
var places = source.LazyRegexp(`:\d+(:\d+)?`)

// agree reports whether the findings of a file are the same before the edit and with it, but for
// further ones on inserted lines. Positions are not compared, since an edit moves them.
func (c *check) agree(path string, before, after *lsp.Diagnosis) bool {
	inserted := map[int]bool{}
	if was, is := c.before[path], c.texts[path]; was != nil && is != nil {
		inserted = insertedLines(was, is)
	}
	count := map[message]int{}
	var more []message
	for _, f := range findingsOf(before, path) {
		count[messageOf(f)]++
	}
	for _, f := range findingsOf(after, path) {
		if inserted[f.Range.Start.Line] {
			more = append(more, messageOf(f))
			continue
		}
		count[messageOf(f)]--
	}
	for _, s := range more {
		if count[s] > 0 {
			count[s]--
		}
	}
	for _, n := range count {
		if n != 0 {
			return false
		}
	}
	return true
}

// messageOf returns what a finding says.
func messageOf(f lsp.Finding) message {
	return message{f.Severity, f.Code, f.Source, places.ReplaceAllString(f.Message, ":")}
}

// findingsOf returns the findings of one file.
func findingsOf(d *lsp.Diagnosis, path string) (out []lsp.Finding) {
	for _, r := range d.Reports {
		if r.Path == path {
			out = append(out, r.Findings...)
		}
	}
	return out
}
