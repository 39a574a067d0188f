package daemon

import (
	"io"

	"lspi/internal/jsonline"
)

// eachLine calls use with each line of r. Those beyond [jsonline.MaxLine] come in parts, for which whole is false: they
// are passed on and not kept, since whoever reads the messages refuses them. It returns the error of reading, io.EOF
// at the end.
func eachLine(r io.Reader, use func(line []byte, whole bool) error) error {
	in := jsonline.NewReader(r, jsonline.MaxLine)
	for {
		line, whole, err := in.Next()
		if len(line) > 0 {
			if useErr := use(line, whole); useErr != nil {
				return useErr
			}
		}
		if err != nil {
			return err
		}
	}
}
