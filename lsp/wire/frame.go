package wire

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
)

const (
	// sharedSize is the size, in bytes, up to which bodies are read into one buffer that is used again.
	sharedSize = 64 << 10
	// maxPrealloc is how many bytes are allocated because a header announces them. The rest is allocated when so many
	// have come: a wrong length must not cost gigabytes.
	maxPrealloc = 16 << 20
	// maxPlausible is the length above which a header counts as junk: skipping so much would swallow all that follows.
	maxPlausible = 16 << 30
	// headSize is how many bytes of a message that is too large are searched for its id.
	headSize = 4 << 10
	// lineSize bounds a line; a longer one is read in pieces.
	lineSize = 64 << 10
	// pieceOverlap is how much of a piece is kept, so that a header across two pieces is found.
	pieceOverlap = 64
	// junkLogged is how many lines of junk are logged per connection.
	junkLogged = 20
)

// header finds a length in a line, not only at its start: servers print to stdout without a newline, and after a
// wrong length the rest of a message stands before the next header.
var header = regexp.MustCompile(`(?i)content-length[ \t]*:[ \t]*(\d+)[ \t]*\r?\n`)

// badHeader finds a line that announces a message with a length that is not a number.
var badHeader = regexp.MustCompile(`(?i)^content-length[ \t]*:[ \t]*(.*?)[ \t]*\r?\n`)

// body is what one header announced.
type body struct {
	bytes   []byte
	shared  bool // the next call of frames.next overwrites bytes
	partial bool // the message of size bytes was skipped; bytes is its head
	size    int
}

// frames cuts a byte stream into messages (LSP 3.18, Base Protocol). It searches for the next header whatever
// precedes it, so that a wrong length or a stray print costs at most the message that it falls into. The reading
// goroutine alone uses it.
type frames struct {
	src   *pushback
	in    *bufio.Reader
	max   int
	log   *slog.Logger
	junk  int  // lines of junk so far
	spoke bool // a message was read
	// the first line of junk, while no message was read; others read it
	foreign atomic.Pointer[string]
	buf     []byte // body of up to shared bytes
	carry   []byte // end of the last piece of a line that goes on
	middle  bool   // part of a message was read, so that an end of the stream is unexpected

	announced, got int              // bytes of the message that is being read
	stall          *stall           // watches reads within a message; may be nil
	lost           func(why string) // told of what may have been a message; may be nil
}

func newFrames(r io.Reader, max int, log *slog.Logger) *frames {
	f := &frames{max: max, log: log}
	f.src = &pushback{r: fromServer{r, f}}
	f.in = bufio.NewReaderSize(f.src, lineSize)
	return f
}

// fromServer reads from the server and has stall watch the reads that should not block for long.
type fromServer struct {
	r io.Reader
	f *frames
}

func (s fromServer) Read(b []byte) (int, error) {
	if s.f.stall != nil {
		if within := s.f.within(); within != "" {
			s.f.stall.readBegins(within)
			defer s.f.stall.readEnded()
		}
	}
	n, err := s.r.Read(b)
	s.f.got += n
	return n, err
}

// within says what a read waits for the rest of: a message, or a header. It returns "" between messages, where a
// server may be silent for as long as it likes.
func (f *frames) within() string {
	if f.middle {
		return fmt.Sprintf("%d bytes of a message that was announced with %d", f.got, f.announced)
	}
	const name = "content-length"
	if begun, _ := f.in.Peek(f.in.Buffered()); len(begun) > 0 && len(begun) < 4*len(name) {
		n := min(len(begun), len(name))
		if strings.EqualFold(string(begun[:n]), name[:n]) {
			return fmt.Sprintf("the beginning of a header, %q", begun)
		}
	}
	return ""
}

// next returns the next message that is not empty. Its error is the end of the stream.
func (f *frames) next() (body, error) {
	for {
		n, err := f.readHeader()
		if err != nil {
			return body{}, f.endError(err)
		}
		f.middle, f.got = true, f.in.Buffered()
		b, err := f.readBody(n)
		if err != nil {
			return body{}, f.endError(err)
		}
		f.middle = false
		if !f.spoke {
			f.spoke = true
			f.foreign.Store(nil)
		}
		if n > 0 {
			return b, nil
		}
	}
}

func (f *frames) endError(err error) error {
	if err == io.EOF && f.middle {
		return io.ErrUnexpectedEOF
	}
	return err
}

