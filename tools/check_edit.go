package tools

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"lspi/contract"
	"lspi/lsp"
	"lspi/router"
)

type checkEditIn struct {
	Edits      []editIn `json:"edits" required:"true"`
	Severities []string `json:"severities" default:"[\"error\",\"warning\"]" enum:"error,warning,information,hint"`
	MaxResults int      `json:"max_results" default:"100" min:"1" max:"500"`
	Offset     int      `json:"offset" default:"0" min:"0"`

	ApplyIfClean bool              `json:"apply_if_clean" default:"false"`
	Expected     map[string]string `json:"expected_before_sha256"`
	Backup       string            `json:"backup_suffix"`
	caps
}

// editIn is one edit; which of the three forms it has follows from what is given.
type editIn struct {
	FilePath     string  `json:"file_path" required:"true"`
	OldText      *string `json:"old_text"`
	NewText      string  `json:"new_text" required:"true"`
	Line         int     `json:"line" min:"1"`
	Character    int     `json:"character" min:"1"`
	EndLine      int     `json:"end_line" min:"1"`
	EndCharacter int     `json:"end_character" min:"1"`
}

var checkEdit = define("check_edit", Trial,
	func(ctx context.Context, c *Call, in checkEditIn) (*checkEditOut, error) {
		plan, err := c.planEdits(in.Edits)
		if err == nil {
			err = c.mayApply(plan, in)
		}
		if err != nil {
			return nil, err
		}
		groups, err := c.trialGroups(plan)
		if err != nil {
			return nil, err
		}
		errs := make([]error, len(groups))
		var d difference
		together(len(groups), 0, func(i int) { errs[i] = c.try(ctx, groups[i], plan, &d) })
		if err := c.trialErrors(groups, errs); err != nil {
			return nil, err
		}
		d.failed = slices.ContainsFunc(errs, func(err error) bool { return err != nil })
		out := d.answer(c, in, plan)
		if in.ApplyIfClean {
			err = c.applyTried(ctx, groups, plan, &d, in.Backup, out)
		} else {
			c.offerApply(plan, &d)
		}
		if err != nil {
			return nil, err
		}
		out.close(c)
		return out, nil
	})

// trialGroup is the files that one process is tried with, by the roots that it serves them under.
type trialGroup struct {
	routes []router.Route // the first is how the server is got; the others are further roots of it
	paths  []string
}

// trialGroups are the servers to ask: those that get_diagnostics would.
func (c *Call) trialGroups(plan *editPlan) ([]*trialGroup, error) {
	var groups []*trialGroup
	var first error
	for _, path := range plan.paths {
		routes, err := c.installedRoutes(path, lsp.RoleDiagnostics)
		if err != nil {
			if first == nil {
				first = err
			}
			if len(plan.paths) > 1 {
				c.warn(contract.WarnFileSkipped, contract.Facts{"file_path": c.show(path), "reason": asError(err).Kind}, asError(err).Message)
			}
			continue
		}
		for _, r := range routes {
			i := slices.IndexFunc(groups, func(g *trialGroup) bool { return g.routes[0].Key() == r.Key() })
			if i < 0 {
				i, groups = len(groups), append(groups, &trialGroup{})
			}
			g := groups[i]
			g.paths = append(g.paths, path)
			if !slices.ContainsFunc(g.routes, func(have router.Route) bool { return have.Root == r.Root }) {
				g.routes = append(g.routes, r)
			}
		}
	}
	if len(groups) == 0 {
		return nil, first
	}
	return groups, nil
}

// trialErrors is the error of a trial of which nothing came; a part that failed is a warning.
func (c *Call) trialErrors(groups []*trialGroup, errs []error) error {
	if err := unlessOneDid(errs); err != nil {
		return err
	}
	for i, err := range errs {
		if err != nil {
			c.partFailed(groups[i].routes[0].Spec.ID, err)
		}
	}
	return nil
}

// try asks one server and adds the difference that the edits make to what it says.
func (c *Call) try(ctx context.Context, g *trialGroup, plan *editPlan, d *difference) error {
	spec := g.routes[0].Spec
	var users *lsp.Users
	if spec.ForTrial() != nil && c.loaded(g.routes[0]) { // the process that tries has no index; the one that has knows the users
		if texts, err := plan.texts(c.env.text, g.paths); err == nil {
			found := c.usersOf(ctx, g.routes[0], texts)
			users = &found
		}
	}
	tried, texts, err := c.tryOnce(ctx, g, plan, users)
	if err != nil || tried == nil {
		return err
	}
	if spec.ForTrial() != nil && !tried.All && users == nil {
		found := c.usersOf(ctx, g.routes[0], texts)
		covered := tried.Covers(found)
		tried.All = found.All && covered
		if !covered {
			if again, after, err := c.tryOnce(ctx, g, plan, &found); err == nil && again != nil {
				tried, texts = again, after
			}
		}
	}
	c.lacksChecker(spec)
	c.doubts(spec, tried.Before)
	c.doubts(spec, tried.After)
	c.beyondTrial(spec, tried)
	c.unseenFiles(spec, plan, g.paths)
	c.unseenProject(spec, g.paths)
	d.add(spec, tried, texts)
	return nil
}

