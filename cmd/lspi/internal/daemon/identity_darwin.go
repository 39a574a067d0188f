package daemon

import (
	"bytes"
	"errors"
	"io"
	"os"
)

// program is the program that runs.
func program() (string, error) { return os.Executable() }

// confinement is nothing here: macOS does not tell a process that it runs in a sandbox, whose own rules for sockets
// decide whether it may connect.
func confinement() ([]string, error) { return nil, nil }

// confinedAlike knows of no difference, as above.
func confinedAlike(int) error { return nil }

// buildMark precedes the build id at the beginning of the code, where the go command looks for it, too
// (cmd/internal/buildid).
const buildMark = "\xff Go build ID: \""

// buildSearch is how far the mark may be from the beginning of the file.
const buildSearch = 256 << 10

// buildID names the program that runs: two copies of one build have the same one.
func buildID() (string, error) {
	path, err := program()
	if err != nil {
		return "", err
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	head := make([]byte, buildSearch)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return "", err
	}
	_, id, found := bytes.Cut(head[:n], []byte(buildMark))
	id, _, whole := bytes.Cut(id, []byte(`"`))
	if !found || !whole || len(id) == 0 {
		return "", errors.New("the program has no build id")
	}
	return string(id), nil
}
