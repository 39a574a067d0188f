package recall

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"lspi/tools/recall/jsonl"
)

// parsed is how many bytes the store has parsed of a session's file.
func (h *home) parsed(id string) int64 {
	h.Helper()
	s, err := h.store.Session(h.Context(), h.work, id)
	h.must(err)
	for r, t := range h.store.known {
		if strings.HasSuffix(filepath.ToSlash(strings.TrimSuffix(s.Path, zst)), "/"+r.name) {
			return t.parsed
		}
	}
	h.Fatal("the transcript is not remembered")
	return 0
}

func TestOnlyWhatIsAppendedIsParsed(t *testing.T) {
	h := newHome(t)
	c := newChat("s", h.work).ask("one")
	text := c.String()
	path := h.write(project("s"), text, 0)
	h.listed(0)
	if got := h.parsed("s"); got != int64(len(text)) {
		t.Errorf("%d bytes, of %d", got, len(text))
	}
	h.asked("s", "one")
	more := c.ask("two").String()[len(text):]
	h.add(path, more)
	h.asked("s", "one", "two")
	if got := h.parsed("s"); got != int64(len(text)+len(more)) {
		t.Errorf("%d bytes, of %d", got, len(text)+len(more))
	}
}

func TestChangedFilesAreReadAnew(t *testing.T) {
	for name, change := range map[string]func(h *home, path, text string){
		"shrank": func(h *home, path, text string) { h.must(os.WriteFile(path, []byte(text), 0o600)) },
		"replaced": func(h *home, path, text string) {
			h.must(os.WriteFile(path+".new", []byte(text), 0o600))
			h.must(os.Rename(path+".new", path))
		},
		"rewritten with more": func(h *home, path, text string) {
			h.must(os.WriteFile(path, []byte(text+strings.Repeat("{\"type\":\"mode\"}\n", 1000)), 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHome(t)
			path := h.write(project("s"), newChat("s", h.work).ask("one").ask("two").String(), 0)
			h.asked("s", "one", "two")
			change(h, path, newChat("s", h.work).ask("six").String())
			h.asked("s", "six")
		})
	}
}

// A line counts when it has ended, whatever stands in it; a broken one costs only itself.
func TestBrokenLines(t *testing.T) {
	h := newHome(t)
	text := newRollout(1, h.work).ask("one").String()
	next := newRollout(1, h.work).ask("two").String()
	path := h.write(live(1), text+"{\"type\":\"event_msg\",\n\x00\x01\nnull\n[]\n"+next[:len(next)-1], 0)
	for _, cut := range []int{len(next) - 1, len(next) / 2, 1} {
		h.must(os.WriteFile(path, []byte(text+"garbage\n"+next[:cut]), 0o600))
		s, err := h.store.Session(t.Context(), h.work, uuid(1))
		if err != nil || s.Count > 2 || s.Count < 1 {
			t.Errorf("%v %d", err, s.Count)
		}
	}
	h.add(path, next[1:])
	h.asked(uuid(1), "one", "two")
}

// Codex compresses a transcript while it is asked for: for a moment it is there under neither name, then it is
// there under the other.
func TestRenamedWhileItIsRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHome(t)
		path := h.write(live(1), newRollout(1, h.work).ask("one").String(), 0)
		s, err := h.store.Session(t.Context(), h.work, uuid(1))
		h.must(err)
		h.must(os.Rename(path, path+".moved"))
		came := make(chan string)
		go func() {
			r, err := s.First(t.Context())
			came <- fmt.Sprint(r.Text, err)
		}()
		synctest.Wait() // it waits for the file
		h.must(os.Rename(path+".moved", path))
		h.pack(path)
		if got := <-came; got != "one<nil>" {
			t.Error(got)
		}
		h.asked(uuid(1), "one")
		h.must(os.MkdirAll(filepath.Join(h.dir, "codex", "archived_sessions"), 0o700))
		h.must(os.Rename(path+zst, filepath.Join(h.dir, "codex", "archived_sessions", filepath.Base(path)+zst)))
		if got := h.texts(s); !slices.Equal(got, []string{"one"}) {
			t.Errorf("from the archive: %q", got)
		}
	})
}

