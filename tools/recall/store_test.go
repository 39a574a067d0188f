package recall

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestSessions(t *testing.T) {
	h := newHome(t)
	h.must(os.MkdirAll(filepath.Join(h.work, "sub"), 0o700))
	h.must(os.MkdirAll(filepath.Join(h.dir, "workshop"), 0o700))
	h.must(os.Symlink(h.work, filepath.Join(h.dir, "link")))
	h.write(live(1), newRollout(1, h.work).ask("in   the\n root "+strings.Repeat("é", 200)).String(), 1)
	h.write(live(2), newRollout(2, filepath.Join(h.work, "sub")).ask("below").String(), 2)
	h.write(project("three"),
		newChat("three", filepath.Join(h.dir, "link", "sub", "gone")).ask(
			"by a link, in a folder that is gone").String(), 3)
	h.write(project("four"), newChat("four", h.dir).ask("above").String(), 4)
	h.write(project("five"), newChat("five", filepath.Join(h.dir, "workshop")).ask("beside").String(), 5)
	h.write(project("six"), newChat("six", "work").ask("relative").String(), 6)
	h.write(project("seven"), newChat("seven", "").ask("nowhere").String(), 7)
	if got := h.listed(0); !slices.Equal(got, []string{"three", uuid(2), uuid(1)}) {
		t.Error(got)
	}
	l, err := h.store.Sessions(t.Context(), h.work, 1)
	if err != nil || len(l.Sessions) != 1 || l.Total != 3 || l.Unread != 0 {
		t.Errorf("%v %+v", err, l)
	}
	for _, id := range []string{"four", "five", "six", "seven", "eight", ""} {
		if _, err := h.store.Session(t.Context(), h.work, id); !isNotFound(err) ||
			Message(err) != "Session not found: "+id {
			t.Errorf("%s: %v", id, err)
		}
	}
	s, err := h.store.Session(t.Context(), h.work, uuid(1))
	if want := "in the root " + strings.Repeat("é", PreviewRunes-12); err != nil || s.Preview != want {
		t.Errorf("%v %q", err, s.Preview)
	}
	if s.Client != Codex || s.Cwd != h.work || !s.Updated.Equal(noon.Add(time.Minute)) || !s.Started.Equal(noon) ||
		s.Path != filepath.Join(h.dir, filepath.FromSlash(live(1))) {
		t.Errorf("%+v", s)
	}
	if l, err = h.store.Sessions(t.Context(), filepath.Join(h.dir, "link", "sub"), 0); err != nil ||
		len(l.Sessions) != 2 {
		t.Errorf("%v %+v", err, l)
	}
	if _, err = h.store.Sessions(t.Context(), filepath.Join(h.dir, "gone"), 0); !errors.Is(err, os.ErrNotExist) ||
		Message(err) != "Service temporarily unavailable" {
		t.Error(err)
	}
}

func TestNothingIsThere(t *testing.T) {
	h := newHome(t)
	for _, s := range []*Store{h.store, Open(Folders{})} {
		if l, err := s.Sessions(t.Context(), h.work, 0); err != nil || len(l.Sessions) != 0 {
			t.Errorf("%v %+v", err, l)
		}
		if _, _, err := s.Current(t.Context(), Hints{Root: h.work}); !errors.Is(err, ErrNoDialog) ||
			Message(err) != "No active dialog found" {
			t.Error(err)
		}
	}
}