// loaded reports whether the server of a route runs and has loaded its project, so that to ask it costs little.
func (c *Call) loaded(r router.Route) bool {
	return slices.ContainsFunc(c.env.Pool.Running(), func(s *lsp.Server) bool {
		return s.ID() == r.Spec.ID && (r.Spec.SharedFolders || s.Root() == r.Root) && s.Status().Ready
	})
}

// usersOf asks the server that has an index for the files that use what texts change. That it does not tell is no error.
func (c *Call) usersOf(ctx context.Context, r router.Route, texts map[string]*editedText) (out lsp.Users) {
	contents, asked := map[string]string{}, ""
	for path, t := range texts {
		contents[path] = t.after.Content()
		if t.before.Content() != "" && (asked == "" || path < asked) {
			asked = path
		}
	}
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(deadline)/2)
		defer cancel()
	}
	c.mu.Lock()
	c.subject.shown = slices.Collect(maps.Keys(contents))
	c.mu.Unlock()
	_ = c.askRoute(ctx, r, asked, lsp.MethodReferences, func(ctx context.Context, s *lsp.Server) error {
		out = lsp.Users{}
		limit := s.WantsUsers(contents)
		if limit == 0 {
			return errAllLookedAt
		}
		out = s.Users(ctx, contents, limit)
		return nil
	})
	return out
}

// errAllLookedAt ends a question that needs no answer, so that nothing is said of what that would lack.
var errAllLookedAt = errors.New("all files are looked at, whether they use what changes or not")

// tryOnce asks one server. users are the files that use what changes; nil lets the server find them.
func (c *Call) tryOnce(ctx context.Context, g *trialGroup, plan *editPlan, users *lsp.Users) (tried *lsp.Tried, texts map[string]*editedText, err error) {
	spec := g.routes[0].Spec
	asked := c.askRoute
	if spec.Diagnostics.Unindexed {
		asked = c.askUnindexed
	}
	if spec.ForTrial() != nil {
		asked = c.askApart
	}
	err = asked(ctx, g.routes[0], plan.existing(g.paths), "", func(ctx context.Context, s *lsp.Server) error {
		if deadline, ok := ctx.Deadline(); ok {
			var cancel context.CancelFunc
			ctx, cancel = context.WithDeadline(ctx, deadline.Add(-min(diagnoseReserve, time.Until(deadline)/2)))
			defer cancel()
		}
		var err error
		tried, texts, err = c.tryAlone(ctx, s, g, plan, users)
		return err
	})
	return tried, texts, err
}

// askApart is askUnindexed at a process of its own, which lives as long as the question.
func (c *Call) askApart(ctx context.Context, r router.Route, _, _ string,
	f func(context.Context, *lsp.Server) error) (err error) {
	for range maxAttempts {
		if err = c.attemptApart(ctx, r, f); ctx.Err() != nil || !crashed(err) && !errors.Is(err, lsp.ErrRestartNeeded) {
			return err
		}
	}
	if errors.Is(err, lsp.ErrRestartNeeded) {
		return contract.Errorf(contract.KindStillIndexing, contract.Facts{"server_id": r.Spec.ID}, "%s ended or had to be restarted at each attempt", r.Spec.ID)
	}
	return err
}

func (c *Call) attemptApart(ctx context.Context, r router.Route, f func(context.Context, *lsp.Server) error) error {
	s, err := c.env.Pool.Apart(ctx, r.Spec.ForTrial(), r.Root)
	if err != nil {
		return err
	}
	defer s.Close()
	if err := f(ctx, s); err != nil {
		return err
	}
	c.answeredBy(s)
	if p := s.MissingForOne(r.Root); p != nil {
		c.warn(contract.WarningKind(p.Warning), contract.Facts{"folder": c.show(r.Root), "markers": p.Files}, p.Hint)
	}
	return nil
}

// tryAlone tries the edits while nobody else asks the server. The texts that are edited are those on disk then.
func (c *Call) tryAlone(ctx context.Context, s *lsp.Server, g *trialGroup, plan *editPlan, users *lsp.Users) (*lsp.Tried, map[string]*editedText, error) {
	if s.Spec().Diagnostics.Trial == nil { // else nobody else knows it
		end, err := c.env.Pool.Alone(ctx, s)
		if err != nil {
			return nil, nil, err
		}
		defer end()
	}
	for _, r := range g.routes[1:] {
		if err := s.AddFolder(ctx, r.Root); err != nil {
			return nil, nil, err
		}
	}
	if err := s.Sync(ctx); err != nil {
		return nil, nil, err
	}
	texts, err := plan.texts(c.env.text, g.paths)
	if err != nil {
		return nil, nil, err
	}
	contents := map[string]string{}
	for path, t := range texts {
		contents[path] = t.after.Content()
	}
	tried, err := s.Try(ctx, contents, users)
	return tried, texts, err
}

