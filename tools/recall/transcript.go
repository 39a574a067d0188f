package recall

import (
	"bytes"
	"context"
	"hash/fnv"
	"io"
	"os"
	"strings"
	"time"

	"lspi/tools/recall/jsonl"
)

// head is what the beginning of a transcript says.
type head struct {
	// id is what the client calls the session, where the name of the file does not have all of it.
	id      string
	cwd     string
	started time.Time
	// side tells that no user speaks in it: a sub-agent, or work of the client for itself. parent is the session
	// that it works for, if known.
	side   bool
	parent string
	// base is the transcript of which this one is a continuation, and the ordinal at which it leaves that; "" for none.
	base    string
	baseEnd int64
	// whole tells that later lines do not change the head.
	whole bool
}

// entry is a request of the user: where it stands, and what is known of it without reading it again.
type entry struct {
	in      ref
	offset  int64  // of its line
	nth     int    // among the requests in that line, from 0
	sum     uint64 // of its text
	ordinal int64  // that Codex numbers its line with; -1 without
	time    time.Time
	preview string
}

// newEntry returns the request that stands in a line at an offset.
func newEntry(in ref, offset int64, nth int, t text, at time.Time) entry {
	return entry{in, offset, nth, sum(t.text), -1, at, preview(t.text)}
}

// text is what a request says, possibly cut at [MaxText].
type text struct {
	text string
	cut  bool
}

// lines is what a format makes of the lines of one transcript.
type lines interface {
	// take takes the present line of r, if it is whole and valid.
	take(r *jsonl.Reader)
	head() head
	// entries are those that still hold, oldest first.
	entries() []entry
	// calls reports whether a call of a tool with this id is among the last ones.
	calls(id string) bool
	// size is about how many bytes it holds.
	size() int
}

// gatherer is lines whose requests stand in other files.
type gatherer interface {
	// gather reads them, after each change of the transcript itself.
	gather(ctx context.Context) error
}

// format is how a client writes its transcripts.
type format struct {
	lines func(ref) lines
	// text is a request in the present line of r: the nth one, from 0.
	text func(r *jsonl.Reader, nth int) (text, bool)
	// workspace returns the folder in which a session runs, by a file beside the transcript; nil where its own lines
	// say it. It is "" where the file says nothing.
	workspace func(root *os.Root, name string) string
	// stored reads transcripts whose name is that of no file; nil where there are none.
	stored stored
}

// snapshot is what a transcript said when it was read last.
type snapshot struct {
	head     head
	requests []entry // nil when only the head was asked for
	modified time.Time
	path     string
}

// stored are transcripts in a database. What was read is not remembered: a query reads what it needs.
type stored interface {
	// visit reads a transcript as it is now.
	visit(ctx context.Context, r ref) (snapshot, error)
	// texts reads the texts of its requests; errChanged where they say something else now.
	texts(ctx context.Context, r ref, entries []entry) ([]text, error)
}

// document reports whether a transcript is one JSON object, which its client writes anew with each change, and not
// lines that are appended.
func (r ref) document() bool { return strings.HasSuffix(r.name, ".json") }

// reader reads a transcript from an offset, at which in stands.
func (r ref) reader(ctx context.Context, in io.Reader, offset int64) *jsonl.Reader {
	if r.document() {
		return jsonl.NewDocument(ctx, in, offset)
	}
	return jsonl.NewReader(ctx, in, offset)
}

// transcript is what is known of one file. Whoever holds the token may read on and change it; the token
// is a channel and no mutex, so that waiting for it ends with a context.
type transcript struct {
	token  chan struct{}
	ref    ref
	format *format

	info   os.FileInfo // of the file that was read; nil before
	packed bool
	offset int64  // behind the last line that was taken
	mark   []byte // what stands before offset
	lines  lines
	parsed int64 // bytes that were parsed so far, for tests
}

func newTranscript(r ref, f *format) *transcript {
	t := &transcript{token: make(chan struct{}, 1), ref: r, format: f, lines: f.lines(r)}
	t.token <- struct{}{}
	return t
}

// markSize is how many bytes before the offset must be unchanged for what was parsed to be kept. It
// tells a file that grew from one that was rewritten.
const markSize = 64

// readTexts takes the lines that were appended since the last time, or all of them when the file is another
// one. Without all it stops once the head is known: most transcripts are of other workspaces, which the
// head tells.
func (t *transcript) update(ctx context.Context, f *file, all bool) error {
	same, err := t.goesOn(f)
	if err != nil {
		return err
	}
	if !same {
		t.offset, t.mark, t.lines = 0, nil, t.format.lines(t.ref)
	}
	t.info, t.packed = f.info, f.packed
	if !all && t.lines.head().whole || !t.replaced(f) && f.info.Size() <= t.offset {
		return nil
	}
	if t.replaced(f) && same && t.offset > 0 && t.mark != nil {
		return nil // read to its end already
	}
	return t.parse(ctx, f, all)
}

// replaced reports whether a file is never appended to: a compressed one, and a document.
func (t *transcript) replaced(f *file) bool { return f.packed || t.ref.document() }

// parse takes the lines behind the offset. When it fails, the mark is dropped, so that the next time
// reads anew.
func (t *transcript) parse(ctx context.Context, f *file, all bool) error {
	in, done, err := f.text(ctx, t.offset)
	if err != nil {
		return err
	}
	defer done()
	r := t.ref.reader(ctx, in, t.offset)
	for (all || !t.lines.head().whole) && r.Next() {
		t.lines.take(r)
	}
	t.parsed += r.Offset() - t.offset
	t.offset = r.Offset()
	if err := r.Err(); err != nil {
		t.mark = nil
		return err
	}
	g, gathers := t.lines.(gatherer)
	if gathers && all {
		if err := g.gather(ctx); err != nil {
			return err // the mark is not set, so that the next time reads anew
		}
	}
	if t.replaced(f) {
		if all || t.ref.document() && !gathers {
			t.mark = []byte{} // it was read to its end
		}
		return nil
	}
	t.mark, err = f.before(t.offset)
	return err
}

// goesOn reports whether f is the file that was read, with the same text up to the offset.
func (t *transcript) goesOn(f *file) (bool, error) {
	if t.info == nil || !os.SameFile(t.info, f.info) || t.packed != f.packed {
		return false, nil
	}
	if t.replaced(f) {
		return t.info.Size() == f.info.Size() && t.info.ModTime().Equal(f.info.ModTime()), nil
	}
	// It shrank: another text took its place.
	if f.info.Size() < t.offset {
		return false, nil
	}
	mark, err := f.before(t.offset)
	return t.mark != nil && bytes.Equal(mark, t.mark), err
}

// before returns the last bytes before an offset, at most markSize.
func (f *file) before(offset int64) ([]byte, error) {
	mark := make([]byte, min(offset, markSize))
	_, err := f.ReadAt(mark, offset-int64(len(mark)))
	return mark, err
}

// sum returns a checksum of a text.
func sum(text string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text))
	return h.Sum64()
}

// preview returns how a text begins, on one line, at most [PreviewRunes] runes.
func preview(text string) string {
	var b strings.Builder
	runes := 0
	for word := range strings.FieldsSeq(text) {
		if runes > 0 {
			word = " " + word
		}
		for _, c := range word {
			if runes++; runes > PreviewRunes {
				return strings.TrimRight(b.String(), " ")
			}
			b.WriteRune(c)
		}
	}
	return b.String()
}

// timeOf returns a time in RFC 3339 in UTC; zero when the text is none.
func timeOf(text string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}

// entrySize is about how many bytes of memory an entry takes.
const entrySize = 256
