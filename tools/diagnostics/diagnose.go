package diagnostics

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"lspi/contract"
	"lspi/lsp"
	"lspi/lsp/launch"
	"lspi/lsp/spec"
	"lspi/router"
	"lspi/tools/answer"
	"lspi/tools/ask"
	"lspi/tools/loaded"
)

// In are the arguments of get_diagnostics. A call without a file is about the whole workspace.
type In struct {
	FilePath   string   `json:"file_path"`
	FilePaths  []string `json:"file_paths"`
	Severities []string `json:"severities" default:"[\"error\",\"warning\"]" enum:"error,warning,information,hint"`
	MaxResults int      `json:"max_results" default:"100" min:"1" max:"500"`
	Offset     int      `json:"offset" default:"0" min:"0"`
	Wait       string   `json:"wait" default:"errors" enum:"errors,all"`
	WaitMS     int      `json:"wait_ms" min:"100"`
	answer.Caps
}

// Out is the answer of get_diagnostics. MarshalJSON fills Returned, LeftOut and Files from the window,
// so that a cut needs no copy of the findings.
type Out struct {
	Total    int            `json:"total"`
	Returned int            `json:"returned"`
	Counts   map[string]int `json:"counts"`
	LeftOut  map[string]int `json:"left_out,omitempty" schema:"-"` // per file, what is not in this page
	Pending  []Pending      `json:"pending,omitempty"`
	Files    []InFile       `json:"files"`

	all      []lsp.Finding // all findings, sorted
	clean    []string      // files without findings, which the answer names
	from, to int           // the window in all
	previews bool          // findings come with their lines
}

// Pending is a stage that a server had not finished when the answer was given.
type Pending struct {
	Stage    string   `json:"stage"`
	ServerID string   `json:"server_id"`
	Files    []string `json:"files,omitempty" schema:"-"` // some of them, where they are known
}

// Run answers get_diagnostics: the findings of the named files, else of the whole workspace.
func Run(ctx context.Context, c *answer.Call, in In) (*Out, error) {
	if err := in.Check(); err != nil {
		return nil, err
	}
	paths, parts, err := diagnosed(c, in)
	if err != nil {
		return nil, err
	}
	all := in.Wait == waitAll
	d := gathered{call: ctx, whole: len(paths) == 0, bounded: in.WaitMS > 0}
	// Two limits: that for the servers, and that of the call, in which the answer is written.
	within, cancel := limited(ctx, in.WaitMS)
	defer cancel()
	if len(paths) > 0 {
		err = diagnoseFiles(within, c, paths, all, &d)
	}
	if err == nil && (len(paths) == 0 || len(parts) > 0) {
		soon := within
		if in.WaitMS == 0 && !all {
			d.bounded = true
			soon, cancel = limited(ctx, workspaceWait)
			defer cancel()
		}
		d.whole = true
		err = diagnoseWorkspace(within, soon, c, parts, all, &d)
	}
	if err != nil {
		return nil, err
	}
	return d.answer(c, in, paths), nil
}

// limited returns a context that ends after some milliseconds; 0 is no limit.
func limited(ctx context.Context, ms int) (context.Context, context.CancelFunc) {
	if ms == 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, time.Duration(ms)*time.Millisecond)
}

// waitAll is the value of wait with which nothing is left pending.
const waitAll = "all"

// workspaceWait is how long, in milliseconds, a question about the workspace waits for a server that looks at all files
// by itself, unless it says otherwise. A server that has loaded some hundred files tells of all of them within it after
// an edit (gopls 0.23.0 in x/tools: 1.5 s); one that has not takes longer than anybody waits without a word.
const workspaceWait = 5000

// MaxDiagnosedFiles bounds the files of one call.
const MaxDiagnosedFiles = 100

// Check refuses more files than one call may name.
func (in In) Check() error {
	if len(in.FilePaths) > MaxDiagnosedFiles {
		return answer.Invalid("file_paths",
			"may name at most %d files, not %d; without it the call is about the whole workspace",
			MaxDiagnosedFiles, len(in.FilePaths))
	}
	return nil
}

