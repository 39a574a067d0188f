package edits

import (
	"maps"
	"slices"
	"sync"
	"time"

	"lspi/lsp"
	"lspi/lsp/spec"
	"lspi/tools/answer"
	"lspi/tools/diagnostics"
	"lspi/tools/overlay"
)

// difference collects what all servers of a call say. While they are asked, mu guards the fields;
// afterwards only the call's goroutine uses it.
type difference struct {
	mu       sync.Mutex
	appears  []lsp.Finding          // guarded by mu
	vanishes []lsp.Finding          // guarded by mu
	silent   []string               // files that a server did not tell about; guarded by mu
	texts    map[string]*EditedText // what was tried; guarded by mu
	// files that were looked at besides, at servers that have to be asked for each; guarded by mu
	near    []string
	readers []DiskReader // what is compared besides when the edits are on disk; set when all are done
	failed  bool         // a server told nothing; set when all are done

	// for the files that use what changes; 0 is the time of the call; set before the first server is asked
	forUsers time.Duration
	pending  []diagnostics.Pending // guarded by mu

	everywhere bool // a server tells of all files; guarded by mu
}

// add compares what a server says before and with the edit. A file about which it was silent in one of
// the two is left out, since all of its findings would seem to appear or to vanish; it is noted in
// d.silent, which keeps the edits from being applied.
func (d *difference) add(spec *spec.Spec, tried *overlay.Comparison, texts map[string]*EditedText) {
	silent := func(path string) bool {
		return slices.Contains(tried.Before.Silent, path) || slices.Contains(tried.After.Silent, path)
	}
	told := func(of *lsp.Diagnosis) []lsp.Finding {
		return slices.DeleteFunc(of.Findings(), func(f lsp.Finding) bool { return silent(f.Path) })
	}
	appears, vanishes := CompareFindings(told(tried.Before), told(tried.After), texts)
	// Without this an edit that breaks the build would seem to fix every warning of the analysers.
	vanishes = stillThere(spec.Diagnostics.Stops, appears, vanishes)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.appears = append(d.appears, appears...)
	d.vanishes = append(d.vanishes, vanishes...)
	if p := tried.Pending; p != nil {
		d.pending = append(d.pending, diagnostics.Pending{Stage: "users", ServerID: spec.ID, Files: p.Files})
	}
	d.silent = append(append(d.silent, tried.Before.Silent...), tried.After.Silent...)
	if d.texts == nil {
		d.texts = map[string]*EditedText{}
	}
	maps.Copy(d.texts, texts)
	d.everywhere = d.everywhere || spec.Diagnostics.Workspace
	// The files in near are compared once more after the edits are written.
	if spec.Diagnostics.Workspace || spec.Diagnostics.Rebuild { // the one tells of all; at the other each costs a build
		return
	}
	for _, r := range tried.Before.Reports {
		if texts[r.Path] == nil {
			d.near = append(d.near, r.Path)
		}
	}
}

// stillThere returns what vanishes without the findings of analysers that an error which appears has
// stopped: they are not mended, they are not looked for any more.
func stillThere(stops *spec.Stops, appears, vanishes []lsp.Finding) []lsp.Finding {
	if stops == nil {
		return vanishes
	}
	stopped := map[string]bool{}
	for _, f := range appears {
		// Only findings of the compiler stop them; what analysers report themselves does not.
		if lsp.By(stops, f) {
			stopped[f.Path] = true
		}
	}
	return slices.DeleteFunc(vanishes, func(f lsp.Finding) bool {
		return !lsp.By(stops, f) && (stopped[f.Path] || stops.Elsewhere && len(stopped) > 0)
	})
}

// answer makes the answer: counts over everything, and the window.
func (d *difference) answer(c *answer.Call, in In, plan *editPlan) *Out {
	near := slices.Compact(slices.Sorted(slices.Values(d.near)))
	out := &Out{Appeared: map[string]int{}, Vanished: map[string]int{}, previews: true, near: len(near),
		everywhere: d.everywhere}
	for _, p := range d.pending {
		p.Files = c.ShowSome(p.Files)
		out.Pending = append(out.Pending, p)
	}
	if len(d.pending) > 0 {
		// In words: the texts of the edit are the most of what this answer would have to say, and the caller has
		// just written them.
		c.Step(c.RepeatInWords("Wait for the files that use what the edit changes.", map[string]any{"wait": waitAll}))
	}
	for _, path := range plan.Paths {
		out.Tried = append(out.Tried, c.Show(path))
	}
	first := plan.Paths[0]
	take := func(all []lsp.Finding, counts map[string]int) (kept []lsp.Finding) {
		// A severity that was asked for and has none is told as 0, and not left out.
		for _, s := range in.Severities {
			counts[s] = 0
		}
		for _, f := range diagnostics.Distinct(all, first) {
			if slices.Contains(in.Severities, f.Severity) {
				f.Path = c.Show(f.Path)
				kept = append(kept, f)
				// Counted before the window, so that the summary is about all of them.
				counts[f.Severity]++
			}
		}
		return kept
	}
	appears := take(d.appears, out.Appeared)
	out.all, out.appear = append(appears, take(d.vanishes, out.Vanished)...), len(appears)
	out.Total = len(out.all)
	out.from = min(in.Offset, out.Total)
	out.to = min(out.from+in.MaxResults, out.Total)
	return out
}
