package overlay

import (
	"context"
	"os"
	"slices"

	"lspi/internal/source"
	"lspi/lsp"
)

// What the server said of the texts on disk it need not say again at each trial of an edit; but a kept report may
// lack what the server has read since without being told, such as a dependency that was installed. So a kept report
// counts only where the report with the edit agrees with it, but for findings on lines that the edit inserts:
// nothing was said of those. Of every other file the server is asked again when it has the texts on disk back. When
// it then says something else, it has read more at some time meanwhile, and the edit is tried once more.

// diagnoseBefore adds the diagnostics of files as they are on disk. It asks for them, but with keep for those that
// the server has given already, which are kept.
func (t *trial) diagnoseBefore(ctx context.Context, keep bool, paths []string) (kept []string, err error) {
	// The diagnostics with the edit need about as long as those before, so these may use half of the time.
	half, cancel := halfOf(ctx)
	defer cancel()
	known, rest := []lsp.Report(nil), paths
	if keep {
		known, rest = t.s.Diagnostics().Kept(paths)
	}
	edited, users := t.apart(rest)
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

// asked are the files that are on disk: about a new one the server would answer with an error.
func (t *trial) asked() (out []string) {
	for _, path := range t.edited {
		if _, err := os.Stat(path); err == nil {
			out = append(out, path)
		}
	}
	return append(out, t.out.Looked...)
}

// apart tells the edited files from others.
func (t *trial) apart(paths []string) (edited, users []string) {
	for _, path := range paths {
		if t.texts[path] != nil {
			edited = append(edited, path)
		} else {
			users = append(users, path)
		}
	}
	return edited, users
}

// confirm asks again for the reports before the edit on which a difference rests; same is false when one of them is
// not what was kept.
func (t *trial) confirm(ctx context.Context, kept []string) (same bool, err error) {
	out := t.out
	differ := slices.DeleteFunc(slices.Clone(kept), func(path string) bool {
		return slices.Contains(out.After.Silent, path) || t.agree(path, out.Before, out.After)
	})
	if len(differ) == 0 {
		return true, nil
	}
	edited, users := t.apart(differ)
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
				return saidBy(a) == saidBy(b) && a.Range == b.Range
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

// inOrder puts reports in the order of the files that were asked about.
func inOrder(d *lsp.Diagnosis, paths []string) {
	slices.SortStableFunc(d.Reports, func(a, b lsp.Report) int {
		return slices.Index(paths, a.Path) - slices.Index(paths, b.Path)
	})
}

// said is what a finding says, wherever it stands.
type said struct{ severity, code, source, message string }

// places are positions inside of messages, which an edit may move.
var places = source.LazyRegexp(`:\d+(:\d+)?`)

// agree reports whether the findings of a file are the same before the edit and with it, but for more of them on
// the lines that it inserts.
func (c *check) agree(path string, before, after *lsp.Diagnosis) bool {
	inserted := map[int]bool{}
	if was, is := c.before[path], c.texts[path]; was != nil && is != nil {
		inserted = insertedLines(was, is)
	}
	count := map[said]int{}
	var more []said
	for _, f := range findingsOf(before, path) {
		count[saidBy(f)]++
	}
	for _, f := range findingsOf(after, path) {
		if inserted[f.Range.Start.Line] {
			more = append(more, saidBy(f))
			continue
		}
		count[saidBy(f)]--
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

func saidBy(f lsp.Finding) said {
	return said{f.Severity, f.Code, f.Source, places.ReplaceAllString(f.Message, ":")}
}

func findingsOf(d *lsp.Diagnosis, path string) (out []lsp.Finding) {
	for _, r := range d.Reports {
		if r.Path == path {
			out = append(out, r.Findings...)
		}
	}
	return out
}
