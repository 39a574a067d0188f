package jsonl

import (
	"context"
	"errors"
	"io"
)

// ErrSyntax ends a line that is not one JSON object.
var ErrSyntax = errors.New("not a JSON object")

// errPartial ends a line at the end of the stream that has no line feed yet.
var errPartial = errors.New("the line is not complete")

const (
	window  = 64 << 10 // bytes that are held of the stream
	maxKey  = 64       // bytes of a member's name that are kept; no wanted one is as long
	maxDeep = 200      // nested values that a caller descends into
)

// Reader reads lines of one stream. It is for one goroutine.
type Reader struct {
	ctx context.Context
	in  io.Reader

	buf        []byte
	next, end  int   // buf[next:end] is read, but not taken yet
	base       int64 // offset in the stream of buf[0]
	start      int64 // offset of the line that is read
	done       int64 // offset behind the last whole line
	streamErr  error // why no more comes; io.EOF at the end
	lineErr    error // why no more is taken from this line
	deep       int
	text, name []byte // reused for each string and each member's name
}

// NewReader reads from in, whose first byte has the given offset. When ctx ends, so does the stream, with the cause as its error.
func NewReader(ctx context.Context, in io.Reader, offset int64) *Reader {
	return &Reader{ctx: ctx, in: in, buf: make([]byte, window), base: offset, start: offset, done: offset}
}

// Next goes to the begin of the next line, over empty ones. It is false at the end of the stream; [Reader.Err] then says whether reading failed.
func (r *Reader) Next() bool {
	r.lineErr, r.deep = nil, 0
	for {
		r.start = r.base + int64(r.next)
		b, ok := r.peek()
		if !ok {
			return false
		}
		if b != '\n' && b != '\r' {
			return true
		}
		r.next++
		if b == '\n' {
			r.done = r.base + int64(r.next)
		}
	}
}

// Start is the offset of the present line.
func (r *Reader) Start() int64 { return r.start }

// Offset is behind the last whole line: where a later Reader goes on.
func (r *Reader) Offset() int64 { return r.done }

// Err is why the stream ended before its end, or nil.
func (r *Reader) Err() error {
	if r.streamErr == io.EOF {
		return nil
	}
	return r.streamErr
}

// End takes what is left of the present line, and is nil when the line was whole and the one object in it was valid.
func (r *Reader) End() error {
	if r.lineErr == nil {
		switch b, ok := r.space(); {
		case !ok:
			r.lineErr = errPartial
		case b != '\n':
			r.lineErr = ErrSyntax
		}
	}
	for r.lineErr != errPartial {
		b, ok := r.peek()
		if !ok {
			r.lineErr = errPartial
			break
		}
		if b == '\n' {
			r.next++
			r.done = r.base + int64(r.next)
			break
		}
		r.overLine()
	}
	return r.lineErr
}

// overLine takes what is held up to the line feed.
func (r *Reader) overLine() {
	for r.next < r.end && r.buf[r.next] != '\n' {
		r.next++
	}
}

// fail ends the present line; the first reason stays.
func (r *Reader) fail(err error) {
	if r.lineErr == nil {
		r.lineErr = err
	}
}

// peek is the next byte of the stream, false at its end.
func (r *Reader) peek() (byte, bool) {
	if r.next == r.end && !r.fill() {
		return 0, false
	}
	return r.buf[r.next], true
}

// fill reads the next window; all that was held is taken.
func (r *Reader) fill() bool {
	r.base += int64(r.end)
	r.next, r.end = 0, 0
	for r.streamErr == nil {
		if r.ctx.Err() != nil {
			r.streamErr = context.Cause(r.ctx)
			break
		}
		n, err := r.in.Read(r.buf)
		r.end, r.streamErr = n, err
		if n > 0 {
			return true
		}
	}
	return false
}

// inLine is the next byte of the present line. It fails the line at its end.
func (r *Reader) inLine() (byte, bool) {
	if r.lineErr != nil {
		return 0, false
	}
	b, ok := r.peek()
	if !ok {
		r.fail(errPartial)
		return 0, false
	}
	if b == '\n' {
		r.fail(ErrSyntax)
		return 0, false
	}
	return b, true
}

// space goes over white space within the line, and is the byte behind it, which may be the line feed.
func (r *Reader) space() (byte, bool) {
	for {
		b, ok := r.peek()
		if !ok || b != ' ' && b != '\t' && b != '\r' {
			return b, ok
		}
		r.next++
	}
}

// value is the first byte of the next value.
func (r *Reader) value() (byte, bool) {
	if r.lineErr != nil {
		return 0, false
	}
	r.space()
	return r.inLine()
}

// take takes one byte that has to be want.
func (r *Reader) take(want byte) bool {
	b, ok := r.value()
	if ok && b != want {
		r.fail(ErrSyntax)
		return false
	}
	if ok {
		r.next++
	}
	return ok
}
