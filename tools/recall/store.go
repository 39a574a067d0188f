package recall

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
)

// Folders are where the clients keep what they write, as absolute paths; "" leaves a client out. None
// has to exist.
type Folders struct {
	// Codex is $CODEX_HOME, or ~/.codex.
	Codex string
	// Claude is $CLAUDE_CONFIG_DIR, or ~/.claude.
	Claude string
	// VSCode is where VS Code and its kin have a folder each: ~/.config, ~/Library/Application Support or %APPDATA%.
	VSCode string
	// Copilot is $COPILOT_HOME, or ~/.copilot.
	Copilot string
	// Gemini is .gemini in $GEMINI_CLI_HOME or the home folder.
	Gemini string
	// Qwen is $QWEN_RUNTIME_DIR, $QWEN_HOME, or ~/.qwen.
	Qwen string
	// Opencode is opencode in $XDG_DATA_HOME or ~/.local/share.
	Opencode string
}

// Store answers questions about the transcripts below some folders. It may be used by any number of
// goroutines and needs no closing. It remembers what it has parsed, so that a question reads only what
// was appended since the last one.
type Store struct {
	folders   Folders
	programOf map[string]*program // by folder of transcripts
	budget    int                 // bytes that known may take

	mu    sync.Mutex
	known map[ref]*remembered // guarded by mu
	bytes int                 // sum of what is known; guarded by mu
	clock int                 // counts uses, to know which transcript was used last; guarded by mu
}

// remembered is a transcript that was read before, with its size in memory and the clock of its last
// use.
type remembered struct {
	*transcript
	size, used int // guarded by Store.mu
}

// memory bounds what a store remembers of transcripts, in bytes.
const memory = 64 << 20

// Open makes a store. It reads nothing; each question looks at the folders anew.
func Open(f Folders) *Store {
	s := &Store{folders: f, programOf: map[string]*program{}, budget: memory, known: map[ref]*remembered{}}
	for _, src := range programs {
		for _, folder := range src.folders(f) {
			s.programOf[folder] = src
		}
	}
	return s
}

// List is the answer about the sessions of one workspace.
type List struct {
	// Sessions have at least one request each, the last written first.
	Sessions []Session
	// Total is how many there are without the limit; some of those beyond it may have no request.
	Total int
	// Unread is how many transcripts could not be read; each may be one of this workspace.
	Unread int
	// Overlooked are the clients whose folders could not be read, so that none of their sessions is among these.
	Overlooked []*SourceError
}

// Sessions returns the sessions that run in root or below it, the last written first; at most limit
// when limit is above 0. Sessions of sub-agents are not among them: no user speaks in these.
func (s *Store) Sessions(ctx context.Context, root string, limit int) (List, error) {
	return s.sessionsOf(ctx, root, "", limit)
}

// sessionsOf is Sessions for one client; "" is all.
func (s *Store) sessionsOf(ctx context.Context, root string, client Client, limit int) (out List, err error) {
	at, err := newPlace(root)
	if err != nil {
		return out, err
	}
	all, err := s.scan(ctx)
	if err != nil {
		return out, err
	}
	if out.Overlooked, err = all.overlooked(client); err != nil {
		return out, err
	}
	for _, l := range all.sessions {
		if client != "" && l.client != client {
			continue
		}
		switch err := s.addTo(ctx, &out, all, l, at, limit); {
		case ctx.Err() != nil:
			return out, context.Cause(ctx)
		case err != nil:
			out.Unread++
		}
	}
	return out, nil
}

// addTo adds a session to out if it is of the workspace. Beyond the limit it is only counted, which
// needs no more than the head of its file.
func (s *Store) addTo(ctx context.Context, out *List, all *listing, l listed, at *place, limit int) error {
	begin, err := s.begin(ctx, l)
	if err != nil || begin.head.side || !at.holds(begin.head.cwd) {
		return err
	}
	if limit <= 0 || len(out.Sessions) < limit {
		one, err := s.load(ctx, all, l)
		if err != nil || one.Count == 0 {
			return err
		}
		out.Sessions = append(out.Sessions, one)
	}
	out.Total++
	return nil
}

