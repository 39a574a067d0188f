package lsp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/lsp/spec"
)

// Diagnostics are what a server says of files: what it pushed, what it answers when it is asked, and what its
// external checker finds. Its methods may be called concurrently.
type Diagnostics struct {
	spec     *spec.Spec
	conn     *Connection
	store    *diagnosticStore
	check    *checkRun // nil when the server has no external checker
	docs     *Documents
	folders  *Folders
	projects *Projects
	health   *Health
	hooks    *Hooks // set by newServer, before anyone else sees the server
	kept     keptReports
	swept    sweptFiles
	reused   atomic.Bool // a separate process that is asked a further question ([Server.Reuse])

	restMu sync.Mutex
	rest   *Rest // the last one; guarded by restMu
}

// Of asks for the diagnostics of files as they are on disk; the caller has synchronised. What is not known when
// ctx ends is named in the diagnosis and is no error.
func (q *Diagnostics) Of(ctx context.Context, paths []string) (*Diagnosis, error) {
	d := &Diagnosis{}
	if _, err := q.last(ctx); err != nil { // an older one ends
		return nil, err
	}
	// The checker comes first: its findings are pushed, so that they are in the store when the files are asked about.
	if err := q.runCheck(ctx, d); err != nil {
		return nil, err
	}
	return q.diagnoseInParts(ctx, paths, d)
}

// diagnoseInParts adds to d what the server itself says of files. It asks in parts, because all files of a part have
// to be open at the same time, and the number of open documents is bounded.
func (q *Diagnostics) diagnoseInParts(ctx context.Context, paths []string, d *Diagnosis) (*Diagnosis, error) {
	for part := range slices.Chunk(paths, maxOpenDocuments/2) {
		if err := q.Add(ctx, part, d); err != nil {
			return nil, err
		}
	}
	// After all parts, since it reads the findings of every report.
	q.Unlinked(d)
	return d, nil
}

// Add asks about files by the best means that this server has, and adds what it learns to d. A request of its own
// (pull) is the surest, because its answer is for the text that was sent; then a command after which all is pushed;
// then a way of its own ([DiagnosticHooks]); at last the server is waited for, and may say nothing.
func (q *Diagnostics) Add(ctx context.Context, paths []string, d *Diagnosis) error {
	switch own, pusher := q.own(), q.pusher(); {
	case q.pulls():
		return q.each(ctx, paths, d, q.pull)
	case pusher != nil:
		return q.byPushes(ctx, pusher, paths, d)
	case own != nil:
		return q.each(ctx, paths, d, own)
	}
	return q.awaitPushes(ctx, paths, d)
}

// pulls reports whether files are asked about by textDocument/diagnostic: the server offers it, and the row either
// wants it or knows no other means by which all is told for certain. gopls, for one, offers it behind a setting,
// and its versioned pushes say as much.
func (q *Diagnostics) pulls() bool {
	means := q.spec.Diagnostics
	return q.conn.Offers(MethodDocumentDiag) && (means.Pull || !means.Versioned && q.own() == nil && q.pusher() == nil)
}

// each asks for files at the same time, and adds the reports to d in their order. A file that cannot be read or
// asked for is not reported on.
func (q *Diagnostics) each(ctx context.Context, paths []string, d *Diagnosis,
	ask func(context.Context, string, *Diagnosis) error) error {
	// All are open before one is asked for, so that each is judged by the texts of all.
	for _, path := range paths {
		if _, err := q.docs.Open(ctx, path); err != nil && FatalAnswer(err) {
			return err
		}
	}
	parts, errs := make([]Diagnosis, len(paths)), make([]error, len(paths))
	together(len(paths), func(i int) {
		told, before := q.docs.lastEdition(), q.health.ready.status()
		parts[i].Check = d.Check
		if errs[i] = ask(ctx, paths[i], &parts[i]); errs[i] == nil && len(parts[i].Reports) == 1 {
			q.keep(&parts[i], told, before)
		}
	})
	for i, err := range errs {
		// One file that cannot be asked for must not cost the findings of the others; it is named as silent, so
		// that the answer is not complete.
		switch {
		case err == nil:
			d.Reports, d.Silent = append(d.Reports, parts[i].Reports...), append(d.Silent, parts[i].Silent...)
			d.Unsure = d.Unsure || parts[i].Unsure
		case FatalAnswer(err):
			return err
		default:
			d.Silent = append(d.Silent, paths[i])
		}
	}
	return nil
}

// FatalAnswer reports whether an error voids the whole diagnosis, not one file's: the server ended, or nobody waits.
// An error that is none of the contract is fatal as well: nobody knows what it means for the other files.
func FatalAnswer(err error) bool {
	var e *contract.Error
	return !errors.As(err, &e) || e.Kind == contract.KindServerCrashed || e.Category() == contract.Cancelled
}

