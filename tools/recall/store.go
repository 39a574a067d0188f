package recall

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"lspi/tools/recall/jsonl"
)

// Folders are where the clients keep what they write, absolute; "" for a client that is not to be looked at.
// Nothing of them has to exist.
type Folders struct {
	// Codex is $CODEX_HOME, or ~/.codex.
	Codex string
	// Claude is $CLAUDE_CONFIG_DIR, or ~/.claude.
	Claude string
}

// Store answers questions about the transcripts below some folders. It may be used by any number of goroutines, and
// needs no closing.
type Store struct {
	live, archive, projects string // folders; "" for none
	budget                  int    // bytes that known may take

	mu    sync.Mutex
	known map[ref]*remembered // guarded by mu
	bytes int                 // sum of what is known; guarded by mu
	clock int                 // counts uses; guarded by mu
}

// remembered is a transcript that was read before.
type remembered struct {
	*transcript
	size, used int // guarded by Store.mu
}

// memory bounds what a store remembers of transcripts.
const memory = 64 << 20

// Open makes a store. Nothing is read before a question.
func Open(f Folders) *Store {
	s := &Store{budget: memory, known: map[ref]*remembered{}}
	if f.Codex != "" {
		s.live, s.archive = filepath.Join(f.Codex, "sessions"), filepath.Join(f.Codex, "archived_sessions")
	}
	if f.Claude != "" {
		s.projects = filepath.Join(f.Claude, "projects")
	}
	return s
}

// List are sessions of one workspace.
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

// Sessions are the sessions whose folder is root or below it, at most limit of them when limit is above 0. Sessions
// of sub-agents are not among them.
func (s *Store) Sessions(ctx context.Context, root string, limit int) (List, error) {
	return s.sessions(ctx, root, "", limit)
}