// Session is the session with an id, of a client that has it, if it runs in root or below it. The error of another
// is a [NotFoundError], whether or not there is a session of that id elsewhere; a [DataError] where the transcript is
// gone; a [SourceError] where the folder of a client could not be read that may have it. For a sub-agent of Codex it is
// the session that it works for.
func (s *Store) Session(ctx context.Context, root, id string) (Session, error) {
	at, err := newPlace(root)
	if err != nil {
		return Session{}, err
	}
	all, err := s.scan(ctx)
	if err != nil {
		return Session{}, err
	}
	return s.named(ctx, all, at, id)
}

// maxLinks bounds how many transcripts are followed, from sub-agents to who started them and from continuations to
// their begin.
const maxLinks = 32

func (s *Store) sessionByID(ctx context.Context, all *listing, at *place, client Client, id string) (Session, error) {
	wanted := id
	for range maxLinks {
		l, begin, err := s.findByID(ctx, all, at, client, wanted)
		switch {
		case err != nil:
			return Session{}, err
		case begin.head.side:
			wanted = begin.head.parent
			continue
		}
		return s.load(ctx, all, l)
	}
	return Session{}, &NotFoundError{id}
}

// findByID returns the file of a session of the workspace, or of a sub-agent anywhere. VS Code copies sessions into the
// storage of another workspace, so that several files may have one id.
func (s *Store) findByID(ctx context.Context, all *listing, at *place, client Client, id string) (l listed,
	begin snapshot, err error) {
	err = &NotFoundError{id}
	for _, l := range all.sessions {
		if client != "" && l.client != client || !l.named(id) {
			continue
		}
		begin, fault := s.begin(ctx, l)
		switch {
		case ctx.Err() != nil:
			return l, begin, context.Cause(ctx)
		case fault != nil:
			err = &DataError{id, fault}
		case begin.head.side || at.holds(begin.head.cwd):
			return l, begin, nil
		}
	}
	if failed := all.failedOf(client); isNotFound(err) && !all.has(id) && len(failed) > 0 {
		err = failed[0] // it may be one of those
	}
	return l, begin, err
}

// load returns a session as its transcripts say it now. l.ref is its newest part.
func (s *Store) load(ctx context.Context, all *listing, l listed) (Session, error) {
	now, err := s.visit(ctx, l.ref, true)
	if err != nil {
		return Session{}, &DataError{l.id, err}
	}
	out := Session{ID: cmp.Or(now.head.id, l.id), Client: l.client, Cwd: now.head.cwd, Started: now.head.started,
		Updated: now.modified, Path: now.path, store: s}
	if first, ok := all.parts[l.id]; ok && first.ref != l.ref {
		if begin, err := s.visit(ctx, first.ref, false); err == nil {
			out.Started = begin.head.started
		}
	}
	out.entries, out.Partial, err = s.withBase(ctx, all, now, maxLinks)
	if err != nil {
		return Session{}, &DataError{l.id, err}
	}
	if out.Count = len(out.entries); out.Count > 0 {
		out.Preview = out.entries[0].preview
	}
	return out, nil
}

// withBase returns the requests of a transcript behind those of the transcript that it continues, as
// far as that still holds (up to the ordinal at which this one leaves it). links bounds the chain, in
// which files may name each other in a circle. partial says why requests are missing; "" when none is
// known to be.
func (s *Store) withBase(ctx context.Context, all *listing, now snapshot, links int) (out []entry, partial string,
	err error) {
	if now.head.base == "" {
		return now.requests, "", nil
	}
	base, ok := all.parts[now.head.base]
	if !ok || links == 0 {
		return now.requests, "the transcript that it continues is gone: " + now.head.base, nil
	}
	before, err := s.visit(ctx, base.ref, true)
	if errors.Is(err, fs.ErrNotExist) {
		return now.requests, "the transcript that it continues is gone: " + now.head.base, nil
	}
	if err != nil {
		return nil, "", err
	}
	out, partial, err = s.withBase(ctx, all, before, links-1)
	end := slices.IndexFunc(out, func(e entry) bool { return now.head.baseEnd >= 0 && e.ordinal >= now.head.baseEnd })
	if end >= 0 {
		out = out[:end]
	}
	return slices.Concat(out, now.requests), partial, err
}

// listed is a session that exists, known by the name of its file only.
type listed struct {
	found
	client Client
	id     string
	part   string // of a thread of Codex
	begin  *head  // where listing tells it; else nil
}