// documentReport is LSP's DocumentDiagnosticReport. gopls 0.21 and 0.23 leave kind empty.
// Items is a pointer, because a report without the member is broken, and one with an empty list says that the file
// is clean.
type documentReport struct {
	Kind    string                    `json:"kind"`
	Items   *[]json.RawMessage        `json:"items"`
	Related map[string]documentReport `json:"relatedDocuments"`
}

// pull is textDocument/diagnostic (LSP 3.17). No previous result is named, so none should be called unchanged.
func (q *Diagnostics) pull(ctx context.Context, path string, d *Diagnosis) error {
	text, items, more, err := q.pullItems(ctx, path)
	if err != nil {
		return err
	}
	if is := q.hooks.FoundUnreadable; is != nil && slices.ContainsFunc(items, is) {
		if err := q.docs.sendTwice(ctx, path); err != nil {
			return err
		}
		if text, items, more, err = q.pullItems(ctx, path); err != nil {
			return err
		}
	}
	if q.check != nil && d.Check == nil { // what the checker found is only pushed
		p, _ := q.store.get(path)
		// The full slice expression makes append copy: p.items belongs to the store.
		items, more = append(p.items[:len(p.items):len(p.items)], items...), more+p.more
	}
	q.Report(d, path, text, items, more)
	return nil
}

// pullItems asks once. more counts the diagnostics beyond MaxKept, and those that could not be read.
func (q *Diagnostics) pullItems(ctx context.Context, path string) (text *source.Text, items []Diagnostic, more int,
	err error) {
	if text, err = q.docs.Open(ctx, path); err != nil {
		return nil, nil, 0, err
	}
	var raw json.RawMessage
	params := map[string]any{"textDocument": protocol.TextDocumentIdentifier{URI: uri.File(path)}}
	if err := q.conn.requestUnoffered(ctx, MethodDocumentDiag, params, &raw); err != nil {
		return nil, nil, 0, err
	}
	var report documentReport
	if err := json.Unmarshal(raw, &report); err != nil {
		return nil, nil, 0, q.conn.Undecodable(ctx, MethodDocumentDiag, raw, err)
	}
	switch {
	// It would say that the findings are those of a result that lspi does not have; taken for an empty report the
	// file would look clean.
	case report.Kind == "unchanged":
		return nil, nil, 0, q.conn.Undecodable(ctx, MethodDocumentDiag, raw,
			errors.New("unchanged since a result that was not named"))
	// A report without the member is no report of no findings.
	case report.Items == nil:
		return nil, nil, 0, q.conn.Undecodable(ctx, MethodDocumentDiag, raw, errors.New("a report without items"))
	}
	items, more = decodeDiagnostics(*report.Items)
	for u, other := range report.Related {
		// Related documents are other files, which nobody asked about; an entry for the asked file itself belongs
		// to its report.
		if p, ok := URIToPath(u); ok && p == path && other.Items != nil {
			extra, beyond := decodeDiagnostics(*other.Items)
			items, more = append(items, extra...), more+beyond
		}
	}
	return text, items, more, nil
}

// byPushes makes the server push what it knows and takes it. The files are opened, because analysers look only at
// what is open.
func (q *Diagnostics) byPushes(ctx context.Context, pusher pushes, paths []string, d *Diagnosis) error {
	// All are open before the command is sent: it reports on what is open then.
	for _, path := range paths {
		if _, err := q.docs.OpenDocument(ctx, path); err != nil {
			return err
		}
	}
	// Before the pushes are asked for: what a request has named is loaded, and is then part of what is pushed.
	if err := q.projects.askExcluded(ctx, paths, d); err != nil {
		return err
	}
	silent := len(d.Silent)
	if err := askPushes(ctx, pusher, paths, d); err != nil {
		return err
	}
	// Out of time: the pushes in the store may be of older texts and are not reported as findings of these.
	if len(d.Silent) > silent {
		return nil
	}
	for _, path := range paths {
		q.addPushed(path, d)
	}
	return nil
}

// askPushes makes the server push what it knows of files; out of time, the files are silent.
func askPushes(ctx context.Context, pusher pushes, paths []string, d *Diagnosis) error {
	if len(paths) == 0 {
		return nil
	}
	err := pusher(ctx, paths)
	if err != nil && !FatalAnswer(err) {
		d.Silent = append(d.Silent, paths...)
		return nil
	}
	return err
}

