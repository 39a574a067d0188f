package jsonl

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// ErrSyntax ends a line that is not one JSON object, or too long.
var ErrSyntax = errors.New("not a JSON object")

// errPartial ends a line at the end of the stream that has no line feed yet.
var errPartial = errors.New("the line is not complete")

// The bounds of what a reader holds.
const (
	window  = 64 << 10 // bytes that are held of the stream
	maxDeep = 200      // nested values that a caller descends into
)

// maxLine is the most bytes of a line. It bounds what the decoder holds at once, which is a string of
// the line; a tool that answers with pictures makes lines of tens of MB. It is a variable for tests.
var maxLine = 128 << 20

// lenient has the decoder take what clients have written: halves of surrogate pairs, and answers of
// tools byte by byte. Strict JSON would drop whole requests for one bad character in them.
var lenient = json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))

// Reader reads the lines of one stream. It is for one goroutine. Values that the caller does not take
// are skipped.
type Reader struct {
	line    line
	decoder *jsontext.Decoder
	start   int64 // offset of the line that is read
	done    int64 // offset behind the last whole line
	lineErr error // why no more is taken from this line
	deep    int
	name    []byte // reused for each member's name
}

// NewReader reads from in, whose first byte has the given offset. When ctx ends, so does the stream, with the cause
// as its error.
func NewReader(ctx context.Context, in io.Reader, offset int64) *Reader {
	r := &Reader{line: line{in: bufio.NewReaderSize(&stream{ctx, in}, window), offset: offset}, start: offset,
		done: offset}
	r.decoder = jsontext.NewDecoder(&r.line, lenient)
	return r
}

// NewDocument reads from in, which is one JSON object however many lines it has. It is what a line is otherwise, with
// the same bound; one without an end is not valid. The offset is that of [NewReader].
func NewDocument(ctx context.Context, in io.Reader, offset int64) *Reader {
	r := NewReader(ctx, in, offset)
	r.line.whole = true
	return r
}

// Next goes to the beginning of the next line that is not empty. It is false at the end of the stream;
// [Reader.Err] then says whether reading failed.
func (r *Reader) Next() bool {
	r.lineErr, r.deep = nil, 0
	for {
		r.start = r.line.offset
		switch b, ok := r.line.peek(); {
		case !ok:
			return false
		case b == '\n':
			r.line.discard(1)
			r.done = r.line.offset
		case b == '\r':
			r.line.discard(1)
		default:
			r.line.begin()
			r.decoder.Reset(&r.line, lenient)
			return true
		}
	}
}

// Start returns the offset of the present line in the stream.
func (r *Reader) Start() int64 { return r.start }

// Offset returns the offset behind the last whole line, where a later Reader may go on.
func (r *Reader) Offset() int64 { return r.done }

// Err returns why the stream ended early; nil when it was read to its end.
func (r *Reader) Err() error {
	if r.line.streamErr == io.EOF {
		return nil
	}
	return r.line.streamErr
}

// End skips the rest of the present line. Its error is [ErrSyntax] when the line was not exactly one
// valid object, and another one when the line has no line feed yet: its writer is still at it.
func (r *Reader) End() error {
	if r.lineErr == nil {
		if _, err := r.decoder.ReadToken(); err != io.EOF {
			r.lineErr = ErrSyntax
		}
	}
	if !r.line.drain() {
		r.lineErr = errPartial
		return r.lineErr
	}
	r.done = r.line.offset
	return r.lineErr
}

// failed notes an error of the decoder, after which nothing more is taken from this line, and reports
// whether there is one.
func (r *Reader) failed(err error) bool {
	if err != nil && r.lineErr == nil {
		r.lineErr = ErrSyntax
	}
	return r.lineErr != nil
}

// Object calls member for each member of the object that comes next. The name is valid until the reader
// is used again. member takes the value or leaves it, and then it is skipped. Any other value than an
// object is skipped; at the top of a line it makes the line invalid.
func (r *Reader) Object(member func(name []byte)) {
	r.inside('{', func() {
		quoted, err := r.decoder.ReadValue()
		if r.failed(err) {
			return
		}
		// its error is a half of a surrogate pair, which is U+FFFD there
		r.name, _ = jsontext.AppendUnquote(r.name[:0], quoted)
		r.each(func() { member(r.name) })
	})
}

// Array calls element for each element of the array that comes next; element takes it or leaves it. Any
// other value than an array is skipped.
func (r *Reader) Array(element func()) {
	r.inside('[', func() { r.each(element) })
}

