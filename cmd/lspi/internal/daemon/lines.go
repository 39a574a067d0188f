package daemon

import (
	"bufio"
	"errors"
	"io"
)

// maxLine bounds the messages that the relay keeps in order to ask them again, in bytes. Those beyond it are
// refused by whoever reads them (package stdio has the same limit), so they are passed on piece by piece.
const maxLine = 16 << 20

// eachLine gives the lines of r to use, with their ends; whole is false for a piece of one that is longer than
// maxLine. It returns the error of reading, io.EOF at the end.
func eachLine(r io.Reader, use func(line []byte, whole bool) error) error {
	in := bufio.NewReaderSize(r, 32<<10)
	var line []byte
	whole := true
	for {
		part, err := in.ReadSlice('\n')
		more := errors.Is(err, bufio.ErrBufferFull)
		switch {
		case !more && err != nil && len(part) == 0 && len(line) == 0:
			return err
		case !more && len(line) == 0 && whole:
			if useErr := use(part, true); useErr != nil { // as it lies in the buffer
				return useErr
			}
		default:
			line = append(line, part...)
			if len(line) > maxLine {
				whole = false
			}
			if more && whole {
				continue
			}
			if useErr := use(line, whole); useErr != nil {
				return useErr
			}
			line = line[:0]
			if cap(line) > 256<<10 {
				line = nil
			}
			if !more {
				whole = true
			}
		}
		if err != nil && !more {
			return err
		}
	}
}