// awaitPushes opens the files and waits for what the server pushes about their current texts.
func (q *Diagnostics) awaitPushes(ctx context.Context, paths []string, d *Diagnosis) error {
	d.Unsure = d.Unsure || !q.spec.Diagnostics.Versioned
	// All files are opened first and waited for afterwards, so that the server can work at them at the same time.
	unsent := map[string]bool{} // out of time: a push about a text before would pass for one about this
	for _, path := range paths {
		_, err := q.docs.OpenDocument(ctx, path)
		// A time that is over is no error here: the files that were not sent are named as silent, and what is known
		// of the others is still told.
		if err != nil && (q.conn.Alive() != nil || !errors.Is(ctx.Err(), context.DeadlineExceeded)) {
			return err
		}
		unsent[path] = err != nil
	}
	for _, path := range paths {
		// Not reported on in time, which differs from reported as clean. Only the end of the server ends the loop:
		// the files behind it may have been reported on already.
		told := !unsent[path] && q.awaitPush(ctx, path)
		if told && q.reused.Load() && !q.builtAsIs(ctx, path) {
			if ctx.Err() == nil {
				return ErrRestartNeeded
			}
			told = false
		}
		if !told {
			if err := q.conn.Alive(); err != nil {
				return err
			}
			d.Silent = append(d.Silent, path)
			continue
		}
		// The diagnostics first, then the regions: they come in this order, and pushed reads both from the store.
		q.awaitRegions(ctx, path)
		q.addPushed(path, d)
	}
	return nil
}

// builtAsIs is [SyncHooks].BuiltAsIs of the text of a document that the server was sent last.
func (q *Diagnostics) builtAsIs(ctx context.Context, path string) bool {
	built := q.hooks.BuiltAsIs
	version, open := q.docs.version(path)
	return built != nil && open && built(ctx, path, version)
}

// unsurePatience bounds the wait for a server whose pushes carry no version, unless its row says another time: it
// may have nothing more to say.
const unsurePatience = 5 * time.Second

// awaitPush waits for a push about the text that the server was sent last; false when none comes in time, or the
// file is not open.
func (q *Diagnostics) awaitPush(ctx context.Context, path string) bool {
	defer q.conn.waits(ctx, "diagnostics of "+baseName(path))()
	q.docs.mu.Lock()
	doc := q.docs.byPath[path]
	if doc == nil {
		q.docs.mu.Unlock()
		return false
	}
	// Both are read under one lock, so that they belong to the same text.
	version, sent := doc.version, doc.sent
	q.docs.mu.Unlock()
	// With versions the wait has no bound but the call's: the push of this version is certain to come, as long as
	// the server lives.
	if q.spec.Diagnostics.Versioned {
		return q.store.await(ctx, path, version, q.conn.life.Done())
	}
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(q.spec.Diagnostics.Patience, unsurePatience))
	defer cancel()
	// A server that parses a text some time after it got it may have pushed something about the one before
	// meanwhile, if only that a closed document has no diagnostics.
	if q.spec.Freshness.ParsedBy != "" && !q.docs.takenIn(ctx, path, version) {
		return false
	}
	// Without versions only the time tells: a push after the text was sent is most probably about it. awaitPushes
	// marks the diagnosis as unsure.
	return q.store.until(ctx, path, q.conn.life.Done(), func(p published) bool { return p.at.After(sent) })
}

// executes reports whether the server offers a workspace/executeCommand.
func (o *capabilities) executes(command string) bool {
	var p struct {
		Commands []string `json:"commands"`
	}
	return o.options(MethodExecuteCommand, &p) && slices.Contains(p.Commands, command)
}

// ReportsAll reports whether the server tells the diagnostics of all files when it is asked about some.
func (q *Diagnostics) ReportsAll() bool {
	means := q.spec.Diagnostics
	// With an external checker the store also has findings that no question makes the server push anew.
	return means.Workspace && q.check == nil && q.pusher() != nil
}

// ReportsAnew reports whether the server says something new of a file when another one changed: it is asked for it,
// or is made to build it anew with what others see of unsaved texts.
func (q *Diagnostics) ReportsAnew() bool {
	means := q.spec.Diagnostics
	return q.pulls() || q.own() != nil || means.Rebuild && means.Overlay != nil
}

// Sure reports whether there is a sign that the server has said all about the current text of a file.
func (q *Diagnostics) Sure() bool {
	return q.spec.Diagnostics.Sure() || q.pulls() || q.own() != nil || q.pusher() != nil
}

// own is the hook DiagnoseFile; nil where the server has none, or does not offer the command.
func (q *Diagnostics) own() func(ctx context.Context, path string, d *Diagnosis) error {
	if q.hooks.DiagnoseFile == nil || !q.conn.capabilities.executes(q.hooks.DiagnosesBy) {
		return nil
	}
	return q.hooks.DiagnoseFile
}

