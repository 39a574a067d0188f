// Package warm fills the caches that language servers keep on disk (lspi warm): it starts each server that a workspace
// needs as a question would, waits until it has loaded the project, lets it look for errors in all of it where it does
// that, and ends it.
package warm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"lspi/cmd/lspi/internal/doctor"
	"lspi/contract"
	"lspi/lsp"
	"lspi/lsp/spec"
	"lspi/router"
	"lspi/tools/answer"
	"lspi/tools/ask"
	"lspi/tools/session"
)

// Report is what lspi warm did.
type Report struct {
	Workspace string   `json:"workspace"` // absolute
	OK        bool     `json:"ok"`        // each server that is needed got ready, in each project that is not stray
	Trusted   bool     `json:"trusted"`   // code of the workspace may run
	Servers   []Server `json:"servers"`   // one for each project; what is needed and could not be started, one for all
	Notes     []string `json:"notes"`     // what is not warmed, for people
}

// Server is one server at one project.
type Server struct {
	ID       string   `json:"id"`
	Root     string   `json:"root"`                 // of the project, absolute
	Files    int      `json:"files"`                // that the server serves there
	Needed   bool     `json:"needed"`               // the workspace is written in its language, as in lspi doctor
	Ready    bool     `json:"ready"`                // it loaded the project, and looked for errors where it does that
	Known    bool     `json:"ready_known"`          // it gives a sign; otherwise ready is an assumption
	Evidence string   `json:"evidence,omitempty"`   // the sign
	Start    int64    `json:"start_ms"`             // until the handshake was done
	Load     int64    `json:"load_ms"`              // from then on until the project was loaded
	Check    int64    `json:"check_ms"`             // from then on until it had looked for errors
	Memory   uint64   `json:"memory_bytes"`         // of its processes at the end; 0 when not known
	Caches   []Cache  `json:"caches"`               // of the project
	Error    string   `json:"error,omitempty"`      // why it is not ready
	Next     []string `json:"next_steps,omitempty"` // what to do about it
}

// Cache is one cache before and after.
type Cache struct {
	Folder string       `json:"folder"` // absolute
	Holds  string       `json:"holds"`
	Before doctor.Usage `json:"before"`
	After  doctor.Usage `json:"after"`
}

// Warming says what is warmed, and how.
type Warming struct {
	Session  *session.Session
	Cache    string          // lspi's own of this user, absolute; "" when there is none
	Timeout  time.Duration   // for each server, from its handshake on: until then it has limits of its own
	Progress doctor.Progress // may be nil
}

