package source

import (
	"io"
	"os"
)

// A folder with the file [CacheTag] holds what a program has made and can make again (Cache Directory Tagging
// Specification 0.6), such as Cargo's target and pytest's cache.
const (
	CacheTag       = "CACHEDIR.TAG"
	cacheSignature = "Signature: 8a477f597d28d172789f06886806bc55"
)

// IsCacheTag reports whether a file called [CacheTag] begins as the specification demands.
func IsCacheTag(path string) bool {
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	begin := make([]byte, len(cacheSignature))
	_, err = io.ReadFull(f, begin)
	return err == nil && string(begin) == cacheSignature
}
