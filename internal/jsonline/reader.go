// Package jsonline reads streams that have one JSON-RPC message in each line, as MCP has on stdin and stdout (MCP
// 2025-11-25, Transports, stdio). It looks at line breaks alone: what stands in a line is for the caller.
package jsonline

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// MaxLine bounds a message, in bytes with its line break. The SDK has the same limit where it reads itself
// (go-sdk 1.8.0).
const MaxLine = 16 << 20

// MaxID bounds the id of a request that is answered by its id, in bytes.
const MaxID = 1000

const (
	bufferSize = 64 << 10
	maxReused  = 256 << 10 // the memory of a longer line is given back
)

// Reader reads lines of bounded length. One goroutine uses it.
type Reader struct {
	in    *bufio.Reader
	limit int
	line  []byte // of a line that is longer than the buffer
	long  bool   // the next part belongs to a line beyond the limit
}

// NewReader makes a reader of lines of at most limit bytes. It does not read ahead of a bufio.Reader of 64 KiB or
// more, which others may go on reading from.
func NewReader(r io.Reader, limit int) *Reader {
	return &Reader{in: bufio.NewReaderSize(r, bufferSize), limit: limit}
}

// Next returns the next line with its line break; at the end, the unterminated rest with io.EOF. A line beyond the
// limit comes in parts, for which whole is false: the first has more than limit bytes, the last ends with the line
// break. The bytes are valid until the next call.
func (r *Reader) Next() (line []byte, whole bool, err error) {
	if r.line = r.line[:0]; cap(r.line) > maxReused {
		r.line = nil
	}
	for {
		part, err := r.in.ReadSlice('\n')
		more := errors.Is(err, bufio.ErrBufferFull)
		if more {
			err = nil
		}
		switch {
		case r.long:
			r.long = err == nil && !Ends(part)
			return part, false, err
		case len(r.line)+len(part) > r.limit:
			r.line = append(r.line, part...)
			r.long = err == nil && !Ends(part)
			return r.line, false, err
		case len(r.line) == 0 && !more:
			return part, true, err // as it lies in the buffer
		}
		if r.line = append(r.line, part...); !more {
			return r.line, true, err
		}
	}
}

// Ends reports whether a line, or the last part of one, has its line break.
func Ends(line []byte) bool { return bytes.HasSuffix(line, []byte("\n")) }