// diagnosed returns the named files, each once, file_path first, and the folders and globs among what is named. A file
// that cannot be asked about is skipped with a warning when others are named, and is the error when it is the only one.
func diagnosed(c *answer.Call, in In) (paths []string, parts scope, err error) {
	given := in.FilePaths
	if in.FilePath != "" {
		given = append([]string{in.FilePath}, given...)
	}
	var first error
	for _, g := range given {
		if p, ok, err := PartOf(c, "file_paths", g); ok || err != nil {
			if err != nil {
				return nil, nil, err
			}
			parts = append(parts, p)
			continue
		}
		path, err := c.Path(g)
		// By the real path: two names of one file are one file.
		if err == nil {
			if !slices.Contains(paths, path) {
				paths = append(paths, path)
			}
			continue
		}
		if first == nil {
			first = err
		}
		if len(given) > 1 {
			c.Warn(contract.WarnFileSkipped, contract.Facts{"file_path": g, "reason": answer.AsError(err).Kind},
				answer.AsError(err).Message)
		}
	}
	if len(paths)+len(parts) == 0 && first != nil {
		return nil, nil, first
	}
	return paths, parts, nil
}

// gathered is what the servers of one call of get_diagnostics have said so far.
type gathered struct {
	// call is the context of the call, which may have time left when that for the servers (wait_ms) is over
	call     context.Context
	bounded  bool // servers have less time than the call
	whole    bool // it is about the workspace
	mu       sync.Mutex
	findings []lsp.Finding               // guarded by mu
	reported map[string]bool             // files that were reported on; guarded by mu
	silent   map[string]bool             // files that a server did not report on; guarded by mu
	pending  []Pending                   // guarded by mu
	users    map[*lsp.Diagnosis][]string // files of the stage [PendingUsers]; guarded by mu
}

// diagnoseFiles asks each file's servers at the same time: the preferred one for its language, and
// those that only check. Unless all is set, what takes longer than the errors of the files themselves
// stays pending and goes on behind the answer. A server that fails costs its part; only when all fail
// the call does.
func diagnoseFiles(ctx context.Context, c *answer.Call, paths []string, all bool, d *gathered) error {
	var groups Groups
	lacks := "" // a server without diagnostics
	for _, path := range paths {
		routes, err := InstalledRoutes(c, path, spec.RoleDiagnostics)
		if err != nil {
			return err
		}
		for _, r := range routes {
			if slices.Contains(r.Spec.Lacks, lsp.MethodPublishDiag) {
				lacks = r.Spec.ID
				if len(routes) == 1 {
					d.markSilent([]string{path})
				}
				continue
			}
			// By root: what keeps the answer of a root from being whole is told of each.
			groups.Add(path, r, func(have router.Route) bool { return have.Spec == r.Spec && have.Root == r.Root })
		}
	}
	if len(groups) == 0 && lacks != "" {
		return contract.Errorf(contract.KindRequestUnsupported,
			contract.Facts{"server_id": lacks, "method": lsp.MethodPublishDiag},
			"%s has no diagnostics", lacks)
	}
	errs := make([]error, len(groups))
	answer.Parallel(len(groups), 0, func(i int) {
		g := groups[i]
		ofGroup := func(ctx context.Context, s *lsp.Snapshot) (*lsp.Diagnosis, error) {
			found, err := ofFiles(ctx, c, s, g.Paths, all)
			if err == nil {
				UncheckedProjects(ctx, c, s, g.Roots(), g.Paths, found)
				unresolving(c, s, g.Paths)
				otherBuilds(ctx, c, s, g.Paths)
				err = addUsers(ctx, c, s, g.Paths, all, d, found)
			}
			if err == nil {
				err = addTemplates(ctx, c, s, g, all, found)
			}
			if err == nil {
				err = asIncluded(ctx, c, s, g.Routes[0], true, found)
			}
			return found, err
		}
		errs[i] = d.askServer(ctx, c, g.Routes[0], g.Paths[0], ofGroup)
	})
	if err := answer.ErrorOfAll(errs); err != nil {
		return err
	}
	for i, err := range errs {
		if err != nil {
			d.markSilent(groups[i].Paths)
			ask.PartFailed(c, groups[i].Routes[0].Spec.ID, err)
		}
	}
	if slices.ContainsFunc(groups, func(g *Group) bool { return g.Routes[0].Spec != groups[0].Routes[0].Spec }) {
		c.AnsweredByMany() // each finding says whose it is
	}
	return nil
}