// named reports whether a session has an id. The file of a session of Gemini CLI has only the beginning of it.
func (l listed) named(id string) bool {
	return l.id == id || l.client == Gemini && len(id) == uuidLength && strings.HasPrefix(id, l.id)
}

// listing is what the folders hold at one time, by names only.
type listing struct {
	sessions []listed         // one for each id, the last written first
	parts    map[string]found // of threads of Codex, by the id of the part; the first part has the id of the thread
	failed   []*SourceError   // the clients whose folders could not be read, each once
	sources  int              // how many clients were looked at
}

// has reports whether a transcript of a session is there.
func (a *listing) has(id string) bool {
	return slices.ContainsFunc(a.sessions, func(l listed) bool { return l.named(id) })
}

// overlooked returns the clients whose folders could not be read, when another client's could; the
// error is that of the folder when none could.
func (a *listing) overlooked(client Client) ([]*SourceError, error) {
	out := a.failedOf(client)
	if len(out) > 0 && (client != "" || len(out) == a.sources) {
		return nil, out[0]
	}
	return out, nil
}

// failedOf returns the failed clients among the one that is asked about, or all for "".
func (a *listing) failedOf(client Client) (out []*SourceError) {
	for _, f := range a.failed {
		if client == "" || client == f.Client {
			out = append(out, f)
		}
	}
	return out
}