// sessions are those of one client, or of all for "".
func (s *Store) sessions(ctx context.Context, root string, client Client, limit int) (out List, err error) {
	at, err := newPlace(root)
	if err != nil {
		return out, err
	}
	all, err := s.list(ctx)
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

// addTo adds a session if it is of the workspace; beyond the limit it is only counted.
func (s *Store) addTo(ctx context.Context, out *List, all *listing, l listed, at *place, limit int) error {
	begin, err := s.visit(ctx, l.ref, false)
	if err != nil || begin.head.side || !at.holds(begin.head.cwd) {
		return err
	}
	if limit <= 0 || len(out.Sessions) < limit {
		one, err := s.session(ctx, all, l)
		if err != nil || one.Count == 0 {
			return err
		}
		out.Sessions = append(out.Sessions, one)
	}
	out.Total++
	return nil
}

// Session is the session with an id, of a client that has it, if it runs in root or below it. The error of another
// is a [NotFoundError], whether or not there is a session of that id elsewhere; a [SourceError] where the folder of
// a client could not be read that may have it. For a sub-agent of Codex it is the session that it works for.
func (s *Store) Session(ctx context.Context, root, id string) (Session, error) {
	at, err := newPlace(root)
	if err != nil {
		return Session{}, err
	}
	all, err := s.list(ctx)
	if err != nil {
		return Session{}, err
	}
	return s.byID(ctx, all, at, "", id)
}

// maxLinks bounds how many transcripts are followed, from sub-agents to who started them and from continuations to
// their begin.
const maxLinks = 32

func (s *Store) byID(ctx context.Context, all *listing, at *place, client Client, id string) (Session, error) {
	wanted := id
	for range maxLinks {
		i := slices.IndexFunc(all.sessions, func(l listed) bool {
			return l.id == wanted && (client == "" || l.client == client)
		})
		if i < 0 {
			if failed := all.failedOf(client); len(failed) > 0 {
				return Session{}, failed[0] // it may be one of those
			}
			break
		}
		begin, err := s.visit(ctx, all.sessions[i].ref, false)
		switch {
		case ctx.Err() != nil:
			return Session{}, context.Cause(ctx)
		case err != nil:
			return Session{}, &DataError{id, err}
		case begin.head.side:
			wanted = begin.head.parent
			continue
		case !at.holds(begin.head.cwd):
			return Session{}, &NotFoundError{id}
		}
		return s.session(ctx, all, all.sessions[i])
	}
	return Session{}, &NotFoundError{id}
}

// session is a session as its transcripts say it now.
func (s *Store) session(ctx context.Context, all *listing, l listed) (Session, error) {
	now, err := s.visit(ctx, l.ref, true)
	if err != nil {
		return Session{}, &DataError{l.id, err}
	}
	out := Session{ID: l.id, Client: l.client, Cwd: now.head.cwd, Started: now.head.started, Updated: now.modified,
		Path: now.path, store: s}
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

// withBase are the requests of a transcript, behind those of what it continues, as far as that holds.
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

// listed is a session that is there, by its name only.
type listed struct {
	found
	client Client
	id     string
	part   string // of a thread of Codex
}

// listing is what is there.
type listing struct {
	sessions []listed         // one for each id, the last written first
	parts    map[string]found // of threads of Codex, by the id of the part; the first part has the id of the thread
	failed   []*SourceError   // the clients whose folders could not be read, each once
	sources  int              // how many clients were looked at
}

// overlooked is failedOf where another client could be looked at. The error says that none could.
func (a *listing) overlooked(client Client) ([]*SourceError, error) {
	out := a.failedOf(client)
	if len(out) > 0 && (client != "" || len(out) == a.sources) {
		return nil, out[0]
	}
	return out, nil
}

// failedOf are the clients that could not be looked at, of the one that is meant, or of all for "".
func (a *listing) failedOf(client Client) (out []*SourceError) {
	for _, f := range a.failed {
		if client == "" || client == f.Client {
			out = append(out, f)
		}
	}
	return out
}

// list looks what is there. A client whose folder cannot be read costs the others nothing; the error is that of ctx.
func (s *Store) list(ctx context.Context) (*listing, error) {
	all := &listing{parts: map[string]found{}}
	from := func(client Client, there bool, list func(context.Context, *listing) error) {
		if !there {
			return
		}
		all.sources++
		if err := list(ctx, all); err != nil {
			all.failed = append(all.failed, &SourceError{client, err})
		}
	}
	from(Codex, s.live != "", s.listCodex)
	from(Claude, s.projects != "", s.listClaude)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	slices.SortFunc(all.sessions, func(a, b listed) int {
		return cmp.Or(b.modified.Compare(a.modified), strings.Compare(b.id, a.id), strings.Compare(b.name, a.name))
	})
	return all, nil
}

func (s *Store) listClaude(ctx context.Context, all *listing) error {
	return list(ctx, s.projects, func(dir string) bool { return !strings.Contains(dir, "/") }, func(f found) {
		if id, ok := claudeName(f.name); ok {
			all.sessions = append(all.sessions, listed{f, Claude, id, ""})
		}
	})
}

// listCodex lists the newest part of each thread. Ids grow with time (UUID version 7).
func (s *Store) listCodex(ctx context.Context, all *listing) error {
	newest := map[string]listed{}
	add := func(f found) {
		thread, part, ok := codexName(f.name)
		if _, twice := all.parts[part]; !ok || twice {
			return // a thread that is being archived may be in both folders
		}
		all.parts[part] = f
		if newest[thread].part < part {
			newest[thread] = listed{f, Codex, thread, part}
		}
	}
	into := func(dir string) bool { return strings.Count(dir, "/") < 3 }
	err := errors.Join(list(ctx, s.live, into, add), list(ctx, s.archive, into, add))
	for _, l := range newest {
		all.sessions = append(all.sessions, l)
	}
	return err
}

// snapshot is what a transcript said when it was visited.
type snapshot struct {
	head     head
	requests []entry // nil when only the head was asked for
	modified time.Time
	path     string
}

// visit reads what a transcript has more than the last time, all of it or only so much that its head is known.
func (s *Store) visit(ctx context.Context, r ref, all bool) (snapshot, error) {
	return s.visitFor(ctx, r, all, nil)
}

// visitFor is visit, and lets ask look at the lines.
func (s *Store) visitFor(ctx context.Context, r ref, all bool, ask func(lines)) (out snapshot, err error) {
	t := s.remember(r)
	select {
	case <-t.token:
	case <-ctx.Done():
		return out, context.Cause(ctx)
	}
	defer func() { t.token <- struct{}{} }()
	f, err := open(ctx, r, s.archiveOf(r))
	if err != nil {
		return out, err
	}
	defer f.Close()
	err = t.read(ctx, f, all)
	s.resized(t)
	if err != nil {
		return out, err
	}
	out = snapshot{head: t.lines.head(), modified: f.info.ModTime(), path: f.at}
	if all {
		out.requests = t.lines.requests()
	}
	if ask != nil {
		ask(t.lines)
	}
	return out, nil
}

func (s *Store) archiveOf(r ref) string {
	if r.folder == s.live {
		return s.archive
	}
	return ""
}

func (s *Store) formatOf(r ref) *format {
	if r.folder == s.projects {
		return claudeFormat
	}
	return codexFormat
}

// remember is the transcript of a ref.
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

// resized counts what a transcript takes now, and forgets those that were not used for the longest time when all
// take too much. A question that reads a forgotten one goes on with it.
func (s *Store) resized(t *remembered) {
	size := t.lines.size()
	s.mu.Lock()
	defer s.mu.Unlock()
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

// errChanged is why a text is not given: where it stood is something else now.
var errChanged = errors.New("the transcript was replaced meanwhile")

// read reads the texts of requests of one transcript, in the order of the file.
func (s *Store) read(ctx context.Context, r ref, entries []entry) (out []text, err error) {
	f, err := open(ctx, r, s.archiveOf(r))
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

// runs divides entries into those that are read in one go: each alone, where the file can be read from any place,
// else all.
func runs(entries []entry, packed bool) (out [][]entry) {
	if packed {
		return [][]entry{entries}
	}
	for i := range entries {
		out = append(out, entries[i:i+1])
	}
	return out
}

func (s *Store) readRun(ctx context.Context, f *file, r ref, run []entry, out []text) ([]text, error) {
	in, done, err := f.text(ctx, run[0].offset)
	if err != nil {
		return nil, err
	}
	defer done()
	lines := jsonl.NewReader(ctx, in, run[0].offset)
	for len(run) > 0 && lines.Next() && lines.Start() <= run[0].offset {
		if lines.Start() < run[0].offset {
			_ = lines.End()
			continue
		}
		t, ok := s.formatOf(r).text(lines)
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