// ofFiles asks one server about files. It notes in the session which errors this answer has, and what
// the server still has to say, so that a later answer tells the rest once.
func ofFiles(ctx context.Context, c *answer.Call, s *lsp.Snapshot, paths []string, all bool) (*lsp.Diagnosis, error) {
	ask := s.Diagnostics().First
	if all {
		ask = s.Diagnostics().Of
	}
	found, err := ask(ctx, paths)
	if err == nil {
		found, err = checkedUnlessBroken(ctx, c, s, paths, found)
	}
	if err != nil {
		return nil, err
	}
	noteErrors(c, s, found)
	awaited, _ := c.Session.Errors.Awaited(s.Server)
	if awaited != nil {
		if _, state, _ := awaited.Errors(ctx); state == lsp.RestOutdated {
			awaited = nil
		}
	}
	// Nothing is pending here and nothing was before: only findings in other files could still be told
	// later.
	if nothing := len(found.Pending) == 0; nothing && awaited == nil {
		means := s.Spec().Diagnostics
		if means.First == nil && (means.Check == nil || found.Check != nil) || len(found.Silent) > 0 ||
			s.Health().LoadFailing() {
			return found, nil
		}
		// The server was asked for everything, or its checker has run: what they found in other files is told with
		// these. The checker does not wait for a load of the project that began meanwhile, and nor does this
		// answer: a later one tells what the load brings.
		all = means.First != nil || s.Status().Ready
	} else if nothing {
		if len(found.Silent) > 0 {
			return found, nil
		}
		if _, state, _ := awaited.Errors(ctx); found.Check != nil && state == lsp.RestUnfinished {
			c.Session.Errors.Await(s.Server, nil) // the answer says why
		}
		if !all || found.Check != nil {
			return found, nil
		}
		// Whoever waits hears now what the stages that an earlier answer left pending brought in other files.
	}
	rest, err := s.Diagnostics().Finish(ctx, paths)
	if err != nil {
		return nil, err
	}
	if all {
		rest.Wait(ctx)
	}
	c.Session.Errors.Await(s.Server, rest)
	return found, nil
}

// checkWait is how long a question about files waits for the external checker when the server itself
// finds no error. The last two seconds of it are not the checker's ([lsp.Diagnostics.Of]).
const checkWait = 7 * time.Second

// checkedUnlessBroken waits for the external checker where it is pending and no error is known yet: "no
// errors" of a server that leaves most of them to its checker says nothing (rust-analyzer 1.97.1 is
// silent about a call of an unknown function). Where an error is known, the caller has something to
// mend and need not wait. What takes longer than [checkWait] stays pending, with a warning that makes
// the answer partial.
func checkedUnlessBroken(ctx context.Context, c *answer.Call, s *lsp.Snapshot, paths []string,
	found *lsp.Diagnosis) (*lsp.Diagnosis, error) {
	check := s.Spec().Diagnostics.Check
	broken := func(r lsp.Report) bool { return slices.ContainsFunc(r.Findings, isError) }
	if check == nil || !slices.Contains(found.Pending, check.Title) || slices.ContainsFunc(found.Reports, broken) {
		return found, nil
	}
	soon, cancel := context.WithTimeout(ctx, checkWait)
	defer cancel()
	whole, err := s.Diagnostics().Of(soon, paths)
	if err == nil && (whole.Check == nil || errors.As(whole.Check, new(*lsp.Unchecked)) ||
		errors.As(whole.Check, new(*lsp.UnlockedError))) {
		return whole, nil
	}
	if err != nil && soon.Err() == nil {
		return nil, err
	}
	c.Warn(contract.WarnPartFailed, contract.Facts{"part": check.Title},
		fmt.Sprintf("%s, which finds errors that %s itself does not, is not over; no error is known yet",
			check.Title, s.Spec().ID))
	return found, nil
}

// noteErrors notes in the session which errors an answer shows. An answer that is everything there is
// about its files also replaces what was noted of them, so that an error which comes back is new.
func noteErrors(c *answer.Call, s *lsp.Snapshot, found *lsp.Diagnosis) {
	if len(found.Pending) == 0 && len(found.Silent) == 0 && found.Check == nil {
		// Of these files the answer is all there is; an old push of the checker may still be there.
		reported := func(r lsp.Report) bool {
			return slices.ContainsFunc(found.Reports, func(f lsp.Report) bool { return f.Path == r.Path })
		}
		c.Session.Errors.Settle(s.Server,
			slices.Concat(found.Reports, slices.DeleteFunc(s.Diagnostics().Pushed(), reported)))
	}
	c.Session.Errors.Tell(s.Server, found.Reports)
}

// InstalledRoutes returns the servers of a role to ask about a file: the first that knows its language
// and is installed or configured, and every such server that only checks (a linter). Without any it
// returns the first route, whose error says what is missing.
func InstalledRoutes(c *answer.Call, path string, role spec.Role) ([]router.Route, error) {
	all, err := c.Routes(path)
	if err != nil {
		return nil, err
	}
	var out []router.Route
	knows := false
	for _, r := range router.For(all, role) {
		// Two servers that know the language would report the same errors twice, in different words.
		main := r.Spec.Roles.Has(spec.RoleNavigation)
		if main && knows || answer.Program(c, r.Spec) == "" && r.Spec.Configured() == nil || loaded.IsOff(c, r.Spec) {
			continue
		}
		knows = knows || main
		out = append(out, r)
	}
	if len(out) == 0 {
		out = all[:1]
	}
	return out, nil
}