// The folder of a client that cannot be read costs the other client nothing, and is told. Where the session may be
// in there, it is the error.
func TestEachClientOnItsOwn(t *testing.T) {
	for broken, other := range map[Client]struct {
		folder, id, missing string
	}{Codex: {"codex/sessions", "one", uuid(1)}, Claude: {"claude/projects", uuid(1), "one"}} {
		h := newHome(t)
		if broken == Codex {
			h.write(project("one"), newChat("one", h.work).ask("one").String(), 1)
		} else {
			h.write(live(1), newRollout(1, h.work).ask("one").String(), 1)
		}
		h.write(other.folder, "no folder", 0)
		l, err := h.store.Sessions(t.Context(), h.work, 0)
		if err != nil || len(l.Sessions) != 1 || l.Sessions[0].ID != other.id || len(l.Overlooked) != 1 ||
			l.Overlooked[0].Client != broken {
			t.Errorf("%s: %v %+v", broken, err, l)
		}
		works, source := Claude, (*SourceError)(nil)
		if broken == Claude {
			works = Codex
		}
		for name, c := range map[string]struct {
			hints      Hints
			id         string // "" for a SourceError
			overlooked int
		}{
			"by id":                 {Hints{SessionID: other.id}, other.id, 0},
			"by an id that may be":  {Hints{SessionID: other.missing}, "", 0},
			"by time, of any":       {Hints{}, other.id, 1},
			"by time, of the other": {Hints{Client: works}, other.id, 0},
			"by time, of this one":  {Hints{Client: broken}, "", 0},
		} {
			c.hints.Root = h.work
			s, _, err := h.store.Current(t.Context(), c.hints)
			if s.ID != c.id || len(s.Overlooked) != c.overlooked || errors.As(err, &source) != (c.id == "") ||
				c.id == "" && Message(err) != "Service temporarily unavailable" {
				t.Errorf("%s, %s: %+v %v", broken, name, s, err)
			}
		}
		h.must(os.RemoveAll(filepath.Join(h.dir, map[Client]string{Codex: "claude", Claude: "codex"}[broken])))
		if _, _, err := h.store.Current(t.Context(), Hints{Root: h.work}); !errors.As(err, &source) {
			t.Errorf("%s, nothing else there: %v", broken, err)
		}
	}
	h := newHome(t)
	h.write("codex/sessions", "no folder", 0)
	h.write("claude/projects", "no folder", 0)
	if _, err := h.store.Sessions(t.Context(), h.work, 0); Message(err) != "Service temporarily unavailable" {
		t.Error(err)
	}
	// Of Codex, what its archive has is there all the same.
	h = newHome(t)
	h.write("codex/sessions", "no folder", 0)
	h.write("codex/archived_sessions/"+filepath.Base(live(1)), newRollout(1, h.work).ask("archived").String(), 1)
	if l, err := h.store.Sessions(t.Context(), h.work, 0); err != nil || len(l.Sessions) != 1 ||
		len(l.Overlooked) != 1 {
		t.Errorf("%v %+v", err, l)
	}
}

// Symbolic links below a folder of transcripts are not followed; the folder itself may be one.
func TestLinks(t *testing.T) {
	h := newHome(t)
	out := h.write("elsewhere/"+uuid(1)+".jsonl", newChat(uuid(1), h.work).ask("out of the folder").String(), 0)
	h.write(project("one"), newChat("one", h.work).ask("one").String(), 1)
	slug := filepath.Join(h.dir, "claude", "projects", "-any-slug")
	h.must(os.Symlink(out, filepath.Join(slug, "linked.jsonl")))
	h.must(os.Symlink(filepath.Dir(out), filepath.Join(h.dir, "claude", "projects", "-linked")))
	if got := h.listed(0); !slices.Equal(got, []string{"one"}) {
		t.Error(got)
	}
	s, err := h.store.Session(t.Context(), h.work, "one")
	h.must(err)
	h.must(os.Remove(s.Path))
	h.must(os.Symlink(out, s.Path))
	if _, err := s.First(t.Context()); err == nil {
		t.Error("a link that replaced a transcript was followed")
	}
	h.must(os.Remove(s.Path))
	h.must(os.Rename(filepath.Join(h.dir, "claude", "projects"), filepath.Join(h.dir, "moved")))
	h.must(os.Symlink(filepath.Join(h.dir, "moved"), filepath.Join(h.dir, "claude", "projects")))
	h.write(project("two"), newChat("two", h.work).ask("two").String(), 2)
	if got := h.listed(0); !slices.Equal(got, []string{"two"}) {
		t.Error(got)
	}
}

// Nothing is written: the folders are afterwards what they were.
func TestNothingIsWritten(t *testing.T) {
	h := newHome(t)
	h.pack(h.write(live(1), newRollout(1, h.work).ask("one").String(), 0))
	h.write(project("s"), newChat("s", h.work).ask("one").String(), 1)
	before := h.tree()
	h.listed(0)
	h.asked(uuid(1), "one")
	h.asked("s", "one")
	_, _, _ = h.store.Current(t.Context(), Hints{Root: h.work, ClaudeToolUseID: "unknown"})
	if after := h.tree(); after != before {
		t.Errorf("%s\nwas\n%s", after, before)
	}
}