// Run warms the servers that a question about the workspace would ask. One after the other: each of them uses all
// processors while it loads, and so the machine needs the memory of the largest alone.
func (w *Warming) Run(ctx context.Context) (*Report, error) {
	c := answer.NewCall(w.Session, nil, answer.Request{})
	walk, err := ask.WalkWorkspace(ctx, c, lsp.MethodDefinition)
	if err != nil {
		return nil, err
	}
	ws := w.Session.Workspace
	r := &Report{Workspace: ws.Root, OK: true, Trusted: ws.Table.Trusted, Servers: []Server{}, Notes: []string{}}
	code := countCode(walk)
	told := len(c.Warnings()) // of what was not picked, which is told below
	for _, route := range walk.Routes {
		one := Server{ID: route.Spec.ID, Root: route.Root, Needed: code.needs(route.Spec), Caches: []Cache{}}
		var files []string
		for _, g := range walk.Roots {
			if same(g.Route, route) {
				files = append(files, g.Files...)
			}
		}
		one.Files = len(files)
		w.Progress.Say(one.ID, "counting its caches")
		for _, cache := range doctor.CachesOf(ctx, route.Spec, route.Root, w.Cache) {
			one.Caches = append(one.Caches, Cache{cache.Folder, cache.Holds, cache.Usage, doctor.Usage{}})
		}
		if err := w.warm(ctx, c, route, files, &one); err != nil {
			one.fail(err)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for i := range one.Caches {
			one.Caches[i].After = doctor.UsageOf(ctx, one.Caches[i].Folder)
		}
		w.Progress.Say(one.ID, "")
		r.Servers, r.OK = append(r.Servers, one), r.OK && (one.Ready || !one.Needed)
	}
	if !r.Trusted {
		r.Notes = append(r.Notes, "this workspace is not trusted, so no code of it ran, and the caches lack what that makes "+
			"(lspi trust)")
	}
	for _, warning := range c.Warnings()[told:] {
		r.Notes = append(r.Notes, warning.Message)
	}
	for _, l := range leftOf(walk) {
		if code.needsPart(l) {
			r.Servers, r.OK = append(r.Servers, l.failed(ws.Root)), false
		} else {
			r.Notes = append(r.Notes, fmt.Sprintf("%s of %s not warmed: %s (%s)", answer.Counted(l.files, "file"), l.spec.ID,
				l.why, l.next))
		}
	}
	return r, nil
}

// warm starts one server, waits until it has loaded its project and looked for errors in it, and ends it.
func (w *Warming) warm(ctx context.Context, c *answer.Call, route router.Route, files []string, one *Server) error {
	w.Progress.Say(one.ID, "starting")
	began := time.Now()
	s, release, err := c.Servers.Get(ctx, route)
	if err != nil {
		return err
	}
	// Not only released: the next server is to have its memory, and what the caches have is counted when it is gone.
	defer w.Session.Workspace.Pool.Restart(s, false)
	defer release()
	one.Start, began = time.Since(began).Milliseconds(), time.Now()
	ctx, cancel := context.WithTimeoutCause(ctx, w.Timeout, lateError{one.ID, w.Timeout})
	defer cancel()
	if err := s.Sync(ctx); err != nil {
		return err
	}
	if err := s.OpenAny(ctx); err != nil {
		return err
	}
	// A budget that ctx ends before: [stillLoading] tells by ctx whether the time was over.
	st := s.Ready(ctx, 2*w.Timeout, func(st lsp.Status) { w.Progress.Say(one.ID, doctor.Loading(st)) })
	if st.Ready {
		err = question(ctx, s, files)
	}
	one.Load = time.Since(began).Milliseconds()
	one.Known, one.Evidence = st.Known, st.Evidence
	if err := s.Alive(); err != nil {
		return err
	}
	switch {
	case !st.Ready:
		return stillLoading(ctx, one.ID, st, w.Timeout)
	case err != nil:
		return err
	}
	began = time.Now()
	err = w.check(ctx, s)
	one.Check, one.Memory = time.Since(began).Milliseconds(), s.Memory()
	if err != nil {
		return err
	}
	if failed, is := s.Health().LoadFailed(ctx, s.Root()); is {
		return loadError{failed}
	}
	if p := s.Projects().Missing(s.Root()); p != nil {
		return lackError{p, s.Root()}
	}
	one.Ready = true
	return w.written(ctx, one)
}

// maxAsked bounds the files that are opened until one has a symbol.
const maxAsked = 4

// question asks where the first symbol of a file is defined. A server that holds requests back while it loads has
// loaded the project when it answers, if only with a refusal, and some begin to load it only for an open file
// (tsserver). The error is that of a server that is gone or has not answered in time.
func question(ctx context.Context, s *lsp.Server, files []string) error {
	slices.Sort(files)
	for _, path := range files[:min(len(files), maxAsked)] {
		if !s.Offers(lsp.MethodDocumentSymbol) || !s.Offers(lsp.MethodDefinition) {
			return nil
		}
		var symbols []lsp.Symbol
		_, err := s.Documents().Open(ctx, path)
		if err == nil {
			symbols, _, err = s.Unverified().DocumentSymbols(ctx, path)
		}
		if err == nil && len(symbols) > 0 {
			_, err = s.Unverified().Locate(ctx, lsp.MethodDefinition, path, symbols[0].NameAt.Start)
		}
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil && (s.Alive() != nil || isTimeout(err)):
			return err
		case len(symbols) > 0:
			return nil
		}
	}
	return nil
}

// isTimeout reports whether a request had no answer in the time that the configuration gives it.
func isTimeout(err error) bool {
	var e *contract.Error
	return errors.As(err, &e) && e.Category() == contract.Timeout
}