// Compiles reports whether a file is open, and the server has reported no error for its current text.
func (q *Diagnostics) Compiles(path string) bool {
	version, open := q.docs.version(path)
	if !open {
		return false
	}
	p, ok := q.store.get(path)
	return ok && p.version >= version && !q.PushedErrors(path)
}

// PushedErrors reports whether the last push of the server about a file, open or not, has an error.
func (q *Diagnostics) PushedErrors(path string) bool {
	p, ok := q.store.get(path)
	return ok && slices.ContainsFunc(p.items, func(d Diagnostic) bool { return d.Severity == 1 })
}

// HasErrors reports whether a server has parsed the text that a file has on disk now, and reported an error in it.
func (q *Diagnostics) HasErrors(path string) bool {
	return q.docs.HasSeen(path, time.Now()) && !q.Compiles(path)
}

// pushPatience bounds the wait for a server to push what it answers already; typescript-language-server 6.0.2 takes
// 0.2 s.
const pushPatience = 3 * time.Second

// AwaitFindings waits until a server whose actions go by its pushes ([ActionHooks].ActsByPushes) has pushed these
// findings, which are all that it has of a file; false when it does not in time.
func (q *Diagnostics) AwaitFindings(ctx context.Context, path string, findings []Finding) bool {
	if !q.hooks.ActsByPushes {
		return true
	}
	said := make([]Diagnostic, len(findings))
	for i, f := range findings {
		said[i] = f.said
	}
	want := whereAndWhat(said)
	same := func(p published) bool { return slices.Equal(want, whereAndWhat(p.items)) }
	// A file without findings, of which nothing was pushed, has nothing that could lag behind.
	if p, ok := q.store.get(path); !ok && len(want) == 0 || ok && same(p) {
		return true
	}
	ctx, cancel := context.WithTimeout(ctx, pushPatience)
	defer cancel()
	// Ranges and codes are compared, because the message of a push and that of an answer may differ in their words.
	return q.store.until(ctx, path, q.conn.life.Done(), same)
}

// whereAndWhat are the ranges and codes of diagnostics, sorted.
func whereAndWhat(items []Diagnostic) []string {
	out := make([]string, len(items))
	for i, d := range items {
		out[i] = fmt.Sprint(d.Range.rng(), CodeOf(d.Code))
	}
	slices.Sort(out)
	return out
}

// errReadsDisk is why the findings of an external checker are no part of what a server says of texts.
var errReadsDisk = errors.New("it reads the disk")

// OfTexts asks for the diagnostics of files by the texts that the server has, an overlay included: without an
// external checker, which reads the disk. One that reports on all files when it is asked about some
// ([Diagnostics.ReportsAll]) tells of all.
func (q *Diagnostics) OfTexts(ctx context.Context, paths []string) (*Diagnosis, error) {
	d := &Diagnosis{}
	// Set for the time of the question, so that pull and addKnown leave the checker's pushes out; it is taken away
	// below, because the caller knows that texts are no matter of the checker.
	if q.check != nil {
		d.Check = errReadsDisk
	}
	if len(paths) == 0 { // of a new file; what is known besides may be of an overlay before
		paths = q.anyPaths()
	}
	// Together where that is possible: the server works at all of them at a time.
	parts := [][]string{paths}
	// what has another text than on disk one after the other: each is opened anew, which must not happen while
	// others read it
	if q.spec.Diagnostics.Rebuild {
		shown := slices.DeleteFunc(slices.Clone(paths), func(path string) bool { return q.docs.overlaid(path) == nil })
		asOnDisk := slices.DeleteFunc(slices.Clone(paths), func(path string) bool {
			return q.docs.overlaid(path) != nil
		})
		parts = append(slices.Collect(slices.Chunk(shown, 1)), asOnDisk)
	}
	for _, part := range parts {
		if err := q.Add(ctx, part, d); err != nil {
			return nil, err
		}
	}
	d.Check = nil
	if !q.ReportsAll() || len(d.Silent) > 0 {
		return d, nil
	}
	known, lost := q.store.known()
	d.Lost = lost
	for _, path := range known {
		if !slices.ContainsFunc(d.Reports, func(r Report) bool { return r.Path == path }) {
			q.addPushed(path, d)
		}
	}
	return d, nil
}

// pushes is [DiagnosticHooks].AskPushes.
type pushes = func(ctx context.Context, paths []string) error

// pusher is the hook AskPushes; nil where the server has none, or does not offer the command.
func (q *Diagnostics) pusher() pushes {
	if q.hooks.AskPushes == nil || !q.conn.capabilities.executes(q.hooks.PushesBy) {
		return nil
	}
	return q.hooks.AskPushes
}