// tree is every file and folder of the clients, with its size and time.
func (h *home) tree() string {
	var b strings.Builder
	for _, client := range []string{"codex", "claude"} {
		h.must(filepath.Walk(filepath.Join(h.dir, client), func(path string, info os.FileInfo, err error) error {
			fmt.Fprintln(&b, path, info.Size(), info.ModTime(), info.Mode(), err)
			return err
		}))
	}
	return b.String()
}

func TestErrorsOfASession(t *testing.T) {
	h := newHome(t)
	h.write(live(1), newRollout(1, h.work).ask("one").ask("two").String(), 0)
	h.write(live(2), newRollout(2, h.work).String(), 0)
	s, err := h.store.Session(t.Context(), h.work, uuid(1))
	h.must(err)
	for n, want := range map[int]string{0: "Index must be 1 or greater", -1: "Index must be 1 or greater",
		3: "Index 3 exceeds total requests (2)"} {
		if _, err := s.Request(t.Context(), n); Message(err) != want {
			t.Errorf("%d: %v", n, err)
		}
	}
	if r, err := s.Request(t.Context(), 2); err != nil || r.Text != "two" || r.Index != 2 || r.Time.Before(noon) {
		t.Errorf("%v %+v", err, r)
	}
	s, err = h.store.Session(t.Context(), h.work, uuid(2))
	h.must(err)
	if _, err = s.First(t.Context()); err != ErrNoRequest || Message(err) != "First request not available" {
		t.Error(err)
	}
	if got := h.listed(0); !slices.Equal(got, []string{uuid(1)}) {
		t.Errorf("a session without a request is listed: %v", got)
	}
}

// A session of this workspace that the history of Claude Code names, and whose transcript is gone, is told from one
// that nobody knows; a session of another workspace is not.
func TestTranscriptIsGone(t *testing.T) {
	h := newHome(t)
	history := h.write("claude/history.jsonl", jsonLines(
		object{"display": "one", "project": h.work, "sessionId": "gone"},
		object{"display": "two", "project": h.dir, "sessionId": "elsewhere"},
		object{"display": "three", "project": h.work, "sessionId": "moved"}), 0)
	h.write(project("moved"), newChat("moved", h.dir).ask("three").String(), 0)
	want := func(id, words string) {
		t.Helper()
		_, err := h.store.Session(t.Context(), h.work, id)
		_, _, current := h.store.Current(t.Context(), Hints{Root: h.work, SessionID: id})
		if err == nil || current == nil || Message(err) != words || Message(current) != words {
			t.Errorf("%s: %v, %v; want %s", id, err, current, words)
		}
	}
	want("gone", "Chat data not available for session")
	for _, id := range []string{"elsewhere", "moved", "never"} {
		want(id, "Session not found: "+id)
	}
	h.must(os.Remove(history))
	h.must(os.Symlink(h.write("elsewhere.jsonl", jsonLines(object{"project": h.work, "sessionId": "gone"}), 0), history))
	want("gone", "Session not found: gone") // the link leads out of the folder
}

// Many questions at once, while the transcripts grow, give what is there.
func TestAtOnce(t *testing.T) {
	h := newHome(t)
	const chats, turns = 4, 30
	for i := range chats {
		h.write(project(fmt.Sprint(i)), newChat(fmt.Sprint(i), h.work).ask("turn 0").String(), i)
	}
	var all sync.WaitGroup
	for i := range chats {
		all.Go(func() {
			c := newChat(fmt.Sprint(i), h.work).ask("turn 0")
			for turn := 1; turn < turns; turn++ {
				had := len(c.lines)
				c.ask(fmt.Sprint("turn ", turn))
				h.add(filepath.Join(h.dir, filepath.FromSlash(project(fmt.Sprint(i)))), jsonLines(c.lines[had:]...))
			}
		})
		all.Go(func() {
			for last := 0; last < turns; {
				s, err := h.store.Session(t.Context(), h.work, fmt.Sprint(i))
				if err != nil || s.Count < last {
					t.Errorf("%v: %d requests after %d", err, s.Count, last)
					return
				}
				if last = s.Count; last > 0 {
					if r, err := s.Request(t.Context(), last); err != nil || r.Text != fmt.Sprint("turn ", last-1) {
						t.Errorf("%v %+v", err, r)
						return
					}
				}
			}
		})
		all.Go(func() { h.listed(0) })
	}
	all.Wait()
}