// readHeader skips to the next header block and returns its length. When a block has several lengths the last counts.
func (f *frames) readHeader() (length int, err error) {
	f.middle = false
	length = -1
	for {
		line, err := f.readLine()
		if err != nil {
			return 0, err
		}
		if n, ok := f.lengthIn(line); ok {
			length, f.middle, f.announced, f.got = n, true, n, 0
			continue
		}
		if length >= 0 && len(bytes.TrimRight(line, "\r\n")) == 0 {
			return length, nil
		}
		if length < 0 {
			f.reportJunk(line)
			if m := badHeader.FindSubmatch(line); m != nil && f.lost != nil {
				f.lost(fmt.Sprintf("a message of %.40q bytes", m[1]))
			}
		}
	}
}

// readLine returns the next line with its end. Of a line that is longer than the buffer it returns a piece, prefixed
// by the end of the piece before. The result is valid until the next read.
func (f *frames) readLine() ([]byte, error) {
	line, err := f.in.ReadSlice('\n')
	if len(f.carry) > 0 {
		line = append(f.carry, line...)
		f.carry = nil
	}
	if err == bufio.ErrBufferFull {
		f.carry = bytes.Clone(line[max(0, len(line)-pieceOverlap):])
		return line, nil
	}
	if err != nil {
		f.reportJunk(line)
	}
	return line, err
}

// lengthIn finds the length in a header line, and reports what precedes it as junk.
func (f *frames) lengthIn(line []byte) (int, bool) {
	m := header.FindSubmatchIndex(line)
	if m == nil {
		return 0, false
	}
	n, err := strconv.ParseInt(string(line[m[2]:m[3]]), 10, 64)
	if err != nil || n > maxPlausible || int64(int(n)) != n {
		return 0, false
	}
	f.reportJunk(line[:m[0]])
	return int(n), true
}

var contentType = []byte("content-type")

// reportJunk logs output that belongs to no message, up to a number of lines. A Content-Type header is none (LSP
// 3.18, Header Part).
func (f *frames) reportJunk(line []byte) {
	line = bytes.TrimSpace(line)
	if len(line) == 0 || len(line) > len(contentType) && bytes.EqualFold(line[:len(contentType)], contentType) {
		return
	}
	if f.junk++; f.junk > junkLogged {
		return
	}
	if !f.spoke && f.junk == 1 {
		text := clip(line, 200)
		f.foreign.Store(&text)
	}
	f.log.Warn("skipped output of the server that is no message", "text", clip(line, 200), "bytes", len(line),
		"last_logged", f.junk == junkLogged)
}

// readBody reads a body of n bytes.
func (f *frames) readBody(n int) (body, error) {
	switch {
	case n > f.max:
		return f.skip(n)
	// The buffer is allocated whole at the first small body, and then serves all of them.
	case n <= sharedSize:
		if cap(f.buf) < n {
			f.buf = make([]byte, sharedSize)
		}
		b := f.buf[:n]
		_, err := io.ReadFull(f.in, b)
		return body{bytes: b, shared: true, size: n}, eofInside(err)
	}
	// The second allocation costs a copy of maxPrealloc bytes, for the few bodies that are larger.
	b := make([]byte, min(n, maxPrealloc))
	if _, err := io.ReadFull(f.in, b); err != nil {
		return body{}, eofInside(err)
	}
	if n > len(b) {
		whole := make([]byte, n)
		if _, err := io.ReadFull(f.in, whole[copy(whole, b):]); err != nil {
			return body{}, eofInside(err)
		}
		b = whole
	}
	return body{bytes: b, size: n}, nil
}

// skip reads and drops a message that is too large, and returns its head.
func (f *frames) skip(n int) (body, error) {
	head := make([]byte, min(n, headSize))
	if _, err := io.ReadFull(f.in, head); err != nil {
		return body{}, eofInside(err)
	}
	_, err := io.CopyN(io.Discard, f.in, int64(n-len(head)))
	return body{bytes: head, partial: true, size: n}, eofInside(err)
}

// eofInside is the error of a read that needed all of its bytes.
func eofInside(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// unread puts back the end of a body that belongs to what follows the body.
func (f *frames) unread(rest []byte) {
	// What the reader has buffered follows the rest, and what was put back before follows that.
	buffered, _ := f.in.Peek(f.in.Buffered())
	again := make([]byte, 0, len(rest)+len(buffered)+len(f.src.before))
	again = append(append(append(again, rest...), buffered...), f.src.before...)
	f.src.before = again
	f.in.Reset(f.src)
}

// pushback is a reader to which bytes can be put back.
type pushback struct {
	before []byte // read first
	r      io.Reader
}

func (p *pushback) Read(b []byte) (int, error) {
	if len(p.before) == 0 {
		p.before = nil
		return p.r.Read(b)
	}
	n := copy(b, p.before)
	p.before = p.before[n:]
	return n, nil
}

// clip returns the beginning of b as text for a log.
func clip(b []byte, n int) string {
	if len(b) <= n {
		return string(b)
	}
	return string(b[:n]) + "…"
}