// listFiles lists what the folders hold now. A client whose folder cannot be read does not keep the others
// from being listed; the only error is that of ctx.
func (s *Store) scan(ctx context.Context) (*listing, error) {
	all := &listing{parts: map[string]found{}}
	for _, src := range programs {
		folders := src.folders(s.folders)
		if len(folders) == 0 {
			continue
		}
		all.sources++
		if err := src.lists(ctx, src, folders, all); err != nil {
			all.failed = append(all.failed, &SourceError{src.client, err})
		}
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	slices.SortFunc(all.sessions, func(a, b listed) int {
		return cmp.Or(b.modified.Compare(a.modified), strings.Compare(b.id, a.id), strings.Compare(b.name, a.name))
	})
	return all, nil
}

// listCodex lists the newest part of each thread. A later part has the greater id: they are UUIDs of
// version 7, which begin with the time.
func listCodex(ctx context.Context, _ *program, folders []string, all *listing) error {
	newest := map[string]listed{}
	var failed []error
	for _, folder := range folders {
		failed = append(failed, listFiles(ctx, folder, depth(3), func(f found) {
			thread, part, ok := codexName(f.name)
			if _, twice := all.parts[part]; !ok || twice {
				return // a thread that is being archived may be in both folders
			}
			all.parts[part] = f
			if newest[thread].part < part {
				newest[thread] = listed{found: f, client: Codex, id: thread, part: part}
			}
		}))
	}
	for _, l := range newest {
		all.sessions = append(all.sessions, l)
	}
	return errors.Join(failed...)
}

// begin returns the head of a session.
func (s *Store) begin(ctx context.Context, l listed) (snapshot, error) {
	if l.begin != nil {
		return snapshot{head: *l.begin, modified: l.modified}, nil
	}
	return s.visit(ctx, l.ref, false)
}

// visit reads what was appended to a transcript since the last time: all of it, or only until its head
// is known.
func (s *Store) visit(ctx context.Context, r ref, all bool) (snapshot, error) {
	return s.visitFor(ctx, r, all, nil)
}

// visitFor is visit, and lets ask look at the lines while nobody else changes them. Only one question
// reads a transcript at a time; others wait for its token, or for ctx.
func (s *Store) visitFor(ctx context.Context, r ref, all bool, ask func(lines)) (out snapshot, err error) {
	if in := s.formatOf(r).stored; in != nil && !r.document() {
		return in.visit(ctx, r)
	}
	t := s.remember(r)
	select {
	case <-t.token:
	case <-ctx.Done():
		return out, context.Cause(ctx)
	}
	defer func() { t.token <- struct{}{} }()
	f, err := openTranscript(ctx, r, s.archiveOf(r))
	if err != nil {
		return out, err
	}
	defer f.Close()
	cwd := ""
	if t.format.workspace != nil {
		// Most transcripts are of other workspaces, and this one does not say so itself.
		if cwd = workspaceOf(r, t.format); !all {
			return snapshot{head: head{cwd: cwd}, modified: f.info.ModTime(), path: f.at}, nil
		}
	}
	err = t.update(ctx, f, all)
	s.resized(t)
	if err != nil {
		return out, err
	}
	out = snapshot{head: t.lines.head(), modified: f.info.ModTime(), path: f.at}
	out.head.cwd = cmp.Or(cwd, out.head.cwd)
	if all {
		out.requests = t.lines.entries()
	}
	if ask != nil {
		ask(t.lines)
	}
	return out, nil
}

// workspaceOf returns the folder that a file beside a transcript names.
func workspaceOf(r ref, f *format) string {
	root, err := os.OpenRoot(r.folder)
	if err != nil {
		return ""
	}
	defer root.Close()
	return f.workspace(root, r.name)
}

// archiveOf returns the folder to which Codex may have moved a transcript; "" for others.
func (s *Store) archiveOf(r ref) string {
	if folders := programOf(Codex).folders(s.folders); len(folders) > 0 && r.folder == folders[0] {
		return folders[1]
	}
	return ""
}

// formatOf returns how the client of a transcript writes.
func (s *Store) formatOf(r ref) *format { return s.programOf[r.folder].format }

// remember returns the transcript of a ref, a new one for a ref that is not known (any more), and
// counts the use.
func (s *Store) remember(r ref) *remembered {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.known[r]
	if t == nil {
		t = &remembered{transcript: newTranscript(r, s.formatOf(r))}
		s.known[r] = t
	}
	s.clock++
	t.used = s.clock
	return t
}

// resized counts what a transcript takes now. When all take more than the budget, those that were not
// used for the longest time are forgotten, down to half of it. A question that reads a forgotten
// transcript goes on with its own copy.
func (s *Store) resized(t *remembered) {
	size := t.lines.size()
	s.mu.Lock()
	defer s.mu.Unlock()
	// Forgotten meanwhile, or read anew by another question.
	if s.known[t.ref] != t {
		return
	}
	s.bytes += size - t.size
	t.size = size
	if s.bytes <= s.budget {
		return
	}
	oldest := make([]*remembered, 0, len(s.known))
	for _, k := range s.known {
		oldest = append(oldest, k)
	}
	slices.SortFunc(oldest, func(a, b *remembered) int { return a.used - b.used })
	for _, k := range oldest {
		if k == t || s.bytes <= s.budget/2 {
			break
		}
		delete(s.known, k.ref)
		s.bytes -= k.size
	}
}

// errChanged is the error when the text at a request's place is another one now. It is compared by
// checksum, because a rewritten file of the same length would give another text otherwise.
var errChanged = errors.New("the transcript was replaced meanwhile")

// readTexts reads the texts of requests of one transcript; entries are in the order of the file.
func (s *Store) readTexts(ctx context.Context, r ref, entries []entry) (out []text, err error) {
	if in := s.formatOf(r).stored; in != nil && !r.document() {
		return in.texts(ctx, r, entries)
	}
	f, err := openTranscript(ctx, r, s.archiveOf(r))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for _, run := range runs(entries, f.packed) {
		if out, err = s.readRun(ctx, f, r, run, out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// runs divides entries into those that are read in one go: each alone where the file can be read from
// any offset, all together where it is compressed.
func runs(entries []entry, packed bool) (out [][]entry) {
	if packed {
		return [][]entry{entries}
	}
	for i := range entries {
		out = append(out, entries[i:i+1])
	}
	return out
}

// readRun reads one run of entries, appending to out. An entry whose line is not there any more, or
// says something else, is errChanged.
func (s *Store) readRun(ctx context.Context, f *file, r ref, run []entry, out []text) ([]text, error) {
	in, done, err := f.text(ctx, run[0].offset)
	if err != nil {
		return nil, err
	}
	defer done()
	lines := r.reader(ctx, in, run[0].offset)
	for len(run) > 0 && lines.Next() && lines.Start() <= run[0].offset {
		if lines.Start() < run[0].offset {
			_ = lines.End()
			continue
		}
		t, ok := s.formatOf(r).text(lines, run[0].nth)
		if !ok || sum(t.text) != run[0].sum {
			return nil, errChanged
		}
		out, run = append(out, t), run[1:]
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if len(run) > 0 {
		return nil, errChanged
	}
	return out, nil
}
