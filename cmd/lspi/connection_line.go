package main

import (
	"bufio"
	"errors"
)

// maxLine bounds a message of the host, in bytes; two of that size may be held at once. The text of the largest file that
// a tool may be given is far below.
const maxLine = 64 << 20

// errLineTooLong is a line beyond the limit; it was skipped, and the next one can be read.
var errLineTooLong = errors.New("a message is longer than the limit")

// readLine reads up to the end of a line, or of the input: then the error comes with what stands before it.
func readLine(r *bufio.Reader, limit int) ([]byte, error) {
	var line []byte
	tooLong := false
	for {
		part, err := r.ReadSlice('\n')
		if tooLong = tooLong || len(line)+len(part) > limit; tooLong {
			line = nil
		} else {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case tooLong:
			return nil, errLineTooLong // an end of the input is told again
		default:
			return line, err
		}
	}
}
