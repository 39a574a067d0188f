package lsp

import (
	"context"
	"time"
)

// Include makes a server know sources that its project file does not list, by opening them: how they are compiled it takes
// from the listed file that is most like them (clangd 22.1.8), or guesses. It reports whether the server has parsed all of
// them before ctx ends.
func Include(ctx context.Context, s *Server, files []string) bool {
	if len(files) > maxShown || OpenAll(ctx, s, files) != nil {
		return false
	}
	for _, path := range files {
		version, open := s.docs.version(path)
		if open && s.spec.Diagnostics.Versioned && !s.diagnostics.await(ctx, path, version, s.life.Done()) {
			return false
		}
	}
	return true
}

// OpenAll opens files with the texts that are on disk, but for those that are gone.
func OpenAll(ctx context.Context, s *Server, files []string) error {
	release, err := s.Lock(ctx)
	if err != nil {
		return err
	}
	defer release()
	for _, path := range files {
		if s.sent(path) {
			continue
		}
		if _, err := s.OpenLocked(ctx, path); UnlessGone(err) != nil {
			return err
		}
	}
	return nil
}

// HadParsed reports whether a server had open, and had parsed, before a time the text that a file has on disk now.
func HadParsed(s *Server, path string, before time.Time) bool { return s.HasSeen(path, before) }

// HasErrors reports whether a server has parsed the text that a file has on disk now, and reported an error in it.
func HasErrors(s *Server, path string) bool { return s.HasSeen(path, time.Now()) && !s.Compiles(path) }