// beyondTrial says what a trial does not show.
func (c *Call) beyondTrial(spec *lsp.Spec, tried *lsp.Tried) {
	coverage := contract.Facts{"server_id": spec.ID, "total": len(tried.Near)}
	if check := spec.Diagnostics.Check; check != nil {
		coverage["reason"] = readsDisk // it looks at all files then
		c.warn(contract.WarnPartFailed, contract.Facts{"part": check.Title, "reason": readsDisk},
			check.Title+" reads the disk, so what only it finds is not compared; the findings of "+spec.ID+" itself are")
	}
	if !tried.All {
		c.warn(contract.WarnCoverageOpenFilesOnly, coverage,
			fmt.Sprintf("%s was asked about the edited files and %d others that use or name what changes; further files that may use it were not checked", spec.ID, len(tried.Near)))
	}
}

// unseenFiles says how far new files do not exist for others at this server before they are on disk.
func (c *Call) unseenFiles(spec *lsp.Spec, plan *editPlan, paths []string) {
	var fresh []string
	for _, path := range paths {
		if plan.fresh[path] {
			fresh = append(fresh, c.show(path))
		}
	}
	message := ""
	switch names := strings.Join(fresh, ", "); {
	case len(fresh) == 0:
	case spec.Diagnostics.FilesOnDisk:
		message = fmt.Sprintf("%s resolves imports only on disk and checks other files as if %s did not exist: errors about importing them are not counted",
			spec.ID, names)
	case spec.Diagnostics.NewOnDisk:
		message = fmt.Sprintf("until %s is on disk, %s uses it only in files that newly import it: what it would shadow or merge with elsewhere is not checked",
			names, spec.ID)
	}
	if message != "" {
		c.warn(contract.WarnSyncIncomplete, contract.Facts{"server_id": spec.ID, "reason": newFile, "files": fresh}, message)
	}
}

// unseenProject says that what follows of a changed project file is not seen before it is on disk.
func (c *Call) unseenProject(spec *lsp.Spec, paths []string) {
	for _, path := range paths {
		if spec.IsProjectFile(base(path)) {
			c.warn(contract.WarnSyncIncomplete, contract.Facts{"server_id": spec.ID, "reason": projectFile, "files": []string{c.show(path)}},
				fmt.Sprintf("%s loads the project from disk: what the change of %s does to other files is not checked", spec.ID, c.show(path)))
		}
	}
}

// difference collects what the servers say.
type difference struct {
	mu       sync.Mutex
	appears  []finding              // guarded by mu
	vanishes []finding              // guarded by mu
	silent   []string               // files that a server did not tell about; guarded by mu
	texts    map[string]*editedText // what was tried; guarded by mu
	near     []string               // files that were looked at besides, at servers that have to be asked for each; guarded by mu
	failed   bool                   // a server told nothing; set when all are done
}

// add compares what a server says before and after. Files about which it kept silent once are left out.
func (d *difference) add(spec *lsp.Spec, tried *lsp.Tried, texts map[string]*editedText) {
	silent := func(path string) bool {
		return slices.Contains(tried.Before.Silent, path) || slices.Contains(tried.After.Silent, path)
	}
	before, after := findingsOf(spec.ID, tried.Before, silent), findingsOf(spec.ID, tried.After, silent)
	appears, vanishes := compareFindings(before, after, texts)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.appears = append(d.appears, appears...)
	d.vanishes = append(d.vanishes, vanishes...)
	d.silent = append(append(d.silent, tried.Before.Silent...), tried.After.Silent...)
	if d.texts == nil {
		d.texts = map[string]*editedText{}
	}
	maps.Copy(d.texts, texts)
	if spec.Diagnostics.Workspace || spec.Diagnostics.Rebuild { // the one tells of all; at the other each costs a build
		return
	}
	for _, r := range tried.Before.Reports {
		if texts[r.Path] == nil {
			d.near = append(d.near, r.Path)
		}
	}
}

func findingsOf(serverID string, d *lsp.Diagnosis, silent func(string) bool) []finding {
	var out []finding
	for _, r := range d.Reports {
		if silent(r.Path) {
			continue
		}
		for _, f := range r.Findings {
			if f.Source == "" {
				f.Source = serverID
			}
			out = append(out, finding{f, r.Path, r.Text})
		}
	}
	return out
}