func TestGoneWhileItIsRead(t *testing.T) {
	h := newHome(t)
	path := h.write(live(1), newRollout(1, h.work).ask("one").String(), 0)
	s, err := h.store.Session(t.Context(), h.work, uuid(1))
	h.must(err)
	h.must(os.WriteFile(path, []byte(strings.ReplaceAll(newRollout(1, h.work).ask("two").String(), "user_message",
		"user_messagE")), 0o600))
	if _, err = s.First(t.Context()); !errors.Is(err, errChanged) ||
		Message(err) != "Chat data not available for session" {
		t.Error(err)
	}
	h.must(os.Remove(path))
	if _, err = s.First(t.Context()); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err = s.First(ended); err == nil {
		t.Error("a question that has ended was answered")
	}
}

// What is remembered is bounded, and what was forgotten is read again.
func TestForgetting(t *testing.T) {
	h := newHome(t)
	h.store.budget = 8 * entrySize
	for i := range 40 {
		h.write(live(i), newRollout(i, h.work).ask("one").ask("two").String(), i)
	}
	for range 2 {
		if got := h.listed(0); len(got) != 40 {
			t.Fatal(len(got))
		}
		if len(h.store.known) > 8 || h.store.bytes > h.store.budget*2 {
			t.Errorf("%d transcripts, %d bytes", len(h.store.known), h.store.bytes)
		}
	}
	h.asked(uuid(0), "one", "two")
}

// However a transcript comes, in one piece or in two, it says the same; no text ends the reader.
func FuzzTranscripts(f *testing.F) {
	for _, text := range []string{newRollout(1, "/w").ask("one").add("event_msg",
		object{"type": "thread_rolled_back", "num_turns": 1}).ask("two").String(),
		newRollout(1, "/w", object{"history_mode": "paginated", "history_base": object{"thread_id": uuid(3),
			"end_ordinal_exclusive": 7}}).item("one").String(),
		newChat("s", "/w").ask("one").ask("two").rewind(4).ask("three").user(
			"<command-name>/x</command-name>").String()} {
		f.Add([]byte(text), uint(len(text)/2))
	}
	for _, m := range madeUps {
		text := jsonLines(m.lines...)
		f.Add([]byte(text), uint(len(text)/2))
	}
	f.Fuzz(func(t *testing.T, raw []byte, at uint) {
		cut := int(at % uint(len(raw)+1))
		for _, program := range programs {
			format := program.format
			whole, parts := format.lines(ref{}), format.lines(ref{})
			takeAll(t, whole, raw, 0)
			offset := takeAll(t, parts, raw[:cut], 0)
			takeAll(t, parts, raw[offset:], offset)
			if got, want := fmt.Sprint(parts.head(), parts.entries()),
				fmt.Sprint(whole.head(), whole.entries()); got != want {
				t.Fatalf("in parts %s\nwhole %s", got, want)
			}
			for _, e := range whole.entries() {
				r := jsonl.NewReader(t.Context(), bytes.NewReader(raw[e.offset:]), e.offset)
				r.Next()
				if got, ok := format.text(r, e.nth); !ok || sum(got.text) != e.sum {
					t.Fatalf("at %d: %q %v", e.offset, got.text, ok)
				}
			}
		}
	})
}

func takeAll(t testing.TB, l lines, raw []byte, offset int64) int64 {
	r := jsonl.NewReader(t.Context(), bytes.NewReader(raw), offset)
	for r.Next() {
		l.take(r)
	}
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	return r.Offset()
}

// A preview has whole characters, however much white space is before them.
func TestPreview(t *testing.T) {
	for text, want := range map[string]string{
		"":                      "",
		" \n\t":                 "",
		"fix\n  the\ttest":      "fix the test",
		strings.Repeat("ö", 90): strings.Repeat("ö", PreviewRunes),
		"a" + strings.Repeat(" ", 300) + strings.Repeat("日", 30): "a " + strings.Repeat("日", 30),
		strings.Repeat("\t\t\t\t\t\t\tx\n", 100):                 strings.Repeat("x ", PreviewRunes/2-1) + "x",
		strings.Repeat(" ", 400) + "begin":                       "begin",
	} {
		if got := preview(text); got != want {
			t.Errorf("%q: %q, not %q", text, got, want)
		}
	}
}

// However many parts a request has, no more than promised is read of it.
func TestJoined(t *testing.T) {
	long := text{strings.Repeat("ö", MaxText/2-1), false}
	if got := joined([]text{long, long, {"x", false}}, "\n"); len(got.text) != MaxText-1 || !got.cut ||
		!strings.HasSuffix(got.text, "ö\n") {
		t.Errorf("%d bytes, cut: %v", len(got.text), got.cut)
	}
	if got := joined([]text{{"a", false}, {"b", false}}, "\n"); got != (text{"a\nb", false}) {
		t.Errorf("%q, cut: %v", got.text, got.cut)
	}
}
