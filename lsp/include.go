package lsp

import (
	"context"
	"slices"
	"time"

	"lspi/lang"
	"lspi/source"
)

// Include makes a server know sources that its project file does not list, by opening them: how they are compiled it takes
// from the listed file that is most like them (clangd 22.1.8), or guesses. It reports whether the server has parsed all of
// them before ctx ends.
func Include(ctx context.Context, s *Server, files []string) bool {
	if len(files) > maxShown || openAll(ctx, s, files) != nil {
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

// openAll opens files with the texts that are on disk, but for those that are gone.
func openAll(ctx context.Context, s *Server, files []string) error {
	release, err := s.take(ctx)
	if err != nil {
		return err
	}
	defer release()
	for _, path := range files {
		if s.sent(path) {
			continue
		}
		if _, err := s.openDocument(ctx, path); UnlessGone(err) != nil {
			return err
		}
	}
	return nil
}

// HadParsed reports whether a server had open, and had parsed, before a time the text that a file has on disk now.
func HadParsed(s *Server, path string, before time.Time) bool { return s.seen(path, before) }

// HasErrors reports whether a server has parsed the text that a file has on disk now, and reported an error in it.
func HasErrors(s *Server, path string) bool { return s.seen(path, time.Now()) && !s.compiles(path) }

// includedBy are those of headers that sources include, over other headers too, going by base names.
func includedBy(sources, headers []string) (out []string) {
	byName := map[string][]string{}
	for _, path := range headers {
		byName[baseName(path)] = append(byName[baseName(path)], path)
	}
	for next := slices.Clone(sources); len(next) > 0 && len(byName) > 0; next = next[1:] {
		text, err := source.Read(next[0])
		if err != nil {
			continue
		}
		for _, name := range lang.Includes(text.Content()) {
			out, next = append(out, byName[name]...), append(next, byName[name]...)
			delete(byName, name)
		}
	}
	return out
}