// inside calls item for each item of the object or array that comes next. Depth is bounded, since the
// caller's functions call back into the reader, and a line of brackets would exhaust the stack.
func (r *Reader) inside(open byte, item func()) {
	switch kind := r.Kind(); {
	case kind == 0:
		return
	case r.deep == maxDeep, kind != open && r.deep == 0:
		r.lineErr = ErrSyntax
		return
	case kind != open:
		r.Skip()
		return
	}
	r.deep++
	defer func() { r.deep-- }()
	_, _ = r.decoder.ReadToken()
	for {
		switch kind := r.decoder.PeekKind(); {
		case r.lineErr != nil:
			return
		case kind == ']' || kind == '}' || kind == 0:
			_, err := r.decoder.ReadToken()
			r.failed(err)
			return
		}
		item()
	}
}

// each lets a caller take one value, and skips the value when the caller did not.
func (r *Reader) each(take func()) {
	before := r.decoder.InputOffset()
	take()
	if r.lineErr == nil && r.decoder.InputOffset() == before {
		r.Skip()
	}
}

// Kind returns the first byte of the next value: '"', '{', '[', 't', 'f', 'n', or '0' for a number; 0
// when there is none, which ends the line.
func (r *Reader) Kind() byte {
	if r.lineErr != nil {
		return 0
	}
	kind := r.decoder.PeekKind()
	if kind == 0 || kind == ']' || kind == '}' {
		r.lineErr = ErrSyntax
		return 0
	}
	return byte(kind)
}

// String takes the next value as a string of at most limit bytes, in valid UTF-8 and cut at a whole
// rune; cut tells that there was more. Any other value is skipped and gives "".
func (r *Reader) String(limit int) (text string, cut bool) {
	if r.Kind() != '"' {
		r.Skip()
		return "", false
	}
	token, err := r.decoder.ReadToken()
	if r.failed(err) {
		return "", false
	}
	if text = token.String(); len(text) <= limit {
		return text, false
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	// A copy, so that the long string does not stay in memory for its beginning.
	return strings.Clone(text[:limit]), true
}

// Bool takes the next value and reports whether it is true.
func (r *Reader) Bool() bool {
	is := r.Kind() == 't'
	r.Skip()
	return is
}

// Int takes the next value as an integer; ok is false for any other value, which is skipped.
func (r *Reader) Int() (n int64, ok bool) {
	if r.Kind() != '0' {
		r.Skip()
		return 0, false
	}
	number, err := r.decoder.ReadValue()
	if r.failed(err) {
		return 0, false
	}
	n, err = strconv.ParseInt(string(number), 10, 64)
	return n, err == nil
}

// Skip skips the next value, of whatever kind.
func (r *Reader) Skip() {
	if r.lineErr == nil {
		r.failed(r.decoder.SkipValue())
	}
}

// line is the stream of the present line: it ends at the line feed, or at maxLine, so that the decoder
// cannot read over the border of lines.
type line struct {
	in        *bufio.Reader
	offset    int64 // in the stream of what is read next
	taken     int   // bytes of the present line
	ended     bool  // the line feed of the present line is taken
	streamErr error // why no more comes; io.EOF at the end
	whole     bool  // the line ends with the stream, and line feeds are part of it
}

func (l *line) begin() { l.taken, l.ended = 0, false }

// peek returns the next byte of the whole stream; false at its end.
func (l *line) peek() (byte, bool) {
	b, err := l.in.Peek(1)
	if err != nil {
		l.streamErr = err
		return 0, false
	}
	return b[0], true
}

func (l *line) discard(n int) {
	n, _ = l.in.Discard(n)
	l.offset += int64(n)
}

// Read reads up to the end of the line.
func (l *line) Read(p []byte) (n int, err error) {
	p = p[:min(len(p), maxLine-l.taken)]
	if l.ended || len(p) == 0 {
		return 0, io.EOF
	}
	n, err = l.take(func(held []byte) int { return copy(p, held) })
	if l.taken += n; n == 0 && err == nil {
		return 0, io.EOF
	}
	return n, err
}

// drain skips the rest of the line; false when the stream ended before its line feed.
func (l *line) drain() bool {
	for !l.ended {
		if _, err := l.take(func(held []byte) int { return len(held) }); err != nil {
			return l.whole && err == io.EOF
		}
	}
	return true
}

// take lets use take some of the bytes that are held up to the line feed, and takes the line feed
// itself when it comes next.
func (l *line) take(use func(held []byte) int) (int, error) {
	if _, ok := l.peek(); !ok {
		return 0, l.streamErr
	}
	held, _ := l.in.Peek(l.in.Buffered())
	end := -1
	if !l.whole {
		end = bytes.IndexByte(held, '\n')
	}
	if end == 0 {
		l.ended = true
		l.discard(1)
		return 0, nil
	}
	if end > 0 {
		held = held[:end]
	}
	n := use(held)
	l.discard(n)
	return n, nil
}

// stream is a reader that fails with the cause of its context once that ends.
type stream struct {
	ctx context.Context
	in  io.Reader
}

func (s *stream) Read(p []byte) (int, error) {
	if s.ctx.Err() != nil {
		return 0, context.Cause(s.ctx)
	}
	return s.in.Read(p)
}