// answer takes the window.
func (d *difference) answer(c *Call, in checkEditIn, plan *editPlan) *checkEditOut {
	out := &checkEditOut{Appeared: map[string]int{}, Vanished: map[string]int{}, previews: true}
	for _, path := range plan.paths {
		out.Tried = append(out.Tried, c.show(path))
	}
	first := plan.paths[0]
	take := func(all []finding, counts map[string]int) (kept []finding) {
		for _, s := range in.Severities {
			counts[s] = 0
		}
		for _, f := range distinct(all, first) {
			if slices.Contains(in.Severities, f.Severity) {
				f.path = c.show(f.path)
				kept = append(kept, f)
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

// close says on the call what the window left out.
func (o *checkEditOut) close(c *Call) {
	if o.to < o.Total {
		c.leaves(o.Total, o.to-o.from, o.Total-o.to, o.next(c, o.to-o.from))
	}
}

// checkEditOut is what an edit would change: first the findings that appear, with their places in the new texts, then
// those that vanish, with their places on disk.
type checkEditOut struct {
	Tried    []string          `json:"files_tried"`
	Appeared map[string]int    `json:"appear_counts"`
	Vanished map[string]int    `json:"vanish_counts"`
	Total    int               `json:"total"`
	Returned int               `json:"returned"`
	Appears  []fileDiagnostics `json:"appears"`
	Vanishes []fileDiagnostics `json:"vanishes" schema:"object"`
	// Of a call that applies: whether it did, and why not.
	Applied    *bool  `json:"applied,omitempty"`
	NotApplied string `json:"not_applied,omitempty"`
	// Of what was applied, as other tools that change files have it.
	Totals     *changeTotals     `json:"totals,omitempty" schema:"-"`
	Files      []fileChange      `json:"files,omitempty" schema:"-"`
	NewErrors  []fileDiagnostics `json:"new_errors,omitempty" schema:"-"`
	ErrorsGone int               `json:"errors_gone,omitempty" schema:"-"`
	Backups    map[string]string `json:"backups,omitempty" schema:"-"`

	change   *changeOut // nil when nothing was applied
	all      []finding  // appear of them, then those that vanish
	appear   int
	from, to int // the window
	previews bool
}

// MarshalJSON writes the window.
func (o checkEditOut) MarshalJSON() ([]byte, error) {
	type plain checkEditOut
	return contract.Marshal(plain(o.window()))
}

// window groups what is shown by file.
func (o checkEditOut) window() checkEditOut {
	p := o
	p.Returned = o.to - o.from
	p.Appears, p.Vanishes = []fileDiagnostics{}, []fileDiagnostics{}
	if c := o.change; c != nil {
		p.Totals, p.Files, p.NewErrors, p.ErrorsGone, p.Backups = &c.Totals, c.Files, c.NewErrors, c.ErrorsGone, c.Backups
	}
	for i, f := range o.all[o.from:o.to] {
		into := &p.Appears
		if o.from+i >= o.appear {
			into = &p.Vanishes
		}
		if n := len(*into); n == 0 || (*into)[n-1].FilePath != f.path {
			*into = append(*into, fileDiagnostics{FilePath: f.path})
		}
		last := &(*into)[len(*into)-1]
		last.Diagnostics = append(last.Diagnostics, f.shown(o.previews))
	}
	return p
}

func (o *checkEditOut) tell(s *sheet) {
	shown := o.window()
	s.list(0, "tried", shown.Tried)
	for _, part := range []struct {
		what  string
		files []fileDiagnostics
	}{{"Appears, by the new texts", shown.Appears}, {"Vanishes, by the texts on disk", shown.Vanishes}} {
		if len(part.files) > 0 {
			s.line(0, "%s", part.what)
			tellDiagnostics(s, part.files)
		}
	}
	if o.change != nil {
		o.change.tell(s)
	}
}

func (o *checkEditOut) Summary() string {
	text := fmt.Sprintf("The edit brings %s and cures %s. ", countWords(o.Appeared), countWords(o.Vanished))
	switch {
	case o.change != nil:
		return text + o.change.summary()
	case o.NotApplied != "":
		return text + "Nothing was written: " + o.NotApplied + "."
	}
	return text + "Nothing was written."
}

// countWords are counts by severity in words.
func countWords(counts map[string]int) string {
	var parts []string
	for _, s := range []string{"error", "warning", "information", "hint"} {
		if n := counts[s]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d of severity %s", n, s))
		}
	}
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, ", ")
}

func (o *checkEditOut) shedSnippets() bool {
	had := o.previews && o.to > o.from
	o.previews = false
	return had
}

func (o *checkEditOut) size() int { return o.to - o.from }

func (o *checkEditOut) cut(n int) any {
	less := *o
	less.to = less.from + n
	return &less
}

func (o *checkEditOut) next(_ *Call, n int) map[string]any {
	return map[string]any{"offset": o.from + n}
}