// DiagnoseReserve is left of the call's time for writing the answer when a server takes too long.
const DiagnoseReserve = 2 * time.Second

// mayLackTime reports whether a question may have failed for want of time, or brought nothing.
func mayLackTime(err error) bool {
	if err == nil {
		return true
	}
	e := answer.AsError(err)
	return e.Category() == contract.Timeout || e.Kind == contract.KindStillIndexing
}

// pendingStage is the stage that is pending of a server that could not be asked in time.
func (d *gathered) pendingStage() string {
	if d.whole {
		return lsp.PendingWorkspace
	}
	return "files"
}

// Server asks one server and warns of what it does not say. It returns nil without an error when a
// warning already says why the server could not be asked.
func Server(ctx context.Context, c *answer.Call, r router.Route, path string,
	question func(context.Context, *lsp.Snapshot) (*lsp.Diagnosis, error)) (*lsp.Diagnosis, error) {
	found, err := diagnosis(ctx, c, r, path, question)
	if err != nil || found == nil {
		return nil, err
	}
	LacksChecker(c, r.Spec)
	WarnIncomplete(c, r.Spec, found)
	return found, nil
}

// diagnosis asks one server. The question ends a little before the call, so that what the server has
// said by then can still be written.
func diagnosis(ctx context.Context, c *answer.Call, r router.Route, path string,
	question func(context.Context, *lsp.Snapshot) (*lsp.Diagnosis, error)) (found *lsp.Diagnosis, err error) {
	err = ask.Diagnostics(ctx, c, r, path, nil, func(ctx context.Context, s *lsp.Snapshot) error {
		if deadline, ok := ctx.Deadline(); ok {
			var cancel context.CancelFunc
			ctx, cancel = context.WithDeadline(ctx, deadline.Add(-min(DiagnoseReserve, time.Until(deadline)/4)))
			defer cancel()
		}
		found, err = question(ctx, s)
		return err
	})
	return found, err
}

// askServer asks one server and adds what it says, with warnings for what it does not. A server that
// could not be asked in time is no error: its part stays pending.
func (d *gathered) askServer(ctx context.Context, c *answer.Call, r router.Route, path string,
	question func(context.Context, *lsp.Snapshot) (*lsp.Diagnosis, error)) error {
	found, err := diagnosis(ctx, c, r, path, question)
	// The time for servers was over before it was asked. Steps before that leave a reserve, so that they end
	// earlier than ctx.
	over := ctx.Err() != nil || d.bounded && err != nil
	if found == nil && d.call.Err() == nil && over && mayLackTime(err) {
		found, err = &lsp.Diagnosis{Pending: []string{d.pendingStage()}}, nil
	}
	if err != nil || found == nil {
		return err
	}
	unfinished := func(stage string) bool {
		return d.whole && stage != PendingTemplates || stage == d.pendingStage()
	}
	if slices.ContainsFunc(found.Pending, unfinished) {
		c.Warn(contract.WarnPartFailed, contract.Facts{"part": r.Spec.ID},
			fmt.Sprintf("%s has not looked at all of the %s yet; the errors here are those that it knows already",
				r.Spec.ID, d.pendingStage()))
	}
	// Without its checker the server has reported, but not on everything: none of its files may be called clean.
	check := r.Spec.Diagnostics.Check
	if LacksChecker(c, r.Spec) || found.Check != nil || check != nil && slices.Contains(found.Pending, check.Title) {
		for _, report := range found.Reports {
			d.markSilent([]string{report.Path})
		}
	}
	for _, u := range found.Excluded {
		d.markSilent([]string{u.Path})
	}
	if d.bounded && errors.As(found.Check, new(*lsp.CheckRunningError)) {
		found.Pending = append(found.Pending, check.Title) // whoever cannot wait comes again
	}
	d.addFound(r.Spec.ID, found)
	WarnIncomplete(c, r.Spec, found)
	return nil
}

