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
)

const (
	// shared is the size up to which bodies are read into one buffer over and over.
	shared = 64 << 10
	// trusted is how much is allocated on the word of a header alone.
	trusted = 16 << 20
	// believable is the length above which a header is taken for junk: skipping it would swallow everything to come.
	believable = 16 << 30
	// headSize is how much of a message that is too large is looked at for its id.
	headSize = 4 << 10
	// lineSize bounds a line; what is longer is looked at in pieces.
	lineSize = 64 << 10
	// straddle is how much of a piece is kept, so that a header that lies across two pieces is found.
	straddle = 64
	// junkLogged is how many pieces of junk are logged per connection.
	junkLogged = 20
)

// header finds a length in a line. It need not be at its start: servers print to stdout without a newline, and the rest
// of a message whose length was wrong ends where the next header begins.
var header = regexp.MustCompile(`(?i)content-length[ \t]*:[ \t]*(\d+)[ \t]*\r?\n`)

// badHeader finds a line that announces a message by a length that is none.
var badHeader = regexp.MustCompile(`(?i)^content-length[ \t]*:[ \t]*(.*?)[ \t]*\r?\n`)

// body is what one header announced.
type body struct {
	bytes   []byte
	shared  bool // bytes is overwritten by the next call of next
	partial bool // bytes is only the head of a message of size bytes, which was skipped
	size    int
}

// frames cuts a byte stream into messages (LSP 3.18, Base Protocol). It looks for the next header whatever stands
// before it, so a wrong length or stray output costs at most the message that it falls into.
type frames struct {
	src    *pushback
	in     *bufio.Reader
	max    int
	log    *slog.Logger
	junk   int    // pieces of junk seen
	buf    []byte // body of up to shared bytes
	carry  []byte // end of a line piece that had no end
	middle bool   // something of a message was read: an end of the stream is unexpected now

	announced, got int              // bytes of the message that is read
	stall          *stall           // told of reads within a message; nil for none
	lost           func(why string) // called with what may have been a message; nil for none
}

func newFrames(r io.Reader, max int, log *slog.Logger) *frames {
	f := &frames{max: max, log: log}
	f.src = &pushback{r: fromServer{r, f}}
	f.in = bufio.NewReaderSize(f.src, lineSize)
	return f
}

// fromServer reads from the server and sees when that stalls.
type fromServer struct {
	r io.Reader
	f *frames
}

func (s fromServer) Read(b []byte) (int, error) {
	if s.f.stall != nil {
		if within := s.f.within(); within != "" {
			s.f.stall.wait(within)
			defer s.f.stall.done()
		}
	}
	n, err := s.r.Read(b)
	s.f.got += n
	return n, err
}

// within is what a read waits for more of; "" between messages, and within what is none.
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

// next reads the next message. An error is the end of the stream.
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

// readHeader skips to the next header block and returns its length; the last one counts if there are several.
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

// readLine returns the next line with its end, or a piece of one that is longer than the buffer, prefixed by the end of
// the piece before. It is valid until the next read.
func (f *frames) readLine() ([]byte, error) {
	line, err := f.in.ReadSlice('\n')
	if len(f.carry) > 0 {
		line = append(f.carry, line...)
		f.carry = nil
	}
	if err == bufio.ErrBufferFull {
		f.carry = bytes.Clone(line[max(0, len(line)-straddle):])
		return line, nil
	}
	if err != nil {
		f.reportJunk(line)
	}
	return line, err
}

// lengthIn finds the length in a header line; what stands before it is junk.
func (f *frames) lengthIn(line []byte) (int, bool) {
	m := header.FindSubmatchIndex(line)
	if m == nil {
		return 0, false
	}
	n, err := strconv.ParseInt(string(line[m[2]:m[3]]), 10, 64)
	if err != nil || n > believable || int64(int(n)) != n {
		return 0, false
	}
	f.reportJunk(line[:m[0]])
	return int(n), true
}

var contentType = []byte("content-type")

func (f *frames) reportJunk(line []byte) {
	line = bytes.TrimSpace(line)
	if len(line) == 0 || len(line) > len(contentType) && bytes.EqualFold(line[:len(contentType)], contentType) {
		return
	}
	if f.junk++; f.junk > junkLogged {
		return
	}
	f.log.Warn("skipped output of the server that is no message", "text", clip(line, 200), "bytes", len(line),
		"last_logged", f.junk == junkLogged)
}

// readBody reads n bytes. It believes a large length only as far as it is kept.
func (f *frames) readBody(n int) (body, error) {
	switch {
	case n > f.max:
		return f.skip(n)
	case n <= shared:
		if cap(f.buf) < n {
			f.buf = make([]byte, shared)
		}
		b := f.buf[:n]
		_, err := io.ReadFull(f.in, b)
		return body{bytes: b, shared: true, size: n}, eofInside(err)
	}
	b := make([]byte, min(n, trusted))
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

// skip drops a message and keeps its head.
func (f *frames) skip(n int) (body, error) {
	head := make([]byte, min(n, headSize))
	if _, err := io.ReadFull(f.in, head); err != nil {
		return body{}, eofInside(err)
	}
	_, err := io.CopyN(io.Discard, f.in, int64(n-len(head)))
	return body{bytes: head, partial: true, size: n}, eofInside(err)
}

// eofInside is err of a read that needed all its bytes.
func eofInside(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// unread gives back the end of a body that turned out to belong to what follows it.
func (f *frames) unread(rest []byte) {
	buffered, _ := f.in.Peek(f.in.Buffered())
	again := make([]byte, 0, len(rest)+len(buffered)+len(f.src.before))
	again = append(append(append(again, rest...), buffered...), f.src.before...)
	f.src.before = again
	f.in.Reset(f.src)
}

// pushback is a reader to which bytes can be given back.
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

// clip is the beginning of b as text for a log.
func clip(b []byte, n int) string {
	if len(b) <= n {
		return string(b)
	}
	return string(b[:n]) + "…"
}
