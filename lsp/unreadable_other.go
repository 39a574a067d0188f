//go:build !unix

package lsp

import (
	"errors"
	"io/fs"
	"os"
)

// mayNotRead reports whether a file is there and this user has no right to read it.
func mayNotRead(path string) bool {
	f, err := os.Open(path)
	if err == nil {
		f.Close()
	}
	return errors.Is(err, fs.ErrPermission)
}