// WarnIncomplete warns of all that keeps a server's diagnosis from being complete, each with the step
// that helps.
func WarnIncomplete(c *answer.Call, spec *spec.Spec, d *lsp.Diagnosis) {
	if len(d.Silent) > 0 {
		c.Warn(contract.WarnPartFailed, contract.Facts{"part": spec.ID, "files": c.ShowSome(d.Silent)},
			fmt.Sprintf("%s did not report on the current text of %s in time", spec.ID,
				answer.Counted(len(d.Silent), "file")))
		c.Step(c.Repeat("Repeat the call; the server continues to work meanwhile.", nil))
	}
	if d.Check != nil {
		c.Warn(contract.WarnPartFailed, contract.Facts{"part": spec.Diagnostics.Check.Title}, d.Check.Error()+
			"; its findings are missing, those of "+spec.ID+" itself are here")
		checkMissing(c, d.Check)
	}
	exclusions(c, spec, d.Excluded)
	unchecked(c, spec, d)
	if d.Unsure {
		c.Warn(contract.WarnNoReadinessSign, nil, spec.ID+" gives no sign of when its diagnostics are final")
	}
	if n := len(d.Folders); n > 0 {
		c.Warn(contract.WarnCoverageOpenFilesOnly, contract.Facts{"server_id": spec.ID, "folders": n},
			fmt.Sprintf("the compile errors are those of all files, but the analysers of %s did not check %s", spec.ID,
				answer.Counted(n, "folder")))
	}
	if d.Lost > 0 {
		c.Warn(contract.WarnServerLimit, contract.Facts{"total": d.Lost},
			spec.ID+" reported diagnostics of more files than lspi keeps; some are missing here")
	}
	if more := leftOutOf(d); more > 0 {
		c.Warn(contract.WarnServerLimit, contract.Facts{"left_out": more},
			fmt.Sprintf(
				"lspi left out %d diagnostics, because one file has too many or because it could not read them", more))
	}
}

// LacksChecker reports, with a warning, whether the program is missing from which the server takes its
// diagnostics (bash-language-server from shellcheck).
func LacksChecker(c *answer.Call, spec *spec.Spec) bool {
	needs := spec.Diagnostics.Needs
	if needs == "" {
		return false
	}
	if launch.LookPath(spec, needs) != "" {
		return false
	}
	c.Warn(contract.WarnPartFailed, contract.Facts{"part": needs},
		fmt.Sprintf("%s takes its diagnostics from %s, which is not installed", spec.ID, needs))
	c.Step(contract.NextStep{Kind: contract.StepDoc, Message: "Install " + needs + ", then restart the host."})
	return true
}

// checkMissing adds the step by which the findings of a checker that failed can be had.
func checkMissing(c *answer.Call, why error) {
	var unlocked *lsp.UnlockedError
	switch {
	case !errors.As(why, &unlocked) && errors.As(why, new(*lsp.Unchecked)):
		c.Step(c.Repeat("Repeat the call when that is fixed.", nil))
		return
	case unlocked == nil:
		c.Step(c.Repeat("Repeat the call; the check continues meanwhile.", nil))
		return
	}
	c.Step(contract.NextStep{Kind: contract.StepCommand, Command: unlocked.Command,
		Message: "It writes " + c.Show(unlocked.Path) + ". Run it in " + c.Folder(filepath.Dir(unlocked.Path)) +
			", then repeat the call."})
}

// leftOutOf returns how many diagnostics the reports leave out.
func leftOutOf(d *lsp.Diagnosis) (n int) {
	for _, r := range d.Reports {
		n += r.More
	}
	return n
}

// markSilent notes files on which a server did not report: the answer must not call them clean, even if
// another server found nothing there.
func (d *gathered) markSilent(paths []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.silent == nil {
		d.silent = map[string]bool{}
	}
	for _, p := range paths {
		d.silent[p] = true
	}
}

// addFound adds what a server found.
func (d *gathered) addFound(serverID string, found *lsp.Diagnosis) {
	d.markSilent(found.Silent)
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, stage := range found.Pending {
		p := Pending{Stage: stage, ServerID: serverID}
		if stage == PendingUsers {
			p.Files = d.users[found]
		}
		// The servers of two roots may wait for the same; they are one for whoever reads the answer.
		same := func(o Pending) bool { return o.Stage == stage && o.ServerID == serverID }
		if i := slices.IndexFunc(d.pending, same); i >= 0 {
			d.pending[i].Files = append(d.pending[i].Files, p.Files...)
			continue
		}
		d.pending = append(d.pending, p)
	}
	if d.reported == nil {
		d.reported = map[string]bool{}
	}
	for _, r := range found.Reports {
		d.reported[r.Path] = true
	}
	d.findings = append(d.findings, found.Findings()...)
}