// check lets a server look for errors in the whole project, where it does that: for them it works out what it keeps of
// each package (gopls, whose sign of readiness comes before), or has built what its answers rest on (cargo check).
func (w *Warming) check(ctx context.Context, s *lsp.Server) error {
	if d := s.Spec().Diagnostics; !d.Workspace || !s.Spec().Roles.Has(spec.RoleDiagnostics) {
		return nil
	}
	w.Progress.Say(s.ID(), "looking for errors in the whole project")
	d, err := s.Diagnostics().All(ctx)
	switch {
	case err != nil:
		return err
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return d.Check
}

// The cache is read again after writtenAfter until it stays as it is, for writtenLimit at most.
const (
	writtenAfter = 300 * time.Millisecond
	writtenLimit = 30 * time.Second
)

// written waits until the caches grow no more. gopls 0.23.0 writes what it found out of a package behind its answer
// (cache.storePackageResults), and neither tells when that is done nor waits for it when it is shut down.
func (w *Warming) written(ctx context.Context, one *Server) error {
	if len(one.Caches) == 0 {
		return nil
	}
	w.Progress.Say(one.ID, "writing its cache")
	ctx, cancel := context.WithTimeout(ctx, writtenLimit)
	defer cancel()
	tick := time.NewTicker(writtenAfter)
	defer tick.Stop()
	var before []doctor.Usage
	for {
		var now []doctor.Usage
		for _, cache := range one.Caches {
			now = append(now, doctor.UsageOf(ctx, cache.Folder))
		}
		if slices.Equal(before, now) {
			return nil
		}
		before = now
		select {
		case <-tick.C:
		case <-ctx.Done(): // what else is written stays, too
			return nil
		}
	}
}

// stillLoading says that a server was not ready in time, and what it did.
func stillLoading(ctx context.Context, id string, st lsp.Status, limit time.Duration) error {
	text := fmt.Sprintf("%s had not loaded the project after %s", id, limit)
	if ctx.Err() == nil { // its process ended, or its sign is not expected any more
		text = id + " does not say that it has loaded the project"
	}
	if st.Message != "" {
		text += ": " + st.Message
	}
	return contract.Errorf(contract.KindStillIndexing, contract.Facts{"server_id": id}, "%s", text)
}

// lateError is the end of the time of a server that works.
type lateError struct {
	id    string
	limit time.Duration
}

func (e lateError) Error() string {
	return fmt.Sprintf("%s had not looked at the whole project after %s", e.id, e.limit)
}

// loadError is a project that the server could not load.
type loadError struct{ failed lsp.LoadFailure }

func (e loadError) Error() string {
	return "it could not load the project: " + lsp.WithoutExcerpt(e.failed.Reason)
}

// lackError is a project without the file that its server needs.
type lackError struct {
	project *spec.ProjectFile
	root    string
}

func (e lackError) Error() string {
	return fmt.Sprintf("there is no %s in %s, so nothing of the project is kept",
		strings.Join(e.project.Files, " or "), e.root)
}

// fail notes why a server did not get ready, and what to do about it.
func (s *Server) fail(err error) {
	s.Ready, s.Error = false, err.Error()
	var load loadError
	var lack lackError
	var late lateError
	var e *contract.Error
	switch {
	case errors.As(err, &load):
		for _, cure := range load.failed.Cures {
			if s.Next = append(s.Next, cure.Have); cure.Command != "" {
				s.Next = append(s.Next, "cd "+contract.ShellWord(s.Root)+" && "+cure.Command)
			}
		}
	case errors.As(err, &lack):
		s.Next = []string{lack.project.Hint}
	case limitOf(err) != "":
		s.Next = []string{fmt.Sprintf("Raise %s of %s in the configuration.", limitOf(err), s.ID)}
	case errors.As(err, &late), errors.Is(err, context.DeadlineExceeded), isTimeout(err),
		errors.As(err, &e) && e.Kind == contract.KindStillIndexing:
		s.Next = []string{"Give it more time with --timeout."}
	case errors.As(err, &e) && e.Kind == contract.KindRestricted:
		s.Next = []string{"Run lspi trust in a terminal: it lists what would run, and asks."}
	}
	if len(s.Next) == 0 {
		s.Next = []string{"lspi doctor"}
	}
}

// limitOf names the key of the configuration whose limit an error is about; "" when it is about none.
func limitOf(err error) string {
	if errors.Is(err, lsp.ErrInitializeTimeout) {
		return "initialize_timeout_ms"
	}
	if e := (*contract.Error)(nil); errors.As(err, &e) && e.Facts["limit_ms"] != nil {
		if method, _ := e.Facts["method"].(string); method != "" {
			return fmt.Sprintf("request_timeout_overrides_ms.%q", method)
		}
	}
	return ""
}

// Text writes the report for people.
func (r *Report) Text(out io.Writer) error {
	var b strings.Builder
	for _, s := range r.Servers {
		s.text(&b)
	}
	for _, note := range r.Notes {
		fmt.Fprintf(&b, "note: %s\n", contract.OneLine(note))
	}
	if len(r.Servers) == 0 {
		fmt.Fprintf(&b, "%s needs no language server that is installed.\n", contract.OneLine(r.Workspace))
	}
	_, err := io.WriteString(out, b.String())
	return err
}

func (s *Server) text(b *strings.Builder) {
	line := func(format string, args ...any) {
		b.WriteString("  " + contract.OneLine(fmt.Sprintf(format, args...)) + "\n")
	}
	took := func(ms int64) string {
		return (time.Duration(ms) * time.Millisecond).Round(time.Millisecond * 10).String()
	}
	head := fmt.Sprintf("%s: %s (%s)", s.ID, s.Root, answer.Counted(s.Files, "file"))
	b.WriteString(contract.OneLine(head) + "\n")
	text := fmt.Sprintf("started in %s, loaded in %s", took(s.Start), took(s.Load))
	switch {
	case !s.Ready:
		if text = ""; !s.Needed {
			text = " (few files beside the rest, or no code: it does not count)"
		}
		line("not ready: %s%s", s.Error, text)
		for _, next := range s.Next {
			line("→ %s", next)
		}
	case !s.Known:
		line("%s; it gives no sign of when it has loaded the project", text)
	default:
		if s.Check > 0 {
			text += ", looked for errors in " + took(s.Check)
		}
		if s.Memory > 0 {
			text += ", " + doctor.Size(s.Memory)
		}
		line("%s", text)
	}
	for _, c := range s.Caches {
		line("%s: %s before, %s now", c.Folder, c.Before, c.After)
	}
	if len(s.Caches) == 0 && s.Ready {
		line("lspi knows of no cache of it")
	}
}
